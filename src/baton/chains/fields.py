"""Reading the fields of a request body, the same way in every family.

A body is any JSON value. `null` equals absence; `true` is no number; a number is exact or refused. Each reader raises
`Invalid` with the JSON path of the field (`operations[0].asset.code`), what was found (short) and what was expected.
"""

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from baton.domain.clock import to_text
from baton.domain.errors import Invalid
from baton.domain.json import Json

U64_MAX = 2**64 - 1
U128_MAX = 2**128 - 1
I64_MAX = 2**63 - 1
LONGEST_SHOWN = 60  # characters of a client's value that an error repeats

_DECIMAL = re.compile(r"-?[0-9]{1,100}")  # not str.isdecimal: that takes digits of every script; longer is no amount
_HEX = re.compile(r"0x[0-9a-fA-F]{1,100}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:([0-9]{2})(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_POWERS = {2**bits - 1: f"2^{bits}-1" for bits in (31, 32, 63, 64, 128, 256)} | {-(2**63): "-2^63"}


def found(value: Json) -> str:
    """What a client sent, short enough to repeat in an error."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # a number of thousands of digits cannot even be printed (Python refuses), so measure first
        return str(value) if abs(value) < 10**LONGEST_SHOWN else f"an integer of {value.bit_length()} bits"
    if isinstance(value, str):
        clipped = value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "…"
        return json.dumps(clipped, ensure_ascii=False)
    if isinstance(value, list):
        return f"an array of {len(value)}"
    return "an object" if isinstance(value, dict) else repr(value)


def path_of(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key


def as_object(body: Json, at: str = "") -> dict[str, Json]:
    if not isinstance(body, dict):
        raise Invalid(at or "body", found(body), "a JSON object")
    return body


def required(obj: dict[str, Json], key: str, expected: str, *, at: str = "") -> Json:
    """The raw value of a field that must be there."""
    value = obj.get(key)
    if value is None:
        raise Invalid(path_of(at, key), "null" if key in obj else "nothing", expected)
    return value


def text(obj: dict[str, Json], key: str, *, at: str = "", expected: str = "a string") -> str | None:
    value = obj.get(key)
    if value is not None and not isinstance(value, str):
        raise Invalid(path_of(at, key), found(value), expected)
    return value


def choice(obj: dict[str, Json], key: str, allowed: Iterable[str], *, at: str = "") -> str | None:
    words = [str(word) for word in allowed]
    expected = "one of " + ", ".join(words)
    value = text(obj, key, at=at, expected=expected)
    if value is not None and value not in words:
        raise Invalid(path_of(at, key), found(value), expected)
    return value


def flag(obj: dict[str, Json], key: str, *, at: str = "") -> bool | None:
    value = obj.get(key)
    if value is not None and not isinstance(value, bool):
        raise Invalid(path_of(at, key), found(value), "true or false")
    return value


def array(obj: dict[str, Json], key: str, *, at: str = "") -> list[Json] | None:
    value = obj.get(key)
    if value is not None and not isinstance(value, list):
        raise Invalid(path_of(at, key), found(value), "an array")
    return value


def nested(obj: dict[str, Json], key: str, *, at: str = "") -> dict[str, Json] | None:
    value = obj.get(key)
    return None if value is None else as_object(value, path_of(at, key))


def integer(
    obj: dict[str, Json], key: str, lo: int, hi: int, *, text_allowed: bool = False, at: str = ""
) -> int | None:
    """An exact integer from `lo` to `hi`; with `text_allowed` a decimal string too."""
    value = obj.get(key)
    return None if value is None else number(value, path_of(at, key), lo, hi, text_allowed=text_allowed)


def number(value: Json, path: str, lo: int, hi: int, *, text_allowed: bool = False, hex_allowed: bool = False) -> int:
    """As `integer`, for a value in hand. JavaScript cannot write large integers: hence the textual forms."""
    exact: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        exact = value
    elif isinstance(value, str):
        if text_allowed and _DECIMAL.fullmatch(value):
            exact = int(value)
        elif hex_allowed and _HEX.fullmatch(value):
            exact = int(value, 16)
    if exact is None or not lo <= exact <= hi:
        forms = " (a decimal or 0x string too)" if hex_allowed else " (a decimal string too)" if text_allowed else ""
        raise Invalid(path, found(value), f"an integer from {_shown(lo)} to {_shown(hi)}{forms}")
    return exact


def moment(obj: dict[str, Json], key: str, now: datetime, *, at: str = "") -> datetime | None:
    """An RFC 3339 time with its offset, in UTC; one that is not in the future is refused."""
    value = text(obj, key, at=at, expected="an RFC 3339 time with an offset")
    if value is None:
        return None
    parsed = rfc3339(value)
    if parsed is None:
        raise Invalid(path_of(at, key), found(value), "an RFC 3339 time with an offset, like 2030-01-31T12:00:00Z")
    if parsed <= now:
        raise Invalid(path_of(at, key), found(value), f"a time in the future (it is {to_text(now)})")
    return parsed


def rfc3339(value: str) -> datetime | None:
    """The moment that a text names, in UTC; None if it names none."""
    shape = _MOMENT.fullmatch(value)
    if shape is None:
        return None
    # a leap second is legal in RFC 3339 and unknown to Python: read :60 as one second after :59
    leap = shape[1] == "60"
    plain = value[: shape.start(1)] + "59" + value[shape.end(1) :] if leap else value
    try:
        return datetime.fromisoformat(plain.upper()).astimezone(UTC) + timedelta(seconds=int(leap))
    except (ValueError, OverflowError):  # month 13, an offset that leaves the years 1 to 9999
        return None


def _shown(bound: int) -> str:
    return _POWERS.get(bound, str(bound))
