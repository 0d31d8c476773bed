"""Stand-ins that are small enough to trust: a clock that is moved by hand, a store that can be switched off, lanes that
say what they are told to."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta

from baton.chains.seam import Account
from baton.commands.live import NoLanes, Sight
from baton.domain.errors import StoreUnavailable
from baton.domain.json import Json
from baton.domain.relayer import Relayer
from baton.storage.base import Snapshot, Store
from baton.storage.changes import Change, Outcome


class FakeClock:
    """Stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2030, 1, 1, tzinfo=UTC)) -> None:
        self._now = now
        self._elapsed_s = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._elapsed_s

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._elapsed_s += seconds


class FrailStore:
    """A real store that can be cut off, and that can be told to answer the next writes itself."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.is_down = False
        self.failure: Exception = StoreUnavailable("the store cannot be reached")
        self.answers: list[Outcome] = []  # what the next writes answer instead of being carried out
        self.written: list[Change] = []

    def read(self) -> AbstractAsyncContextManager[Snapshot]:
        self._check()
        return self._store.read()

    async def write(self, change: Change) -> Outcome:
        self._check()
        self.written.append(change)
        return self.answers.pop(0) if self.answers else await self._store.write(change)

    async def write_all(self, changes: Sequence[Change]) -> list[Outcome]:
        return [await self.write(change) for change in changes]

    def watch(self, topic: str) -> asyncio.Event:
        return self._store.watch(topic)

    async def close(self) -> None:
        await self._store.close()

    def _check(self) -> None:
        if self.is_down:
            raise self.failure


class FakeLive:
    """As if no lane ran, until it is told what one would say."""

    def __init__(self) -> None:
        self.found_account: Account | None = None
        self.found_logs: list[Json] | None = None
        self.found_sight: Sight | None = None

    async def account(self, relayer: Relayer) -> Account:
        return self.found_account or await NoLanes().account(relayer)

    async def logs(self, relayer: Relayer, tx_hash: str) -> list[Json] | None:
        return self.found_logs

    async def sight(self, relayer: Relayer, transaction_id: str) -> Sight:
        return self.found_sight or await NoLanes().sight(relayer, transaction_id)
