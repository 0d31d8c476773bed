"""What a lane has in its hands: a copy of the store's open rows, rebuilt from the store at any time.

Nothing here is the truth. Every decision is written with the version it was made from; only what the store has done
is applied here, and a row that someone else changed is read again.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from msgspec.structs import replace

from baton.domain.status import Status
from baton.domain.transaction import Attempt, Fate, Hold, Revision, Slot, Transaction
from baton.storage.base import OpenTransaction
from baton.storage.changes import Advance, AttemptNews, Progress

DEAD = frozenset({Fate.LAPSED, Fate.REJECTED})
LANDED = frozenset({Fate.INCLUDED, Fate.REVERTED})


@dataclass(slots=True)
class Entry:
    """One transaction with every signed version of it. What is asked of every entry in every turn is kept, not computed."""

    transaction: Transaction
    revision: Revision  # the newest
    attempts: list[Attempt]
    since: datetime | None = None  # when it got its status, as far as this book saw it
    live: list[Attempt] = field(init=False)  # could still land, or have landed and are not final; oldest first
    has_landed: bool = field(init=False)
    cost: int = field(init=False)  # of its dearest version that could land

    def __post_init__(self) -> None:
        self.learn(self.attempts)

    def learn(self, attempts: list[Attempt]) -> None:
        """What is known of its versions from now on."""
        self.attempts = attempts
        self.live = [attempt for attempt in attempts if attempt.fate not in DEAD]
        self.has_landed = any(attempt.fate in LANDED for attempt in attempts)
        self.cost = max((attempt.max_cost for attempt in self.live), default=0)

    @property
    def id(self) -> str:
        return self.transaction.id

    @property
    def status(self) -> Status:
        return self.transaction.status

    @property
    def versions(self) -> list[Attempt]:
        """What another version is priced against: all that were ever signed for its slot, refused ones too."""
        slot = self.live[-1].slot
        return self.live if slot is None else [attempt for attempt in self.attempts if attempt.slot == slot]

    @property
    def place(self) -> int:
        """Where it stands in the lane: its slot, or its place in the order of acceptance where there are none."""
        slot = self.attempts[-1].slot if self.attempts else None
        return self.transaction.seq if slot is None else slot.number


@dataclass(slots=True)
class Mail:
    """How an attempt was last given to a node. In memory only: after a restart everything is simply sent again."""

    first_height: int  # the chain's height when it first left
    height: int  # when it last left
    sent_at: float = 0.0  # monotonic seconds
    tries: int = 0
    is_accepted: bool = False
    is_doubtful: bool = False  # it left once, and nobody knows what came of it: a node may have it


@dataclass(slots=True)
class Book:
    """Every turn asks what has not landed yet; what waits for its depth may be many times as much, and is kept apart."""

    entries: dict[str, Entry] = field(default_factory=dict)  # all that is under way; written by `add` and `drop` alone
    unlanded: dict[str, Entry] = field(default_factory=dict)  # those of them that are in no block
    fillers: dict[str, Attempt] = field(default_factory=dict)  # our own no-ops, by attempt id
    mail: dict[str, Mail] = field(default_factory=dict)  # by attempt id
    parked: dict[str, str] = field(default_factory=dict)  # pending ones that must wait, and why

    def put(self, items: Iterable[OpenTransaction]) -> None:
        for item in items:
            self.add(Entry(item.transaction, item.revision, _of_this_life(item)))

    def add(self, entry: Entry) -> None:
        self.entries[entry.id] = entry
        self._sort(entry)

    def _sort(self, entry: Entry) -> None:
        if entry.has_landed:
            self.unlanded.pop(entry.id, None)
        else:
            self.unlanded[entry.id] = entry

    def drop(self, transaction_id: str) -> None:
        entry = self.entries.pop(transaction_id, None)
        self.unlanded.pop(transaction_id, None)
        for attempt in entry.attempts if entry else ():
            self.mail.pop(attempt.id, None)

    def knows(self, attempt: Attempt) -> bool:
        return attempt.id in self.fillers or attempt.transaction_id in self.entries

    def in_order(self) -> list[Entry]:
        """What has not landed yet."""
        return sorted(self.unlanded.values(), key=lambda entry: entry.place)

    def live_attempts(self) -> Iterator[Attempt]:
        for entry in self.entries.values():
            yield from entry.live
        yield from self.fillers.values()

    def filler_slots(self) -> list[list[Attempt]]:
        """Our own no-ops, the versions of each slot together, oldest first."""
        found: dict[Slot | None, list[Attempt]] = {}
        for filler in self.fillers.values():
            found.setdefault(filler.slot, []).append(filler)
        return list(found.values())

    def numbers(self) -> set[int]:
        """The slots that something of ours is under way for."""
        return {attempt.slot.number for attempt in self.live_attempts() if attempt.slot is not None}

    def reserved(self) -> int:
        """The most that attempts not yet in a block could take from the balance: for each slot, its dearest version."""
        dearest: dict[Slot | None, int] = {}
        for filler in self.fillers.values():
            if filler.fate is Fate.OPEN:
                dearest[filler.slot] = max(dearest.get(filler.slot, 0), filler.max_cost)
        return sum(entry.cost for entry in self.unlanded.values()) + sum(dearest.values())

    def open_attempts(self) -> Iterator[Attempt]:
        """What could still land and has not."""
        for entry in self.unlanded.values():
            yield from entry.live
        for filler in self.fillers.values():
            if filler.fate is Fate.OPEN:
                yield filler

    def apply(self, progress: Progress) -> None:
        """Takes over what the store has done."""
        for attempt in progress.attempts:
            if attempt.transaction_id is None:
                self.fillers[attempt.id] = attempt
            else:
                entry = self.entries[attempt.transaction_id]
                entry.learn([*entry.attempts, attempt])
                self._sort(entry)
        news = {item.attempt_id: item for item in progress.news}
        for advance in progress.advances:
            self._advance(advance, news, progress.at)
        for attempt_id in news.keys() & self.fillers.keys():
            self.fillers[attempt_id] = _told(self.fillers[attempt_id], news[attempt_id])
        if news and self.fillers:
            self.fillers = {key: filler for key, filler in self.fillers.items() if filler.fate not in DEAD}
        done = {move.slot for move in progress.slots if move.holder is None and move.hold is not Hold.HELD}
        if done:
            self.fillers = {key: filler for key, filler in self.fillers.items() if filler.slot not in done}

    def _advance(self, advance: Advance, news: Mapping[str, AttemptNews], at: datetime) -> None:
        entry = self.entries.get(advance.transaction_id)
        if entry is None:
            return
        if news:
            entry.learn([_told(attempt, news.get(attempt.id)) for attempt in entry.attempts])
            self._sort(entry)
        state = advance.steps[-1] if advance.steps else entry.transaction.state
        if state.status.is_final or state.status is Status.PENDING:
            self.drop(advance.transaction_id)
            return
        if state.status is not entry.status:
            entry.since = at
        entry.transaction = replace(
            entry.transaction,
            version=advance.version + 1,
            events=entry.transaction.events + len(advance.steps),
            state=state,
            intent=advance.intent,
        )
        if advance.revision is not None:
            entry.revision = advance.revision


def _of_this_life(item: OpenTransaction) -> list[Attempt]:
    """The versions in the slot that it has now. Those of a slot that it gave up are over, a no-op that landed there too."""
    slot = item.attempts[-1].slot if item.attempts else None
    return [attempt for attempt in item.attempts if attempt.slot == slot]


def _told(attempt: Attempt, news: AttemptNews | None) -> Attempt:
    if news is None:
        return attempt
    return replace(
        attempt,
        fate=news.fate,
        block=news.block,
        accepted_at=attempt.accepted_at or news.accepted_at,
        outcome=attempt.outcome if news.outcome is None else news.outcome,
    )
