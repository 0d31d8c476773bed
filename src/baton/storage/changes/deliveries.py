"""Changes of the feed and of deliveries: positions, tries, replays, and what is forgotten in the end."""

from dataclasses import dataclass
from datetime import datetime

from baton.domain.delivery import DeliveryStatus, Said
from baton.domain.notification import Health
from baton.storage.changes.owners import Fence


@dataclass(frozen=True, slots=True)
class Publish:
    """Gives committed events their dense positions and writes the deliveries of each, in one step.

    → `Done`, `Stale` (one of them has a position already) or `NotOwner`.
    """

    fence: Fence
    at: datetime
    events: tuple[int, ...]  # ordinals, in the order of their positions
    hearers: tuple[tuple[str, ...], ...]  # for each event, the notifications that hear of it


@dataclass(frozen=True, slots=True)
class TryOutcome:
    """One try of a delivery, and what becomes of the delivery."""

    delivery_id: str
    said: Said
    status: DeliveryStatus
    due_at: datetime | None = None  # of the next try, while it is pending


@dataclass(frozen=True, slots=True)
class RecordTries:
    """Keeps tries; a delivery that ended lets the next of its stream go. → `Done` or `NotOwner`."""

    fence: Fence
    notification_id: str
    at: datetime
    health: Health | None  # of the receiver, after these tries; None: as it was
    version: int  # of the notification that they were made with; a later one knows nothing of this health
    tries: tuple[TryOutcome, ...]
    makes_all_due: bool = False  # the receiver answers again: nothing waits longer than it must


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Fails what has been pending since before `before`, at most `limit`. → `Swept` or `NotOwner`."""

    fence: Fence
    notification_id: str
    at: datetime
    before: datetime
    reason: str
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class Replay:
    """Makes a new delivery of the same event, due at once. → `Done` or `Stale` (delivery or event is no longer kept)."""

    notification_id: str
    delivery_id: str
    new_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SweepDeliveries:
    """Forgets deliveries that ended before `before`, and those of deleted notifications. → `Swept`."""

    before: datetime
    limit: int = 500


@dataclass(frozen=True, slots=True)
class SweepEvents:
    """Forgets the oldest unbroken run of events from before `before` that nobody is still to be told of. → `Swept`."""

    before: datetime
    limit: int = 500
