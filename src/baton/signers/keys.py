"""The text that people keep raw keys in, read into 32 bytes. What was found is never shown, only what was expected."""

import base64
import binascii
import json
import re

from baton.domain.curve import Curve
from baton.domain.errors import Misconfigured
from baton.signers.ecdsa import is_scalar

KEY_BYTES = 32
PAIR_BYTES = 64  # Solana keeps seed and public key together
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_STELLAR_SEED_VERSION = 18 << 3
_EXPECTED = {
    Curve.SECP256K1: "64 hex digits, with or without 0x",
    Curve.ED25519: "64 hex digits, a base58 Solana secret, a list of 64 bytes, or a Stellar seed (S…)",
}


def parse_key(curve: Curve, text: str, whose: str) -> bytes:
    """The 32 bytes of a raw key; `whose` names the signer in the complaint."""
    found = _parse(curve, text.strip())
    if found is None or (curve is Curve.SECP256K1 and not is_scalar(found)):
        raise Misconfigured(
            [f"{whose}: found something that is no {curve} key (not shown), expected {_EXPECTED[curve]}"]
        )
    return found


def _parse(curve: Curve, text: str) -> bytes | None:
    if re.fullmatch(r"(0x)?[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text[-64:])
    if curve is Curve.SECP256K1:
        return None
    if text.startswith("["):
        return _from_list(text)
    if re.fullmatch(r"S[A-Z2-7]{55}", text):
        return _from_stellar(text)
    return _from_pair(_from_base58(text))


def _from_list(text: str) -> bytes | None:
    if not re.fullmatch(r"\[[0-9,\s]*\]", text):  # flat, so that nothing deep reaches the decoder
        return None
    try:
        return _from_pair(bytes(json.loads(text)))
    except ValueError:
        return None


def _from_base58(text: str) -> bytes:
    if not PAIR_BYTES <= len(text) <= 88 or any(char not in _BASE58 for char in text):  # noqa: PLR2004 - the length of 64 bytes
        return b""
    value = 0
    for char in text:
        value = value * 58 + _BASE58.index(char)
    return value.to_bytes(PAIR_BYTES, "big") if value.bit_length() <= PAIR_BYTES * 8 else b""


def _from_pair(pair: bytes) -> bytes | None:
    """Seed and public key; a pair whose halves do not belong together is a typing mistake, not a key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if len(pair) != PAIR_BYTES:
        return None
    seed = pair[:KEY_BYTES]
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    return seed if public == pair[KEY_BYTES:] else None


def _from_stellar(text: str) -> bytes | None:
    raw = base64.b32decode(text)
    is_seed = raw[0] == _STELLAR_SEED_VERSION and binascii.crc_hqx(raw[:-2], 0) == int.from_bytes(raw[-2:], "little")
    return raw[1:-2] if is_seed else None
