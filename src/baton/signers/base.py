"""The signer seam: one primitive.

secp256k1: a 32-byte digest gives 64 bytes r‖s with low s (the family finds the recovery bit: a KMS gives none), or 65,
r‖s‖y, by a signer whose key is in this process: then the bit is known for nothing, and finding it is the dearest step of all.
ed25519: a message gives 64 bytes.
"""

from typing import Protocol

from baton.domain.curve import Curve


class Signer(Protocol):
    """Raises `SignerUnavailable` when the key cannot be reached now; its repr never shows a key."""

    @property
    def curve(self) -> Curve: ...

    @property
    def public_key(self) -> bytes:
        """secp256k1: 64 bytes x‖y; ed25519: 32 bytes."""

    async def sign(self, payloads: list[bytes]) -> list[bytes]:
        """One signature for each payload, in order: a provider that can sign in batches does."""
