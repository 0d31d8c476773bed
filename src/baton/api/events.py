"""The feed of all events: by cursor, waiting for news if asked to, or as server-sent events."""

import contextlib
import re
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from msgspec import Meta

from baton.api.envelope import Answer, success
from baton.api.query import values_of
from baton.api.request import Request
from baton.api.routing import Route
from baton.chains.fields import found
from baton.commands import feed
from baton.commands.context import Context
from baton.domain.errors import Invalid, Refused, Unavailable
from baton.domain.json import Json

PATH = "/api/v1/events"
DEFAULT_LIMIT = 100
MAX_WAIT_S = 60.0

_CURSOR = re.compile(r"[0-9]{1,18}")
_SECONDS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3})?")
_EVENT_STREAM = b"text/event-stream"
_encode = msgspec.json.Encoder().encode


class FeedRecord(msgspec.Struct, frozen=True):
    """A piece of the feed."""

    events: Annotated[
        list[dict[str, Json]], Meta(description="as webhooks carry them, each with its position in the feed")
    ]
    cursor: Annotated[int, Meta(description="what to ask with next")]


class Events:
    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        return [Route("GET", PATH, self.read)]

    async def read(self, request: Request) -> Answer:
        values = values_of(request)
        after = await self._after(values.get("after"))
        if any(_EVENT_STREAM in value.lower() for value in request.all_of(b"accept")):
            last_seen = request.one_of(b"last-event-id")
            start = await self._after(last_seen) if last_seen else after
            first = await feed.read(self._context, start, feed.MOST)  # a wrong cursor is answered before the stream
            headers = ((b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"))
            return Answer(200, b"", headers, _EVENT_STREAM, stream=self._stream(first))
        page = await feed.read(self._context, after, _limit(values.get("limit")), _wait_s(values.get("wait")))
        return success(FeedRecord(page.events, page.cursor))

    async def _after(self, text: str | None) -> int | None:
        if text is None:
            return None
        if text == "now":
            return await feed.newest(self._context)
        if not _CURSOR.fullmatch(text):
            raise Invalid("after", found(text), "the cursor of an earlier answer, or now")
        return int(text)

    async def _stream(self, first: feed.FeedPage) -> AsyncIterator[bytes]:
        """Ends when the store cannot be read: the client comes back with its cursor, and is told then what is wrong."""
        yield b": the feed of Baton\n\n" + b"".join(_as_sent(event) for event in first.events)
        with contextlib.suppress(Unavailable, Refused):
            async for page in feed.stream(self._context, first.cursor):
                yield b"".join(_as_sent(event) for event in page.events) or b": still here\n\n"


def _as_sent(event: dict[str, Json]) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event["position"], str(event["event"]).encode(), _encode(event))


def _limit(text: str | None) -> int:
    if text is None:
        return DEFAULT_LIMIT
    if not _CURSOR.fullmatch(text) or not 1 <= int(text) <= feed.MOST:
        raise Invalid("limit", found(text), f"an integer from 1 to {feed.MOST}")
    return int(text)


def _wait_s(text: str | None) -> float:
    if text is None:
        return 0.0
    if not _SECONDS.fullmatch(text) or float(text) > MAX_WAIT_S:
        raise Invalid("wait", found(text), f"seconds from 0 to {MAX_WAIT_S:g}")
    return float(text)
