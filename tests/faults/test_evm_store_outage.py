"""The disk is full for a while, or a commit's answer is lost: the lane goes on by itself, and nothing unstored ever left."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from tests.faults.crash import LONGEST_LIFE
from tests.faults.dying import is_not_the_lanes
from tests.faults.evm_lives import LIVES, EvmLife, on_fresh_terms
from tests.faults.evm_rig import FaultRig
from tests.faults.proxy import FaultProxy
from tests.rounds import rounds

from baton.devnet.anvil import Anvil
from baton.domain.errors import StoreUnavailable
from baton.storage.base import Snapshot, Store
from baton.storage.changes import Change, Outcome

REFUSALS = 3  # writes in a row that fail


class FullStore:
    """Takes nothing from the lane's n-th write on, for a few writes; or takes it and does not say so."""

    def __init__(self, store: Store, fails_at: int, *, is_forgetful: bool) -> None:
        self._store = store
        self._fails_at = fails_at
        self._is_forgetful = is_forgetful
        self.writes = 0

    @property
    def has_failed(self) -> bool:
        return self.writes >= self._fails_at

    def read(self) -> AbstractAsyncContextManager[Snapshot]:
        return self._store.read()

    async def write(self, change: Change) -> Outcome:
        return (await self.write_all([change]))[0]

    async def write_all(self, changes: Sequence[Change]) -> list[Outcome]:
        if all(is_not_the_lanes(change) for change in changes):
            return await self._store.write_all(changes)
        self.writes += 1
        if not self._fails_at <= self.writes < self._fails_at + REFUSALS:
            return await self._store.write_all(changes)
        if self._is_forgetful:
            await self._store.write_all(changes)
        raise StoreUnavailable("the disk is full")

    def watch(self, topic: str) -> asyncio.Event:
        return self._store.watch(topic)

    async def close(self) -> None:
        await self._store.close()


@pytest.mark.torture
@pytest.mark.parametrize("is_forgetful", [False, True], ids=["nothing is stored", "the answer is lost"])
@pytest.mark.parametrize("name", LIVES)
async def test_a_lane_outlives_an_outage_of_its_store_at_any_write(
    anvil: Anvil, tmp_path: Path, name: str, is_forgetful: bool
) -> None:
    """D3, D5, D6, E1, N1, N2: without a restart."""
    kind = LIVES[name]
    step = rounds(quick=8, full=1)
    first = 1 if step == 1 else 2 + (len(name) + 3 * is_forgetful) % 4  # not the same sample everywhere
    for fails_at in range(first, LONGEST_LIFE, step):
        async with FaultProxy(anvil.url) as proxy:
            rig = FaultRig(anvil, [proxy], tmp_path / f"store-{fails_at}")
            stores: list[FullStore] = []

            def full(store: Store, at: int = fails_at, kept: list[FullStore] = stores) -> Store:
                kept.append(FullStore(store, at, is_forgetful=is_forgetful))
                return kept[-1]

            rig.wrap_store = full
            await on_fresh_terms(rig)
            life = EvmLife(rig, kind.count)
            try:
                await rig.start()
                for act in kind.acts:
                    await act(life)
                await life.judge(kind)
            except AssertionError as error:
                error.add_note(f"failed at write {fails_at}")
                raise
            finally:
                await rig.stop()
        if not stores[0].has_failed:
            return
    pytest.fail(f"a life took more than {LONGEST_LIFE} writes")
