"""The storage seam: read a snapshot, write a change.

Look first = read, decide, write with the version seen, start over on `Stale`. The same contract suite runs on every
store; an implementation's duties are written on each method.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from baton.domain.delivery import Delivery, DeliveryStatus, Try
from baton.domain.events import FeedEvent, TransactionEvent
from baton.domain.json import Json
from baton.domain.notification import Health, Notification
from baton.domain.status import Status
from baton.domain.transaction import Attempt, Hold, Revision, Slot, Transaction, View
from baton.storage.changes import Change, Duplicate, Outcome

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    items: tuple[T, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ListFilter:
    """Bounds are inclusive. `until` freezes a walk: later arrivals do not shift its pages."""

    status: Status | None = None
    since: datetime | None = None
    until: datetime | None = None
    hash: str | None = None


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A transaction that is not final, with all that its lane needs."""

    transaction: Transaction
    revision: Revision  # the newest
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class StoredRelayer:
    relayer_id: str
    version: int
    origin: str
    seed_hash: str
    entry: Json
    is_removed: bool
    disabled_reason: str | None


@dataclass(frozen=True, slots=True)
class StoredSeed:
    """What the file last said of a notification."""

    notification_id: str
    version: int
    seed_hash: str | None = field(repr=False)  # None: from a store that did not remember it yet
    is_removed: bool  # its entry is no longer in the file
    is_standing: bool  # the notification that the file made is still there


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A delivery whose time has come, with the event it carries."""

    id: str
    since: datetime
    tries: int
    version: int  # of its notification, at the time of the look
    told: FeedEvent


class TransactionReader(Protocol):
    async def view(self, relayer_id: str, transaction_id: str) -> View | None:
        """One transaction of that relayer as a record shows it; another relayer's is unknown."""

    async def transaction(self, relayer_id: str, transaction_id: str) -> Transaction | None: ...

    async def page(self, relayer_id: str, page: int, per_page: int, where: ListFilter) -> Page[View]:
        """Newest first by order of acceptance; `page` counts from 1. Any page costs the same without a status filter."""

    async def last_revision(self, transaction_id: str) -> int:
        """The highest number that a revision of it has; 0 for an unknown transaction."""

    async def attempts(self, transaction_id: str) -> list[Attempt]:
        """Every signed version, oldest first."""

    async def events(self, transaction_id: str) -> list[TransactionEvent]: ...

    async def idempotent(self, relayer_id: str, scope: str, key: str) -> Duplicate | None:
        """What an idempotency key has already made, if it is taken."""

    async def by_slot(self, relayer_id: str, number: int) -> View | None:
        """The transaction that last held the slot."""

    async def counts(self) -> dict[tuple[str, Status], int]:
        """How many transactions each relayer has in each status."""


class LaneReader(Protocol):
    """What the owner of a lane looks at."""

    async def in_status(self, relayer_id: str, status: Status, limit: int) -> list[OpenTransaction]:
        """Oldest first, with every attempt."""

    async def pending(self, relayer_id: str, limit: int) -> list[OpenTransaction]:
        """The oldest that wait for a slot, without what was signed for them in an earlier one: it is over."""

    async def one(self, relayer_id: str, transaction_id: str) -> OpenTransaction | None: ...

    async def with_intent(self, relayer_id: str, limit: int) -> list[OpenTransaction]: ...

    async def amendable(self, relayer_id: str) -> list[Transaction]:
        """Those that are not in a block yet, in order of acceptance."""

    async def highest_slot(self, chain: str, account: str) -> int | None: ...

    async def closed_slots(self, chain: str, account: str, first: int) -> dict[int, Hold]:
        """Numbers from `first` on that are used or lost."""

    async def spent(self, chain: str, account: str, first: int, limit: int) -> list[Attempt]:
        """The attempts that used the slots from `first` on, lowest first."""

    async def costs_since(self, relayer_id: str, since: datetime) -> list[tuple[str, int, datetime]]:
        """Holder, greatest cost and moment of every attempt signed since then, or under way whenever it was signed."""

    async def fillers_of(self, relayer_id: str, slot: Slot) -> list[Attempt]:
        """Our own no-ops that were ever signed for this slot, oldest first, whatever became of them."""

    async def noops_since(self, relayer_id: str, since: datetime) -> list[Attempt]:
        """Every no-op signed since then, for a transaction or of our own."""

    async def fillers(self, chain: str, account: str) -> list[Attempt]:
        """Our own open no-ops that belong to no transaction."""


class NotificationReader(Protocol):
    async def one(self, notification_id: str) -> Notification | None: ...

    async def page(self, page: int, per_page: int) -> Page[Notification]:
        """Newest first by creation."""

    async def health(self, notification_id: str) -> Health: ...

    async def ids(self) -> list[str]:
        """Of every notification there is."""

    async def seeds(self) -> list[StoredSeed]:
        """Of every notification that the file made, also of those that were deleted since."""


class DeliveryReader(Protocol):
    """What is still to be told, and what was."""

    async def due(self, notification_id: str, now: datetime, limit: int) -> list[DueDelivery]:
        """Longest due first. Of one stream only the first that is pending can be due."""

    async def next_due(self, notification_id: str, now: datetime) -> datetime | None:
        """The first moment after `now` at which something becomes due."""

    async def with_due(self, now: datetime) -> list[str]:
        """Notifications that have something due by then, are not disabled and do not rest."""

    async def with_overdue(self, before: datetime) -> list[str]:
        """Disabled notifications with something that has been pending since before then."""

    async def one(self, notification_id: str, delivery_id: str) -> Delivery | None: ...

    async def page(
        self, notification_id: str, page: int, per_page: int, status: DeliveryStatus | None = None
    ) -> Page[Delivery]:
        """Newest first."""

    async def tries(self, delivery_id: str) -> list[Try]: ...


class FeedReader(Protocol):
    """All events in one row, by dense positions given after their commit."""

    async def unpublished(self, limit: int) -> list[tuple[int, str]]:
        """Ordinal and relayer of events without a position, in order of their commit."""

    async def after(self, position: int, limit: int) -> list[FeedEvent]: ...

    async def bounds(self) -> tuple[int, int]:
        """The lowest position that is kept, and the newest; the newest is one less when there is none."""


class RelayerReader(Protocol):
    async def all(self) -> list[StoredRelayer]: ...

    async def chain_identity(self, network: str) -> str | None: ...

    async def open_count(self, relayer_id: str) -> int: ...

    async def pending_before(self, relayer_id: str, seq: int) -> int:
        """How many that were accepted earlier are not signed yet."""

    async def last_confirmed_at(self, relayer_id: str) -> datetime | None:
        """The latest confirmation, as far as its newest thousand confirmed transactions tell."""


class Snapshot(Protocol):
    """One consistent view of everything that was committed when it was first looked at; it then stands still."""

    @property
    def transactions(self) -> TransactionReader: ...

    @property
    def notifications(self) -> NotificationReader: ...

    @property
    def relayers(self) -> RelayerReader: ...

    @property
    def lanes(self) -> LaneReader: ...

    @property
    def deliveries(self) -> DeliveryReader: ...

    @property
    def feed(self) -> FeedReader: ...


class Store(Protocol):
    """Raises `StoreUnavailable` when it cannot be reached or written; then nothing was changed."""

    def read(self) -> AbstractAsyncContextManager[Snapshot]: ...

    async def write(self, change: Change) -> Outcome:
        """Returns only after the change is durable: it survives kill -9 and a power cut from then on."""

    async def write_all(self, changes: Sequence[Change]) -> list[Outcome]:
        """As `write`, for many at once: one outcome each, in order; some may be refused while others are done."""

    def watch(self, topic: str) -> asyncio.Event:
        """An event that is set after each commit that touches the topic: a relayer's id, "events", "notifications",
        "feed" (positions were given), "deliveries" (there is something to tell), "deliveries/" and a notification's id."""

    async def close(self) -> None: ...
