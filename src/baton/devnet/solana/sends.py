"""The calls that price, try and send a transaction."""

import base64
import binascii

from solders.message import from_bytes_versioned
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from baton.devnet.solana.bank import Simulated
from baton.devnet.solana.errors import (
    PREFLIGHT_FAILURE,
    SIGNATURE_FAILURE,
    RpcRefused,
    invalid_params,
    transaction_error_text,
)
from baton.devnet.solana.node import Node
from baton.devnet.solana.params import Params, parse_address
from baton.devnet.solana.reads import blockhash_json
from baton.devnet.solana.wire import account_json, decode_transaction, inner_instructions_json, return_data_json
from baton.domain.json import Json


def request_airdrop(node: Node, params: Params) -> Json:
    return node.submit_airdrop(params.address(0), params.integer(1))


def get_fee_for_message(node: Node, params: Params) -> Json:
    """The SVM itself says what it would charge, so that the answer and the charge cannot differ."""
    try:
        message = from_bytes_versioned(base64.b64decode(params.text(0), validate=True))
    except (binascii.Error, ValueError) as error:
        raise invalid_params(f"failed to deserialize solana_message::versioned::VersionedMessage: {error}") from error
    head = node.head(params.options(1))
    unsigned = [Signature.default()] * message.header.num_required_signatures
    transaction = VersionedTransaction.populate(message, unsigned)
    if node.bank.refusal(transaction, head) == "BlockhashNotFound":
        return node.context(None, head)
    meta = node.bank.simulate(transaction).meta
    assert meta is not None
    return node.context(meta.fee(), head)


def send_transaction(node: Node, params: Params) -> Json:
    options = params.options(1)
    transaction = decode_transaction(params.text(0), options.get("encoding") or "base58")
    if not options.get("skipPreflight"):
        _preflight(node, transaction, {**options, "commitment": options.get("preflightCommitment")})
    node.submit(transaction, options.get("maxRetries"))
    return str(transaction.signatures[0])


def _preflight(node: Node, transaction: VersionedTransaction, options: dict[str, Json]) -> None:
    _refuse_bad_signatures(transaction)
    node.faults.refuse_if_unhealthy()
    simulated = _simulate(node, transaction, options)
    if simulated.error is not None:
        message = f"Transaction simulation failed: {transaction_error_text(simulated.error)}"
        raise RpcRefused(PREFLIGHT_FAILURE, message, _simulated_json(simulated))


def simulate_transaction(node: Node, params: Params) -> Json:
    options = params.options(1)
    transaction = decode_transaction(params.text(0), options.get("encoding") or "base58")
    verify, replace = options.get("sigVerify"), options.get("replaceRecentBlockhash")
    if verify and replace:
        raise invalid_params("sigVerify may not be used with replaceRecentBlockhash")
    if verify:
        _refuse_bad_signatures(transaction)
    head = node.head(options)
    simulated = _simulate(node, transaction, options)
    value = _simulated_json(simulated)
    if options.get("accounts"):
        value["accounts"] = _accounts_after(node, simulated, options["accounts"])
    if options.get("innerInstructions"):
        inner = simulated.meta.inner_instructions() if simulated.meta is not None else []
        value["innerInstructions"] = inner_instructions_json(inner)
    if replace:
        value["replacementBlockhash"] = blockhash_json(head)
    return node.context(value, head)


def _refuse_bad_signatures(transaction: VersionedTransaction) -> None:
    if not all(transaction.verify_with_results()):
        raise RpcRefused(SIGNATURE_FAILURE, "Transaction signature verification failure")


def _simulate(node: Node, transaction: VersionedTransaction, options: dict[str, Json]) -> Simulated:
    any_blockhash = bool(options.get("replaceRecentBlockhash"))
    refusal = node.bank.refusal(transaction, node.head(options), any_blockhash=any_blockhash)
    return Simulated(refusal) if refusal else node.bank.simulate(transaction)


def _simulated_json(simulated: Simulated) -> dict[str, Json]:
    meta = simulated.meta
    return {
        "err": simulated.error,
        "logs": meta.logs() if meta is not None else [],
        "accounts": None,
        "unitsConsumed": meta.compute_units_consumed() if meta is not None else 0,
        "loadedAccountsDataSize": 0,
        "returnData": return_data_json(meta) if meta is not None else None,
        "innerInstructions": None,
        "replacementBlockhash": None,
    }


def _accounts_after(node: Node, simulated: Simulated, wanted: Json) -> Json:
    after = dict(simulated.after)
    keys = [parse_address(text) for text in wanted.get("addresses", [])]
    accounts = [after.get(key) or node.bank.account(key) for key in keys]
    return [account_json(account, wanted.get("encoding") or "base64") for account in accounts]
