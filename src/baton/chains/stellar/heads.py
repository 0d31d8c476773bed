"""Follows the ledgers of a Stellar network by a poll that adapts to their pace. A closed ledger never changes again."""

import asyncio
from collections.abc import AsyncIterator

from baton import telemetry
from baton.chains.seam import ChainReplaced, Tip
from baton.chains.stellar.fees import Market
from baton.chains.stellar.node import StellarNode
from baton.domain.errors import NodeUnavailable
from baton.domain.transaction import Block

POLLS_A_LEDGER = 5
FASTEST_POLL_S, SLOWEST_POLL_S = 0.05, 1.0
PATIENCE_POLLS = 60  # so long an older ledger is taken for a node that lags


class Heads:
    def __init__(self, node: StellarNode, close_time_ms: int, *, is_local: bool) -> None:
        self._node = node
        self._is_local = is_local
        self._poll_s = min(max(close_time_ms / 1000 / POLLS_A_LEDGER, FASTEST_POLL_S), SLOWEST_POLL_S)
        self._identity: str | None = None
        self._polls_behind = 0  # in a row, that told of an older ledger than the one before
        self.market: Market | None = None  # as of the newest ledger

    async def tips(self) -> AsyncIterator[Tip]:
        """Every new ledger, for ever; outages are waited out."""
        was_down = False
        self.market = self._identity = None
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
            await asyncio.sleep(self._poll_s)

    async def _next(self, *, was_down: bool) -> Tip | None:
        """The new ledger, if there is one. A node that lags behind says nothing new, and nothing is lost by it."""
        market, known = await self._node.market(), self.market
        if self._is_local or known is None or was_down or market.ledger < known.ledger:
            await self._check_identity()
        if known is not None and market.ledger <= known.ledger and not self._is_doubtful(market, known):
            self.market = market if market.ledger == known.ledger else known
            return None
        self._polls_behind = 0
        self.market = market
        # Ledgers do not fork: their number alone names them. Everything is asked for by hash, so none is missed.
        is_gap = known is None or was_down or market.ledger <= known.ledger
        return Tip(Block(market.ledger, ""), is_gap=is_gap)

    def _is_doubtful(self, market: Market, known: Market) -> bool:
        """The ledger that we knew seems never to have been: a node had made it up."""
        self._polls_behind = self._polls_behind + 1 if market.ledger < known.ledger else 0
        return self._polls_behind >= PATIENCE_POLLS

    async def _check_identity(self) -> None:
        """At the start, after an outage, and when the number falls; a local one may be started anew at any time."""
        found = await self._node.identity()
        if self._identity is not None and found != self._identity:
            raise ChainReplaced(f"the nodes serve {found}, expected {self._identity}")
        self._identity = found
