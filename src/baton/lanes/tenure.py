"""Tenure: one relayer's lane in this node's hands. Takes it, runs it, and takes it along when the relayer's nodes change.

    join the line of its nodes ─▶ own the lane ─▶ is it the chain we knew? ─▶ run ─▶ end ─▶ hand back ─▶ join another line

A move is a restart of the lane alone: the new one has a new epoch, reads everything from the store after that, and asks
its nodes by hash. Whatever the old one may still have on its way into the store is refused there.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from baton import telemetry
from baton.domain.errors import Unavailable
from baton.lanes.alarms import Alarms
from baton.lanes.desk import Desk
from baton.lanes.ground import Ground, Track
from baton.lanes.identity import disable, is_known
from baton.lanes.lane import Lane
from baton.lanes.lines import RETRY_S, OpenLine, Spell
from baton.storage.changes import Fence, LeaveLane, Owned, TakeLane

GRACE_S = 2.0  # for a turn to come to its end before a move; one that hangs at a dead node is cut off, as by a crash

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stint:
    """As long as a lane can run: on one line, before one chain."""

    line: OpenLine
    spell: Spell


@dataclass(frozen=True, slots=True)
class Hand:
    """What a take-over gave: the right to write, and the chain it is for."""

    fence: Fence
    identity: str


class Tenure:
    def __init__(self, ground: Ground, track: Track) -> None:
        self._ground = ground
        self._track = track
        self._alarms = Alarms(partial(ground.tell, track.relayer.id))  # what lasts, lasts over a move
        self._news = asyncio.Event()  # of the relayer, of its line or of its lane: what is awaited may be so
        self._fence: Fence | None = None

    def look(self) -> None:
        """The relayer was changed: perhaps in its nodes."""
        self._news.set()

    async def run(self) -> None:
        """From line to line, until cancelled."""
        while True:
            try:
                with self._ground.lines.joined(self._track.nodes, self._news) as line:
                    await self._stay(line)
                    telemetry.log.info("lane_moves", lane=self._track.lane, nodes=_shown(self._track))
                    await self.hand_back()
            except Exception:  # noqa: BLE001 - the outermost loop of a lane
                telemetry.log.exception("lane_failed", lane=self._track.lane)
                await asyncio.sleep(RETRY_S)

    async def hand_back(self) -> None:
        """From now on anyone may take the lane, and nothing is written under the old epoch. Twice is no harm."""
        if self._fence is not None:
            with contextlib.suppress(Unavailable):
                await self._ground.store.write(LeaveLane(self._fence))
            self._fence = None

    async def _stay(self, line: OpenLine) -> None:
        """Until the relayer has other nodes."""
        try:
            while not self._is_leaving(line):
                try:
                    await self._step(line)
                except Unavailable as outage:
                    telemetry.log.warning("lane_waits", lane=self._track.lane, why=str(outage))
                    await self._rest(RETRY_S, lambda: self._is_leaving(line))
        finally:
            self._ground.desks.pop(self._track.relayer.id, None)

    async def _step(self, line: OpenLine) -> None:
        if line.spell is None:
            await self._await_spell(line)
            return
        stint = Stint(line, line.spell)
        hand = await self._own(stint)
        if hand is not None:
            await self._run_lane(stint, hand)
            await self._rest(RETRY_S, lambda: self._is_over(stint))

    async def _await_spell(self, line: OpenLine) -> None:
        """Nodes of another chain are a mistake that only a person can mend; nodes that are silent may come back."""
        stray = line.stray
        if stray is not None:
            await disable(self._ground, self._track, f"its nodes serve another chain: {stray}")
        await self._until(lambda: line.spell is not None or line.stray != stray or self._is_leaving(line))

    async def _own(self, stint: Stint) -> Hand | None:
        """The lane, once no other node has it and its chain is the one that it knew; None if the stint is over before.

        Another identity may have been one node's mistake: it is asked for again.
        """
        identity = stint.spell.identity
        while not self._is_over(stint):
            fence = await self._take()
            if fence is None:
                await self._rest(self._ground.lease_s / 3, lambda: self._is_over(stint))
                continue
            if await is_known(self._ground, self._track, fence, identity):
                return Hand(fence, identity)
            await self._rest(RETRY_S, lambda: self._is_over(stint))
            async with self._beside(stint.line.line.chain.identity()) as asked:
                await self._until(lambda: asked.done() or self._is_over(stint))
                identity = asked.result() if asked.done() else identity
        return None

    async def _take(self) -> Fence | None:
        lane = self._track.lane
        outcome = await self._ground.store.write(TakeLane(lane, self._ground.node, self._ground.clock.now()))
        if not isinstance(outcome, Owned):
            return None
        self._fence = Fence(lane, outcome.epoch)
        return self._fence

    async def _run_lane(self, stint: Stint, hand: Hand) -> None:
        """Until another node has it, the chain was replaced, or the relayer moves. Only a move leaves a turn its time."""
        desk = self._desk(stint, hand)
        self._ground.desks[self._track.relayer.id] = desk
        lane = Lane(desk, stint.spell.watcher)
        async with self._beside(lane.run()) as running:
            await self._until(lambda: running.done() or self._is_over(stint))
            if not running.done() and stint.line.spell is stint.spell:
                lane.end()
                await asyncio.wait({running}, timeout=GRACE_S)
            if running.done():
                running.result()

    def _desk(self, stint: Stint, hand: Hand) -> Desk:
        ground, line = self._ground, stint.line.line
        return Desk(
            store=ground.store,
            chain=line.chain,
            maker=line.maker,
            pen=self._track.pen,
            clock=ground.clock,
            fence=hand.fence,
            chain_identity=hand.identity,
            relayer_of=self._track.relayer_of,
            settings=ground.settings,
            window=ground.settings.window_start,
            alarms=self._alarms,
        )

    def _is_leaving(self, line: OpenLine) -> bool:
        return self._track.nodes != line.nodes

    def _is_over(self, stint: Stint) -> bool:
        return stint.line.spell is not stint.spell or self._is_leaving(stint.line)

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._news.clear()
            await self._news.wait()

    async def _rest(self, seconds: float, is_enough: Callable[[], bool]) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._until(is_enough)

    @contextlib.asynccontextmanager
    async def _beside(self, work: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
        """Its end is news; it ends with the block at the latest."""
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._news.set())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def _shown(track: Track) -> list[str]:
    """Hosts only: paths of hosted nodes are keys."""
    return [url.shown for url in track.nodes.urls]
