"""Crash at every write: a store that dies with the n-th write of a life, for every n; a fresh start finishes it once."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import fresh_address
from tests.integration.evm.rig import Rig

from baton.devnet.anvil import Anvil
from baton.domain.errors import StoreUnavailable
from baton.storage.base import Snapshot, Store
from baton.storage.changes import Accept, Change, Heartbeat, Outcome

LONGEST_LIFE = 40  # writes; a life that takes more would end the search without having died everywhere


class DyingStore:
    """Dies with the n-th write: just before it is made, or just after it was made but before anyone is told."""

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
        if all(isinstance(change, Accept | Heartbeat) for change in changes):
            return await self._store.write_all(changes)  # the client's own, and the clock's: not the lane's
        if self.died.is_set():
            raise StoreUnavailable("dead")
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


async def _run_to_the_end(rig: Rig, ids: list[str]) -> list[dict[str, object]]:
    async def are_final() -> bool:
        return all([(await rig.record(one))["status"] in ("confirmed", "canceled") for one in ids])

    await rig.mine_until(are_final, blocks=8)
    return [await rig.record(one) for one in ids]


@pytest.mark.torture
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("count", [1, 3])
async def test_a_life_that_crashes_at_any_write_is_finished_once(
    anvil_path: Path, tmp_path: Path, count: int, after: bool
) -> None:
    """D3, D4, E1, E5, N3: the chain pays each receiver exactly once, whichever write was the last."""
    node = Anvil(anvil_path, tmp_path / "anvil")
    await node.start(extra=("--no-mining",))
    async with FaultProxy(node.url) as proxy:
        try:
            for dies_at in range(1, LONGEST_LIFE):
                rig = Rig(node, proxy, tmp_path / f"store-{dies_at}")
                if not await _crash_once(rig, dies_at, count, after=after):
                    assert dies_at > 4, "a life has at least: lane taken, sent, submitted, mined and confirmed"
                    return
            pytest.fail(f"a life took more than {LONGEST_LIFE} writes")
        finally:
            await node.stop()


async def _crash_once(rig: Rig, dies_at: int, count: int, *, after: bool) -> bool:
    """One life; tells whether it died on the way."""
    stores: list[DyingStore] = []

    def dying(store: Store) -> Store:
        stores.append(DyingStore(store, dies_at, after=after))
        return stores[-1]

    rig.wrap_store = dying
    receivers = [fresh_address() for _ in range(count)]
    await rig.start()
    ids = [await rig.submit(to=receiver) for receiver in receivers]
    died = await _lives_until_death(rig, stores[0], ids)
    await rig.stop()
    rig.wrap_store = lambda store: store
    await rig.start()
    records = await _run_to_the_end(rig, ids)
    await rig.stop()
    assert [record["status"] for record in records] == ["confirmed"] * count
    assert [await rig.chain.balance(receiver) for receiver in receivers] == [1] * count, f"died at write {dies_at}"
    nonces = [record["nonce"] for record in records]
    assert len(set(nonces)) == count
    return died


async def _lives_until_death(rig: Rig, store: DyingStore, ids: list[str]) -> bool:
    """Mines until the store died, or everything was final before it could."""
    for _ in range(8):
        try:
            async with asyncio.timeout(0.5):
                await store.died.wait()
        except TimeoutError:
            if not store.died.is_set() and await _are_final(rig, ids):
                return False
            await rig.chain.mine()
        else:
            return True
    return store.died.is_set()


async def _are_final(rig: Rig, ids: list[str]) -> bool:
    return all([(await rig.record(one))["status"] == "confirmed" for one in ids])
