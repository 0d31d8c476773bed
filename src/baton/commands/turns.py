"""Taking turns: those who change the same thing wait for each other, instead of overtaking each other until one gives up.

It only spares work. What decides is the version in the store: another node, or a lane, may still come first.
"""

import asyncio
from weakref import WeakValueDictionary


class Turns:
    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # as long as someone holds or waits

    def of(self, name: str) -> asyncio.Lock:
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock
