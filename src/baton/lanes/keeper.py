"""Keeper: which lanes this node owns. Leases, epochs, take-over, hand-back; one task a network, one a lane.

A chain that was started anew is noticed here: on a local chain what was under way is over, and slots start afresh;
anywhere else the relayers are disabled with the reason, because it can only be a mistake.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

from baton import telemetry
from baton.chains.seam import Chain, ChainReplaced, Maker, Pen
from baton.domain.clock import Clock
from baton.domain.errors import Unavailable
from baton.domain.json import Json
from baton.domain.network import Network
from baton.domain.relayer import Relayer
from baton.domain.status import Status
from baton.domain.transaction import Fate, moved
from baton.lanes.alarms import Alarms
from baton.lanes.desk import Desk, LaneSettings
from baton.lanes.lane import Lane
from baton.lanes.watcher import Watcher
from baton.storage.base import OpenTransaction, Store
from baton.storage.changes import (
    Advance,
    AttemptNews,
    Done,
    Fence,
    Heartbeat,
    LeaveLane,
    Owned,
    Progress,
    RememberChain,
    TakeLane,
)

RETRY_S = 1.0
STARTED_ANEW = "the local chain was started anew; what was under way is gone with it"


@dataclass(frozen=True, slots=True)
class Track:
    """A relayer with all that its lane needs."""

    relayer_of: Callable[[], Relayer]
    pen: Pen


@dataclass(frozen=True, slots=True)
class Line:
    """A network with the relayers that send on it."""

    network: Network
    chain: Chain
    maker: Maker
    tracks: tuple[Track, ...]

    @property
    def name(self) -> str:
        """Families have networks of the same name: every one has a "local"."""
        return f"{self.network.family}:{self.network.name}"


@dataclass(frozen=True, slots=True)
class Hand:
    """What a take-over gave: the right to write, and the chain it is for."""

    fence: Fence
    identity: str


async def _tell_nobody(_relayer_id: str, _why: str | None) -> None:
    pass


class Keeper:
    def __init__(self, store: Store, clock: Clock, node: str, settings: LaneSettings, lease_s: float = 15.0) -> None:
        self._store = store
        self._clock = clock
        self._node = node
        self._settings = settings
        self._lease_s = lease_s
        self._tasks: list[asyncio.Task[None]] = []
        self._fences: dict[str, Fence] = {}
        self.desks: dict[str, Desk] = {}  # by relayer id, for those who only look
        self.set_disabled: Callable[[str, str | None], Awaitable[None]] = _tell_nobody
        self.tell: Callable[[str, str, Mapping[str, Json]], Awaitable[None]] | None = None

    async def start(self, lines: list[Line]) -> None:
        await self._store.write(Heartbeat(self._node, self._lease_s, self._clock.now()))
        self._tasks.append(asyncio.create_task(self._beat(), name="heartbeat"))
        self._tasks += [asyncio.create_task(self._line(line), name=f"network {line.name}") for line in lines]

    async def stop(self) -> None:
        """Ends every lane between two steps and hands it back; what is under way goes on at the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for fence in self._fences.values():
            with contextlib.suppress(Unavailable):
                await self._store.write(LeaveLane(fence))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            with contextlib.suppress(Unavailable):
                await self._store.write(Heartbeat(self._node, self._lease_s, self._clock.now()))

    async def _line(self, line: Line) -> None:
        """One network: reach it, then watch it and run its lanes; start over when the chain behind it was replaced."""
        while True:
            try:
                identity = await self._reach(line)
                watcher = Watcher(line.chain)
                async with asyncio.TaskGroup() as group:
                    group.create_task(watcher.run())
                    for track in line.tracks:
                        group.create_task(self._lane(line, track, watcher, identity))
            except* ChainReplaced:
                telemetry.log.warning("chain_replaced", network=line.name)
            except* Exception:  # noqa: BLE001 - the outermost loop of a network
                telemetry.log.exception("network_failed", network=line.name)
                await asyncio.sleep(RETRY_S)

    async def _reach(self, line: Line) -> str:
        """The chain's identity once a node answers: an unreachable node never stops the start."""
        pause_s = 0.1
        while True:
            try:
                return await line.chain.identity()
            except Unavailable as outage:
                telemetry.log.warning("network_unreachable", network=line.name, why=str(outage))
                await asyncio.sleep(pause_s)
                pause_s = min(pause_s * 2, 5.0)

    async def _lane(self, line: Line, track: Track, watcher: Watcher, identity: str) -> None:
        """Takes the lane and runs it, again and again: another owner may come and go."""
        while True:
            try:
                fence = await self._take(track.relayer_of())
                if not await self._is_known_chain(line, track, fence, identity):
                    await asyncio.sleep(RETRY_S)
                    raise ChainReplaced(
                        "not the chain that was known: asked again"
                    )  # it may have been a node's mistake
                await self._run_lane(line, track, watcher, Hand(fence, identity))
            except Unavailable as outage:
                telemetry.log.warning("lane_waits", lane=lane_name(track.relayer_of()), why=str(outage))
            await asyncio.sleep(RETRY_S)

    async def _is_known_chain(self, line: Line, track: Track, fence: Fence, identity: str) -> bool:
        """Whether this is the chain that the lane knew, or may be taken for a new one."""
        relayer = track.relayer_of()
        async with self._store.read() as snapshot:
            known = await snapshot.relayers.chain_identity(fence.lane)
        if known is not None and known != identity and not line.network.is_local:
            why = f"its nodes serve another chain ({identity}) than before ({known})"
            telemetry.log.error("chain_changed", network=line.name, relayer=relayer.id, why=why)
            await self.set_disabled(relayer.id, why)
            return False
        if known is not None and known != identity:
            ended = await self._end_open(relayer.id)
            telemetry.log.warning("local_chain_started_anew", network=line.name, relayer=relayer.id, ended=ended)
        if known != identity:
            await self._store.write(RememberChain(fence.lane, identity))
        if relayer.disabled_reason is not None:
            await self.set_disabled(relayer.id, None)
        return True

    async def _end_open(self, relayer_id: str) -> int:
        """Everything signed for the old chain can never land on the new one. A client may amend one meanwhile: again."""
        ended = 0
        while under_way := await self._under_way(relayer_id):
            outcomes = await self._store.write_all([self._ended(item) for item in under_way])
            ended += outcomes.count(Done())
        return ended

    async def _under_way(self, relayer_id: str) -> list[OpenTransaction]:
        async with self._store.read() as snapshot:
            return [
                item
                for status in (Status.SENT, Status.SUBMITTED, Status.MINED)
                for item in await snapshot.lanes.in_status(relayer_id, status, -1)
            ]

    def _ended(self, item: OpenTransaction) -> Progress:
        transaction = item.transaction
        step = moved(transaction.state, Status.FAILED, reason=STARTED_ANEW)
        news = tuple(AttemptNews(attempt.id, Fate.LAPSED) for attempt in item.attempts)
        return Progress(self._clock.now(), None, (Advance(transaction.id, transaction.version, (step,)),), (), news)

    async def _run_lane(self, line: Line, track: Track, watcher: Watcher, hand: Hand) -> None:
        desk = Desk(
            store=self._store,
            chain=line.chain,
            maker=line.maker,
            pen=track.pen,
            clock=self._clock,
            fence=hand.fence,
            chain_identity=hand.identity,
            relayer_of=track.relayer_of,
            settings=self._settings,
            window=self._settings.window_start,
            alarms=Alarms() if self.tell is None else Alarms(partial(self.tell, track.relayer_of().id)),
        )
        self.desks[track.relayer_of().id] = desk
        await Lane(desk, watcher).run()

    async def _take(self, relayer: Relayer) -> Fence:
        lane = lane_name(relayer)
        while True:
            outcome = await self._store.write(TakeLane(lane, self._node, self._clock.now()))
            if isinstance(outcome, Owned):
                fence = Fence(lane, outcome.epoch)
                self._fences[lane] = fence
                return fence
            await asyncio.sleep(self._lease_s / 3)


def lane_name(relayer: Relayer) -> str:
    """A lane is an account on a network."""
    return f"{relayer.family}:{relayer.network}/{relayer.address}"
