"""Courier: carries what is due to one receiver, while this node owns it.

A turn reads the notification (URL and keys as they are now) and what is due, and starts as many tries as the window
has room for. Each try ends in one write: the try itself, what becomes of the delivery, and the receiver's health.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import SystemRandom

from baton import telemetry
from baton.commands.registry import Relayers
from baton.domain.clock import Clock
from baton.domain.delivery import DeliveryStatus, Said
from baton.domain.errors import Missing, Unavailable
from baton.domain.notification import Health, Notification
from baton.storage.base import DueDelivery, Snapshot, Store
from baton.storage.changes import Fence, GiveUp, NotOwner, RecordTries, Swept, TryOutcome
from baton.webhooks.payload import body
from baton.webhooks.schedule import Dice, Failed, Schedule
from baton.webhooks.window import Gate, Window

Send = Callable[[str, Sequence[str], str, bytes], Awaitable[Said]]

STORE_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Tools:
    """What every courier of a process shares."""

    store: Store
    relayers: Relayers
    clock: Clock
    send: Send
    schedule: Schedule = field(default_factory=Schedule)
    gate: Gate = field(default_factory=Gate)
    dice: Dice = SystemRandom().random
    idle_s: float = 60.0  # how long a courier without work keeps its lease


class Courier:
    def __init__(self, notification_id: str, fence: Fence, tools: Tools) -> None:
        self._id = notification_id
        self._fence = fence
        self._tools = tools
        self._window = Window()
        self._notification: Notification | None = None
        self._health = Health()
        self._next_due: datetime | None = None  # after the last look; new ones and changes wake us
        self._knows_next = False
        self._has_more = False  # more may be due than the last look had room for
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._just_ended: set[str] = set()  # since the last look began: it may still show them as due
        self._wake = tools.store.watch(f"deliveries/{notification_id}")
        self.is_lost = False  # someone else owns the receiver now

    async def run(self) -> None:
        """Until there has been nothing to do for a while, or the lease is lost."""
        clock = self._tools.clock
        busy_at = clock.monotonic()
        try:
            while not self.is_lost:
                self._wake.clear()
                wait_s = await self._wait_s()
                if self._under_way or wait_s < 1:
                    busy_at = clock.monotonic()
                left_s = self._tools.idle_s - (clock.monotonic() - busy_at)
                if left_s <= 0 and not self._under_way:
                    return
                await _wait(self._wake, min(wait_s, max(left_s, 0.01)) if not self._under_way else wait_s)
        finally:
            for task in self._under_way.values():
                task.cancel()
            await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _wait_s(self) -> float:
        try:
            again_at = await self.turn()
        except Unavailable:
            return STORE_PAUSE_S
        if again_at is None:
            return self._tools.idle_s
        return max(0.0, (again_at - self._tools.clock.now()).total_seconds())

    async def settle(self) -> None:
        """Until nothing is under way."""
        while self._under_way:
            await asyncio.gather(*self._under_way.values())

    async def turn(self) -> datetime | None:
        """Starts what is due. Gives the moment of the next look; None if nothing waits, or an answer must come first."""
        room = self._window.size - len(self._under_way)
        if room <= len(self._under_way) // 2 or self.is_lost:  # half a window at a time: fewer looks into the store
            self._has_more = True
            return None
        now = self._tools.clock.now()
        limit = room + len(self._under_way)
        self._just_ended.clear()
        async with self._tools.store.read() as snapshot:
            if self._notification is None or self._is_held(now):
                await self._look_at_receiver(snapshot)
            found = [] if self._is_held(now) else await snapshot.deliveries.due(self._id, now, limit)
            if any(one.version != self._notification.version for one in found if self._notification):
                await self._look_at_receiver(snapshot)
            if not self._knows_next or (self._next_due is not None and self._next_due <= now):
                self._next_due, self._knows_next = await snapshot.deliveries.next_due(self._id, now), True
        self._has_more = len(found) >= limit
        if self._notification is None:
            return None
        await self._give_up(now)
        handled = self._under_way.keys() | self._just_ended  # telling one again now would overtake its successor
        for one in [one for one in found if one.id not in handled][:room]:
            self._start(one, self._notification)
        if self._health.disabled_reason is not None:
            return None
        return self._health.rest_until if self._is_held(now) else self._next_due

    def _is_held(self, now: datetime) -> bool:
        """Whether the receiver is to be left in peace."""
        health = self._health
        return health.disabled_reason is not None or (health.rest_until is not None and now < health.rest_until)

    async def _look_at_receiver(self, snapshot: Snapshot) -> None:
        """URL and keys as they are now; a change of them has made its health whole again."""
        known, self._notification = self._notification, await snapshot.notifications.one(self._id)
        if known is None or self._notification is None or known.version != self._notification.version:
            self._health = await snapshot.notifications.health(self._id)
            self._knows_next = False

    async def _give_up(self, now: datetime) -> None:
        """What a receiver has not taken in all its days is over, whether or not its turn to be tried came."""
        health, schedule = self._health, self._tools.schedule
        before, reason = now - schedule.lasts, health.disabled_reason
        if reason is None:
            before -= timedelta(seconds=schedule.last_turns_s)
            if health.failing_since is None or health.failing_since > before:
                return
            reason = f"the receiver has not taken anything since {health.failing_since.isoformat()}"
        while True:
            change = GiveUp(self._fence, self._id, now, before, reason)
            outcome = await self._tools.store.write(change)
            if not isinstance(outcome, Swept) or outcome.count < change.limit:
                return

    def _start(self, one: DueDelivery, notification: Notification) -> None:
        task = asyncio.create_task(self._deliver(one, notification), name=f"delivery {one.id}")
        self._under_way[one.id] = task
        task.add_done_callback(lambda _: self._ended(one.id))

    def _ended(self, delivery_id: str) -> None:
        self._under_way.pop(delivery_id, None)
        self._just_ended.add(delivery_id)
        if self._has_more:
            self._wake.set()  # there is room again

    async def _deliver(self, one: DueDelivery, notification: Notification) -> None:
        tools = self._tools
        async with tools.gate.passed(is_probe=self._health.failures > 0):
            try:
                content = body(tools.relayers, one.told)
            except Missing as missing:
                said = Said(tools.clock.now(), 0, error=f"cannot be told: {missing}")
            else:
                keys = notification.keys_at(tools.clock.now())
                said = await tools.send(notification.url, keys, one.told.event.id, content)
        await self._note(one, said, notification.version)

    async def _note(self, one: DueDelivery, said: Said, version: int) -> None:
        schedule, now = self._tools.schedule, self._tools.clock.now()
        telemetry.WEBHOOK_TRIES.labels("taken" if said.is_taken else "failed").inc()
        if said.is_taken and one.tries == 0:
            telemetry.WEBHOOK_SECONDS.observe(max(0.0, (now - one.since).total_seconds()))
        before, was_down = self._health, schedule.is_down(self._health, now)
        outcome = TryOutcome(one.id, said, DeliveryStatus.DELIVERED)
        if said.is_taken:
            self._window.succeeded(said.took_ms)
            self._health = Health()
        else:
            self._window.failed()
            self._health = schedule.after_failure(self._health, said, now, self._tools.dice)
            due_at = schedule.next_try(Failed(one.since, one.tries + 1, said), now, self._tools.dice)
            status = DeliveryStatus.FAILED if due_at is None else DeliveryStatus.PENDING
            outcome = TryOutcome(one.id, said, status, due_at)
        makes_all_due = said.is_taken and was_down
        health = None if self._health == before else self._health
        await self._write(
            RecordTries(self._fence, self._id, now, health, version, (outcome,), makes_all_due=makes_all_due)
        )
        if not said.is_taken or makes_all_due:
            self._knows_next = False  # its next try, or that of all the others
            self._wake.set()

    async def _write(self, change: RecordTries) -> None:
        """Until it is stored: before that the delivery counts as under way, so that an outage makes no flood."""
        while not self.is_lost:
            try:
                outcome = await self._tools.store.write(change)
            except Unavailable:
                await asyncio.sleep(STORE_PAUSE_S)
            else:
                self.is_lost = isinstance(outcome, NotOwner)
                return


async def _wait(wake: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(max(0.0, min(seconds, timedelta(hours=1).total_seconds()))):
            await wake.wait()
    except TimeoutError:
        pass
