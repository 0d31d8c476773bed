"""RLP, the byte form of everything that Ethereum signs: an item is bytes, an integer (shortest big-endian) or a list.

Writing is on the hot path of every transaction, hence the prefix table. Reading is strict: one item has one form, so
what `decode` accepts, `encode` gives back byte for byte.
"""

from collections.abc import Sequence
from typing import TypeAlias

from baton.domain.errors import Invalid

Item: TypeAlias = "bytes | int | Sequence[Item]"
Decoded: TypeAlias = "bytes | list[Decoded]"

SHORT = 56  # lengths below fit into the prefix byte
SINGLE = 0x80  # a byte below stands for itself
LIST = 0xC0
DEEPEST = 8  # an access list needs 4; deeper is no transaction, and must not exhaust the stack

_PREFIX = [bytes((SINGLE + length,)) for length in range(SHORT)]
_BYTE = [bytes((value,)) for value in range(256)]


def encode(item: Item) -> bytes:
    if isinstance(item, bytes):
        return encode_bytes(item)
    if isinstance(item, int):
        return encode_int(item)
    return wrap(b"".join([encode(part) for part in item]))


def encode_int(value: int) -> bytes:
    """Of at most 256 bits, which is all that Ethereum knows."""
    if 0 < value < SINGLE:
        return _BYTE[value]
    size = (value.bit_length() + 7) >> 3
    return _PREFIX[size] + value.to_bytes(size, "big")


def encode_bytes(value: bytes) -> bytes:
    size = len(value)
    if size < SHORT:
        return value if size == 1 and value[0] < SINGLE else _PREFIX[size] + value
    return _long(SINGLE, size) + value


def wrap(body: bytes) -> bytes:
    """A list whose items are already written in `body`."""
    size = len(body)
    return _BYTE[LIST + size] + body if size < SHORT else _long(LIST, size) + body


def _long(base: int, size: int) -> bytes:
    length = size.to_bytes((size.bit_length() + 7) >> 3, "big")
    return bytes((base + SHORT - 1 + len(length),)) + length


def decode(raw: bytes) -> Decoded:
    """The one item in `raw`. Raises `Invalid` for anything but its one strict form."""
    item, end = _read(raw, 0, len(raw), 0)
    if end != len(raw):
        raise _broken(f"{len(raw) - end} bytes after the end")
    return item


def _read(raw: bytes, at: int, end: int, depth: int) -> tuple[Decoded, int]:
    if at >= end:
        raise _broken("an early end")
    if depth > DEEPEST:
        raise _broken("lists too deep")
    first = raw[at]
    if first < SINGLE:
        return raw[at : at + 1], at + 1
    base = LIST if first >= LIST else SINGLE
    start, stop = _span(raw, at, end, first - base)
    if base == SINGLE:
        if stop - start == 1 and raw[start] < SINGLE:
            raise _broken("a needless prefix")
        return raw[start:stop], stop
    items: list[Decoded] = []
    while start < stop:
        item, start = _read(raw, start, stop, depth + 1)
        items.append(item)
    return items, stop


def _span(raw: bytes, at: int, end: int, size: int) -> tuple[int, int]:
    """Where the payload of the item at `at` starts and stops."""
    start = at + 1
    if size >= SHORT:
        length = raw[start : start + size - SHORT + 1]
        start += size - SHORT + 1
        size = int.from_bytes(length, "big")
        if start > end or size < SHORT or length[0] == 0:
            raise _broken("a length that is not the shortest")
    if start + size > end:
        raise _broken("an early end")
    return start, start + size


def _broken(what: str) -> Invalid:
    return Invalid("raw", what, "strict RLP")
