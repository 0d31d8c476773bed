"""The owner of the feed: gives committed events their dense positions, and writes who is to be told of each."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable

from baton import telemetry
from baton.commands.registry import Relayers
from baton.domain.clock import Clock
from baton.domain.errors import RelayerMissing, Unavailable
from baton.storage.base import Store
from baton.storage.changes import Done, Fence, Owned, Publish, TakeLane

LANE = "feed"
BATCH = 1000
DELIVERIES_LIMIT = 5000  # in one SQL transaction: everyone else's writes wait for it
EVERYONE = "*"
POLL_S = 1.0
GATHER_S = 0.02  # two batches are at least so far apart: under load one serves many events, alone none waits


class Feed:
    def __init__(
        self, store: Store, relayers: Relayers, clock: Clock, node: str, call: Callable[[Iterable[str]], None]
    ) -> None:
        self._store = store
        self._relayers = relayers
        self._clock = clock
        self._node = node
        self._call = call  # tells the dispatch whom there is something for

    async def run(self) -> None:
        wake = self._store.watch("events")
        fence: Fence | None = None
        while True:
            wake.clear()
            try:
                fence = fence or await self._take()
                while fence is not None and (count := await self.publish(fence)) != 0:
                    if count is None:
                        fence = None
            except Unavailable as outage:
                telemetry.log.warning("feed_waits", why=str(outage))
            published_at = self._clock.monotonic()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await wake.wait()
            rest_s = published_at + GATHER_S - self._clock.monotonic()
            if rest_s > 0:
                await asyncio.sleep(rest_s)

    async def _take(self) -> Fence | None:
        outcome = await self._store.write(TakeLane(LANE, self._node, self._clock.now()))
        return Fence(LANE, outcome.epoch) if isinstance(outcome, Owned) else None

    async def publish(self, fence: Fence) -> int | None:
        """One batch; how many events it had. None: the feed has another owner, or something else changed it."""
        async with self._store.read() as snapshot:
            waiting = await snapshot.feed.unpublished(BATCH)
            if not waiting:
                return 0
            named = self._named({relayer_id for _, relayer_id in waiting})
            everyone = tuple(await snapshot.notifications.ids()) if (EVERYONE,) in named.values() else ()
        hearers = {relayer_id: everyone if names == (EVERYONE,) else names for relayer_id, names in named.items()}
        heard = _within_limit([hearers[relayer_id] for _, relayer_id in waiting])
        events = tuple(ordinal for ordinal, _ in waiting[: len(heard)])
        change = Publish(fence, self._clock.now(), events, heard)
        if not isinstance(await self._store.write(change), Done):
            return None
        self._call({notification_id for names in set(heard) for notification_id in names})
        return len(events)

    def _named(self, relayer_ids: set[str]) -> dict[str, tuple[str, ...]]:
        """The notifications that each relayer names. One that no longer exists hears nothing; the store sees to that."""
        named: dict[str, tuple[str, ...]] = {}
        for relayer_id in relayer_ids:
            try:
                names = self._relayers.get(relayer_id).relayer.notification_ids
            except RelayerMissing:
                names = ()
            named[relayer_id] = (EVERYONE,) if EVERYONE in names else names
        return named


def _within_limit(hearers: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """As many events, from the first on, as make few enough deliveries; at least one."""
    total = 0
    for count, names in enumerate(hearers):
        total += len(names)
        if total > DELIVERIES_LIMIT and count:
            return tuple(hearers[:count])
    return tuple(hearers)
