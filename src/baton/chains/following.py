"""What those who follow a chain's head do alike: how often they look, what wakes them, and whose word they doubt."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Self

from baton import telemetry
from baton.chains.seam import ChainReplaced, Tip
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json

FASTEST_POLL_S, SLOWEST_POLL_S = 0.05, 1.0
PATIENCE_POLLS = 60  # so long an older head is taken for a node that lags

Subscription = Callable[[], AsyncIterator[Json]]
Look = Callable[[bool], Awaitable[Tip | None]]  # told whether nodes were down since the last tip; None: nothing new


class Pace:
    """The pause between two looks. A subscription only ends it earlier: losing that costs time, never truth."""

    def __init__(self, block_time_ms: int, polls_a_block: int, subscription: Subscription | None = None) -> None:
        self._pause_s = min(max(block_time_ms / 1000 / polls_a_block, FASTEST_POLL_S), SLOWEST_POLL_S)
        self._subscription = subscription
        self._heard = asyncio.Event()
        self._listener: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._subscription is not None:
            self._listener = asyncio.create_task(self._listen(self._subscription))
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._listener is not None:
            self._listener.cancel()

    async def pause(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pause_s):
                await self._heard.wait()
        self._heard.clear()

    async def _listen(self, subscription: Subscription) -> None:
        while True:
            with contextlib.suppress(NodeUnavailable):
                async for _ in subscription():
                    self._heard.set()
            await asyncio.sleep(SLOWEST_POLL_S)


class Bearings:
    """Whether the nodes still serve the chain that is being followed, and whether the head that we knew ever was."""

    def __init__(self, identity_of: Callable[[], Awaitable[str]]) -> None:
        self._identity_of = identity_of
        self._identity: str | None = None
        self._polls_behind = 0  # in a row, that told of an older head than the one before

    async def check(self) -> None:
        found = await self._identity_of()
        if self._identity is not None and found != self._identity:
            raise ChainReplaced(f"the nodes serve {found}, expected {self._identity}")
        self._identity = found

    def is_made_up(self, known: int, told: int) -> bool:
        """Asked at each poll. Nodes that tell of older heads than the known one lag, at first; in the end it never was."""
        self._polls_behind = self._polls_behind + 1 if told < known else 0
        if self._polls_behind < PATIENCE_POLLS:
            return False
        self._polls_behind = 0
        return True


async def follow(look: Look, pace: Pace) -> AsyncIterator[Tip]:
    """Every new head, for ever; outages are waited out."""
    was_down = False
    async with pace:
        while True:
            try:
                tip = await look(was_down)
            except NodeUnavailable as outage:
                telemetry.log.warning("head_unreachable", why=str(outage))
                was_down = True
            else:
                if tip is not None:
                    was_down = False
                    yield tip
            await pace.pause()
