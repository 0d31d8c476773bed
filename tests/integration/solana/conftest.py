"""A lane before a real local node that makes blocks only when told; at the end, the chain itself is the judge."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.faults.proxy import FaultProxy
from tests.integration.solana.judge import judge
from tests.integration.solana.rig import SOL, SolanaRig

from baton.devnet.solana import SolanaDevnet
from baton.domain.policy import SolanaPolicy

Make = Callable[..., Awaitable[SolanaRig]]


@pytest.fixture
async def node() -> AsyncIterator[SolanaDevnet]:
    devnet = await SolanaDevnet().start(manual=True)
    yield devnet
    await devnet.stop()


@pytest.fixture
async def make_rig(node: SolanaDevnet, tmp_path: Path) -> AsyncIterator[Make]:
    async with AsyncExitStack() as stack:

        async def make(
            policy: SolanaPolicy | None = None,
            *,
            lamports: int = 1000 * SOL,
            node_count: int = 1,
            tags: frozenset[str] = frozenset(),
        ) -> SolanaRig:
            proxies = [await stack.enter_async_context(FaultProxy(node.url)) for _ in range(node_count)]
            rig = SolanaRig(node, proxies, tmp_path / "data", policy, tags)
            stack.push_async_callback(rig.stop)
            stack.callback(judge, rig)
            if lamports:
                node.airdrop(rig.address, lamports)
            await rig.start()
            return rig

        yield make


@pytest.fixture
async def rig(make_rig: Make) -> SolanaRig:
    return await make_rig()
