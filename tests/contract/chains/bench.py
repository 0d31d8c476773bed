"""A chain and its maker as a lane holds them, without the lane: the seam itself, call by call."""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from tests.contract.chains.driver import Driver

from baton.app.lines import open_line
from baton.chains.seam import Account, Chain, Maker, Prepared, Ready, Sighting, Tip
from baton.domain.clock import SystemClock
from baton.domain.ids import ordered_id
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, AttemptKind, Fate, Revision, Slot
from baton.lanes.lines import Nodes

PATIENCE_S = 20.0


class Bench:
    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        parts = driver.parts
        network = parts.network
        address = parts.language.address(parts.pen.public_key)
        self.relayer = Relayer("r", "R", network.name, network.family, "signer", address, parts.policy)
        line = open_line(Nodes(network, network.rpc_urls), {"r": parts.pen}, SystemClock())
        self.chain: Chain = line.chain
        self.maker: Maker = line.maker
        self._close = line.close
        self.tips: list[Tip] = []
        self._news = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._watching = asyncio.create_task(self._watch())
        await self.tip()

    async def stop(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching
        await self._close()

    async def _watch(self) -> None:
        async for tip in self.chain.tips():
            self.tips.append(tip)
            self._news.set()

    async def tip(self, after: int = 0) -> Tip:
        """The first tip beyond those that were seen."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.tips) <= after:
                self._news.clear()
                await self._news.wait()
        return self.tips[-1]

    async def mine(self, blocks: int = 1) -> Tip:
        """Until the watcher has seen the last of them."""
        for _ in range(blocks):
            seen = len(self.tips)
            await self.driver.mine()
            await self.tip(seen)
        return self.tips[-1]

    async def account(self) -> Account:
        return await self.chain.account(self.relayer, self.tips[-1])

    def revision(self, body: Any) -> Revision:
        draft = self.driver.parts.language.parse(body, self.relayer, SystemClock().now())
        return Revision(1, draft.content, draft.valid_until)

    async def prepare(self, *bodies: Any, is_first: bool = True) -> list[Prepared]:
        asks = [(self.revision(body), is_first and place == 0) for place, body in enumerate(bodies)]
        return await self.maker.prepare(asks, self.relayer)

    async def sign(self, *bodies: Any) -> list[Attempt]:
        """Signed versions in the next free slots, where there are any."""
        prepared = await self.prepare(*bodies)
        ready = [one for one in prepared if isinstance(one, Ready)]
        assert len(ready) == len(bodies), prepared
        slots: list[Slot | None] = [None] * len(ready)
        if self.chain.has_slots:
            first, identity = (await self.account()).next_slot, await self.chain.identity()
            slots = [Slot(identity, self.relayer.address, first + place) for place in range(len(ready))]
        made = await self.maker.sign(list(zip(ready, slots, strict=True)), self.relayer, self.driver.parts.pen)
        now = SystemClock().now()
        return [
            Attempt(
                ordered_id(),
                "r",
                ordered_id(),
                1,
                AttemptKind.ORIGINAL,
                one.hash,
                slot,
                one.max_cost,
                one.facts,
                now,
                raw=one.raw,
            )
            for one, slot in zip(made, slots, strict=True)
        ]

    async def look(self, attempts: Sequence[Attempt], *, is_thorough: bool = False) -> list[Sighting]:
        tip = self.tips[-1]
        account = await self.chain.account(self.relayer, tip)
        return await self.chain.observe(attempts, account, tip, is_thorough=is_thorough or tip.is_gap)


def included(attempt: Attempt, sighting: Any) -> Attempt:
    """As a lane keeps it."""
    return replace(attempt, fate=Fate.INCLUDED, block=sighting.block)
