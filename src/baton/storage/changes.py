"""Changes and their outcomes: values that say everything. Nothing awaits between BEGIN and COMMIT.

A change is applied whole or not at all. Changes that arrive together share one SQL transaction, each with an outcome
of its own; that is what makes durability cheap.
"""

from dataclasses import dataclass
from datetime import datetime

from baton.domain.json import Json
from baton.domain.notification import Notification
from baton.domain.transaction import Attempt, Block, Fate, Hold, Intent, Revision, Slot, State, Transaction


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    scope: str  # the API key's id; relayers are kept apart by the change's relayer_id
    key: str
    body_hash: bytes


@dataclass(frozen=True, slots=True)
class Accept:
    """Stores a new transaction as `pending`, numbered by its relayer's counter, with its first event.

    → `Accepted`, `Duplicate` (the idempotency key is taken) or `Full` (the relayer has `queue_limit` open ones).
    """

    transaction_id: str
    relayer_id: str
    revision: Revision
    at: datetime
    queue_limit: int
    idempotency: IdempotencyKey | None = None


@dataclass(frozen=True, slots=True)
class Fence:
    """Who writes: the owner of a lane, by its epoch. An older epoch is refused by the database itself."""

    lane: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Advance:
    """Moves one transaction by compare-and-set on its version. Each step becomes an event; the last one is the new state."""

    transaction_id: str
    version: int
    steps: tuple[State, ...]
    intent: Intent | None = None  # what is still to be carried out afterwards
    revision: Revision | None = None  # a new revision to keep


@dataclass(frozen=True, slots=True)
class AttemptNews:
    """What was learned about a stored attempt."""

    attempt_id: str
    fate: Fate
    block: Block | None = None
    accepted_at: datetime | None = None  # set once; later news do not change it
    outcome: Json | None = None  # e.g. the receipt's gas used, as the family keeps it


@dataclass(frozen=True, slots=True)
class SlotMove:
    """Takes a slot (`held`), or says what became of it. A slot that is not `released` has one holder."""

    slot: Slot
    relayer_id: str
    holder: str | None  # the transaction; None for our own filler
    hold: Hold


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything that one decision changes, all or nothing.

    → `Done`, `Stale` (a version was not as expected), `Taken` (a slot or hash has another holder) or `NotOwner`.
    """

    at: datetime
    fence: Fence | None = None  # None: a client's own replace or cancel
    advances: tuple[Advance, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    news: tuple[AttemptNews, ...] = ()
    slots: tuple[SlotMove, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateNotification:
    """→ `Done` or `Duplicate`."""

    notification: Notification


@dataclass(frozen=True, slots=True)
class UpdateNotification:
    """Stores `notification` if the stored version is `notification.version`; that version then grows by one. → `Done` or `Stale`."""

    notification: Notification


@dataclass(frozen=True, slots=True)
class DeleteNotification:
    """→ `Done` or `Stale` (there was none)."""

    notification_id: str


@dataclass(frozen=True, slots=True)
class SaveRelayer:
    """Keeps what is known of a relayer beyond the file. → `Done` or `Stale`."""

    relayer_id: str
    at: datetime
    version: int  # 0: it must not exist yet
    origin: str  # "file" or "api"
    seed_hash: str  # of its entry in the file, to see later whether the entry changed
    entry: Json  # the entry now in force, run-time changes merged in
    is_removed: bool = False
    disabled_reason: str | None = None
    events: tuple[Json, ...] = ()  # payloads of relayer_state_update events


@dataclass(frozen=True, slots=True)
class TakeLane:
    """Makes `node` the owner of a lane if it has none that lives, with the next epoch. → `Owned` or `NotOwner`."""

    lane: str
    node: str
    now: datetime  # a store with a clock of its own goes by that one


@dataclass(frozen=True, slots=True)
class LeaveLane:
    """→ `Done` or `NotOwner`."""

    fence: Fence


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Says that a node lives; measured by the database's clock. → `Done`."""

    node: str
    ttl_s: float
    now: datetime


@dataclass(frozen=True, slots=True)
class RememberChain:
    """Keeps the identity of the chain behind a network. → `Done`."""

    network: str
    identity: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """Forgets idempotency keys older than `before` whose transaction is final. At most `limit` rows. → `Done`."""

    before: datetime
    limit: int = 1000


Change = (
    Accept
    | Progress
    | CreateNotification
    | UpdateNotification
    | DeleteNotification
    | SaveRelayer
    | TakeLane
    | LeaveLane
    | Heartbeat
    | RememberChain
    | Sweep
)


@dataclass(frozen=True, slots=True)
class Done:
    pass


@dataclass(frozen=True, slots=True)
class Accepted:
    transaction: Transaction


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Something of that name exists: for an idempotency key, the transaction it made and the body it came with."""

    transaction_id: str = ""
    body_hash: bytes = b""


@dataclass(frozen=True, slots=True)
class Full:
    open_count: int


@dataclass(frozen=True, slots=True)
class Stale:
    pass


@dataclass(frozen=True, slots=True)
class Taken:
    pass


@dataclass(frozen=True, slots=True)
class NotOwner:
    pass


@dataclass(frozen=True, slots=True)
class Owned:
    epoch: int


Outcome = Done | Accepted | Duplicate | Full | Stale | Taken | NotOwner | Owned
