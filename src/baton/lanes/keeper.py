"""Keeper: the lanes of this node. It says that the node lives, keeps one task a lane, and hands all lanes back at the end."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping

from baton.domain.clock import Clock
from baton.domain.errors import Unavailable
from baton.domain.json import Json
from baton.lanes.desk import Desk, LaneSettings
from baton.lanes.ground import Ground, SetDisabled, Tell, Track
from baton.lanes.lines import Line, Lines, Nodes
from baton.lanes.tenure import Tenure
from baton.storage.base import Store
from baton.storage.changes import Heartbeat


async def _disable_nobody(_relayer_id: str, _why: str | None) -> None:
    pass


async def _tell_nobody(_relayer_id: str, _kind: str, _more: Mapping[str, Json]) -> None:
    pass


class Keeper:
    def __init__(self, store: Store, clock: Clock, node: str, settings: LaneSettings, lease_s: float = 15.0) -> None:
        self._store = store
        self._clock = clock
        self._node = node
        self._settings = settings
        self._lease_s = lease_s
        self._tasks: list[asyncio.Task[None]] = []
        self._tenures: dict[str, Tenure] = {}  # by relayer id
        self._lines: Lines | None = None
        self.desks: dict[str, Desk] = {}  # by relayer id, for those who only look
        self.set_disabled: SetDisabled = _disable_nobody
        self.tell: Tell = _tell_nobody

    async def start(self, tracks: Iterable[Track], open_line: Callable[[Nodes], Line]) -> None:
        """One lane for each track; lines are opened as lanes need them, and closed after the last."""
        await self._beat()
        self._lines = Lines(open_line)
        ground = Ground(
            store=self._store,
            clock=self._clock,
            node=self._node,
            settings=self._settings,
            lease_s=self._lease_s,
            lines=self._lines,
            desks=self.desks,
            set_disabled=self.set_disabled,
            tell=self.tell,
        )
        self._tasks.append(asyncio.create_task(self._beat_on(), name="heartbeat"))
        for track in tracks:
            tenure = self._tenures[track.relayer.id] = Tenure(ground, track)
            self._tasks.append(asyncio.create_task(tenure.run(), name=f"lane {track.lane}"))

    def look(self, relayer_id: str) -> None:
        """A relayer was changed: if it has other nodes now, its lane goes on with those."""
        if relayer_id in self._tenures:
            self._tenures[relayer_id].look()

    async def stop(self) -> None:
        """Ends every lane between two steps and hands it back; what is under way goes on at the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for tenure in self._tenures.values():
            await tenure.hand_back()
        if self._lines is not None:
            await self._lines.close()

    async def _beat_on(self) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            with contextlib.suppress(Unavailable):
                await self._beat()

    async def _beat(self) -> None:
        await self._store.write(Heartbeat(self._node, self._lease_s, self._clock.now()))
