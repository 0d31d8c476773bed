"""What a change leaves behind besides its rows, and how it ends half-way."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from baton.storage.changes import Outcome

EVENTS = "events"
NOTIFICATIONS = "notifications"
FEED = "feed"
DELIVERIES = "deliveries"


class Refusal(Exception):
    """Ends a change half-way; what it had written is rolled back."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


@dataclass(slots=True)
class Aftermath:
    """What a change leaves to be done: events and tallies with the commit, wake-ups after it."""

    tallies: Counter[tuple[str, str]] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)
    topics: set[str] = field(default_factory=set)
    events: list[tuple[Any, ...]] = field(default_factory=list)  # rows, in their order

    def merge(self, other: "Aftermath") -> None:
        self.tallies.update(other.tallies)
        self.finished.update(other.finished)
        self.topics |= other.topics
        self.events += other.events
