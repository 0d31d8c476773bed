"""The calls that ask what became of a transaction."""

from baton.devnet.solana.blocks import FINALIZED_DEPTH, Commitment, Landed
from baton.devnet.solana.errors import UNSUPPORTED_VERSION, RpcRefused, invalid_params
from baton.devnet.solana.node import Node
from baton.devnet.solana.params import Params
from baton.devnet.solana.reads import find_block
from baton.devnet.solana.wire import (
    inner_instructions_json,
    return_data_json,
    transaction_json,
    version_of,
)
from baton.domain.json import Json

_MAX_STATUSES = 256
_MAX_SIGNATURES = 1000
STATUS_CACHE_BLOCKS = 300
"""A node remembers the status of so many blocks; older ones it finds only if asked to search its history."""


def get_signature_statuses(node: Node, params: Params) -> Json:
    if params.has(1) and "searchTransactionHistory" not in params.options(1):
        raise invalid_params("Invalid params: missing field `searchTransactionHistory`.")
    searched = bool(params.options(1).get("searchTransactionHistory"))
    statuses = [_status_json(node, signature, searched) for signature in params.texts(0, _MAX_STATUSES)]
    return node.context(statuses)


def _status_json(node: Node, signature: str, searched: bool) -> Json:
    newest = node.newest
    landed = node.bank.blocks.find(signature, newest)
    if landed is None or (newest.height - landed.height > STATUS_CACHE_BLOCKS and not searched):
        return None
    level = commitment_of(node, landed)
    return {
        "slot": landed.slot,
        "confirmations": None if level is Commitment.FINALIZED else newest.height - landed.height,
        "err": landed.error,
        "status": result_json(landed),
        "confirmationStatus": level,
    }


def commitment_of(node: Node, landed: Landed) -> Commitment:
    depth = node.newest.height - landed.height
    if depth >= FINALIZED_DEPTH:
        return Commitment.FINALIZED
    return Commitment.CONFIRMED if depth >= Commitment.CONFIRMED.depth else Commitment.PROCESSED


def result_json(landed: Landed) -> Json:
    return {"Ok": None} if landed.error is None else {"Err": landed.error}


def get_transaction(node: Node, params: Params) -> Json:
    options = params.encoding_options(1, default="json")
    if options.get("commitment") == Commitment.PROCESSED:
        raise invalid_params("Method does not support commitment below `confirmed`")
    landed = node.bank.blocks.find(params.text(0), node.head(options))
    if landed is None:
        return None
    return {"slot": landed.slot, "blockTime": landed.time_s, **_landed_json(landed, options)}


def _landed_json(landed: Landed, options: dict[str, Json]) -> dict[str, Json]:
    version, newest_understood = version_of(landed.transaction), options.get("maxSupportedTransactionVersion")
    if isinstance(version, int) and (newest_understood is None or newest_understood < version):
        raise RpcRefused(
            UNSUPPORTED_VERSION,
            f"Transaction version ({version}) is not supported by the requesting client. Please try the request again "
            f'with the following configuration parameter: "maxSupportedTransactionVersion": {version}',
        )
    body: dict[str, Json] = {
        "transaction": transaction_json(landed.transaction, options["encoding"]),
        "meta": _meta_json(landed),
    }
    if newest_understood is not None:
        body["version"] = version
    return body


def _meta_json(landed: Landed) -> Json:
    touched = landed.touched
    return {
        "err": landed.error,
        "status": result_json(landed),
        "fee": landed.meta.fee(),
        "preBalances": list(landed.before_lamports),
        "postBalances": list(landed.after_lamports),
        "innerInstructions": inner_instructions_json(landed.meta.inner_instructions()),
        "logMessages": landed.meta.logs(),
        "preTokenBalances": [],
        "postTokenBalances": [],
        "rewards": [],
        "loadedAddresses": {
            "writable": [str(key) for key in touched.writable_lookups],
            "readonly": [str(key) for key in touched.readonly_lookups],
        },
        "returnData": return_data_json(landed.meta),
        "computeUnitsConsumed": landed.meta.compute_units_consumed(),
    }


def get_block(node: Node, params: Params) -> Json:
    options = params.encoding_options(1, default="json")
    block = find_block(node, params.integer(0), options)
    parent = node.bank.blocks.parent_of(block) or block
    body: dict[str, Json] = {
        "blockhash": block.blockhash,
        "previousBlockhash": parent.blockhash,
        "parentSlot": parent.slot,
        "blockHeight": block.height,
        "blockTime": block.time_s,
    }
    detail = options.get("transactionDetails") or "full"
    if detail == "signatures":
        body["signatures"] = list(block.signatures)
    elif detail == "full":
        found = (node.bank.blocks.find(signature, block) for signature in block.signatures)
        body["transactions"] = [_landed_json(landed, options) for landed in found if landed is not None]
    elif detail != "none":
        raise invalid_params(
            f"Invalid params: transactionDetails `{detail}` is not served, expected full, signatures or none"
        )
    if options.get("rewards", True):
        body["rewards"] = []
    return body


def get_signatures_for_address(node: Node, params: Params) -> Json:
    options = params.options(1)
    head, blocks = node.head(options), node.bank.blocks
    limit, before, until = options.get("limit") or _MAX_SIGNATURES, options.get("before"), options.get("until")
    newest_first = blocks.signatures_for(str(params.address(0)))
    if before in newest_first:
        newest_first = newest_first[newest_first.index(before) + 1 :]
    if until in newest_first:
        newest_first = newest_first[: newest_first.index(until)]
    found = (blocks.find(signature, head) for signature in newest_first)
    return [_signature_json(node, landed) for landed in found if landed is not None][: min(limit, _MAX_SIGNATURES)]


def _signature_json(node: Node, landed: Landed) -> Json:
    return {
        "signature": landed.signature,
        "slot": landed.slot,
        "err": landed.error,
        "memo": None,
        "blockTime": landed.time_s,
        "confirmationStatus": commitment_of(node, landed),
    }
