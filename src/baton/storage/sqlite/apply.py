"""Applies changes to SQLite inside the writer's transaction; each change whole or not at all."""

from collections.abc import Mapping
from typing import Any

import apsw

from baton.domain.clock import from_micros, to_micros
from baton.domain.ids import ordered_id
from baton.domain.status import Status
from baton.domain.transaction import State, Transaction
from baton.storage import changes as c
from baton.storage.cipher import Cipher
from baton.storage.readers import entry_place
from baton.storage.rows import Row, attempt_columns, json_text, micros, state_columns
from baton.storage.sqlite.aftermath import EVENTS, Aftermath, Refusal
from baton.storage.sqlite.apply_deliveries import DeliveryApplier
from baton.storage.sqlite.apply_notifications import NotificationApplier


class Applier:
    """Lives in the writer thread and owns its connection."""

    def __init__(self, connection: apsw.Connection, queries: Mapping[str, str], cipher: Cipher) -> None:
        self._connection = connection
        self._queries = queries
        self._cipher = cipher
        self._owned: set[c.Fence] = set()
        self._deliveries = DeliveryApplier(connection, self._run)
        self._notifications = NotificationApplier(self._run, cipher, self._deliveries)

    def begin(self) -> None:
        """A group's SQL transaction. Until its commit nobody else writes: a fence that held once holds for all of it."""
        self._owned.clear()
        self._connection.execute("BEGIN IMMEDIATE")

    def apply(self, change: c.Change, after: Aftermath) -> c.Outcome:
        """Straight on. A `Refusal` comes half-way: then nothing of the group may stay, and `apply_apart` is the way."""
        return self._dispatch(change, after)

    def apply_apart(self, change: c.Change, after: Aftermath) -> c.Outcome:
        """Behind a savepoint of its own: a change that is refused half-way takes back itself and no other."""
        own = Aftermath()
        self._connection.execute("SAVEPOINT one_change")
        try:
            outcome = self._dispatch(change, own)
        except Refusal as refusal:
            self._connection.execute("ROLLBACK TO one_change; RELEASE one_change")
            return refusal.outcome
        self._connection.execute("RELEASE one_change")
        after.merge(own)
        return outcome

    def settle(self, after: Aftermath) -> None:
        """The group's events and tallies, once for all its changes."""
        self._connection.executemany(self._queries["insert_event"], after.events)
        for (relayer_id, status), delta in after.tallies.items():
            if delta:
                self._run("tally", relayer_id, status, delta)
        for relayer_id, count in after.finished.items():
            self._run("finish", relayer_id, count)

    def _dispatch(self, change: c.Change, after: Aftermath) -> c.Outcome:
        match change:
            case c.Accept():
                return self._accept(change, after)
            case c.Progress():
                return self._progress(change, after)
            case c.CreateNotification() | c.UpdateNotification() | c.DeleteNotification() | c.SeedNotification():
                return self._notifications.apply(change, after)
            case c.SaveRelayer():
                return self._save_relayer(change, after)
            case c.TakeLane(lane, node):
                self._owned.clear()
                return self._take_lane(lane, node, change.now)
            case c.LeaveLane(fence):
                self._owned.clear()
                left = self._run("leave_lane", fence.lane, fence.epoch)
                return c.Done() if left else c.NotOwner()
            case c.Heartbeat(node, ttl_s):
                self._run("beat", node, to_micros(change.now), int(ttl_s * 1_000_000))
                return c.Done()
            case c.RememberChain(network, identity):
                self._run("remember_chain", network, identity)
                return c.Done()
            case c.Sweep(before, limit):
                self._run("sweep_keys", to_micros(before), limit)
                return c.Done()
            case _:
                return self._deliveries.apply(change, after)

    def _run(self, name: str, *values: Any) -> list[Row]:
        return list(self._connection.execute(self._queries[name], values))

    def _accept(self, change: c.Accept, after: Aftermath) -> c.Outcome:
        key = change.idempotency
        if key is not None:
            known = self._run("key", key.scope, change.relayer_id, key.key)
            if known:
                return c.Duplicate(known[0][0], bytes(known[0][1]))
        numbered = self._run("take_number", change.relayer_id, to_micros(change.at), change.queue_limit)
        if not numbered:
            counted = self._run("open_count", change.relayer_id)
            return c.Full(counted[0][0] if counted else 0)
        seq, created_at = numbered[0]
        transaction_id, revision = change.transaction_id, change.revision
        self._run("insert_transaction", change.relayer_id, seq, transaction_id, created_at, revision.number)
        self._keep_revision(transaction_id, revision)
        state = State(Status.PENDING, revision=revision.number)
        after.events.append(_event(change.relayer_id, transaction_id, 1, created_at, state))
        if key is not None:
            self._run("insert_key", key.scope, change.relayer_id, key.key, transaction_id, key.body_hash, created_at)
        after.tallies[change.relayer_id, str(Status.PENDING)] += 1
        after.topics |= {change.relayer_id, EVENTS}
        return c.Accepted(
            Transaction(transaction_id, change.relayer_id, seq, from_micros(created_at), 1, 1, state),
        )

    def _progress(self, change: c.Progress, after: Aftermath) -> c.Outcome:
        fence = change.fence
        if fence is not None and not self._owns(fence):
            return c.NotOwner()
        for move in change.slots:
            slot = move.slot
            values = (slot.chain, slot.account, slot.number, move.relayer_id, move.holder, str(move.hold))
            if not self._run("move_slot", *values):
                raise Refusal(c.Taken())
        try:
            for attempt in change.attempts:
                self._run("insert_attempt", *attempt_columns(attempt))
        except apsw.ConstraintError as error:
            if "attempts_by_hash" in str(error):
                raise Refusal(c.Taken()) from None
            raise
        for news in change.news:
            block = news.block
            self._run(
                "attempt_news",
                news.attempt_id,
                str(news.fate),
                block.number if block else None,
                block.hash if block else None,
                micros(news.accepted_at),
                None if news.outcome is None else json_text(news.outcome),
            )
        at = to_micros(change.at)
        for advance in change.advances:
            self._advance(advance, at, after)
            if fence is None:
                after.topics.add(self._relayer_of(advance))
        return c.Done()

    def _owns(self, fence: c.Fence) -> bool:
        if fence not in self._owned and self._run("fence", fence.lane, fence.epoch):
            self._owned.add(fence)
        return fence in self._owned

    def _relayer_of(self, advance: c.Advance) -> str:
        return str(self._run("standing", advance.transaction_id)[0][0])

    def _advance(self, advance: c.Advance, at: int, after: Aftermath) -> None:
        standing = self._run("standing", advance.transaction_id)
        if not standing or standing[0][1] != advance.version:
            raise Refusal(c.Stale())
        relayer_id, _, events, old = standing[0]
        if Status(old).is_final:
            raise Refusal(c.Stale())
        intent = (str(advance.intent.kind), advance.intent.revision) if advance.intent else (None, None)
        if advance.revision is not None:
            self._keep_revision(advance.transaction_id, advance.revision)
        if not advance.steps:
            self._run("keep_intent", advance.transaction_id, *intent)
            return
        for number, state in enumerate(advance.steps, start=events + 1):
            after.events.append(_event(relayer_id, advance.transaction_id, number, at, state))
        last = advance.steps[-1]
        self._run("advance", advance.transaction_id, events + len(advance.steps), *state_columns(last), *intent)
        after.topics.add(EVENTS)
        if str(last.status) != old:
            after.tallies[relayer_id, old] -= 1
            after.tallies[relayer_id, str(last.status)] += 1
            if last.status.is_final:
                after.finished[relayer_id] += 1

    def _keep_revision(self, transaction_id: str, revision: Any) -> None:
        if revision.fingerprint is not None:
            self._run("carry", revision.fingerprint, transaction_id)
            carrier = self._run("carrier", revision.fingerprint)[0][0]
            if carrier != transaction_id:
                raise Refusal(c.Carried(carrier))
        self._run(
            "insert_revision",
            transaction_id,
            revision.number,
            json_text(revision.content),
            micros(revision.valid_until),
        )

    def _save_relayer(self, change: c.SaveRelayer, after: Aftermath) -> c.Outcome:
        entry = self._cipher.seal(json_text(change.entry), entry_place(change.relayer_id))
        values = (change.origin, change.seed_hash, entry, int(change.is_removed), change.disabled_reason)
        if change.version == 0:
            saved = self._run("insert_relayer", change.relayer_id, *values)
        else:
            saved = self._run("update_relayer", change.relayer_id, *values, change.version)
        if not saved:
            return c.Stale()
        for payload in change.events:
            self._run("insert_relayer_event", ordered_id(), change.relayer_id, to_micros(change.at), json_text(payload))
            after.topics.add(EVENTS)
        after.topics.add(change.relayer_id)
        return c.Done()

    def _take_lane(self, lane: str, node: str, now: Any) -> c.Outcome:
        held = self._run("lane", lane)
        if held and held[0][0] not in (None, node) and self._run("node_lives", held[0][0], to_micros(now)):
            return c.NotOwner()
        return c.Owned(self._run("own_lane", lane, node)[0][0])


def _event(relayer_id: str, transaction_id: str, number: int, at: int, state: State) -> tuple[Any, ...]:
    return (ordered_id(), relayer_id, at, transaction_id, number, *state_columns(state))
