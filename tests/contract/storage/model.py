"""The store as it ought to be, in plain dictionaries: the judge of the stateful test."""

from dataclasses import dataclass, field
from datetime import datetime

from msgspec.structs import replace

from baton.domain.status import Status
from baton.domain.transaction import Hold, State, Transaction
from baton.storage.changes import (
    Accept,
    Accepted,
    Done,
    Duplicate,
    Fence,
    Full,
    NotOwner,
    Outcome,
    Owned,
    Progress,
    Stale,
    Sweep,
    Taken,
)


@dataclass
class Life:
    """One transaction as the model knows it."""

    now: Transaction
    states: list[State]


@dataclass
class Model:
    lives: dict[str, Life] = field(default_factory=dict)
    order: dict[str, list[str]] = field(default_factory=dict)  # relayer → ids, oldest first
    keys: dict[tuple[str, str], tuple[str, bytes, datetime]] = field(default_factory=dict)
    slots: dict[int, tuple[str, str | None, Hold]] = field(default_factory=dict)
    hashes: set[str] = field(default_factory=set)
    attempts: dict[str, list[str]] = field(default_factory=dict)
    lanes: dict[str, tuple[str | None, int]] = field(default_factory=dict)

    def accept(self, change: Accept) -> Outcome:
        key = change.idempotency
        if key is not None and (change.relayer_id, key.key) in self.keys:
            made, body, _ = self.keys[change.relayer_id, key.key]
            return Duplicate(made, body)
        ids = self.order.setdefault(change.relayer_id, [])
        open_count = sum(not self.lives[name].now.status.is_final for name in ids)
        if open_count >= change.queue_limit:
            return Full(open_count)
        newest = self.lives[ids[-1]].now.created_at if ids else change.at
        state = State(Status.PENDING)
        transaction = Transaction(
            change.transaction_id, change.relayer_id, len(ids) + 1, max(change.at, newest), 1, 1, state
        )
        ids.append(transaction.id)
        self.lives[transaction.id] = Life(transaction, [state])
        if key is not None:
            self.keys[change.relayer_id, key.key] = (transaction.id, key.body_hash, transaction.created_at)
        return Accepted(transaction)

    def progress(self, change: Progress) -> Outcome:
        if change.fence is not None and not self._owns(change.fence):
            return NotOwner()
        slots = dict(self.slots)
        for move in change.slots:
            *holder, hold = slots.get(move.slot.number, ("", None, Hold.RELEASED))
            is_mine = holder == [move.relayer_id, move.holder] and hold in (Hold.HELD, move.hold)
            if hold is not Hold.RELEASED and not is_mine:
                return Taken()
            slots[move.slot.number] = (move.relayer_id, move.holder, move.hold)
        if any(attempt.hash in self.hashes for attempt in change.attempts):
            return Taken()
        for advance in change.advances:
            life = self.lives.get(advance.transaction_id)
            if life is None or life.now.version != advance.version or life.now.status.is_final:
                return Stale()
        self.slots = slots
        for attempt in change.attempts:
            self.hashes.add(attempt.hash)
            self.attempts.setdefault(attempt.transaction_id or "", []).append(attempt.id)
        for advance in change.advances:
            life = self.lives[advance.transaction_id]
            life.states += advance.steps
            life.now = replace(
                life.now,
                version=life.now.version + 1,
                events=len(life.states),
                state=life.states[-1],
                intent=advance.intent,
            )
        return Done()

    def take(self, lane: str, node: str) -> Outcome:
        _, epoch = self.lanes.get(lane, (None, 0))
        self.lanes[lane] = (node, epoch + 1)
        return Owned(epoch + 1)

    def leave(self, fence: Fence) -> Outcome:
        if not self._owns(fence):
            return NotOwner()
        self.lanes[fence.lane] = (None, fence.epoch)
        return Done()

    def _owns(self, fence: Fence) -> bool:
        owner, epoch = self.lanes.get(fence.lane, (None, 0))
        return owner is not None and epoch == fence.epoch

    def sweep(self, change: Sweep) -> Outcome:
        self.keys = {
            name: entry
            for name, entry in self.keys.items()
            if entry[2] >= change.before or not self.lives[entry[0]].now.status.is_final
        }
        return Done()
