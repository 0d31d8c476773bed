"""Changes of transactions: accepted once, moved by compare-and-set."""

from datetime import datetime

from msgspec import Struct

from baton.domain.json import Json
from baton.domain.transaction import Attempt, Block, Fate, Hold, Intent, Revision, Slot, State
from baton.storage.changes.owners import Fence


class IdempotencyKey(Struct, frozen=True):
    scope: str  # the API key's id; relayers are kept apart by the change's relayer_id
    key: str
    body_hash: bytes


class Accept(Struct, frozen=True):
    """Stores a new transaction as `pending`, numbered by its relayer's counter, with its first event.

    → `Accepted`, `Duplicate` (the idempotency key is taken), `Carried` (the revision's fingerprint is another's) or `Full`
    (the relayer has `queue_limit` open ones).
    """

    transaction_id: str
    relayer_id: str
    revision: Revision
    at: datetime
    queue_limit: int
    idempotency: IdempotencyKey | None = None


class Advance(Struct, frozen=True):
    """Moves one transaction by compare-and-set on its version. Each step becomes an event; the last one is the new state."""

    transaction_id: str
    version: int
    steps: tuple[State, ...]
    intent: Intent | None = None  # what is still to be carried out afterwards
    revision: Revision | None = None  # a new revision to keep


class AttemptNews(Struct, frozen=True):
    """What was learned about a stored attempt."""

    attempt_id: str
    fate: Fate
    block: Block | None = None
    accepted_at: datetime | None = None  # set once; later news do not change it
    outcome: Json | None = None  # e.g. the receipt's gas used, as the family keeps it


class SlotMove(Struct, frozen=True):
    """Takes a slot (`held`), or says what became of it. A slot that is not `released` has one holder."""

    slot: Slot
    relayer_id: str
    holder: str | None  # the transaction; None for our own filler
    hold: Hold


class Progress(Struct, frozen=True):
    """Everything that one decision changes, all or nothing.

    → `Done`, `Stale` (a version was not as expected), `Taken` (a slot or hash has another holder), `Carried` (as for
    `Accept`) or `NotOwner`.
    """

    at: datetime
    fence: Fence | None = None  # None: a client's own replace or cancel
    advances: tuple[Advance, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    news: tuple[AttemptNews, ...] = ()
    slots: tuple[SlotMove, ...] = ()


class Sweep(Struct, frozen=True):
    """Forgets idempotency keys older than `before` whose transaction is final. At most `limit` rows. → `Done`."""

    before: datetime
    limit: int = 1000
