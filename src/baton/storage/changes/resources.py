"""Changes of what an operator sets up: notifications, relayers, chains."""

from dataclasses import dataclass, field
from datetime import datetime

from baton.domain.clock import EPOCH
from baton.domain.json import Json
from baton.domain.notification import Notification


@dataclass(frozen=True, slots=True)
class CreateNotification:
    """→ `Done` or `Duplicate`."""

    notification: Notification


@dataclass(frozen=True, slots=True)
class UpdateNotification:
    """Stores `notification` if the stored version is `notification.version`; that version then grows by one.

    Its receiver counts as well again, and what waits for it is due at once. → `Done` or `Stale`.
    """

    notification: Notification
    at: datetime = EPOCH


@dataclass(frozen=True, slots=True)
class DeleteNotification:
    """→ `Done` or `Stale` (there was none)."""

    notification_id: str


@dataclass(frozen=True, slots=True)
class SeedNotification:
    """Remembers what the file says of a notification, in one step with the change that this makes of it, if any.

    → `Done`; `Duplicate` when the id to be created is taken; `Stale` when what was seen has changed, or when the
    notification to be updated is not the one that the file made.
    """

    notification_id: str
    version: int  # of what is remembered; 0: nothing yet, then the change creates
    seed_hash: str | None = field(repr=False)  # of the entry; kept encrypted, because the signing key is in it
    change: CreateNotification | UpdateNotification | None = None
    is_removed: bool = False  # from the file


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
class RememberChain:
    """Keeps the identity of the chain behind a network. → `Done`."""

    network: str
    identity: str
