"""A lane before nodes that fail: one recording proxy a node, and patience short enough that an outage is over soon.

Blocks come while a test waits (`mining`), as on a real chain, so that nothing here depends on who was faster.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import fresh_address
from tests.integration.evm.rig import Rig, parts
from tests.lane_client import FINAL, RELAYER, IsSo, Record

from baton.chains.evm.chain import EvmChain
from baton.chains.evm.maker import EvmMaker
from baton.chains.evm.node import EvmNode, verify
from baton.chains.rpc import RpcPool, RpcSettings
from baton.devnet.anvil import CHAIN_ID, Anvil
from baton.domain.network import RpcUrl
from baton.domain.policy import EvmPolicy
from baton.lanes.desk import LaneSettings
from baton.lanes.lines import Line, Nodes
from baton.storage.base import ListFilter

BLOCK_S = 0.1
PATIENCE_S = 25.0

QUICK_RPC = RpcSettings(
    timeout_s=0.5,
    broadcast_timeout_s=0.5,
    broadcast_grace_s=0.1,
    connect_timeout_s=0.5,
    first_pause_s=0.02,
    longest_pause_s=0.1,
    longest_wait_s=0.5,
    recheck_s=0.2,
)


class FaultRig(Rig):
    """`proxies` stand before the same anvil or before several; the first one carries the reads."""

    lane_settings = LaneSettings(retry_s=0.05, retry_ceiling_s=0.3)
    lease_s = 1.0

    def __init__(
        self, node: Anvil, proxies: Sequence[FaultProxy], folder: Path, policy: EvmPolicy | None = None
    ) -> None:
        urls = [RpcUrl(proxy.url, 100 - place) for place, proxy in enumerate(proxies)]
        before_them = parts(*urls, policy=policy, block_time_ms=int(BLOCK_S * 1000), is_local=False)
        super().__init__(node, proxies[0], folder, of=before_them)
        self.proxies = tuple(proxies)

    def open_line(self, nodes: Nodes) -> Line:
        """With little patience for nodes."""
        is_ours = partial(verify, chain_id=CHAIN_ID)
        pool = RpcPool(nodes.urls, settings=QUICK_RPC, clock=self.clock, verify=is_ours)
        node = EvmNode(pool, has_fee_history=True)
        chain = EvmChain(nodes.network, node)
        return Line(chain, EvmMaker(nodes.network, node, chain.ledger), pool.close)

    async def pay(self, count: int) -> dict[str, str]:
        """Asks for so many payments of one wei; ids with a receiver each that nobody else pays."""
        return {await self.submit(to=receiver): receiver for receiver in [fresh_address() for _ in range(count)]}

    @contextlib.asynccontextmanager
    async def mining(self, every_s: float = BLOCK_S) -> AsyncIterator[None]:
        async def mine() -> None:
            while True:
                await self.chain.mine()
                await asyncio.sleep(every_s)

        task = asyncio.create_task(mine())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def beat(self, seconds: float) -> None:
        """Lets the lane live for a moment, as a block's time would."""
        await asyncio.sleep(seconds)

    async def settled(self, ids: Sequence[str], timeout_s: float = PATIENCE_S) -> list[Record]:
        """D3: mines until all are final."""

        async def are_final() -> bool:
            return all(status in FINAL for status in await self.statuses(ids))

        await self.while_mining(are_final, timeout_s)
        return [await self.record(one) for one in ids]

    async def while_mining(self, is_so: IsSo, timeout_s: float = PATIENCE_S) -> None:
        async with self.mining():
            try:
                await self.until(is_so, timeout_s)
            except TimeoutError:
                raise AssertionError(await self._stuck()) from None

    async def _stuck(self) -> str:
        async with self.store.read() as snapshot:
            page = await snapshot.transactions.page(RELAYER, 1, 100, ListFilter())
        told = [f"{view.state.status}: {view.state.reason}" for view in page.items if not view.state.status.is_final]
        return f"not settled, chain nonce {await self.chain.nonce()}: {told}"
