"""How a node has been doing: what is remembered of failures, and how long it is left alone. No I/O.

up ──failure──▶ paused 0.5 s ──over, still failing──▶ 1 s … 30 s        any success ──▶ up
"""

from baton.chains.rpc.settings import RpcSettings
from baton.domain.clock import Clock

_DOUBLINGS = 30  # enough for any longest pause; keeps the power small


class Health:
    def __init__(self, settings: RpcSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._counted_at = float("-inf")  # when the last counted failure happened
        self._is_told = False
        self.failures = 0  # in a row
        self.paused_until = float("-inf")
        self.down_since: float | None = None

    @property
    def is_paused(self) -> bool:
        return self._clock.monotonic() < self.paused_until

    @property
    def is_told_to_wait(self) -> bool:
        """Paused because the node asked for it: then not even in need."""
        return self._is_told and self.is_paused

    @property
    def down_s(self) -> float:
        return 0.0 if self.down_since is None else self._clock.monotonic() - self.down_since

    def failed(self, began_at: float) -> bool:
        """Notes a failure of a request begun at `began_at`; false if it is part of an outage that was counted already.

        Requests under way when a node dies fail together: that is one failure, not ten.
        """
        if began_at <= self._counted_at:
            return False
        self._count()
        self._pause(min(self._pause_s(), self._settings.longest_pause_s))
        self._is_told = False
        return True

    def told_to_wait(self, began_at: float, wait_s: float | None) -> bool:
        """The node wants fewer requests; for how long, if it said so."""
        if began_at <= self._counted_at:
            return False
        self._count()
        wanted_s = self._pause_s() if wait_s is None else max(wait_s, self._settings.first_pause_s)
        self._pause(min(wanted_s, self._settings.longest_wait_s))
        self._is_told = True
        return True

    def succeeded(self, began_at: float) -> None:
        """A success of a request begun before the last failure proves nothing of the time after it."""
        if began_at > self._counted_at:
            self.failures = 0
            self.lift()

    def lift(self) -> None:
        """The node is let in again; how often it failed is remembered until a request succeeds."""
        self.paused_until = float("-inf")
        self.down_since = None
        self._is_told = False

    def _count(self) -> None:
        now = self._clock.monotonic()
        self.failures += 1
        self._counted_at = now
        if self.down_since is None:
            self.down_since = now

    def _pause_s(self) -> float:
        doublings = min(self.failures - 1, _DOUBLINGS)
        return float(min(self._settings.first_pause_s * 2**doublings, self._settings.longest_pause_s))

    def _pause(self, pause_s: float) -> None:
        self.paused_until = self._clock.monotonic() + pause_s
