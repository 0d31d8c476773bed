"""From stored instructions to a message: what is accepted is built once here, so what is stored can be built."""

from collections.abc import Sequence

from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import MessageV0
from solders.pubkey import Pubkey

from baton.chains.octets import from_base64
from baton.chains.solana.wire import KEY_BYTES, SIGNATURE_BYTES
from baton.domain.json import Json

COMPUTE_BUDGET_PROGRAM = "ComputeBudget111111111111111111111111111111"

_SET_LIMIT, _SET_PRICE = 2, 3  # the first byte of a compute budget instruction
_TABLE_BYTES = KEY_BYTES + 2  # a lookup table in a message: its key and two counts


def instruction(spec: Json) -> Instruction:
    metas = [AccountMeta(Pubkey.from_string(a["pubkey"]), a["is_signer"], a["is_writable"]) for a in spec["accounts"]]
    return Instruction(Pubkey.from_string(spec["program_id"]), from_base64(spec["data"]), metas)


def compute_budget(specs: Sequence[Json], units: int, price_micro_lamports: int) -> list[Instruction]:
    """The budget instructions that a client has not brought along; its own ones stand."""
    tags = {from_base64(spec["data"])[:1] for spec in specs if spec["program_id"] == COMPUTE_BUDGET_PROGRAM}
    ours = []
    if bytes([_SET_LIMIT]) not in tags:
        ours.append(set_compute_unit_limit(units))
    if bytes([_SET_PRICE]) not in tags:
        ours.append(set_compute_unit_price(price_micro_lamports))
    return ours


def least_size(specs: Sequence[Json], fee_payer: str, table_count: int) -> int:
    """The bytes of the signed transaction. Tables are not read here: with them, the size if they held all they could."""
    ours = compute_budget(specs, 1, 1)
    theirs = [instruction(spec) for spec in specs]
    message = MessageV0.try_compile(Pubkey.from_string(fee_payer), ours + theirs, [], Hash.default())
    full = 1 + SIGNATURE_BYTES + len(bytes(message)) + 1  # a count and one signature before it, the version's byte
    if not table_count:
        return full
    programs = {each.program_id for each in ours + theirs}
    movable = [key for key in message.account_keys[1:] if key not in programs]
    return min(full, full - len(movable) * (KEY_BYTES - 1) + _TABLE_BYTES)
