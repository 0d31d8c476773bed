"""Follows the newest slot of a Solana network: a short poll, woken early by a subscription where one is offered.

A height that stands still or falls while the slot rises means that blocks were lost with a fork: whoever listens is told
that there was a gap, and asks for everything anew.
"""

from collections.abc import AsyncIterator

from baton.chains.following import Bearings, Pace, follow
from baton.chains.rpc import subscribe
from baton.chains.seam import Tip
from baton.chains.solana.node import Head, SolanaNode
from baton.domain.network import Network, RpcUrl
from baton.domain.transaction import Block

POLLS_A_SLOT = 4
QUIET_S = 15.0  # a cluster that works has a slot twice a second


class Heads:
    def __init__(self, node: SolanaNode, network: Network, ws_url: RpcUrl | None = None) -> None:
        self._node = node
        self._is_local = network.is_local
        slots = None if ws_url is None else lambda: subscribe(ws_url, "slotSubscribe", quiet_s=QUIET_S)
        self._pace = Pace(network.block_time_ms, POLLS_A_SLOT, slots)
        self._bearings = Bearings(node.identity)
        self.head: Head | None = None

    def tips(self) -> AsyncIterator[Tip]:
        self.head, self._bearings = None, Bearings(self._node.identity)
        return follow(self._next, self._pace)

    async def _next(self, was_down: bool) -> Tip | None:
        """The new head, if there is one. A node that lags behind says nothing new, and nothing is lost by it."""
        head, known = await self._node.head(), self.head
        if self._is_local or known is None or was_down or head.slot < known.slot:  # a local one may be started anew
            await self._bearings.check()
        if known is not None and not self._bearings.is_made_up(known.slot, head.slot) and head.slot <= known.slot:
            return None
        self.head = head
        is_fork = known is not None and head.height <= known.height
        # The hash of a block is nothing that statuses tell: a slot and the level of its commitment take its place.
        return Tip(Block(head.slot, ""), is_gap=known is None or was_down or is_fork)
