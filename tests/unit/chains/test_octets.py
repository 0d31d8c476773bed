"""Base64 and hex are read in one spelling only."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.chains.octets import base64_bytes, base64_text, from_base64, hex_bytes
from baton.domain.errors import Invalid


@given(raw=st.binary(max_size=50))
@settings(max_examples=50)
def test_bytes_come_back_from_their_text(raw: bytes) -> None:
    assert base64_bytes(base64_text(raw), "x", 50) == from_base64(base64_text(raw)) == raw
    assert hex_bytes(raw.hex(), "x", most=50) == hex_bytes(raw.hex().upper(), "x", length=len(raw)) == raw


@pytest.mark.parametrize(
    "value", ["AA", "AA=", "AB==", "AA==\n", " AA==", "A-_=", "AA==AA==", "é", "\ud800", None, 7, b"AA=="]
)
def test_another_spelling_of_base64_is_refused(value: Any) -> None:
    with pytest.raises(Invalid):
        base64_bytes(value, "x", 100)


def test_base64_is_measured() -> None:
    assert base64_bytes("AAAA", "x", 3) == bytes(3)
    for value in ("AAAAAA==", "A" * 10_000):
        with pytest.raises(Invalid, match="at most 3 bytes"):
            base64_bytes(value, "x", 3)
    with pytest.raises(Invalid, match="at most 2 bytes"):
        base64_bytes("AAAA", "x", 2)


@pytest.mark.parametrize("value", ["0", "0x00", "zz", "\u0660\u0660", " 00", "00\n", None, 0, ["00"]])
def test_another_spelling_of_hex_is_refused(value: Any) -> None:
    with pytest.raises(Invalid):
        hex_bytes(value, "x", most=9)


def test_hex_is_measured() -> None:
    with pytest.raises(Invalid, match="4 hex digits"):
        hex_bytes("00", "x", length=2)
    with pytest.raises(Invalid, match="at most 1 bytes"):
        hex_bytes("0000", "x", most=1)
