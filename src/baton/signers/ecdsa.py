"""The one file that calls libsecp256k1, so that another binding can take its place.

Nonces are deterministic (RFC 6979) and s is low, as every EVM chain demands.
"""

from coincurve import PrivateKey
from coincurve import PublicKey as CurvePoint

SCALAR_BYTES = 32
ORDER = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141


class Secp256k1Key:
    """A private key. Its repr shows nothing of it."""

    __slots__ = ("_key",)

    def __init__(self, scalar: bytes) -> None:
        self._key = PrivateKey(scalar)

    @property
    def public_key(self) -> bytes:
        """64 bytes x‖y."""
        point: CurvePoint = self._key.public_key
        return bytes(point.format(compressed=False)[1:])

    def sign_digest(self, digest: bytes) -> bytes:
        """65 bytes r‖s‖y with low s for a 32-byte digest."""
        return bytes(self._key.sign_recoverable(digest, hasher=None))


def is_scalar(raw: bytes) -> bool:
    """Whether 32 bytes are a private key of the curve: neither zero nor beyond its order."""
    return len(raw) == SCALAR_BYTES and 0 < int.from_bytes(raw, "big") < ORDER
