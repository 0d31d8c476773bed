"""The query of a list: page, per_page and the filters. Keys that nobody knows are ignored, as the peer does."""

import re
from datetime import datetime
from urllib.parse import parse_qsl

from baton.api.request import Request
from baton.chains.fields import found, rfc3339
from baton.commands.paging import DEFAULT_PER_PAGE, LAST_PAGE, Paging
from baton.domain.errors import Invalid
from baton.domain.status import Status
from baton.storage.base import ListFilter

# What any list reads; the rest of a query is ignored.
KEYS = frozenset({"page", "per_page", "status", "since", "until", "hash", "after", "limit", "wait"})
_MOST_FIELDS = 100
_DIGITS = re.compile(r"[0-9]+")
_HASH = re.compile(r"[0-9A-Za-z]{1,128}")
_HEX = re.compile(r"[0-9A-Fa-f]{64}")  # Stellar writes it without 0x
_MOST_DIGITS = len(str(LAST_PAGE))


def paging(request: Request) -> Paging:
    values = values_of(request)
    return Paging(number(values, "page", 1), number(values, "per_page", DEFAULT_PER_PAGE))


def list_filter(request: Request) -> ListFilter:
    values = values_of(request)
    return ListFilter(_status(values), _moment(values, "since"), _moment(values, "until"), _hash(values))


def values_of(request: Request) -> dict[str, str]:
    if not request.query:
        return {}
    try:
        pairs = parse_qsl(
            request.query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        expected = f"at most {_MOST_FIELDS} key=value pairs in percent-encoded UTF-8"
        raise Invalid("query", "text that cannot be read", expected) from None
    values = {key: value for key, value in pairs if key in KEYS}
    if len(values) != sum(key in KEYS for key, _ in pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in values if keys.count(key) > 1)
        raise Invalid(twice, "the key twice", "each key once")
    return values


def number(values: dict[str, str], key: str, default: int) -> int:
    text = values.get(key)
    if text is None:
        return default
    if not _DIGITS.fullmatch(text):
        raise Invalid(key, found(text), "an integer from 0 up")
    digits = text.lstrip("0") or "0"
    return int(digits) if len(digits) <= _MOST_DIGITS else LAST_PAGE


def _status(values: dict[str, str]) -> Status | None:
    text = values.get("status")
    if text is None:
        return None
    try:
        return Status(text.lower())
    except ValueError:
        raise Invalid("status", found(text), "one of " + ", ".join(Status)) from None


def _hash(values: dict[str, str]) -> str | None:
    """Hex is the same in both letter cases, base58 is not."""
    text = values.get("hash")
    if text is None:
        return None
    if not _HASH.fullmatch(text):
        raise Invalid("hash", found(text), "a transaction hash or signature")
    return text.lower() if text[:2] in ("0x", "0X") or _HEX.fullmatch(text) else text


def _moment(values: dict[str, str], key: str) -> datetime | None:
    text = values.get(key)
    if text is None:
        return None
    # a + that was not percent-encoded arrives as a blank: the one of the offset is meant
    moment = rfc3339(text[:-6] + "+" + text[-5:] if text[-6:-5] == " " else text)
    if moment is None:
        raise Invalid(key, found(text), "an RFC 3339 time with an offset, like 2030-01-31T12:00:00Z")
    return moment
