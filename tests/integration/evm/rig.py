"""An EVM lane before a real node that mines only when told, behind a recording proxy.

What is true is asked of the node itself (`chain.py`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import ChainEye, Node
from tests.lane_client import IsSo, Record
from tests.lane_rig import LaneRig, Parts

from baton.chains.evm.language import EvmLanguage
from baton.devnet.anvil import CHAIN_ID
from baton.devnet.keys import EVM_RELAYER_KEY
from baton.domain.curve import Curve
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.policy import EvmPolicy
from baton.signers.local import LocalSigner

STEP_S = 0.3  # how long the lane gets for one block before the next is mined


def parts(*urls: RpcUrl, policy: EvmPolicy | None = None, **of_network: Any) -> Parts:
    """Of a lane on anvil's chain, with anvil's first account."""
    usual = {"block_time_ms": 200, "chain_id": CHAIN_ID, "features": frozenset({"eip1559"}), "is_local": True}
    network = Network("local", Family.EVM, rpc_urls=urls, **{**usual, **of_network})
    pen = LocalSigner(Curve.SECP256K1, EVM_RELAYER_KEY)
    return Parts(network, EvmLanguage(network), pen, policy or EvmPolicy(), usual={"value": 1})


class Rig(LaneRig):
    def __init__(
        self,
        node: Node,
        proxy: FaultProxy,
        folder: Path,
        policy: EvmPolicy | None = None,
        *,
        of: Parts | None = None,
    ) -> None:
        super().__init__(of or parts(RpcUrl(proxy.url), RpcUrl(node.ws_url), policy=policy), folder)
        self.node = node
        self.proxy = proxy
        self.chain = ChainEye(node)

    async def in_pool(self, *hashes: str) -> None:
        """Waits until the node has these, mined or not."""

        async def has_all() -> bool:
            return all([await self.chain.has(one) for one in hashes])

        await self.until(has_all)

    async def mine(self, blocks: int = 1) -> None:
        """The lane has done all that it will at each block before the next comes."""
        for _ in range(blocks):
            await self.chain.mine()
            await self.seen()

    async def seen(self) -> None:
        """Waits until the lane has done all that it will at the node's newest block."""
        head = await self.chain.head()
        await self.handled(lambda block: block.hash == head)

    async def mine_until(self, is_so: IsSo, blocks: int) -> int:
        """Mines one block after the other until it is so; tells how many it took."""
        for count in range(blocks + 1):
            if await self.is_soon(is_so, STEP_S if count else 0):
                return count
            if count < blocks:
                await self.mine()
        raise AssertionError(f"not so after {blocks} blocks")

    async def mine_to(self, transaction_id: str, status: str, blocks: int = 3) -> Record:
        async def is_there() -> bool:
            return bool((await self.record(transaction_id))["status"] == status)

        try:
            await self.mine_until(is_there, blocks)
        except AssertionError as error:
            found = await self.record(transaction_id)
            raise AssertionError(f"{error}: {found['status']} ({found['status_reason']}), awaited {status}") from None
        return await self.record(transaction_id)

    async def confirmed(self, transaction_ids: Sequence[str], blocks: int = 4) -> list[Record]:
        """Mines until all of them are confirmed, and lets the chain itself be asked about each."""

        async def are_all() -> bool:
            return set(await self.statuses(transaction_ids)) <= {"confirmed"}

        async def have_left() -> bool:
            return not {"pending", "sent"} & set(await self.statuses(transaction_ids))

        await self.is_soon(have_left, 2.0)  # what must wait waits for blocks
        try:
            await self.mine_until(are_all, blocks)
        except AssertionError as error:
            stands = [await self.record(one) for one in transaction_ids]
            told = {f"{one['status']}: {one['status_reason']}" for one in stands}
            raise AssertionError(f"{error}: {told}") from None
        found = [await self.record(one) for one in transaction_ids]
        for one in found:
            receipt = await self.chain.receipt(one["hash"])
            assert receipt is not None
            assert receipt["status"] == "0x1"
        return found
