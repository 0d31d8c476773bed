"""A signer whose key is in this process.

Weakness: whoever can read the process's memory has the key. Python cannot wipe it. Where that matters, use a signer
that keeps its key elsewhere.
"""

from typing import Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from baton.config import KeystoreFile, SignerEntry
from baton.domain.curve import Curve
from baton.domain.errors import Bug
from baton.signers.ecdsa import Secp256k1Key
from baton.signers.keys import parse_key
from baton.signers.keystore import read_keystore

DIGEST_BYTES = 32


class _Key(Protocol):
    @property
    def public_key(self) -> bytes: ...

    def sign(self, payload: bytes) -> bytes: ...


class _Secp256k1:
    __slots__ = ("_key", "public_key")

    def __init__(self, raw: bytes) -> None:
        self._key = Secp256k1Key(raw)
        self.public_key = self._key.public_key

    def sign(self, payload: bytes) -> bytes:
        if len(payload) != DIGEST_BYTES:
            raise Bug(f"a secp256k1 signer signs 32-byte digests, not {len(payload)} bytes")
        return self._key.sign_digest(payload)


class _Ed25519:
    __slots__ = ("_key", "public_key")

    def __init__(self, raw: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(raw)
        self.public_key = self._key.public_key().public_bytes_raw()

    def sign(self, payload: bytes) -> bytes:
        return self._key.sign(payload)


class LocalSigner:
    """Signs at once: about 30 µs a signature, so a batch needs no thread."""

    __slots__ = ("_curve", "_key")

    def __init__(self, curve: Curve, raw: bytes) -> None:
        self._curve = curve
        self._key: _Key = _Secp256k1(raw) if curve is Curve.SECP256K1 else _Ed25519(raw)

    @property
    def curve(self) -> Curve:
        return self._curve

    @property
    def public_key(self) -> bytes:
        return self._key.public_key

    async def sign(self, payloads: list[bytes]) -> list[bytes]:
        return [self._key.sign(payload) for payload in payloads]

    def __repr__(self) -> str:
        return f"LocalSigner({self._curve}, public_key={self.public_key.hex()[:16]}…)"


async def open_signer(entry: SignerEntry, curve: Curve) -> LocalSigner:
    """The signer of an entry on the curve of the relayer's family; raises `Misconfigured` if the key cannot be had."""
    match entry.source:
        case KeystoreFile(path=path, passphrase=passphrase):
            raw = await read_keystore(path, passphrase.value, curve)
        case source:
            raw = parse_key(curve, source.key.value, f"signer {entry.id!r}")
    return LocalSigner(curve, raw)
