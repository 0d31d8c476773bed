"""Forgets old deliveries and events, a little at a time, so that nobody waits for it."""

import asyncio
import contextlib
from datetime import timedelta

from baton.domain.clock import Clock
from baton.domain.errors import Unavailable
from baton.storage.base import Store
from baton.storage.changes import SweepDeliveries, SweepEvents, Swept

EVERY_S = 60.0
PAUSE_S = 0.05


async def forget(store: Store, clock: Clock, deliveries_days: float, events_days: float) -> None:
    """For ever, once a minute. 0 days keeps everything."""
    while True:
        with contextlib.suppress(Unavailable):
            await forget_once(store, clock, deliveries_days, events_days)
        await asyncio.sleep(EVERY_S)


async def forget_once(store: Store, clock: Clock, deliveries_days: float, events_days: float) -> int:
    """Until nothing is old; how many rows went."""
    now = clock.now()
    changes: list[SweepDeliveries | SweepEvents] = []
    if deliveries_days:
        changes.append(SweepDeliveries(now - timedelta(days=deliveries_days)))
    if events_days:
        changes.append(SweepEvents(now - timedelta(days=events_days)))
    total = 0
    for change in changes:
        while isinstance(outcome := await store.write(change), Swept) and outcome.count:
            total += outcome.count
            await asyncio.sleep(PAUSE_S)
    return total
