"""Bytes that travel as text: base64 and hex, each in one spelling only.

A lenient decoder lets two texts mean the same bytes; then equal requests look different, and junk gets stored.
"""

import base64
import binascii
import re

from baton.chains.fields import found
from baton.domain.errors import Invalid
from baton.domain.json import Json

_HEX = re.compile(r"[0-9a-fA-F]*")


def base64_bytes(value: Json, path: str, most: int) -> bytes:
    """Standard base64 with its padding; measured before it is decoded."""
    expected = f"standard base64 (with padding) of at most {most} bytes"
    if not isinstance(value, str) or len(value) > 4 * -(-most // 3):
        raise Invalid(path, found(value), expected)
    try:
        raw = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise Invalid(path, found(value), expected) from None
    if base64_text(raw) != value or len(raw) > most:
        raise Invalid(path, found(value), expected)
    return raw


def hex_bytes(value: Json, path: str, *, length: int | None = None, most: int | None = None) -> bytes:
    """Hex digits in pairs, without `0x`: exactly `length` bytes, or at most `most`."""
    expected = f"{2 * length} hex digits" if length is not None else f"hex digits of at most {most} bytes"
    if not isinstance(value, str) or len(value) % 2 or not _HEX.fullmatch(value):
        raise Invalid(path, found(value), expected)
    count = len(value) // 2
    if (length is not None and count != length) or (most is not None and count > most):
        raise Invalid(path, found(value), expected)
    return bytes.fromhex(value)


def base64_text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def from_base64(text: str) -> bytes:
    """For text that was checked when it was taken in."""
    return base64.b64decode(text)
