"""Messages as bytes: what is signed, what of it can be changed, and what it says about itself.

A wire transaction is a count, so many signatures of 64 bytes, and the message. A message is (for v0: 0x80 and) three
header bytes, a count, so many keys of 32 bytes, the blockhash, the instructions. Both counts fit one byte here, because
a transaction has at most 1232 bytes.
"""

from collections.abc import Sequence

from solders.hash import Hash
from solders.message import Message, MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey

from baton.chains.solana.wire import KEY_BYTES, SIGNATURE_BYTES
from baton.domain.errors import Bug

AnyMessage = Message | MessageV0

UNSIGNED = bytes(SIGNATURE_BYTES)
_SYSTEM_PROGRAM = Pubkey.default()  # its key is 32 zeros
_ADVANCE_NONCE = (4).to_bytes(4, "little")
_VERSIONED = 0x80  # the first byte of every message that is not legacy
_HEADER_BYTES = 3
_NONCE_BYTES = 80
_NONCE_VALUE = slice(40, 72)


def serialized(message: AnyMessage) -> bytes:
    return bytes(to_bytes_versioned(message))


def joined(signatures: Sequence[bytes], message: bytes) -> bytes:
    """The wire transaction."""
    return bytes([len(signatures)]) + b"".join(signatures) + message


def with_blockhash(message: bytes, blockhash: str) -> bytes:
    """The same message under another blockhash. No other byte depends on it."""
    at = _blockhash_at(message)
    return message[:at] + bytes(Hash.from_string(blockhash)) + message[at + KEY_BYTES :]


def blockhash_of(message: bytes) -> str:
    at = _blockhash_at(message)
    return str(Hash(message[at : at + KEY_BYTES]))


def signer_count(message: bytes) -> int:
    return message[1] if message[0] & _VERSIONED else message[0]


def nonce_account_of(message: AnyMessage) -> str | None:
    """The durable nonce that a message opens with, if it does: then its blockhash is the nonce's value."""
    if not message.instructions:
        return None
    first, keys = message.instructions[0], message.account_keys
    if keys[first.program_id_index] != _SYSTEM_PROGRAM or bytes(first.data)[:4] != _ADVANCE_NONCE:
        return None
    accounts = bytes(first.accounts)
    return str(keys[accounts[0]]) if accounts and accounts[0] < len(keys) else None


def nonce_value(data: bytes | None) -> str | None:
    """The value that a nonce account holds; None if it is none."""
    return str(Hash(data[_NONCE_VALUE])) if data is not None and len(data) == _NONCE_BYTES else None


def _blockhash_at(message: bytes) -> int:
    start = 1 if message[0] & _VERSIONED else 0
    count = message[start + _HEADER_BYTES]
    if count & 0x80:
        raise Bug(f"a message of {count} keys or more cannot fit a transaction")
    return start + _HEADER_BYTES + 1 + count * KEY_BYTES
