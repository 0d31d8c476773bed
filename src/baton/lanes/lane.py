"""One lane's turn: recover → observe → amend → rescue → send, each a batch for all its transactions.

A wake-up (new row, new head, answer, timer) starts a turn; there is no fixed delay in the way of a transaction.
"""

import asyncio
import contextlib

from baton import telemetry
from baton.domain.errors import StoreUnavailable, Unavailable
from baton.lanes.amend import amend
from baton.lanes.desk import Desk, LaneLost
from baton.lanes.meter import gauge
from baton.lanes.observe import observe
from baton.lanes.post import Answers, post, take_in, take_letters
from baton.lanes.rescue import rescue
from baton.lanes.send import send
from baton.lanes.watcher import Watcher

IDLE_S = 30.0  # polling is the truth, wake-ups only save the wait


class Lane:
    """Runs for as long as it owns its account. Built anew at each take-over."""

    def __init__(self, desk: Desk, watcher: Watcher) -> None:
        self._desk = desk
        self._watcher = watcher
        self._wake = desk.store.watch(desk.relayer.id)
        watcher.listen(self._wake)
        self._gaps = watcher.gaps
        self._broadcast: asyncio.Task[Answers] | None = None
        self._last_turn = float("-inf")
        self._is_ending = False

    async def run(self) -> None:
        """Returns when the lane belongs to someone else, or was asked to end."""
        try:
            await self._recover()
            await self._pause()
            while not self._is_ending:
                await self._guarded_turn()
                await self._pause()
        except LaneLost as lost:
            telemetry.log.warning("lane_lost", lane=self._desk.fence.lane, why=str(lost))
        finally:
            if self._broadcast is not None:
                self._broadcast.cancel()

    def end(self) -> None:
        """Between two turns; what is under way is found again by whoever comes next."""
        self._is_ending = True
        self._wake.set()

    async def _recover(self) -> None:
        """After a take-over the book is the store's, and every attempt is asked for by hash."""
        desk = self._desk
        while True:
            try:
                await desk.load()
                async with desk.store.read() as snapshot:
                    highest = await snapshot.lanes.highest_slot(desk.chain_identity, desk.relayer.address)
            except Unavailable as outage:
                await self._back_off(outage)
            else:
                desk.high_water = -1 if highest is None else highest
                self._wake.set()
                return

    async def _pause(self) -> None:
        """Until something happens; under load, long enough that a turn has company."""
        desk = self._desk
        desk.is_resting = self._broadcast is None and not self._wake.is_set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._next_due_s()):
                await self._wake.wait()
        desk.is_resting = False
        if len(desk.book.entries) > desk.settings.window_start:
            rest_s = self._last_turn + desk.settings.gather_s - desk.clock.monotonic()
            if rest_s > 0:
                await asyncio.sleep(rest_s)
        self._wake.clear()

    def _next_due_s(self) -> float:
        """Bytes that no node accepted yet are due again soon; otherwise a wake-up comes."""
        desk = self._desk
        waits = [
            mail.tries
            for attempt in desk.book.open_attempts()
            if (mail := desk.book.mail.get(attempt.id)) and not mail.is_accepted
        ]
        if not waits:
            return IDLE_S
        return desk.settings.pause_s(min(waits))

    async def _guarded_turn(self) -> None:
        try:
            await self._turn()
        except LaneLost:
            raise
        except StoreUnavailable as outage:  # whether it was written is not known: the store is read again
            await self._back_off(outage)
            await self._recover()
        except Unavailable as outage:
            self._start_broadcast()  # what is stored leaves all the same
            await self._back_off(outage)
        except Exception:  # noqa: BLE001 - the outermost loop: a bug in one turn must not stop the lane
            telemetry.log.exception("lane_turn_failed", lane=self._desk.fence.lane)
            await self._back_off(None)
            await self._recover()

    async def _back_off(self, outage: Unavailable | None) -> None:
        if outage is not None:
            telemetry.log.warning("lane_waits", lane=self._desk.fence.lane, why=str(outage))
        await asyncio.sleep(self._desk.settings.retry_s)
        self._wake.set()

    async def _turn(self) -> None:
        desk = self._desk
        self._last_turn = desk.clock.monotonic()
        await self._take_answers()
        is_new = self._take_tip()
        if is_new or desk.must_look:
            desk.book.parked.clear()
        if desk.tip is None or not await self._has_work():
            return
        if desk.looked_at is not desk.tip or desk.must_look:  # a look that failed is made up for
            await observe(desk)
        await amend(desk)
        await rescue(desk)
        more = await send(desk)
        self._start_broadcast()
        if more:
            self._wake.set()

    async def _has_work(self) -> bool:
        desk = self._desk
        async with desk.store.read() as snapshot:
            queued = await snapshot.relayers.open_count(desk.relayer.id)
        gauge(desk.book, desk.relayer.id, queued)
        return queued > 0 or bool(desk.book.fillers)

    def _take_tip(self) -> bool:
        """Whether the head moved since the last turn."""
        watcher, desk = self._watcher, self._desk
        is_new = watcher.tip is not desk.tip
        desk.tip = watcher.tip
        if watcher.gaps != self._gaps:
            self._gaps = watcher.gaps
            desk.must_look = True
        return is_new

    async def _take_answers(self) -> None:
        task = self._broadcast
        if task is not None and task.done():
            self._broadcast = None
            await take_in(self._desk, task.result())

    def _start_broadcast(self) -> None:
        if self._broadcast is None and self._desk.outbox:
            letters = take_letters(self._desk)
            self._broadcast = asyncio.create_task(post(self._desk, letters))
            self._broadcast.add_done_callback(lambda _: self._wake.set())
