"""What a transaction does, as far as its bytes tell: one shape for instructions and for a prebuilt transaction.

Policies judge the outline, so that a rule holds however a client spells its wish.
"""

from dataclasses import dataclass

from solders.message import Message, MessageV0, MessageV1
from solders.transaction import VersionedTransaction

from baton.chains.octets import from_base64
from baton.domain.json import Json


@dataclass(frozen=True, slots=True)
class Call:
    """One instruction. An account is None where only a lookup table on chain knows it."""

    path: str
    program: str
    accounts: tuple[str | None, ...]
    data: bytes

    def has_account(self, position: int, address: str) -> bool:
        return position < len(self.accounts) and self.accounts[position] == address


@dataclass(frozen=True, slots=True)
class Outline:
    path: str  # the field that the client used
    fee_payer: str
    signers: tuple[str, ...]
    addresses: frozenset[str]  # every key that is spelled out, programs included
    calls: tuple[Call, ...]
    size: int
    is_partly_hidden: bool  # some accounts are behind lookup tables


def of_instructions(specs: list[Json], fee_payer: str, size: int) -> Outline:
    calls = tuple(
        Call(
            path=f"instructions[{i}]",
            program=spec["program_id"],
            accounts=tuple(meta["pubkey"] for meta in spec["accounts"]),
            data=from_base64(spec["data"]),
        )
        for i, spec in enumerate(specs)
    )
    spelled = {address for call in calls for address in (call.program, *call.accounts) if address is not None}
    return Outline(
        path="instructions",
        fee_payer=fee_payer,
        signers=(fee_payer,),
        addresses=frozenset(spelled | {fee_payer}),
        calls=calls,
        size=size,
        is_partly_hidden=False,
    )


def of_transaction(transaction: VersionedTransaction) -> Outline:
    return of_message(transaction.message, len(bytes(transaction)))


def of_message(message: Message | MessageV0 | MessageV1, size: int) -> Outline:
    """`size` is that of the signed transaction."""
    keys = [str(key) for key in message.account_keys]
    calls = tuple(
        Call(
            path=f"transaction.instructions[{i}]",
            program=keys[each.program_id_index],  # a program is never behind a table
            accounts=tuple(keys[at] if at < len(keys) else None for at in each.accounts),
            data=bytes(each.data),
        )
        for i, each in enumerate(message.instructions)
    )
    return Outline(
        path="transaction",
        fee_payer=keys[0],
        signers=tuple(keys[: message.header.num_required_signatures]),
        addresses=frozenset(keys),
        calls=calls,
        size=size,
        is_partly_hidden=isinstance(message, MessageV0) and bool(message.address_table_lookups),
    )
