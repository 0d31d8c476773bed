"""When a delivery is tried again, and when a receiver is left in peace. Pure: time and dice come from outside.

Each failure of a delivery makes the next wait longer; its end is a fixed age, counted from its event. So an event that
had to wait for an earlier one starts with short waits, and does not start three days of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from baton.domain.delivery import Said
from baton.domain.notification import Health

Dice = Callable[[], float]  # from 0 to 1

MINUTE_S, HOUR_S = 60.0, 3600.0
STEPS_S = (5.0, 5 * MINUTE_S, 30 * MINUTE_S, *(hours * HOUR_S for hours in (2, 5, 10, 14, 20, 24)))
GONE = 410


@dataclass(frozen=True, slots=True)
class Failed:
    """A try that failed: of a delivery since then, its so-many-th."""

    since: datetime
    tries: int  # with this one
    said: Said


@dataclass(frozen=True, slots=True)
class Schedule:
    steps_s: tuple[float, ...] = STEPS_S
    jitter: float = 0.1  # of a step, added: many that failed together do not come back together
    retry_after_max_s: float = HOUR_S
    down_failures: int = 5  # in a row, and the receiver counts as down;
    down_s: float = 60.0  # or two that lie this far apart
    rest_s: float = 5.0  # of a receiver that is down, doubled at each failure
    rest_max_s: float = 300.0
    last_turns_s: float = 2 * HOUR_S  # for what is over its days and was never tried, because the receiver rested

    @property
    def lasts(self) -> timedelta:
        return timedelta(seconds=sum(self.steps_s))

    def next_try(self, failed: Failed, now: datetime, dice: Dice) -> datetime | None:
        """None: it was the last."""
        ends_at = failed.since + self.lasts
        if failed.said.at >= ends_at:
            return None
        step_s = self.steps_s[min(failed.tries, len(self.steps_s)) - 1]
        late_s = step_s * self.jitter * dice()
        planned = min(now + timedelta(seconds=step_s), ends_at) + timedelta(seconds=late_s)
        return max(planned, now + timedelta(seconds=self._asked_s(failed.said)))

    def _asked_s(self, said: Said) -> float:
        return min(said.retry_after_s or 0.0, self.retry_after_max_s)

    def is_down(self, health: Health, now: datetime) -> bool:
        if health.failures >= self.down_failures:
            return True
        since = health.failing_since
        return health.failures > 1 and since is not None and now - since >= timedelta(seconds=self.down_s)

    def after_failure(self, health: Health, said: Said, now: datetime, dice: Dice) -> Health:
        failed = replace(health, failures=health.failures + 1, failing_since=health.failing_since or said.at)
        if said.status_code == GONE:
            reason = f"the receiver answered 410 Gone at {said.at.isoformat()}; PATCH the notification to enable it"
            return replace(failed, disabled_reason=reason)
        rest_s = self._asked_s(said)
        if self.is_down(failed, now):
            doubled = self.rest_s * 2.0 ** min(max(0, failed.failures - self.down_failures), 30)
            rest_s = max(rest_s, min(self.rest_max_s, doubled) * (1 + self.jitter * dice()))
        return replace(failed, rest_until=now + timedelta(seconds=rest_s) if rest_s else None)
