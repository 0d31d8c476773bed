"""Follows the ledgers of a Stellar network by a poll that adapts to their pace. A closed ledger never changes again."""

from collections.abc import AsyncIterator

from baton.chains.following import Bearings, Pace, follow
from baton.chains.seam import Tip
from baton.chains.stellar.fees import Market
from baton.chains.stellar.node import StellarNode
from baton.domain.transaction import Block

POLLS_A_LEDGER = 5


class Heads:
    def __init__(self, node: StellarNode, close_time_ms: int, *, is_local: bool) -> None:
        self._node = node
        self._is_local = is_local
        self._pace = Pace(close_time_ms, POLLS_A_LEDGER)
        self._bearings = Bearings(node.identity)
        self.market: Market | None = None  # as of the newest ledger

    def tips(self) -> AsyncIterator[Tip]:
        self.market, self._bearings = None, Bearings(self._node.identity)
        return follow(self._next, self._pace)

    async def _next(self, was_down: bool) -> Tip | None:
        """The new ledger, if there is one. A node that lags behind says nothing new, and nothing is lost by it."""
        market, known = await self._node.market(), self.market
        if self._is_local or known is None or was_down or market.ledger < known.ledger:  # a local one may be another
            await self._bearings.check()
        if (
            known is not None
            and not self._bearings.is_made_up(known.ledger, market.ledger)
            and market.ledger <= known.ledger
        ):
            self.market = market if market.ledger == known.ledger else known
            return None
        self.market = market
        # Ledgers do not fork: their number alone names them. Everything is asked for by hash, so none is missed.
        is_gap = known is None or was_down or market.ledger <= known.ledger
        return Tip(Block(market.ledger, ""), is_gap=is_gap)
