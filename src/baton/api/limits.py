"""Every limit of the HTTP side, and the token bucket that holds the rate."""

from dataclasses import dataclass

from baton.domain.clock import Clock
from baton.domain.errors import TooMany


@dataclass(frozen=True, slots=True)
class Limits:
    body_bytes: int = 512 * 1024
    body_s: float = 15.0  # from the end of the head to the last byte, however steadily it drips
    head_bytes: int = 16 * 1024
    head_s: float = 10.0
    keep_alive_s: int = 55
    connections: int = 2048
    json_depth: int = 32
    rate_per_s: float = 100.0
    rate_burst: int = 300
    has_metrics: bool = True  # whether /metrics answers here


class Buckets:
    """One bucket for each key: `burst` tokens at most, `per_s` new ones each second."""

    def __init__(self, per_s: float, burst: int, clock: Clock) -> None:
        self._per_s, self._burst, self._clock = per_s, burst, clock
        self._levels: dict[str, tuple[float, float]] = {}  # key → tokens left, at that moment

    def take(self, key: str) -> None:
        now = self._clock.monotonic()
        left, then = self._levels.get(key, (float(self._burst), now))
        left = min(self._burst, left + (now - then) * self._per_s)
        if left < 1:
            self._levels[key] = (left, now)
            wait_s = (1 - left) / self._per_s
            raise TooMany(f"more than {self._per_s:g} requests/s (burst {self._burst}) with this key", wait_s)
        self._levels[key] = (left - 1, now)
