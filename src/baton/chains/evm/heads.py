"""Follows the head of an EVM network: a poll that adapts to the block time, woken early by a subscription where offered.

A hole in the heights or a broken parent hash is mended by asking for the blocks between; whoever listens is told that
there was a gap, and asks by hash.
"""

from collections.abc import AsyncIterator, Callable, Collection

from baton import telemetry
from baton.chains.evm.ledger import Header, Ledger
from baton.chains.evm.node import EvmNode
from baton.chains.following import Bearings, Pace
from baton.chains.rpc import subscribe
from baton.chains.seam import ChainReplaced, Tip
from baton.domain.errors import NodeUnavailable
from baton.domain.network import RpcUrl

LONGEST_RUN = 64  # blocks fetched to close a hole; beyond that the window starts anew
POLLS_A_BLOCK = 10


class Heads:
    def __init__(self, node: EvmNode, ledger: Ledger, block_time_ms: int, ws_url: RpcUrl | None = None) -> None:
        self._node = node
        self._ledger = ledger
        blocks = None if ws_url is None else lambda: subscribe(ws_url, "eth_subscribe", ["newHeads"])
        self._pace = Pace(block_time_ms, POLLS_A_BLOCK, blocks)
        self.senders: Callable[[], Collection[str]] = tuple  # whose receipts are worth reading whole blocks for

    async def tips(self) -> AsyncIterator[Tip]:
        """Every new head, for ever; outages are waited out."""
        is_first, was_down = True, False
        bearings = Bearings(self._node.identity)
        async with self._pace:
            while True:
                try:
                    tip = await self._next(is_first=is_first)
                    if was_down or (tip is not None and tip.is_gap):
                        await self._check(bearings)
                except NodeUnavailable as outage:
                    telemetry.log.warning("head_unreachable", why=str(outage))
                    was_down = True
                else:
                    if tip is None and was_down and self._ledger.head is not None:
                        tip = Tip(self._ledger.head.block)  # it came up with the outage, or nothing moved meanwhile
                    if tip is not None:
                        yield Tip(tip.block, is_gap=tip.is_gap or was_down)
                        is_first = was_down = False
                await self._pace.pause()

    async def _check(self, bearings: Bearings) -> None:
        """After an outage or a gap: is it still the same chain?"""
        try:
            await bearings.check()
        except ChainReplaced:
            self._ledger.clear()
            raise

    async def _next(self, *, is_first: bool) -> Tip | None:
        """The new head, if there is one; the ledger is brought up to it first."""
        header = await self._node.head()
        known = self._ledger.head
        if known is not None and known.block == header.block:
            return None
        if (
            known is not None
            and header.block.number < known.block.number
            and self._ledger.hash_at(header.block.number) == header.block.hash
        ):
            return None  # a node that lags behind: nothing new, nothing lost
        was_replaced = self._ledger.extend(await self._run_to(header))
        has_read = await self._read_receipts()
        return Tip(header.block, is_gap=was_replaced or is_first or not has_read)

    async def _run_to(self, header: Header) -> list[Header]:
        """The blocks from the last that we share up to the head; only the head where it simply continues."""
        known = self._ledger.head
        if known is None or self._ledger.continues(header):
            return [header]
        first = header.block.number
        run = [header]
        while len(run) < LONGEST_RUN and first > 0 and self._ledger.hash_at(first - 1) != run[0].parent:
            run.insert(0, (await self._node.headers([first - 1]))[0])
            first -= 1
        return run

    async def _read_receipts(self) -> bool:
        """What landed in the newest blocks, while something of ours may be in them. False: it could not be read, and
        whoever waits must ask by hash; the head moves all the same."""
        head, senders = self._ledger.head, self.senders()
        if head is None or not senders:
            return True
        top = head.block.number
        numbers = self._ledger.unread(range(top - 3, top + 1))
        try:
            blocks = await self._node.block_receipts(numbers, senders)
        except NodeUnavailable as outage:
            telemetry.log.warning("block_receipts_unreadable", why=str(outage))
            return False
        for number, receipts in zip(numbers, blocks or (), strict=False):
            self._ledger.note(number, receipts)
        return True
