"""Applies the changes of the feed and of deliveries to SQLite."""

from collections.abc import Callable

import apsw

from baton.domain.clock import to_micros
from baton.domain.delivery import DeliveryStatus
from baton.domain.errors import Bug
from baton.domain.ids import ordered_id
from baton.storage import changes as c
from baton.storage.rows import Row, json_text, micros
from baton.storage.sqlite.aftermath import DELIVERIES, FEED, Aftermath, Refusal

Run = Callable[..., list[Row]]

# In bulk, which is each engine's own affair.
GIVE_POSITIONS = """
UPDATE events SET position = ?1 + given.key FROM json_each(?2) AS given
WHERE events.ordinal = given.value AND events.position IS NULL
"""

# When a receiver answers again, what was tried a moment ago still waits this long: else a receiver that takes some
# events and refuses others would be asked for the refused ones without a pause.
SOONEST_AGAIN_US = 60_000_000


class DeliveryApplier:
    def __init__(self, connection: apsw.Connection, run: Run) -> None:
        self._connection = connection
        self._run = run

    def apply(self, change: c.Change, after: Aftermath) -> c.Outcome:
        match change:
            case c.Publish():
                return self._publish(change, after)
            case c.RecordTries():
                return self._record_tries(change, after)
            case c.GiveUp():
                return self._give_up(change, after)
            case c.Replay(notification_id, delivery_id, new_id):
                after.topics |= {DELIVERIES, f"{DELIVERIES}/{notification_id}"}
                at = to_micros(change.at)
                made = self._run("insert_replay", notification_id, delivery_id, new_id, at)
                return c.Done() if made else c.Stale()
            case c.SweepDeliveries(before, limit):
                return self._sweep_deliveries(to_micros(before), limit)
            case c.SweepEvents(before, limit):
                return self._sweep_events(to_micros(before), limit)
            case other:
                raise Bug(f"no store knows how to apply {type(other).__name__}")

    def _publish(self, change: c.Publish, after: Aftermath) -> c.Outcome:
        if not self._owns(change.fence):
            return c.NotOwner()
        if not change.events:
            return c.Done()
        newest = self._run("extend_feed", len(change.events))[0][0]
        first = newest - len(change.events) + 1
        self._connection.execute(GIVE_POSITIONS, (first, json_text(change.events)))
        if self._connection.changes() != len(change.events):
            raise Refusal(c.Stale())
        at = to_micros(change.at)
        for position, hearers in enumerate(change.hearers, start=first):
            for notification_id in hearers:
                self._run("insert_delivery", ordered_id(), notification_id, position, at)
                after.topics.add(f"{DELIVERIES}/{notification_id}")
        after.topics.add(FEED)
        return c.Done()

    def _record_tries(self, change: c.RecordTries, after: Aftermath) -> c.Outcome:
        if not self._owns(change.fence):
            return c.NotOwner()
        at = to_micros(change.at)
        recorded = [self._record(outcome, at) for outcome in change.tries]  # every one, whatever the first says
        health = change.health
        if health is not None:
            since, rest = micros(health.failing_since), micros(health.rest_until)
            values = (health.failures, since, rest, health.disabled_reason, change.version)
            self._run("keep_health", change.notification_id, *values)
        if change.makes_all_due:
            for (receiver,) in self._run("receiver", change.notification_id):
                self.make_due(receiver, at, SOONEST_AGAIN_US)
        if any(recorded) or change.makes_all_due:
            after.topics.add(f"{DELIVERIES}/{change.notification_id}")
        return c.Done()

    def _record(self, outcome: c.TryOutcome, at: int) -> bool:
        """Whether another delivery became due by it."""
        said = outcome.said
        said_at = to_micros(said.at)
        values = (said_at, said.took_ms, said.status_code, said.error, said.excerpt)
        if not self._run("insert_try", outcome.delivery_id, *values):
            return False  # forgotten meanwhile, with its notification
        is_done = outcome.status is not DeliveryStatus.PENDING
        finished = at if is_done else None
        due = micros(outcome.due_at)
        noted = self._run("note_try", outcome.delivery_id, str(outcome.status), due, said_at, finished, said.error)
        return is_done and self._let_next_go(noted, at)

    def _let_next_go(self, ended: list[Row], at: int) -> bool:
        released = [self._run("next_in_stream", receiver, stream, at) for receiver, stream in ended]
        return any(released)

    def make_due(self, receiver: int, at: int, soonest_again_us: int) -> None:
        self._run("make_due", receiver, at, soonest_again_us)

    def _give_up(self, change: c.GiveUp, after: Aftermath) -> c.Outcome:
        if not self._owns(change.fence):
            return c.NotOwner()
        at = to_micros(change.at)
        overdue = self._run("overdue", change.notification_id, to_micros(change.before), change.limit)
        for (delivery_id,) in overdue:
            self._let_next_go(self._run("give_up", delivery_id, at, change.reason), at)
        if overdue:
            after.topics.add(f"{DELIVERIES}/{change.notification_id}")
        return c.Swept(len(overdue))

    def _sweep_deliveries(self, before: int, limit: int) -> c.Outcome:
        gone = self._run("old_deliveries", before, limit)
        for (receiver,) in self._run("former_receivers"):
            orphans = self._run("deliveries_of_receiver", receiver, limit)
            if not orphans:
                self._run("forget_receiver", receiver)
            gone += orphans
        for (delivery_id,) in gone:
            self._run("forget_tries", delivery_id)
            self._run("forget_delivery", delivery_id)
        return c.Swept(len(gone))

    def _sweep_events(self, before: int, limit: int) -> c.Outcome:
        """Only from the low end, without a hole: whoever reads the feed from what is kept misses nothing."""
        last, count = 0, 0
        for _, position, at, is_awaited in self._run("oldest_events", limit):
            if at >= before or is_awaited:
                break
            last, count = position, count + 1
        if count:
            self._run("forget_events", last)
            self._run("raise_oldest", last + 1)
        return c.Swept(count)

    def _owns(self, fence: c.Fence) -> bool:
        return bool(self._run("fence", fence.lane, fence.epoch))
