"""A revert is told in words, wherever the node hides its bytes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.chains.evm import revert
from baton.chains.evm.keys import keccak


def error_string(text: str) -> bytes:
    raw = text.encode()
    padded = raw + bytes(-len(raw) % 32)
    return revert.ERROR + (32).to_bytes(32, "big") + len(raw).to_bytes(32, "big") + padded


def panic(code: int) -> bytes:
    return revert.PANIC + code.to_bytes(32, "big")


def test_the_selectors_are_those_of_the_language() -> None:
    assert keccak(b"Error(string)")[:4] == revert.ERROR
    assert keccak(b"Panic(uint256)")[:4] == revert.PANIC


def test_a_reason_string_is_read() -> None:
    assert revert.describe(error_string("not the owner")) == "reverted: not the owner"
    assert revert.describe(error_string("")) == "reverted with an empty reason"


def test_a_panic_has_a_name() -> None:
    assert revert.describe(panic(0x11)) == "panic: arithmetic overflow or underflow (0x11)"
    assert revert.describe(panic(0x99)) == "panic: unknown (0x99)"


def test_a_custom_error_is_shown_as_hex_and_clipped() -> None:
    assert revert.describe(bytes.fromhex("deadbeef")) == "reverted with data 0xdeadbeef"
    assert len(revert.describe(b"\xab" * 5_000)) < revert.LONGEST + 40


def test_a_reason_stays_one_short_line() -> None:
    told = revert.describe(error_string("a\nb\x00\x1b[31m" + "x" * 5_000))
    assert "\n" not in told
    assert "\x1b" not in told
    assert len(told) < revert.LONGEST + 40


HEX = "0x" + error_string("no").hex()


@pytest.mark.parametrize(
    "error",
    [
        {"code": 3, "message": "execution reverted: no", "data": HEX},
        {"code": -32603, "message": "VM Exception while processing transaction", "data": {"message": "x", "data": HEX}},
        {"code": -32015, "message": "VM execution error.", "data": f"Reverted {HEX}"},
        {"code": -32000, "message": "execution reverted", "data": {"data": {"data": HEX}}},
        {"code": -32000, "message": "execution reverted", "data": {"originalError": {"data": HEX}}},
    ],
    ids=["geth, reth, anvil", "hardhat", "openethereum", "nested twice", "wrapped by a gateway"],
)
def test_each_nodes_shape_gives_the_reason(error: Any) -> None:
    assert revert.is_revert(error)
    assert revert.reason(error) == "reverted: no"


def test_without_data_the_nodes_words_are_kept() -> None:
    assert revert.reason({"code": 3, "message": "execution reverted", "data": "0x"}) == "execution reverted"
    assert revert.reason({"code": -32000, "message": "out of gas"}) == "out of gas"
    assert revert.reason({}) == "reverted without a reason"


@pytest.mark.parametrize(
    "error",
    [None, "x", {}, {"code": -32000, "message": "header not found"}, {"code": -32005, "message": "rate limited"}],
)
def test_what_is_no_revert_is_not_taken_for_one(error: Any) -> None:
    assert not revert.is_revert(error)


@given(st.binary(max_size=200), st.sampled_from([b"", revert.ERROR, revert.PANIC]))
def test_no_data_breaks_the_reader(data: bytes, selector: bytes) -> None:
    assert isinstance(revert.describe(selector + data), str)


@given(
    st.recursive(
        st.one_of(st.none(), st.integers(), st.text()),
        lambda inner: st.dictionaries(st.sampled_from(["data", "message", "code"]), inner),
    )
)
def test_no_error_shape_breaks_the_reader(error: Any) -> None:
    assert revert.reason(error)
