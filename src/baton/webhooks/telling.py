"""Everything of this room, from enter to exit: the feed's owner, the dispatch with its couriers, retention."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from baton import telemetry
from baton.commands.registry import Relayers
from baton.domain.clock import Clock
from baton.domain.delivery import Said
from baton.domain.ids import random_id
from baton.domain.notification import Notification
from baton.storage.base import Store
from baton.webhooks.courier import Tools
from baton.webhooks.dispatch import Dispatch
from baton.webhooks.feed import Feed
from baton.webhooks.guard import Range
from baton.webhooks.payload import ping
from baton.webhooks.post import Post
from baton.webhooks.retention import forget
from baton.webhooks.schedule import Schedule

AGAIN_S = 1.0  # after a crash


@dataclass(frozen=True, slots=True)
class TellingSettings:
    allowed: Sequence[Range] = ()  # beyond the public addresses
    deliveries_days: float = 30.0
    events_days: float = 90.0
    schedule: Schedule = field(default_factory=Schedule)


@dataclass(frozen=True, slots=True)
class Probe:
    """Sends a test event at once, outside of every queue, and says what the receiver said."""

    post: Post
    clock: Clock

    async def __call__(self, notification: Notification) -> Said:
        event_id, now = random_id(), self.clock.now()
        return await self.post.send(
            notification.url, notification.keys_at(now), event_id, ping(event_id, notification, now)
        )


async def _kept_going(name: str, run: Callable[[], Awaitable[None]]) -> None:
    """A bug of ours must not silence every webhook until the next start."""
    while True:
        try:
            await run()
        except Exception as error:  # noqa: BLE001 - the outermost loop of a part
            telemetry.log.error("telling_crashed", part=name, exc_info=error)
        await asyncio.sleep(AGAIN_S)


@asynccontextmanager
async def telling(
    store: Store, relayers: Relayers, clock: Clock, node: str, settings: TellingSettings
) -> AsyncIterator[Probe]:
    post = Post(clock, settings.allowed)
    tools = Tools(store, relayers, clock, post.send, settings.schedule)
    dispatch = Dispatch(tools, node)
    feed = Feed(store, relayers, clock, node, dispatch.call)
    forgetting = partial(forget, store, clock, settings.deliveries_days, settings.events_days)
    parts: dict[str, Callable[[], Awaitable[None]]] = {
        "feed": feed.run,
        "dispatch": dispatch.run,
        "retention": forgetting,
    }
    tasks = [asyncio.create_task(_kept_going(name, run), name=name) for name, run in parts.items()]
    try:
        yield Probe(post, clock)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await post.close()
