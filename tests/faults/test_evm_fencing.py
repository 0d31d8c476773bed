"""Two owners of one lane: whoever was frozen past its lease and wakes again changes nothing.

A node is frozen by taking its heartbeat away: to everyone else it looks dead, while its lane goes on as if nothing were.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from tests.faults.evm_judge import judge_everything
from tests.faults.evm_rig import FaultRig
from tests.faults.proxy import FaultProxy
from tests.rounds import rounds

from baton.devnet.anvil import Anvil
from baton.lanes.keeper import Keeper
from baton.storage.base import Snapshot, Store
from baton.storage.changes import Change, NotOwner, Outcome, Owned, Progress

LEASE_S = 1.0  # long enough that one who lives on a busy machine is not taken for dead


class WatchedStore:
    """Remembers who owned the lane when, and what became of each owner's writes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.epochs: list[int] = []
        self.written: list[int] = []  # the epoch of each write that was done
        self.refused: list[int] = []  # and of each that was not
        self.taken = asyncio.Event()

    def read(self) -> AbstractAsyncContextManager[Snapshot]:
        return self._store.read()

    async def write(self, change: Change) -> Outcome:
        return (await self.write_all([change]))[0]

    async def write_all(self, changes: Sequence[Change]) -> list[Outcome]:
        newest = self.epochs[-1] if self.epochs else 0
        outcomes = await self._store.write_all(changes)
        for change, outcome in zip(changes, outcomes, strict=True):
            match change, outcome:
                case _, Owned(epoch):
                    self.epochs.append(epoch)
                    self.taken.set()
                case Progress(fence=fence), NotOwner() if fence is not None:
                    self.refused.append(fence.epoch)
                case Progress(fence=fence), _ if fence is not None:
                    assert fence.epoch >= newest, f"M1: epoch {fence.epoch} wrote after {newest} had taken over"
                    self.written.append(fence.epoch)
        return outcomes

    def watch(self, topic: str) -> asyncio.Event:
        return self._store.watch(topic)

    async def close(self) -> None:
        await self._store.close()


@pytest.fixture
async def shared(anvil: Anvil, tmp_path: Path) -> AsyncIterator[FaultRig]:
    async with FaultProxy(anvil.url) as proxy:
        rig = FaultRig(anvil, [proxy], tmp_path / "data")
        rig.wrap_store = WatchedStore
        yield rig
        await rig.stop()


def _freeze(keeper: Keeper) -> None:
    """To the others it is dead from the end of its lease on."""
    heart = next(task for task in keeper._tasks if task.get_name() == "heartbeat")
    heart.cancel()


@contextlib.asynccontextmanager
async def paying(rig: FaultRig, paid: dict[str, str]) -> AsyncIterator[None]:
    """Pays on and on; stops between two payments, so that none is accepted and forgotten."""
    enough = asyncio.Event()

    async def pay() -> None:
        while not enough.is_set():
            paid.update(await rig.pay(1))
            await asyncio.sleep(0.02)

    task = asyncio.create_task(pay())
    try:
        yield
    finally:
        enough.set()
        await task


@pytest.mark.torture
async def test_an_owner_that_was_given_up_for_dead_changes_nothing_any_more(shared: FaultRig) -> None:
    """M1, M2, M3, E1, N1: the lane changes hands under load; every payment arrives once."""
    await shared.start()
    store = shared.store
    assert isinstance(store, WatchedStore)
    assert shared._keeper is not None
    keepers = [shared._keeper]
    paid: dict[str, str] = {}
    try:
        async with shared.mining(), paying(shared, paid):
            await until_in(store.written, 1)
            for turn in range(rounds(quick=2, full=8)):
                keepers.append(await shared.another_keeper(lease_s=LEASE_S))
                store.taken.clear()
                _freeze(keepers[-2])
                async with asyncio.timeout(LEASE_S + 5.0):  # M3
                    await store.taken.wait()
                await until_in(store.written, turn + 2)
                await until_in(store.refused, turn + 1)  # it tried
                await keepers[-2].stop()
        records = await shared.settled(list(paid))
    finally:
        await keepers[-1].stop()
    assert {record["status"] for record in records} == {"confirmed"}
    assert store.epochs == list(range(1, len(keepers) + 1)), "nobody took it from one that lives"
    await judge_everything(shared, {one: [receiver] for one, receiver in paid.items()})


async def until_in(epochs: Sequence[int], epoch: int) -> None:
    async with asyncio.timeout(20):
        while epoch not in epochs:
            await asyncio.sleep(0.01)


@pytest.mark.torture
async def test_a_second_node_waits_while_the_owner_lives(shared: FaultRig) -> None:
    """M1."""
    await shared.start()
    other = await shared.another_keeper(lease_s=LEASE_S)
    try:
        paid = await shared.pay(5)
        await shared.settled(list(paid))
        await asyncio.sleep(2 * LEASE_S)
        paid |= (more := await shared.pay(5))
        await shared.settled(list(more))
    finally:
        await other.stop()
    store = shared.store
    assert isinstance(store, WatchedStore)
    assert store.epochs == [1]
    assert not other.desks
    await judge_everything(shared, {one: [receiver] for one, receiver in paid.items()})
