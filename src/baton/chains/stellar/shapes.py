"""Shapes: how the fields of an operation are described in a table and read by it.

A reader takes a value and its path, gives the canonical value, and refuses null; so its words serve for an absent
field too.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass

from baton.chains.fields import I64_MAX, as_object, found, number
from baton.domain.errors import Invalid
from baton.domain.json import Json

Reader = Callable[[Json, str], Json]


@dataclass(frozen=True, slots=True)
class Field:
    read: Reader
    is_required: bool = True
    default: Json = None  # None: the field is left out


Shape = Mapping[str, Field]


def must(read: Reader) -> Field:
    return Field(read)


def may(read: Reader, default: Json = None) -> Field:
    return Field(read, is_required=False, default=default)


def shaped(value: Json, at: str, shape: Shape) -> dict[str, Json]:
    """The fields of a shape, canonical; keys beyond it are ignored, null is absence."""
    spec = as_object(value, at)
    taken: dict[str, Json] = {}
    for key, field in shape.items():
        given, path = spec.get(key), f"{at}.{key}"
        if given is not None:
            taken[key] = field.read(given, path)
        elif field.is_required:
            raise Invalid(path, "null" if key in spec else "nothing", _expected(field.read, path))
        elif field.default is not None:
            taken[key] = deepcopy(field.default)
    return taken


def whole(lo: int, hi: int) -> Reader:
    return lambda value, path: number(value, path, lo, hi, text_allowed=True)


def int64_text(least: int) -> Reader:
    """An amount in stroops, or another int64, kept as decimal text: a JavaScript client can then read it exactly."""
    return lambda value, path: str(number(value, path, least, I64_MAX, text_allowed=True))


def ascii_text(most: int, least: int = 0) -> Reader:
    """Printable ASCII, as the protocol's own strings are."""

    def read(value: Json, path: str) -> str:
        is_fit = isinstance(value, str) and value.isascii() and value.isprintable()
        if not is_fit or not least <= len(value) <= most:
            raise Invalid(path, found(value), f"{least} to {most} printable ASCII characters")
        return str(value)

    return read


def listed(read: Reader, least: int, most: int) -> Reader:
    def read_all(value: Json, path: str) -> list[Json]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise Invalid(path, found(value), f"an array of {least} to {most}")
        return [read(each, f"{path}[{i}]") for i, each in enumerate(value)]

    return read_all


def _expected(read: Reader, path: str) -> str:
    try:
        read(None, path)
    except Invalid as error:
        return error.expected
    return "a value"
