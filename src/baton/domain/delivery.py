"""A delivery: one event on its way to one notification, and every try that was made."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from baton.domain.events import EventKind


class DeliveryStatus(StrEnum):
    PENDING = "pending"  # waits for its turn, or for its next try
    DELIVERED = "delivered"
    FAILED = "failed"  # for good, until someone replays it


@dataclass(frozen=True, slots=True)
class Said:
    """What came of one try: the receiver's answer, or why there was none."""

    at: datetime
    took_ms: int
    status_code: int | None = None
    error: str | None = None  # None only if the receiver took it
    excerpt: str = ""  # the beginning of the answer's body
    retry_after_s: float | None = None  # as the receiver asked

    @property
    def is_taken(self) -> bool:
        return self.error is None


@dataclass(frozen=True, slots=True)
class Try:
    number: int  # from 1
    said: Said


@dataclass(frozen=True, slots=True)
class Delivery:
    id: str
    notification_id: str
    event_id: str
    kind: EventKind
    relayer_id: str
    transaction_id: str | None
    number: int | None  # the event's number within its transaction
    position: int  # the event's place in the feed
    status: DeliveryStatus
    since: datetime  # its days are counted from here
    due_at: datetime | None  # None: it waits behind an earlier one, or is done
    tries: int
    tried_at: datetime | None = None
    finished_at: datetime | None = None
    reason: str | None = None
    replay_of: str | None = None
