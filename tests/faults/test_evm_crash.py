"""Crash at every write: a store that dies with the n-th write of a life, for every n; a fresh start finishes it once."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from tests.faults.dying import DyingStore, is_done_before
from tests.faults.evm_judge import judge_everything
from tests.faults.evm_lives import LIVES, LONGEST_LIFE, ROUTES, Act, Life
from tests.faults.evm_rig import FaultRig
from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import GWEI
from tests.rounds import rounds

from baton.devnet.anvil import Anvil
from baton.storage.base import Store


@pytest.fixture
async def crash_node(anvil_path: Path, tmp_path: Path) -> AsyncIterator[Anvil]:
    node = Anvil(anvil_path, tmp_path / "anvil")
    await node.start(extra=["--no-mining", "--order", "fees"])
    await node.ask("anvil_mine", "0x3")
    yield node
    await node.kill()


@pytest.mark.torture
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("name", LIVES)
async def test_a_life_that_crashes_at_any_write_is_finished_once(
    crash_node: Anvil, tmp_path: Path, name: str, after: bool
) -> None:
    """D3, D4, D6, E1, E4, E5, N1, N2, N3: whichever write was the last."""
    count, acts, end = LIVES[name]
    step = rounds(quick=4, full=1)
    first = 1 + (len(name) + after) % step  # not the same sample everywhere
    for dies_at in range(first, LONGEST_LIFE, step):
        async with FaultProxy(crash_node.url) as proxy:
            rig = FaultRig(crash_node, [proxy], tmp_path / f"store-{dies_at}")
            life = Life(rig, count)
            try:
                has_died = await _lived(life, acts, dies_at, after=after)
                statuses = await rig.statuses(life.ids)
                assert statuses == [end] * count, f"died at write {dies_at}"
                kinds = {attempt.kind for one in life.ids for attempt in await rig.attempts(one)}
                assert kinds <= {"original", ROUTES.get(name, "original")}
                await judge_everything(rig, life.receivers)
            finally:
                await rig.stop()
        if not has_died:
            assert kinds == {"original", ROUTES.get(name, "original")}, "an undisturbed life goes its whole way"
            assert dies_at > 4, "a life has at least: lane taken, sent, submitted, mined and confirmed"
            return
    pytest.fail(f"a life took more than {LONGEST_LIFE} writes")


async def _lived(life: Life, acts: Sequence[Act], dies_at: int, *, after: bool) -> bool:
    """One life, with a fresh start if it dies on the way; tells whether it did."""
    rig = life.rig
    stores: list[DyingStore] = []

    def dying(store: Store) -> Store:
        stores.append(DyingStore(store, dies_at, after=after))
        return stores[-1]

    rig.wrap_store = dying
    await rig.chain.set_base_fee(GWEI)
    await rig.chain.mine(5)  # as many as the fee history is asked for
    await rig.start()
    rig.wrap_store = lambda store: store
    has_died = False
    for act in acts:
        while not has_died:
            if await is_done_before(act(life), stores[0].died):
                break
            has_died = True
            await rig.restart()
            await act(life)
        else:
            await act(life)
    return has_died
