"""Wake-ups by topic, in process. They save a wait; they never carry a fact: whoever wakes looks into the store."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from weakref import WeakSet


class Wakeups:
    def __init__(self) -> None:
        self._watchers: defaultdict[str, WeakSet[asyncio.Event]] = defaultdict(WeakSet)

    def watch(self, topic: str) -> asyncio.Event:
        event = asyncio.Event()
        self._watchers[topic].add(event)
        return event

    def wake(self, topics: Iterable[str]) -> None:
        for topic in topics:
            for event in self._watchers.get(topic, ()):
                event.set()
