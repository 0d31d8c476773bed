"""What every command works with, as one frozen value."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from baton.commands.live import Live, NoLanes
from baton.commands.registry import Relayers
from baton.commands.turns import Turns
from baton.domain.clock import Clock
from baton.domain.delivery import Said
from baton.domain.notification import Notification
from baton.storage.base import Store

Probe = Callable[[Notification], Awaitable[Said]]

TRIES = 5  # look first, write with the version seen; so often before a busy row counts as an outage


@dataclass(frozen=True, slots=True)
class Context:
    store: Store
    relayers: Relayers
    clock: Clock
    queue_limit: int = 100_000  # open transactions of one relayer
    queue_retry_s: float = 5.0  # what a client is told when that many are open
    per_page_limit: int = 1000
    key_overlap_hours: float = 24.0  # how long a replaced signing key goes on signing
    live: Live = field(default_factory=NoLanes)
    probe: Probe | None = None  # sends a test event; None where nothing is delivered
    stopping: asyncio.Event = field(default_factory=asyncio.Event)  # ends what waits for news
    turns: Turns = field(default_factory=Turns)  # of those who change one thing
