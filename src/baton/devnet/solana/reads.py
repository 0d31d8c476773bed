"""The calls that look at the chain and its accounts. Every one honours `commitment` and `minContextSlot`."""

from decimal import Decimal

from solders.account import Account
from solders.pubkey import Pubkey

from baton.devnet.solana.blocks import MAX_AGE_BLOCKS, Block
from baton.devnet.solana.errors import BLOCK_NOT_AVAILABLE, SLOT_SKIPPED, RpcRefused, invalid_params
from baton.devnet.solana.node import API_VERSION, Node
from baton.devnet.solana.params import Params, parse_address
from baton.devnet.solana.wire import account_json
from baton.domain.json import Json

_SLOTS_PER_EPOCH = 432_000
_FEE_SLOTS = 150
_MAX_FEE_ACCOUNTS = 128
_MAX_ACCOUNTS = 100
_MAX_BLOCKS = 500_000
_TOKEN_ACCOUNT_BYTES = 165
_TOKEN_MINT = slice(0, 32)
_TOKEN_AMOUNT = slice(64, 72)
_MINT_DECIMALS = 44


def get_health(node: Node, _: Params) -> Json:
    node.faults.refuse_if_unhealthy()
    return "ok"


def get_version(_: Node, __: Params) -> Json:
    return {"solana-core": API_VERSION, "feature-set": 0}


def get_genesis_hash(node: Node, _: Params) -> Json:
    return str(node.bank.genesis_hash)


def get_slot(node: Node, params: Params) -> Json:
    return node.head(params.options(0)).slot


def get_block_height(node: Node, params: Params) -> Json:
    return node.head(params.options(0)).height


def get_transaction_count(node: Node, _: Params) -> Json:
    return node.bank.blocks.transaction_count


def get_epoch_info(node: Node, params: Params) -> Json:
    head = node.head(params.options(0))
    return {
        "absoluteSlot": head.slot,
        "blockHeight": head.height,
        "epoch": head.slot // _SLOTS_PER_EPOCH,
        "slotIndex": head.slot % _SLOTS_PER_EPOCH,
        "slotsInEpoch": _SLOTS_PER_EPOCH,
        "transactionCount": node.bank.blocks.transaction_count,
    }


def get_latest_blockhash(node: Node, params: Params) -> Json:
    head = node.head(params.options(0))
    return node.context(blockhash_json(head), head)


def blockhash_json(block: Block) -> Json:
    return {"blockhash": block.blockhash, "lastValidBlockHeight": block.height + MAX_AGE_BLOCKS}


def is_blockhash_valid(node: Node, params: Params) -> Json:
    head = node.head(params.options(1))
    return node.context(node.bank.blocks.knows(params.text(0), head), head)


def get_block_time(node: Node, params: Params) -> Json:
    return _block_at(node, params.integer(0), node.newest).time_s


def get_first_available_block(node: Node, _: Params) -> Json:
    """The oldest that it has not forgotten."""
    return node.bank.blocks.first.slot


def get_blocks(node: Node, params: Params) -> Json:
    head = node.head(params.options(2))
    first = params.integer(0)
    last = min(params.integer(1, default=head.slot), head.slot)
    if last - first > _MAX_BLOCKS:
        raise invalid_params(f"Slot range too large; max {_MAX_BLOCKS}")
    return node.bank.blocks.between(first, last)


def find_block(node: Node, slot: int, options: dict[str, Json]) -> Block:
    """The block of a slot for a call that speaks of settled blocks only."""
    if options.get("commitment") == "processed":
        raise invalid_params("Method does not support commitment below `confirmed`")
    return _block_at(node, slot, node.head(options))


def _block_at(node: Node, slot: int, head: Block) -> Block:
    if slot > head.slot:
        raise RpcRefused(BLOCK_NOT_AVAILABLE, f"Block not available for slot {slot}")
    block = node.bank.blocks.at_slot(slot)
    if block is None:
        raise RpcRefused(SLOT_SKIPPED, f"Slot {slot} was skipped, or missing due to ledger jump to recent snapshot")
    return block


def get_recent_prioritization_fees(node: Node, params: Params) -> Json:
    if params.has(0):
        params.texts(0, _MAX_FEE_ACCOUNTS)
    newest = node.newest.slot
    fee = node.faults.prioritization_fee
    return [{"slot": slot, "prioritizationFee": fee} for slot in range(newest - _FEE_SLOTS + 1, newest + 1)]


def get_balance(node: Node, params: Params) -> Json:
    depth = node.depth(params.options(1))
    return node.context(node.bank.lamports(params.address(0), depth), node.bank.blocks.at_depth(depth))


def get_account_info(node: Node, params: Params) -> Json:
    options = params.options(1)
    account = node.bank.account(params.address(0), node.depth(options))
    shown = account_json(account, options.get("encoding") or "base58", options.get("dataSlice"))
    return node.context(shown, node.head(options))


def get_multiple_accounts(node: Node, params: Params) -> Json:
    options = params.options(1)
    depth = node.depth(options)
    accounts = [node.bank.account(parse_address(text), depth) for text in params.texts(0, _MAX_ACCOUNTS)]
    encoding, data_slice = options.get("encoding") or "base64", options.get("dataSlice")
    return node.context([account_json(account, encoding, data_slice) for account in accounts], node.head(options))


def get_minimum_balance_for_rent_exemption(node: Node, params: Params) -> Json:
    return node.bank.rent_exempt_lamports(params.integer(0))


def get_token_account_balance(node: Node, params: Params) -> Json:
    options = params.options(1)
    depth = node.depth(options)
    data = _token_data(node.bank.account(params.address(0), depth))
    mint = node.bank.account(Pubkey(data[_TOKEN_MINT]), depth)
    if mint is None:
        raise invalid_params("Invalid param: could not find mint")
    amount, decimals = int.from_bytes(data[_TOKEN_AMOUNT], "little"), bytes(mint.data)[_MINT_DECIMALS]
    exact = Decimal(amount).scaleb(-decimals)
    value = {
        "amount": str(amount),
        "decimals": decimals,
        "uiAmount": float(exact),
        "uiAmountString": f"{exact:f}".rstrip("0").rstrip(".") if decimals else str(amount),
    }
    return node.context(value, node.head(options))


def _token_data(account: Account | None) -> bytes:
    if account is None:
        raise invalid_params("Invalid param: could not find account")
    data = bytes(account.data)
    if len(data) < _TOKEN_ACCOUNT_BYTES:
        raise invalid_params("Invalid param: not a Token account")
    return data
