"""Who may write: leases, epochs, heartbeats."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Fence:
    """Who writes: the owner of a lane, by its epoch. An older epoch is refused by the database itself."""

    lane: str
    epoch: int


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
