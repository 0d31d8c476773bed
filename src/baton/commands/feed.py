"""The feed: every event in one row, so that a consumer that kept its cursor has missed nothing."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from baton.commands.context import Context
from baton.commands.events import document
from baton.domain.clock import to_text
from baton.domain.errors import Invalid, Missing
from baton.domain.events import EventKind, FeedEvent, RelayerEvent
from baton.domain.json import Json

MOST = 1000
BEAT_S = 15.0  # of a stream that has nothing to tell: proxies end a silent one


@dataclass(frozen=True, slots=True)
class FeedPage:
    events: list[dict[str, Json]]
    cursor: int  # what to ask for next


async def read(context: Context, after: int | None, limit: int, wait_s: float = 0.0) -> FeedPage:
    """What came after the cursor; waits for something to come. Without a cursor, from the oldest that is kept."""
    wake = context.store.watch("feed")
    deadline = context.clock.monotonic() + wait_s
    while True:
        wake.clear()
        page = await _read(context, after, limit)
        left_s = deadline - context.clock.monotonic()
        if page.events or left_s <= 0 or context.stopping.is_set():
            return page
        after = page.cursor
        await _woken(context, wake, left_s)


async def newest(context: Context) -> int:
    async with context.store.read() as snapshot:
        return (await snapshot.feed.bounds())[1]


async def stream(context: Context, after: int) -> AsyncIterator[FeedPage]:
    """For ever; a page without events is a sign of life."""
    while not context.stopping.is_set():
        page = await read(context, after, MOST, BEAT_S)
        after = page.cursor
        yield page


async def _read(context: Context, after: int | None, limit: int) -> FeedPage:
    async with context.store.read() as snapshot:
        oldest, last = await snapshot.feed.bounds()
        start = oldest - 1 if after is None else after
        if start > last:
            raise Invalid("after", str(start), f"at most {last}, the newest position")
        if start < oldest - 1:
            raise Invalid("after", str(start), f"at least {oldest - 1}: older events are no longer kept")
        found = await snapshot.feed.after(start, limit)
    events = [{"position": told.position, **_told(context, told)} for told in found]
    return FeedPage(events, found[-1].position if found else start)


def _told(context: Context, told: FeedEvent) -> dict[str, Json]:
    """As a webhook tells it; an event whose relayer is gone keeps its place, with what the event itself knows."""
    try:
        return document(context.relayers, told)
    except Missing:
        event = told.event
        if isinstance(event, RelayerEvent):
            raise
        state = event.state
        payload = {
            "payload_type": "transaction",
            "id": event.transaction_id,
            "relayer_id": event.relayer_id,
            "status": str(state.status),
            "status_reason": state.reason,
        }
        return {
            "id": event.id,
            "event": str(EventKind.TRANSACTION_UPDATE),
            "payload": payload,
            "timestamp": to_text(event.at),
            "sequence": event.number,
        }


async def _woken(context: Context, wake: asyncio.Event, seconds: float) -> None:
    waits = [asyncio.create_task(event.wait()) for event in (wake, context.stopping)]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
