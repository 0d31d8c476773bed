"""Memos of group C, in the interface's own shape."""

from baton.chains.fields import I64_MAX, as_object, choice, found, number
from baton.chains.octets import hex_bytes
from baton.domain.errors import Invalid
from baton.domain.json import Json

HASH_BYTES = 32
LONGEST_TEXT = 28  # bytes of UTF-8
KINDS = ("none", "text", "id", "hash", "return")


def memo(value: Json, path: str) -> Json:
    spec = as_object(value, path)
    kind = choice(spec, "type", KINDS, at=path)
    given, at = spec.get("value"), f"{path}.value"
    if kind is None:
        raise Invalid(f"{path}.type", "nothing", "one of " + ", ".join(KINDS))
    if kind == "none":
        return {"type": kind}
    if kind == "text":
        return {"type": kind, "value": _text(given, at)}
    if kind == "id":
        return {"type": kind, "value": number(given, at, 0, I64_MAX, text_allowed=True)}
    return {"type": kind, "value": _hash(given, at)}


def _text(value: Json, path: str) -> str:
    expected = f"text of at most {LONGEST_TEXT} bytes in UTF-8"
    if not isinstance(value, str):
        raise Invalid(path, found(value), expected)
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise Invalid(path, "a lone surrogate", expected) from None
    if size > LONGEST_TEXT:
        raise Invalid(path, f"{size} bytes", expected)
    return value


def _hash(value: Json, path: str) -> list[int]:
    if isinstance(value, str):
        return list(hex_bytes(value, path, length=HASH_BYTES))
    if not isinstance(value, list) or len(value) != HASH_BYTES:
        raise Invalid(path, found(value), f"{HASH_BYTES} integers from 0 to 255, or {2 * HASH_BYTES} hex digits")
    return [number(each, f"{path}[{i}]", 0, 255) for i, each in enumerate(value)]
