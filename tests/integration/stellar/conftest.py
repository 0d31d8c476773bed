"""A lane before a simulated node that closes ledgers only when told; at the end, the ledger itself is the judge."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.faults.proxy import FaultProxy
from tests.integration.stellar.judge import judge
from tests.integration.stellar.rig import LUMEN, StellarRig

from baton.devnet.stellar import StellarDevnet
from baton.domain.policy import StellarPolicy

Make = Callable[..., Awaitable[StellarRig]]


@pytest.fixture
async def node() -> AsyncIterator[StellarDevnet]:
    devnet = await StellarDevnet().start(manual=True)
    yield devnet
    await devnet.stop()


@pytest.fixture
async def make_rig(node: StellarDevnet, tmp_path: Path) -> AsyncIterator[Make]:
    async with AsyncExitStack() as stack:

        async def make(policy: StellarPolicy | None = None, *, lumens: int = 1000, node_count: int = 1) -> StellarRig:
            proxies = [await stack.enter_async_context(FaultProxy(node.url)) for _ in range(node_count)]
            rig = StellarRig(node, proxies, tmp_path / "data", policy)
            stack.push_async_callback(rig.stop)
            stack.callback(judge, rig)
            if lumens:
                await node.fund(rig.address, lumens * LUMEN)
            await rig.start()
            return rig

        yield make


@pytest.fixture
async def rig(make_rig: Make) -> StellarRig:
    return await make_rig()
