"""Secrets at rest: AES-256-GCM, bound to the place where they live.

    ciphertext = version (1) ‖ key id (4) ‖ nonce (12) ‖ data and tag

The key id lets a store be read with the previous key while rows are written anew with the current one.
"""

import hashlib
import os
from base64 import b64decode

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from baton.domain.errors import Misconfigured

VERSION = b"\x01"
KEY_BYTES = 32
NONCE_BYTES = 12


class Cipher:
    """Opens with any of its keys, seals with the first. Its repr shows no key."""

    def __init__(self, key: bytes, *previous: bytes) -> None:
        self._keys = {_key_id(candidate): AESGCM(candidate) for candidate in (key, *previous)}
        self._current = _key_id(key)

    def seal(self, secret: str, place: str) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        data = self._keys[self._current].encrypt(nonce, secret.encode(), place.encode())
        return VERSION + self._current + nonce + data

    def is_current(self, sealed: bytes) -> bool:
        """Whether it was sealed with the first key; the others are only for reading."""
        return sealed[1:5] == self._current

    def open(self, sealed: bytes, place: str) -> str:
        key_id, nonce, data = sealed[1:5], sealed[5:17], sealed[17:]
        key = self._keys.get(key_id)
        if sealed[:1] != VERSION or key is None:
            raise Misconfigured([wrong_key(place)])
        try:
            return key.decrypt(nonce, data, place.encode()).decode()
        except (InvalidTag, ValueError):  # ValueError: cut short
            raise Misconfigured([wrong_key(place)]) from None


def wrong_key(place: str) -> str:
    return (
        f"STORAGE_ENCRYPTION_KEY: the secret at {place} was encrypted with another key; "
        "give the key this store was made with (or put it into STORAGE_ENCRYPTION_KEY_PREVIOUS)"
    )


def key_from_text(text: str, name: str = "STORAGE_ENCRYPTION_KEY") -> bytes:
    """Reads the base64 form of a 32-byte key."""
    try:
        key = b64decode(text, validate=True)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise Misconfigured([f"{name}: expected 32 bytes in base64, as printed by: openssl rand -base64 32"])
    return key


def _key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"baton storage key id" + key).digest()[:4]
