"""The accounts a message touches, and the two account layouts the node itself must read: tables and nonces."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from solders.account import Account
from solders.hash import Hash
from solders.message import Message, MessageV0, MessageV1
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM

AnyMessage = Message | MessageV0 | MessageV1
ReadAccount = Callable[[Pubkey], Account | None]

_TABLE_HEADER_BYTES = 56
_KEY_BYTES = 32
_NONCE_BYTES = 80
_NONCE_VALUE = slice(40, 72)
_ADVANCE_NONCE = (4).to_bytes(4, "little")


@dataclass(frozen=True, slots=True)
class Touched:
    """Every account of a message, in the order in which its instructions count them."""

    keys: tuple[Pubkey, ...]
    writable: tuple[Pubkey, ...]
    writable_lookups: tuple[Pubkey, ...]
    readonly_lookups: tuple[Pubkey, ...]


def touched_by(message: AnyMessage, read: ReadAccount) -> Touched:
    static = tuple(message.account_keys)
    writable = _static_writable(message)
    if not isinstance(message, MessageV0):
        return Touched(static, writable, (), ())
    write, readonly = [], []
    for lookup in message.address_table_lookups:
        table = read(lookup.account_key)
        write += _looked_up(table, lookup.writable_indexes)
        readonly += _looked_up(table, lookup.readonly_indexes)
    return Touched((*static, *write, *readonly), (*writable, *write), tuple(write), tuple(readonly))


def _static_writable(message: AnyMessage) -> tuple[Pubkey, ...]:
    """The header counts them: writable signers, readonly signers, writable others, readonly others."""
    header, keys = message.header, message.account_keys
    signers = header.num_required_signatures
    return (
        *keys[: signers - header.num_readonly_signed_accounts],
        *keys[signers : len(keys) - header.num_readonly_unsigned_accounts],
    )


def _looked_up(table: Account | None, indexes: Iterable[int]) -> list[Pubkey]:
    """Addresses by index; a table or an index that is not there yields none, and the SVM refuses the transaction."""
    data = bytes(table.data)[_TABLE_HEADER_BYTES:] if table is not None else b""
    starts = (index * _KEY_BYTES for index in indexes)
    return [Pubkey(data[start : start + _KEY_BYTES]) for start in starts if start + _KEY_BYTES <= len(data)]


def nonce_account_of(message: AnyMessage) -> Pubkey | None:
    """The durable nonce that a message opens with, if it does: then its blockhash is the nonce's value."""
    if not message.instructions:
        return None
    first = message.instructions[0]
    program = message.account_keys[first.program_id_index]
    if program != SYSTEM_PROGRAM or bytes(first.data)[:4] != _ADVANCE_NONCE or not first.accounts:
        return None
    index = first.accounts[0]
    return message.account_keys[index] if index < len(message.account_keys) else None


def nonce_value(account: Account | None) -> str | None:
    if account is None or len(account.data) != _NONCE_BYTES or account.owner != SYSTEM_PROGRAM:
        return None
    return str(Hash(bytes(account.data)[_NONCE_VALUE]))


def with_next_nonce(account: Account, blockhash: Hash) -> Account:
    """The account after an advance, as the system program writes it."""
    data = bytearray(account.data)
    data[_NONCE_VALUE] = hashlib.sha256(b"DURABLE_NONCE" + bytes(blockhash)).digest()
    return Account(account.lamports, bytes(data), account.owner)


def with_lamports(account: Account | None, change_lamports: int) -> Account:
    if account is None:
        return Account(change_lamports, b"", SYSTEM_PROGRAM)
    lamports = account.lamports + change_lamports
    return Account(lamports, bytes(account.data), account.owner, account.executable, account.rent_epoch)
