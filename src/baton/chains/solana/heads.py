"""Follows the newest slot of a Solana network: a short poll, woken early by a subscription where one is offered.

A height that stands still or falls while the slot rises means that blocks were lost with a fork: whoever listens is told
that there was a gap, and asks for everything anew.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from baton import telemetry
from baton.chains.rpc import subscribe
from baton.chains.seam import ChainReplaced, Tip
from baton.chains.solana.node import Head, SolanaNode
from baton.domain.errors import NodeUnavailable
from baton.domain.network import Network, RpcUrl
from baton.domain.transaction import Block

POLLS_A_SLOT = 4
FASTEST_POLL_S, SLOWEST_POLL_S = 0.05, 1.0
PATIENCE_POLLS = 60  # so long an older slot is taken for a node that lags
QUIET_S = 15.0  # a cluster that works has a slot twice a second


class Heads:
    def __init__(self, node: SolanaNode, network: Network, ws_url: RpcUrl | None = None) -> None:
        self._node = node
        self._is_local = network.is_local
        self._poll_s = min(max(network.block_time_ms / 1000 / POLLS_A_SLOT, FASTEST_POLL_S), SLOWEST_POLL_S)
        self._ws_url = ws_url
        self._heard = asyncio.Event()
        self._identity: str | None = None
        self._polls_behind = 0  # in a row, that told of an older slot than the one before
        self.head: Head | None = None

    async def tips(self) -> AsyncIterator[Tip]:
        """Every new head, for ever; outages are waited out."""
        listener = asyncio.create_task(self._listen(self._ws_url)) if self._ws_url else None
        was_down = False
        self.head = self._identity = None
        try:
            while True:
                try:
                    tip = await self._next(was_down=was_down)
                except NodeUnavailable as outage:
                    telemetry.log.warning("head_unreachable", why=str(outage))
                    was_down = True
                else:
                    if tip is not None:
                        was_down = False
                        yield tip
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._poll_s):
                        await self._heard.wait()
                self._heard.clear()
        finally:
            if listener is not None:
                listener.cancel()

    async def _next(self, *, was_down: bool) -> Tip | None:
        """The new head, if there is one. A node that lags behind says nothing new, and nothing is lost by it."""
        head, known = await self._node.head(), self.head
        if self._is_local or known is None or was_down or head.slot < known.slot:
            await self._check_identity()
        if known is not None and head.slot <= known.slot and not self._is_doubtful(head, known):
            return None
        self._polls_behind = 0
        self.head = head
        is_fork = known is not None and head.height <= known.height
        # The hash of a block is nothing that statuses tell: a slot and the level of its commitment take its place.
        return Tip(Block(head.slot, ""), is_gap=known is None or was_down or is_fork)

    def _is_doubtful(self, head: Head, known: Head) -> bool:
        """The slot that we knew seems never to have been: a node had made it up."""
        self._polls_behind = self._polls_behind + 1 if head.slot < known.slot else 0
        return self._polls_behind >= PATIENCE_POLLS

    async def _check_identity(self) -> None:
        """At the start, after an outage, and when the slot falls; a local one may be started anew at any time."""
        found = await self._node.identity()
        if self._identity is not None and found != self._identity:
            raise ChainReplaced(f"the nodes serve {found}, expected {self._identity}")
        self._identity = found

    async def _listen(self, url: RpcUrl) -> None:
        """A subscription only wakes the poll earlier; losing it costs time, never truth."""
        while True:
            with contextlib.suppress(NodeUnavailable):
                async for _ in subscribe(url, "slotSubscribe", quiet_s=QUIET_S):
                    self._heard.set()
            await asyncio.sleep(SLOWEST_POLL_S)
