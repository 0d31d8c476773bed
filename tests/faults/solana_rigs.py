"""Solana lanes before nodes that fail: one chain each, through as many proxies as there are nodes."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from tests.faults.proxy import FaultProxy
from tests.integration.solana.judge import judge
from tests.integration.solana.rig import SOL, SolanaRig

from baton.devnet.solana import SolanaDevnet
from baton.domain.policy import SolanaPolicy

Make = Callable[..., Awaitable[SolanaRig]]


@asynccontextmanager
async def fault_rigs(
    folder: Path, *, nodes: int, slot_ms: int, funds: int = 1000 * SOL, seed: int = 0
) -> AsyncIterator[Make]:
    """Makes rigs; each is judged when it was stopped."""
    async with AsyncExitStack() as stack:

        async def make(
            node_count: int = nodes, policy: SolanaPolicy | None = None, *, manual: bool = False
        ) -> SolanaRig:
            node = await SolanaDevnet().start(slot_ms=slot_ms, manual=manual)
            stack.push_async_callback(node.stop)
            proxies = [await stack.enter_async_context(FaultProxy(node.url, seed=seed)) for _ in range(node_count)]
            rig = SolanaRig(node, proxies, folder / "data", policy)
            stack.push_async_callback(rig.stop)
            stack.callback(judge, rig)
            node.airdrop(rig.address, funds)
            await rig.start()
            return rig

        yield make
