"""Addresses and signatures. The only file of the family that names the elliptic-curve library."""

from coincurve import PublicKey
from tiny_keccak import keccak256

from baton.domain.errors import Bug

DIGEST = 32
PUBLIC_KEY = 64


def keccak(data: bytes) -> bytes:
    digest: bytes = keccak256(data)
    return digest


def address(public_key: bytes) -> str:
    """The account that a key (64 bytes x‖y) controls, lower case, as records show it."""
    return "0x" + address_bytes(public_key).hex()


def address_bytes(public_key: bytes) -> bytes:
    if len(public_key) != PUBLIC_KEY:
        message = f"a secp256k1 public key has {PUBLIC_KEY} bytes here, found {len(public_key)}"
        raise Bug(message)
    return keccak(public_key)[12:]


def checksummed(account: str) -> str:
    """EIP-55: the letter case of an address is its checksum."""
    digits = account[2:].lower()
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(d.upper() if mark >= "8" else d for d, mark in zip(digits, marks, strict=False))


def recover(digest: bytes, signature: bytes, y_parity: int) -> bytes | None:
    """The public key (64 bytes) that made `signature` (r‖s) over `digest`, or None if there is none."""
    try:
        key = PublicKey.from_signature_and_message(signature + bytes((y_parity,)), digest, hasher=None)
    except ValueError:
        return None
    point: bytes = key.format(compressed=False)
    return point[1:]


def parity(digest: bytes, signature: bytes, public_key: bytes) -> int:
    """Which of the two points r stands for: the bit that a transaction carries and a KMS does not give.

    A signature that neither bit leads back to the key was made by another key or over another digest: it must never
    leave the house, for the chain would take it as a transaction of a stranger.
    """
    for y_parity in (0, 1):
        if recover(digest, signature, y_parity) == public_key:
            return y_parity
    message = "the signer's signature does not belong to its public key"
    raise Bug(message)
