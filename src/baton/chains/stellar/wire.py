"""Keys and bytes of Stellar as they travel: strkeys (G…, M…, C…) and the XDR envelope of a transaction."""

from collections.abc import Callable
from typing import TypeVar

import xdrlib3
from stellar_sdk import MuxedAccount, StrKey, TransactionEnvelope
from stellar_sdk import xdr as stellar_xdr
from stellar_sdk.exceptions import SdkError

from baton.chains.fields import found
from baton.chains.octets import base64_bytes
from baton.domain.errors import Bug, Invalid
from baton.domain.json import Json

KEY_BYTES = 32
LARGEST_ENVELOPE = 140_000  # bytes: a little above the network's own limit for a contract transaction
LONGEST_STRKEY = 170  # characters of the longest kind, a signed payload

# What the parser underneath has been seen to raise on a stranger's bytes.
UNREADABLE = (
    ValueError,
    TypeError,
    EOFError,
    LookupError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    RecursionError,
    xdrlib3.Error,
    SdkError,
)
_Answer = TypeVar("_Answer")


def address_of(public_key: bytes) -> str:
    if len(public_key) != KEY_BYTES:
        raise Bug(f"an ed25519 public key has {KEY_BYTES} bytes, not {len(public_key)}")
    return StrKey.encode_ed25519_public_key(public_key)


def account(value: Json, path: str) -> str:
    return _strkey(value, path, "an account address (G…)", StrKey.is_valid_ed25519_public_key)


def contract(value: Json, path: str) -> str:
    return _strkey(value, path, "a contract address (C…)", StrKey.is_valid_contract)


def muxed(value: Json, path: str) -> str:
    """Where the protocol takes a number behind the account too."""
    kinds = (StrKey.is_valid_ed25519_public_key, StrKey.is_valid_med25519_public_key)
    return _strkey(value, path, "an account address (G… or M…)", *kinds)


def party(value: Json, path: str) -> str:
    """Whoever a contract may deal with."""
    kinds = (StrKey.is_valid_ed25519_public_key, StrKey.is_valid_contract, StrKey.is_valid_med25519_public_key)
    return _strkey(value, path, "an address (G…, C… or M…)", *kinds)


def signer_key(value: Json, path: str) -> str:
    kinds = (
        StrKey.is_valid_ed25519_public_key,
        StrKey.is_valid_pre_auth_tx,
        StrKey.is_valid_sha256_hash,
        StrKey.is_valid_ed25519_signed_payload,
    )
    return _strkey(value, path, "a signer's key (G…, T…, X… or P…)", *kinds)


def base_account(address: str) -> str:
    """The account behind a muxed address."""
    return MuxedAccount.from_account(address).account_id


def envelope_of(text: str, passphrase: str, path: str) -> TransactionEnvelope:
    """A plain transaction (v0 or v1), signed or not, that is spelled as we would spell it."""
    raw = base64_bytes(text, path, LARGEST_ENVELOPE)
    expected = "base64 XDR of a transaction envelope"
    kind = read_or_refuse(lambda: stellar_xdr.TransactionEnvelope.from_xdr_bytes(raw).type, path, expected)
    if kind == stellar_xdr.EnvelopeType.ENVELOPE_TYPE_TX_FEE_BUMP:
        raise Invalid(path, "a fee bump", "the transaction inside it; the relayer makes the fee bump itself")
    envelope = read_or_refuse(lambda: TransactionEnvelope.from_xdr(text, passphrase), path, expected)
    if read_or_refuse(envelope.to_xdr, path, expected) != text:
        raise Invalid(path, "XDR that changes when it is written again", expected)
    return envelope


def read_or_refuse(act: Callable[[], _Answer], path: str, expected: str) -> _Answer:
    """Runs foreign code on a client's value; whatever it stumbles over is the value's fault."""
    try:
        return act()
    except UNREADABLE as error:
        raise Invalid(path, f"something unreadable ({str(error)[:80] or type(error).__name__})", expected) from None


def _strkey(value: Json, path: str, expected: str, *kinds: Callable[[str], bool]) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_STRKEY or not any(is_kind(value) for is_kind in kinds):
        raise Invalid(path, found(value), expected)
    return value
