"""Changes and their outcomes: values that say everything. Nothing awaits between BEGIN and COMMIT.

A change is applied whole or not at all. Changes that arrive together share one SQL transaction, each with an outcome
of its own; that is what makes durability cheap.
"""

from baton.storage.changes.deliveries import (
    GiveUp,
    Publish,
    RecordTries,
    Replay,
    SweepDeliveries,
    SweepEvents,
    TryOutcome,
)
from baton.storage.changes.outcomes import (
    Accepted,
    Carried,
    Done,
    Duplicate,
    Full,
    NotOwner,
    Outcome,
    Owned,
    Stale,
    Swept,
    Taken,
)
from baton.storage.changes.owners import Fence, Heartbeat, LeaveLane, TakeLane
from baton.storage.changes.resources import (
    CreateNotification,
    DeleteNotification,
    RememberChain,
    SaveRelayer,
    SeedNotification,
    UpdateNotification,
)
from baton.storage.changes.transactions import (
    Accept,
    Advance,
    AttemptNews,
    IdempotencyKey,
    Progress,
    SlotMove,
    Sweep,
)

Change = (
    Accept
    | Progress
    | CreateNotification
    | UpdateNotification
    | DeleteNotification
    | SeedNotification
    | SaveRelayer
    | TakeLane
    | LeaveLane
    | Heartbeat
    | RememberChain
    | Sweep
    | Publish
    | RecordTries
    | GiveUp
    | Replay
    | SweepDeliveries
    | SweepEvents
)

__all__ = [
    "Accept",
    "Accepted",
    "Advance",
    "AttemptNews",
    "Carried",
    "Change",
    "CreateNotification",
    "DeleteNotification",
    "Done",
    "Duplicate",
    "Fence",
    "Full",
    "GiveUp",
    "Heartbeat",
    "IdempotencyKey",
    "LeaveLane",
    "NotOwner",
    "Outcome",
    "Owned",
    "Progress",
    "Publish",
    "RecordTries",
    "RememberChain",
    "Replay",
    "SaveRelayer",
    "SeedNotification",
    "SlotMove",
    "Stale",
    "Sweep",
    "SweepDeliveries",
    "SweepEvents",
    "Swept",
    "TakeLane",
    "Taken",
    "TryOutcome",
    "UpdateNotification",
]
