"""Spending: the most that what was signed in the last 24 hours may have cost, kept as it goes along.

Of each transaction its dearest version counts, for only one can land, and it counts for as long as it is under way. The
store is asked once, when a limit is first looked at; from then on every signature adds to the second it was made in.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from baton.domain.clock import to_micros
from baton.domain.transaction import Attempt

DAY = timedelta(hours=24)

Cost = tuple[str, int, datetime]  # of one version: whose it is, the most that it can take, when it was signed


@dataclass(slots=True)
class Spending:
    _open: dict[str, tuple[int, int]] = field(default_factory=dict)  # by holder: its dearest version, its latest second
    _seconds: dict[int, int] = field(default_factory=dict)  # what was signed in each, of those that have ended
    _ended: int = 0  # the sum of these
    _swept: int = 0  # up to which second the old ones were forgotten

    @classmethod
    def of(cls, costs: Iterable[Cost], is_under_way: Callable[[str], bool]) -> "Spending":
        found = cls()
        for holder, cost, at in sorted(costs, key=lambda one: one[2]):
            found._take(holder, cost, at)
        for holder in sorted(found._open, key=lambda one: found._open[one][1]):
            if not is_under_way(holder):
                found.end(holder)
        return found

    def sign(self, attempt: Attempt) -> None:
        """A version more, of a transaction or of our own filler."""
        self._take(attempt.transaction_id or attempt.id, attempt.max_cost, attempt.created_at)
        if attempt.transaction_id is None:
            self.end(attempt.id)

    def _take(self, holder: str, cost: int, at: datetime) -> None:
        dearest, _ = self._open.get(holder, (0, 0))
        self._open[holder] = max(dearest, cost), _second(at)

    def end(self, holder: str) -> None:
        """Nothing more is signed for it: it counts by its time alone."""
        if holder in self._open:
            cost, second = self._open.pop(holder)
            self._seconds[second] = self._seconds.get(second, 0) + cost
            self._ended += cost

    def since(self, moment: datetime, is_under_way: Callable[[str], bool]) -> int:
        first = _second(moment)
        if first != self._swept:
            self._swept = first
            self._forget(first, is_under_way)
        return self._ended + sum(cost for cost, _ in self._open.values())

    def _forget(self, first: int, is_under_way: Callable[[str], bool]) -> None:
        for second in [one for one in self._seconds if one < first]:
            self._ended -= self._seconds.pop(second)
        for holder in [one for one, (_, second) in self._open.items() if second < first and not is_under_way(one)]:
            del self._open[holder]  # a client ended it while nothing of it was under way


def _second(moment: datetime) -> int:
    return to_micros(moment) // 1_000_000
