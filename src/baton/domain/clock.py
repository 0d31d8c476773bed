"""Time comes from an injected clock, so that a test can hold it still; text only at the edges."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The aware UTC time of day: for what people read, and for validity."""

    def monotonic(self) -> float:
        """Seconds that never run backwards: for waiting and for local deadlines."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def to_text(moment: datetime) -> str:
    """RFC 3339 in UTC with microseconds and `+00:00`, as every answer and webhook carries it."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970, exact: how the stores keep a moment."""
    delta = moment - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def from_micros(micros: int) -> datetime:
    seconds, rest = divmod(micros, 1_000_000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
