"""How a value from a file becomes ours: small readers that know their place, and a list of all that was wrong.

A reader takes a JSON value and its place, and returns what it means or raises `Invalid`. Whoever owns the place catches
that, notes it and reads on, so that a person sees every mistake at once instead of one a start.
"""

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

from baton.domain.errors import Invalid
from baton.domain.json import Json

T = TypeVar("T")
U128_MAX = 2**128 - 1
URL_MAX_CHARS = 2048
SHOWN_CHARS = 60
_ID = re.compile(r"[A-Za-z0-9_-]{1,36}\Z")
_DECIMAL = re.compile(r"[0-9]{1,39}\Z")


@dataclass(slots=True)
class Findings:
    """What reading found: mistakes stop the start, warnings are shown."""

    mistakes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class At:
    """A place in a file, by its path (`relayers[1].policies.gas_price_cap`)."""

    path: str
    findings: Findings

    def key(self, name: str) -> "At":
        return At(f"{self.path}.{name}" if self.path else name, self.findings)

    def index(self, number: int) -> "At":
        return At(f"{self.path}[{number}]", self.findings)

    @property
    def is_wrong(self) -> bool:
        """Whether a mistake was noted here or below; what follows from it need not be said too."""
        return any(mistake.startswith((f"{self.path}.", f"{self.path}[")) for mistake in self.findings.mistakes)

    def wrong(self, value: Json, expected: str) -> Invalid:
        return Invalid(self.path, shown(value), expected)

    def mistake(self, found: str, expected: str) -> None:
        self.note(Invalid(self.path, found, expected))

    def note(self, error: Invalid) -> None:
        self.findings.mistakes.append(str(error))

    def warn(self, text: str) -> None:
        self.findings.warnings.append(f"{self.path}: {text}")


Reader = Callable[[Json, At], T]


def shown(value: Json) -> str:
    """A value as a mistake names it: short, on one line, JSON's own words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value, default=str)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


class Reading:
    """One JSON object being read key by key; `close` complains about the keys that nobody asked for."""

    def __init__(self, value: Json, at: At) -> None:
        if not isinstance(value, dict):
            raise at.wrong(value, "an object")
        self._value: dict[str, Json] = value
        self._known: set[str] = set()
        self.at = at

    def has(self, key: str) -> bool:
        """Whether the key says something; null is the same as absence."""
        self._known.add(key)
        return self._value.get(key) is not None

    def take(self, key: str, read: Reader[T], default: T) -> T:
        """An optional key: absent gives the default; wrong gives it too, with a mistake noted."""
        if not self.has(key):
            return default
        place = self.at.key(key)
        try:
            return read(self._value[key], place)
        except Invalid as error:
            place.note(error)
            return default

    def need(self, key: str, read: Reader[T], stand_in: T) -> T:
        """A required key; the stand-in only lets reading go on after a mistake."""
        if not self.has(key):
            self.at.key(key).mistake("nothing", "this required key")
            return stand_in
        return self.take(key, read, stand_in)

    def close(self, unserved: Mapping[str, str] | None = None) -> None:
        """Keys we know of but do not serve become warnings, keys that nobody knows become mistakes."""
        unserved = unserved or {}
        for key in self._value:
            if key in self._known:
                continue
            place = self.at.key(key)
            if key in unserved:
                place.warn(f"not served by this version: {unserved[key]}")
            else:
                place.mistake("a key that nobody knows", expected_key(key, self._known | set(unserved)))


def expected_key(key: str, known: Iterable[str]) -> str:
    names = sorted(known)
    close = difflib.get_close_matches(key, names, n=1)
    return f"{close[0]!r} (did you mean that?)" if close else f"one of {', '.join(names)}"


def text(value: Json, at: At) -> str:
    """Non-empty text without control characters, and that UTF-8 can carry."""
    is_text = isinstance(value, str) and value and not re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", value)
    if not is_text:
        raise at.wrong(value, "non-empty text without control characters")
    return str(value)


def identifier(value: Json, at: At) -> str:
    if not isinstance(value, str) or not _ID.match(value):
        raise at.wrong(value, "1 to 36 letters, digits, - or _")
    return value


def flag(value: Json, at: At) -> bool:
    if not isinstance(value, bool):
        raise at.wrong(value, "true or false")
    return value


def integer(least: int, most: int) -> Reader[int]:
    """A JSON integer in a range; `true` and `1.0` are not integers."""

    def read(value: Json, at: At) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise at.wrong(value, f"an integer from {least} to {most}")
        return value

    return read


def amount(value: Json, at: At) -> int:
    """An amount in the chain's smallest unit: an integer, or decimal text where the writer cannot write large integers."""
    if isinstance(value, str) and _DECIMAL.match(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= U128_MAX:
        raise at.wrong(value, "an amount in the smallest unit: an integer from 0 to 2^128-1, or decimal text")
    return value


def one_of(words: Iterable[str]) -> Reader[str]:
    known = tuple(words)

    def read(value: Json, at: At) -> str:
        if not isinstance(value, str) or value not in known:
            raise at.wrong(value, f"one of {', '.join(known)}")
        return value

    return read


def list_of(read_item: Reader[T]) -> Reader[tuple[T, ...]]:
    """A list; each wrong item is a mistake of its own."""

    def read(value: Json, at: At) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise at.wrong(value, "a list")
        items: list[T] = []
        for number, item in enumerate(value):
            place = at.index(number)
            try:
                items.append(read_item(item, place))
            except Invalid as error:
                place.note(error)
        return tuple(items)

    return read


def url(*schemes: str) -> Reader[str]:
    """An absolute URL. It may carry credentials, so a wrong one is never shown."""

    def read(value: Json, at: At) -> str:
        expected = f"an absolute URL ({', '.join(schemes)}) with a host, at most {URL_MAX_CHARS} characters"
        if not isinstance(value, str):
            raise at.wrong(value, expected)
        if len(value) > URL_MAX_CHARS or not value.isprintable() or " " in value:
            raise Invalid(at.path, "something else (not shown: it may carry a key)", expected)
        try:
            parts = urlsplit(value)
            is_good = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_good = False
        if not is_good:
            raise Invalid(at.path, "something else (not shown: it may carry a key)", expected)
        return value

    return read
