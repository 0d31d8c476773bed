"""One watcher a network: it follows the head and wakes every lane. Watching costs by block, not by transaction."""

import asyncio
from weakref import WeakSet

from baton.chains.seam import Chain, Tip


class Watcher:
    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._listeners: WeakSet[asyncio.Event] = WeakSet()
        self.tip: Tip | None = None
        self.gaps = 0  # how often blocks were missed or replaced: a lane compares it with what it knew

    def listen(self, wake: asyncio.Event) -> None:
        self._listeners.add(wake)

    async def run(self) -> None:
        """Runs until cancelled; the chain's own tips survive outages."""
        async for tip in self._chain.tips():
            self.tip = tip
            self.gaps += tip.is_gap
            for wake in self._listeners:
                wake.set()
