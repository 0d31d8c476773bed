"""Strict JSON: one scan before decoding, for what decoders let pass or choke on.

Refused: nesting too deep, a repeated key, invalid UTF-8, lone surrogates and NUL (raw or escaped), NaN and Infinity.
Integers stay exact at any size. Up to the first flaw in the syntax the scan sees the same tokens as the decoder, so
nothing hides from it behind malformed text; the syntax itself is the decoder's to judge.
"""

import re

import msgspec

from baton.domain.errors import Invalid
from baton.domain.json import Json

# a string with its optional colon (then it is a key), or a bracket; the closing quote is optional so that an
# unterminated string is found at once instead of being tried again from every later quote
_TOKEN = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)("?)(\s*:)?|[{}\[\]]', re.DOTALL)
_KEY_END = re.compile(r'"\s*:')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_LOW, _HIGH = range(0xDC00, 0xE000), range(0xD800, 0xDC00)

_decode = msgspec.json.Decoder().decode


def parse(raw: bytes, most_depth: int) -> Json:
    """The JSON value in `raw`. Raises `Invalid` about the body."""
    if not raw:
        raise Invalid("body", "nothing", "a JSON object")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise Invalid("body", f"a byte that is not UTF-8 at {error.start}", "JSON in UTF-8") from None
    plain = None if "\\" in text or "[" in text or text.count("{") != 1 else _plain(raw, text)
    if plain is not None:
        return plain
    _scan(text, most_depth)
    try:
        return _decode(raw)
    except msgspec.DecodeError as error:
        raise Invalid("body", f"malformed JSON ({error})", "a JSON object") from None


def _plain(raw: bytes, text: str) -> Json | None:
    """One flat object, as most bodies are, if nothing in it needs the scan. Every key ends with a quote and a colon, so as
    many keys as there are of these means that none was repeated."""
    try:
        value = _decode(raw)
    except msgspec.DecodeError:
        return None
    is_plain = isinstance(value, dict) and len(_KEY_END.findall(text)) == len(value)
    return value if is_plain else None


def _scan(text: str, most_depth: int) -> None:
    keys: list[set[str]] = []  # of the objects that are open; arrays have an empty set
    for token in _TOKEN.finditer(text):
        string, end, colon = token.groups()
        if string is not None:
            if not end:
                raise Invalid("body", "malformed JSON (a string without its end)", "a JSON object")
            if "\\" in string:
                _check_escapes(string)
            if colon is not None and keys:
                _add_key(keys[-1], string)
        elif token[0] in "{[":
            keys.append(set())
            if len(keys) > most_depth:
                raise Invalid("body", f"JSON nested deeper than {most_depth}", f"at most {most_depth} levels")
        elif keys:
            keys.pop()


def _add_key(keys: set[str], key: str) -> None:
    name = _unescaped(key) if "\\" in key else key
    if name in keys:
        raise Invalid("body", f"the key {name[:60]!r} twice in one object", "each key once")
    keys.add(name)


def _unescaped(key: str) -> str:
    try:
        return str(_decode(f'"{key}"'))
    except msgspec.DecodeError:
        return key  # malformed: the decoder will say so


def _check_escapes(string: str) -> None:
    low_due_at = None  # where the second half of a surrogate pair must begin
    for escape in _ESCAPE.finditer(string):
        code = int(escape[1], 16) if escape[1] else -1
        if code == 0:
            raise Invalid("body", "a NUL character in a string", "text without NUL")
        is_second_half = code in _LOW and escape.start() == low_due_at
        if (low_due_at is not None or code in _LOW) and not is_second_half:
            raise _lone_surrogate()
        low_due_at = escape.end() if code in _HIGH else None
    if low_due_at is not None:
        raise _lone_surrogate()


def _lone_surrogate() -> Invalid:
    return Invalid("body", "half of a surrogate pair in a string", "whole characters")
