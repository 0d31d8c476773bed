"""The readers of the feed and of deliveries."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from baton.domain.clock import from_micros, to_micros
from baton.domain.delivery import Delivery, DeliveryStatus, Try
from baton.domain.events import FeedEvent
from baton.storage.base import DueDelivery, Page
from baton.storage.rows import Row, delivery_from, feed_event_from, moment, try_from

Fetch = Callable[..., Awaitable[list[Row]]]


class Deliveries:
    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch

    async def due(self, notification_id: str, now: datetime, limit: int) -> list[DueDelivery]:
        rows = await self._fetch("due", notification_id, to_micros(now), limit)
        return [DueDelivery(row[0], from_micros(row[1]), row[2], row[3], feed_event_from(row[4:])) for row in rows]

    async def next_due(self, notification_id: str, now: datetime) -> datetime | None:
        rows = await self._fetch("next_due", notification_id, to_micros(now))
        return moment(rows[0][0]) if rows else None

    async def with_due(self, now: datetime) -> list[str]:
        return [row[0] for row in await self._fetch("with_due", to_micros(now))]

    async def with_overdue(self, before: datetime) -> list[str]:
        return [row[0] for row in await self._fetch("with_overdue", to_micros(before))]

    async def one(self, notification_id: str, delivery_id: str) -> Delivery | None:
        rows = await self._fetch("delivery", notification_id, delivery_id)
        return delivery_from(notification_id, rows[0]) if rows else None

    async def page(
        self, notification_id: str, page: int, per_page: int, status: DeliveryStatus | None = None
    ) -> Page[Delivery]:
        chosen = () if status is None else (str(status),)
        suffix = "" if status is None else "_in_status"
        total = (await self._fetch(f"count_deliveries{suffix}", notification_id, *chosen))[0][0]
        offset = (page - 1) * per_page
        if per_page == 0 or offset >= total:
            return Page((), total)
        rows = await self._fetch(f"deliveries{suffix}", notification_id, per_page, offset, *chosen)
        return Page(tuple(delivery_from(notification_id, row) for row in rows), total)

    async def tries(self, delivery_id: str) -> list[Try]:
        return [try_from(row) for row in await self._fetch("tries", delivery_id)]


class Feed:
    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch

    async def unpublished(self, limit: int) -> list[tuple[int, str]]:
        return [(row[0], row[1]) for row in await self._fetch("unpublished", limit)]

    async def after(self, position: int, limit: int) -> list[FeedEvent]:
        return [feed_event_from(row) for row in await self._fetch("feed_after", position, limit)]

    async def bounds(self) -> tuple[int, int]:
        newest, oldest = (await self._fetch("feed"))[0]
        return oldest, newest
