"""How many tries may be under way: for one receiver by how it does, and for all of them together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

START, MOST = 2, 64
QUICK_MS = 1000
HEALTHY_LIMIT, PROBE_LIMIT = 256, 32


@dataclass(slots=True)
class Window:
    """Two at first, doubling to 64 while answers are good and quick, one after a failure."""

    size: int = START
    _good: int = 0  # since the size changed

    def succeeded(self, took_ms: int) -> None:
        if took_ms > QUICK_MS:
            return
        self._good += 1
        if self._good >= self.size:
            self.size, self._good = min(MOST, self.size * 2), 0

    def failed(self) -> None:
        self.size, self._good = 1, 0


class Gate:
    """For all receivers of this process. Those that fail share a small part, so they cannot hold up the others."""

    def __init__(self, healthy: int = HEALTHY_LIMIT, probes: int = PROBE_LIMIT) -> None:
        self._healthy = asyncio.Semaphore(healthy)
        self._probes = asyncio.Semaphore(probes)

    @asynccontextmanager
    async def passed(self, *, is_probe: bool) -> AsyncIterator[None]:
        async with self._probes if is_probe else self._healthy:
            yield
