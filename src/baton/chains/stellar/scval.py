"""Contract values: the JSON form of XDR (`{"u64": "5"}`, `{"vec": […]}`, `"void"`), read into one spelling.

Numbers of 64 bits and more become decimal text, the parts `{"hi", "lo"}` of a wide one are put together.
"""

import json
import re

from baton.chains.fields import as_object, found, number
from baton.chains.octets import hex_bytes
from baton.chains.stellar.wire import LARGEST_ENVELOPE, party
from baton.domain.errors import Invalid
from baton.domain.json import Json

DEEPEST = 16
LONGEST_SYMBOL = 32
SYMBOL = re.compile(r"[a-zA-Z0-9_]*")

_SMALL = {"u32": (0, 2**32 - 1), "i32": (-(2**31), 2**31 - 1)}
_PARTS = {
    "u128": ("hi", "lo"),
    "i128": ("hi", "lo"),
    "u256": ("hi_hi", "hi_lo", "lo_hi", "lo_lo"),
    "i256": ("hi_hi", "hi_lo", "lo_hi", "lo_lo"),
}
_WIDE = {
    name: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if name[0] == "i" else (0, 2**bits - 1)
    for name, bits in {
        "u64": 64,
        "i64": 64,
        "timepoint": 64,
        "duration": 64,
        "u128": 128,
        "i128": 128,
        "u256": 256,
        "i256": 256,
    }.items()
}
KINDS = ("bool", *_SMALL, *_WIDE, "bytes", "string", "symbol", "vec", "map", "address", "void")


def scval(value: Json, path: str) -> Json:
    return _scval(value, path, 1)


def symbol(value: Json, path: str, least: int = 0) -> str:
    is_fit = isinstance(value, str) and least <= len(value) <= LONGEST_SYMBOL and SYMBOL.fullmatch(value)
    if not is_fit:
        raise Invalid(path, found(value), f"{least} to {LONGEST_SYMBOL} letters, digits and underscores")
    return str(value)


def _scval(value: Json, path: str, depth: int) -> Json:
    if depth > DEEPEST:
        raise Invalid(path, f"a value {depth} deep", f"at most {DEEPEST} deep")
    if value == "void":
        return "void"
    if not isinstance(value, dict) or len(value) != 1 or (kind := next(iter(value))) not in KINDS:
        raise Invalid(path, found(value), '"void" or an object with one of the keys ' + ", ".join(KINDS))
    inner, at = value[kind], f"{path}.{kind}"
    if kind == "void":
        return "void"
    if kind == "vec":
        return {kind: [_scval(each, f"{at}[{i}]", depth + 1) for i, each in enumerate(_array(inner, at))]}
    if kind == "map":
        return {kind: _map(inner, at, depth)}
    return {kind: _leaf(kind, inner, at)}


def _leaf(kind: str, inner: Json, at: str) -> Json:
    if kind == "bool":
        if not isinstance(inner, bool):
            raise Invalid(at, found(inner), "true or false")
        return inner
    if kind in _SMALL:
        return number(inner, at, *_SMALL[kind], text_allowed=True)
    if kind in _WIDE:
        return str(_wide(kind, inner, at))
    if kind == "bytes":
        return hex_bytes(inner, at, most=LARGEST_ENVELOPE).hex()
    if kind == "symbol":
        return symbol(inner, at)
    return party(inner, at) if kind == "address" else _string(inner, at)


def _wide(kind: str, inner: Json, at: str) -> int:
    if kind not in _PARTS or not isinstance(inner, dict):
        return number(inner, at, *_WIDE[kind], text_allowed=True)
    first, *rest = _PARTS[kind]
    top = _WIDE["i64" if kind[0] == "i" else "u64"]
    total = number(inner.get(first), f"{at}.{first}", *top, text_allowed=True)
    for part in rest:
        total = (total << 64) | number(inner.get(part), f"{at}.{part}", *_WIDE["u64"], text_allowed=True)
    return total


def _string(inner: Json, at: str) -> str:
    if not isinstance(inner, str):
        raise Invalid(at, found(inner), "a string")
    try:
        inner.encode()
    except UnicodeEncodeError:
        raise Invalid(at, "a lone surrogate", "text that UTF-8 can carry") from None
    return inner


def _array(inner: Json, at: str) -> list[Json]:
    if not isinstance(inner, list):
        raise Invalid(at, found(inner), "an array")
    return inner


def _map(inner: Json, at: str, depth: int) -> list[Json]:
    entries, seen = [], set()
    for i, each in enumerate(_array(inner, at)):
        entry, path = as_object(each, f"{at}[{i}]"), f"{at}[{i}]"
        key = _scval(entry.get("key"), f"{path}.key", depth + 1)
        text = json.dumps(key)
        if text in seen:
            raise Invalid(f"{path}.key", "a key that came before", "each key once")
        seen.add(text)
        entries.append({"key": key, "val": _scval(entry.get("val"), f"{path}.val", depth + 1)})
    return entries
