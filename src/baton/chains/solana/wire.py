"""Keys and bytes of Solana as they travel: base58 addresses and the wire transaction (legacy and v0).

The parser underneath is native code: on some inputs it panics, and a panic is no `Exception`. Everything that touches
a client's bytes goes through `_calmly`, so that nothing but `Invalid` reaches a caller.
"""

from collections.abc import Callable
from typing import TypeVar

from solders.message import Message, MessageV0
from solders.pubkey import Pubkey
from solders.transaction import SanitizeError, VersionedTransaction

from baton.chains.fields import found
from baton.domain.errors import Bug, Invalid
from baton.domain.json import Json

KEY_BYTES = 32
SIGNATURE_BYTES = 64
LARGEST_TRANSACTION = 1232  # bytes: what fits one packet (IPv6's 1280 less the headers); nodes refuse more

_SHORTEST_KEY, _LONGEST_KEY = 32, 44  # characters of 32 bytes in base58
_Answer = TypeVar("_Answer")


def address_of(public_key: bytes) -> str:
    """An account's address is its ed25519 key."""
    if len(public_key) != KEY_BYTES:
        raise Bug(f"an ed25519 public key has {KEY_BYTES} bytes, not {len(public_key)}")
    return str(Pubkey(public_key))


def is_address(text: str) -> bool:
    if not _SHORTEST_KEY <= len(text) <= _LONGEST_KEY:
        return False
    try:
        _calmly(lambda: Pubkey.from_string(text))
    except ValueError:
        return False
    return True


def address(value: Json, path: str) -> str:
    """32 bytes in base58. Not every key is on the curve: programs own addresses that nobody can sign for."""
    if not isinstance(value, str) or not is_address(value):
        raise Invalid(path, found(value), "a base58 address of 32 bytes")
    return value


def transaction_of(raw: bytes, path: str) -> VersionedTransaction:
    """A well-formed wire transaction: one spelling, sound indices, a version that we speak."""
    if len(raw) > LARGEST_TRANSACTION:
        raise Invalid(path, f"{len(raw)} bytes", f"a transaction of at most {LARGEST_TRANSACTION} bytes")
    try:
        transaction = _calmly(lambda: VersionedTransaction.from_bytes(raw))
        _calmly(transaction.sanitize)
        is_whole = _calmly(lambda: bytes(transaction)) == raw
    except (ValueError, SanitizeError) as error:
        raise Invalid(path, f"{len(raw)} bytes ({error})", "a wire transaction (legacy or v0)") from None
    if not is_whole:
        raise Invalid(path, "bytes after its end", "a wire transaction and nothing else")
    if not isinstance(transaction.message, Message | MessageV0):
        raise Invalid(path, "another version", "a transaction of version legacy or 0")
    if len(set(transaction.message.account_keys)) != len(transaction.message.account_keys):
        raise Invalid(path, "an account listed twice", "each account once")
    return transaction


def valid_signatures(transaction: VersionedTransaction) -> list[bool]:
    """For each required signer, in order: whether its signature is there and signs this message."""
    return list(_calmly(transaction.verify_with_results))


def _calmly(act: Callable[[], _Answer]) -> _Answer:
    try:
        return act()
    except BaseException as error:
        # the class lives in the native library and cannot be imported, only recognised
        if type(error).__name__ == "PanicException":
            raise ValueError("unreadable") from None
        raise
