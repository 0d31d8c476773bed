"""Transaction, Revision, Attempt, Slot: what a client asked for, and every signed version of it.

What changes over a transaction's life is its `State`; each change keeps a copy of it as an event. Everything else
(revisions, attempts) is written once, so a record of any moment can be made again from an event and those rows.
They are structs and not dataclasses because hundreds are made for every transaction carried.
"""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from baton.domain.errors import Bug
from baton.domain.json import Json
from baton.domain.status import Status, may_move


class State(Struct, frozen=True):
    """The changing part of a transaction."""

    status: Status
    revision: int = 1
    reason: str | None = None
    attempt_id: str | None = None  # the attempt whose hash and fees the record shows
    sent_at: datetime | None = None  # the first time a node accepted it
    confirmed_at: datetime | None = None
    is_canceled: bool = False  # true from the accepted cancel on


class IntentKind(StrEnum):
    REPLACE = "replace"
    CANCEL = "cancel"


class Intent(Struct, frozen=True):
    """An accepted replace or cancel that the lane has not yet carried out."""

    kind: IntentKind
    revision: int  # what is to be sent instead; for a cancel, the revision that is given up


class Revision(Struct, frozen=True):
    """What the client asked for, numbered from 1; a replace adds one. `content` is opaque here, typed in its family."""

    number: int
    content: Json
    valid_until: datetime | None = None
    fingerprint: str | None = None  # of bytes that can land once only: no two transactions carry them. Not read back


class AttemptKind(StrEnum):
    ORIGINAL = "original"
    BUMP = "bump"
    REPLACEMENT = "replacement"
    NOOP = "noop"


class Fate(StrEnum):
    """What became of an attempt. Only `open` and `included`/`reverted` ones above the required depth can still change."""

    OPEN = "open"  # could still land
    INCLUDED = "included"
    REVERTED = "reverted"
    LAPSED = "lapsed"  # proven that it can never land
    REJECTED = "rejected"  # no node could ever take it


class Slot(Struct, frozen=True):
    """An account and its nonce or sequence number on one chain."""

    chain: str  # the chain's identity, so that a chain started anew has slots of its own
    account: str
    number: int


class Hold(StrEnum):
    HELD = "held"
    USED = "used"
    LOST = "lost"  # someone else used it
    RELEASED = "released"


class Block(Struct, frozen=True):
    number: int
    hash: str


class Attempt(Struct, frozen=True):
    """One signed version. The row exists before the bytes leave: it means "maybe sent"."""

    id: str
    relayer_id: str
    transaction_id: str | None  # None: our own filler, never listed
    revision: int | None
    kind: AttemptKind
    hash: str
    slot: Slot | None
    max_cost: int  # in the chain's smallest unit: what it could take from the balance at most
    facts: Json  # fees, limits, signature as the family shows them
    created_at: datetime
    fate: Fate = Fate.OPEN
    block: Block | None = None
    accepted_at: datetime | None = None
    outcome: Json | None = None  # what the chain said of it, as the family keeps it
    raw: bytes = b""  # the signed bytes; not loaded where only a record is made


class Transaction(Struct, frozen=True):
    id: str
    relayer_id: str
    seq: int  # dense per relayer, in order of acceptance
    created_at: datetime
    version: int
    events: int  # how many events there are; the last one's number
    state: State
    intent: Intent | None = None

    @property
    def status(self) -> Status:
        return self.state.status


class View(Struct, frozen=True):
    """All that a record is made from: one moment of a transaction with the rows it points at."""

    id: str
    relayer_id: str
    created_at: datetime
    state: State
    revision: Revision
    attempt: Attempt | None


def moved(state: State, status: Status, **changes: object) -> State:
    """The next state; a move that the table does not know is our own bug, never stored."""
    if not may_move(state.status, status):
        message = f"illegal move {state.status} -> {status}"
        raise Bug(message)
    return replace(state, status=status, **changes)
