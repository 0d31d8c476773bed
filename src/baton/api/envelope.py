"""The one shape that every answer wears.

success   {"success": true, "data": …}, a list adds "pagination", what was not done as asked adds "metadata"
failure   {"success": false, "data": null, "message": the phrase of the contract, "error": what is wrong here}
"""

from collections.abc import AsyncIterator, Sequence

import msgspec
from msgspec import Struct

from baton.commands.paging import Paging
from baton.domain.json import Json

Header = tuple[bytes, bytes]

JSON = b"application/json"
CLOSING: Header = (b"connection", b"close")

_encode = msgspec.json.Encoder().encode
_NO_HEADERS: tuple[Header, ...] = ()


class Answer(Struct, frozen=True):
    status: int
    body: bytes
    headers: tuple[Header, ...] = ()
    media: bytes = JSON
    stream: AsyncIterator[bytes] | None = None  # sent instead of the body, as long as the client listens


def success(data: Json, status: int = 200, headers: tuple[Header, ...] = _NO_HEADERS) -> Answer:
    return Answer(status, b'{"success":true,"data":' + _encode(data) + b"}", headers)


def with_warnings(data: Json, warnings: Sequence[str]) -> Answer:
    """It was done, but not all that was asked for."""
    if not warnings:
        return success(data)
    logs = [{"level": "warn", "message": warning} for warning in warnings]
    return Answer(200, _encode({"success": True, "data": data, "metadata": {"logs": logs}}))


def page(items: Sequence[Json], paging: Paging, total: int) -> Answer:
    pagination = {"current_page": paging.page, "per_page": paging.per_page, "total_items": total}
    return Answer(200, _encode({"success": True, "data": items, "pagination": pagination}))


def failure(status: int, message: str, error: str, headers: tuple[Header, ...] = _NO_HEADERS) -> Answer:
    return Answer(status, _encode({"success": False, "data": None, "message": message, "error": error}), headers)


def bare(document: Json, status: int = 200) -> Answer:
    """JSON without the envelope, for the few documents that say so."""
    return Answer(status, _encode(document))
