"""A lane before a real anvil that mines only when told; at the end, the chain itself is the judge."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import patient_anvil
from tests.integration.evm.judge import judge
from tests.integration.evm.rig import Rig

from baton.devnet.anvil import Anvil
from baton.domain.policy import EvmPolicy

Make = Callable[..., Awaitable[Rig]]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Where the chain is kept when the node stops in good order, for a restart of the same chain."""
    return tmp_path / "state.json"


@pytest.fixture
async def anvil(anvil_path: Path, tmp_path: Path, state: Path) -> AsyncIterator[Anvil]:
    async with patient_anvil(anvil_path, tmp_path / "anvil", blocks=3, state=state) as node:
        yield node


@pytest.fixture
async def make_rig(anvil: Anvil, tmp_path: Path) -> AsyncIterator[Make]:
    async with AsyncExitStack() as stack:

        async def make(policy: EvmPolicy | None = None) -> Rig:
            proxy = await stack.enter_async_context(FaultProxy(anvil.url))
            rig = Rig(anvil, proxy, tmp_path / "data", policy)
            stack.push_async_callback(rig.stop)
            stack.push_async_callback(judge, rig)
            await rig.start()
            return rig

        yield make


@pytest.fixture
async def rig(make_rig: Make) -> Rig:
    return await make_rig()
