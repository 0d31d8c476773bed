"""Why a call reverted, in words: the reason string, the panic's name, or the custom error's bytes.

Nodes hide the bytes in different places of their error object; `reason` looks into all of them.
"""

import re
from collections.abc import Iterator

from baton.domain.json import Json

LONGEST = 300  # characters of a reason that a record carries
ERROR = bytes.fromhex("08c379a0")  # Error(string)
PANIC = bytes.fromhex("4e487b71")  # Panic(uint256)
WORD = 32

PANICS = {
    0x00: "generic panic",
    0x01: "assertion failed",
    0x11: "arithmetic overflow or underflow",
    0x12: "division or modulo by zero",
    0x21: "value outside an enumeration",
    0x22: "storage byte array is encoded wrongly",
    0x31: "pop from an empty array",
    0x32: "array index out of bounds",
    0x41: "too much memory was allocated",
    0x51: "call of an uninitialized function",
}

_BYTES = re.compile(r"0x(?:[0-9a-fA-F]{2})+")
_REVERT = re.compile(
    r"revert|vm exception|vm execution error|evm error|invalid opcode|invalid jump|out of gas|stack (under|over)flow"
    r"|write protection|code size exceeded|address collision|gas required exceeds allowance",
    re.IGNORECASE,
)
EXECUTION_REVERTED = 3  # the error code of geth and its kin


def is_revert(error: Json) -> bool:
    """Whether the answer to an `eth_call` or `eth_estimateGas` says that the call itself fails."""
    if not isinstance(error, dict):
        return False
    message = error.get("message")
    return error.get("code") == EXECUTION_REVERTED or (isinstance(message, str) and bool(_REVERT.search(message)))


def reason(error: Json) -> str:
    """The reason in the `error` object of a JSON-RPC answer, in one short line; never empty."""
    for data in _candidates(error):
        told = describe(data)
        if told:
            return told
    message = error.get("message") if isinstance(error, dict) else None
    return (_clipped(message) if isinstance(message, str) else "") or "reverted without a reason"


def describe(data: bytes) -> str:
    """What revert data says; empty for no data."""
    if data[:4] == ERROR and (text := _string(data[4:])) is not None:
        return f"reverted: {_clipped(text)}" if text else "reverted with an empty reason"
    if data[:4] == PANIC and len(data) == len(PANIC) + WORD:
        code = int.from_bytes(data[4:], "big")
        return f"panic: {PANICS.get(code, 'unknown')} ({hex(code)})"
    return f"reverted with data {_clipped('0x' + data.hex())}" if data else ""


def _candidates(error: Json) -> Iterator[bytes]:
    """geth, reth, anvil: `data` is the hex. hardhat: `data.data`. openethereum: `data` = "Reverted 0x…". Some nest once more."""
    data = error.get("data") if isinstance(error, dict) else None
    for _ in range(3):
        if isinstance(data, str):
            found = _BYTES.search(data)
            if found is not None:
                yield bytes.fromhex(found[0][2:])
            return
        if not isinstance(data, dict):
            return
        inner = data.get("data")
        data = inner if inner is not None else data.get("originalError") or data.get("result")


def _string(encoded: bytes) -> str | None:
    """The one ABI-encoded string, or None where the bytes are not one."""
    start = int.from_bytes(encoded[:WORD], "big")
    if len(encoded) < 2 * WORD or start > len(encoded) - WORD:
        return None
    size = int.from_bytes(encoded[start : start + WORD], "big")
    text = encoded[start + WORD : start + WORD + size]
    return text.decode("utf-8", "replace") if len(text) == size else None


def _clipped(text: str) -> str:
    """One line without control characters: what a contract says ends up in logs and records."""
    line = "".join(char if char.isprintable() else " " for char in text).strip()
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"
