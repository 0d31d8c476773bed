"""The machine's clock, whose hands a test can move ahead when it has no time to wait."""

from datetime import datetime, timedelta

from baton.domain.clock import SystemClock, to_text


class MovedClock(SystemClock):
    def __init__(self) -> None:
        self._day_ahead_s = 0.0
        self._waiting_ahead_s = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self._day_ahead_s)

    def monotonic(self) -> float:
        return super().monotonic() + self._waiting_ahead_s

    def jump(self, seconds: float) -> None:
        """The time of day alone: who waits goes on waiting."""
        self._day_ahead_s += seconds

    def leap(self, seconds: float) -> None:
        """Both hands, as if the time had passed."""
        self.jump(seconds)
        self._waiting_ahead_s += seconds

    def in_s(self, seconds: float) -> str:
        """A moment to come, as a client writes it."""
        return to_text(self.now() + timedelta(seconds=seconds))
