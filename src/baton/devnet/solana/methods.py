"""Every method by its wire name, and the way from one JSON-RPC request to its answer."""

from collections.abc import Callable

from baton.devnet.solana import controls, history, reads, sends
from baton.devnet.solana.errors import INVALID_REQUEST, METHOD_NOT_FOUND, RpcRefused, invalid_params
from baton.devnet.solana.node import Node
from baton.devnet.solana.params import Params
from baton.domain.json import Json

METHODS: dict[str, Callable[[Node, Params], Json]] = {
    "getAccountInfo": reads.get_account_info,
    "getBalance": reads.get_balance,
    "getBlock": history.get_block,
    "getBlockHeight": reads.get_block_height,
    "getBlockTime": reads.get_block_time,
    "getBlocks": reads.get_blocks,
    "getEpochInfo": reads.get_epoch_info,
    "getFeeForMessage": sends.get_fee_for_message,
    "getFirstAvailableBlock": reads.get_first_available_block,
    "getGenesisHash": reads.get_genesis_hash,
    "getHealth": reads.get_health,
    "getLatestBlockhash": reads.get_latest_blockhash,
    "getMinimumBalanceForRentExemption": reads.get_minimum_balance_for_rent_exemption,
    "getMultipleAccounts": reads.get_multiple_accounts,
    "getRecentPrioritizationFees": reads.get_recent_prioritization_fees,
    "getSignatureStatuses": history.get_signature_statuses,
    "getSignaturesForAddress": history.get_signatures_for_address,
    "getSlot": reads.get_slot,
    "getTokenAccountBalance": reads.get_token_account_balance,
    "getTransaction": history.get_transaction,
    "getTransactionCount": reads.get_transaction_count,
    "getVersion": reads.get_version,
    "isBlockhashValid": reads.is_blockhash_valid,
    "requestAirdrop": sends.request_airdrop,
    "sendTransaction": sends.send_transaction,
    "simulateTransaction": sends.simulate_transaction,
    "devnet_fork": controls.devnet_fork,
    "devnet_mine": controls.devnet_mine,
    "devnet_set": controls.devnet_set,
    "devnet_setAccount": controls.devnet_set_account,
}


def answer(node: Node, request: Json) -> Json:
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        return failure(None, RpcRefused(INVALID_REQUEST, "Invalid request"))
    method = METHODS.get(request["method"])
    if method is None:
        return failure(request.get("id"), RpcRefused(METHOD_NOT_FOUND, "Method not found"))
    try:
        result = method(node, Params(request.get("params")))
    except RpcRefused as refused:
        return failure(request.get("id"), refused)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        # An option of the wrong shape somewhere inside: a node answers with its decoder's words.
        return failure(request.get("id"), invalid_params(f"Invalid params: {error}"))
    return {"jsonrpc": "2.0", "result": result, "id": request.get("id")}


def failure(request_id: Json, refused: RpcRefused) -> Json:
    return {"jsonrpc": "2.0", "error": refused.to_json(), "id": request_id}
