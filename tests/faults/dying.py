"""A store that dies with the n-th write, and how a client notices."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import AbstractAsyncContextManager

from baton.domain.errors import StoreUnavailable
from baton.storage.base import Snapshot, Store
from baton.storage.changes import Accept, Change, Heartbeat, Outcome, Progress


class DyingStore:
    """Dies with the n-th write of the lane: just before it is made, or just after, before anyone is told."""

    def __init__(self, store: Store, dies_at: int, *, after: bool) -> None:
        self._store = store
        self._left = dies_at
        self._after = after
        self.died = asyncio.Event()

    def read(self) -> AbstractAsyncContextManager[Snapshot]:
        if self.died.is_set():
            raise StoreUnavailable("dead")
        return self._store.read()

    async def write(self, change: Change) -> Outcome:
        return (await self.write_all([change]))[0]

    async def write_all(self, changes: Sequence[Change]) -> list[Outcome]:
        if self.died.is_set():
            raise StoreUnavailable("dead")
        if all(is_not_the_lanes(change) for change in changes):
            return await self._store.write_all(changes)
        self._left -= 1
        if self._left > 0:
            return await self._store.write_all(changes)
        if self._after:
            await self._store.write_all(changes)
        self.died.set()
        raise StoreUnavailable("died")

    def watch(self, topic: str) -> asyncio.Event:
        return self._store.watch(topic)

    async def close(self) -> None:
        await self._store.close()


def is_not_the_lanes(change: Change) -> bool:
    """The client's own and the clock's."""
    return isinstance(change, Accept | Heartbeat) or (isinstance(change, Progress) and change.fence is None)


async def is_done_before(act: Awaitable[None], died: asyncio.Event) -> bool:
    """Whether the client got to the end of its act while the store lived."""
    doing, dying = asyncio.ensure_future(act), asyncio.ensure_future(died.wait())
    await asyncio.wait([doing, dying], return_when=asyncio.FIRST_COMPLETED)
    dying.cancel()
    if doing.done() and not died.is_set():
        doing.result()
        return True
    doing.cancel()
    await asyncio.gather(doing, return_exceptions=True)
    return False
