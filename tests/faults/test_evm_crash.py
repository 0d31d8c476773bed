"""Crash at every write of an EVM life, on a real node: a fresh start finishes it, once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.faults.crash import crash_everywhere
from tests.faults.evm_lives import LIVES, EvmLife, on_fresh_terms
from tests.faults.evm_rig import FaultRig
from tests.faults.proxy import FaultProxy

from baton.devnet.anvil import Anvil


@pytest.mark.torture
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("name", LIVES)
async def test_a_life_that_crashes_at_any_write_is_finished_once(
    anvil: Anvil, tmp_path: Path, name: str, after: bool
) -> None:
    """D3, D4, D6, E1, E4, E5, N1, N2, N3: whichever write was the last."""

    @asynccontextmanager
    async def begin(number: int) -> AsyncIterator[EvmLife]:
        async with FaultProxy(anvil.url) as proxy:
            rig = FaultRig(anvil, [proxy], tmp_path / f"store-{number}")
            await on_fresh_terms(rig)
            yield EvmLife(rig, LIVES[name].count)

    await crash_everywhere(name, LIVES[name], begin, after=after)
