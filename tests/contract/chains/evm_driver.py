"""Anvil under the suite."""

from typing import Any

from tests.contract.chains.driver import Driver
from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import ChainEye, fresh_address
from tests.integration.evm.contracts import reverting
from tests.lane_rig import Parts

from baton.chains.evm.language import EvmLanguage
from baton.devnet.anvil import CHAIN_ID, Anvil
from baton.devnet.keys import EVM_RELAYER_KEY
from baton.domain.curve import Curve
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.policy import EvmPolicy
from baton.signers.local import LocalSigner

DEPTH = 3


class EvmDriver(Driver):
    final_blocks = DEPTH - 1

    def __init__(self, node: Anvil, proxy: FaultProxy) -> None:
        self._node = node
        self._eye = ChainEye(node)
        self._receiver = fresh_address()
        network = Network(
            "local",
            Family.EVM,
            rpc_urls=(RpcUrl(proxy.url),),
            block_time_ms=200,
            confirmations=DEPTH,
            chain_id=CHAIN_ID,
            features=frozenset({"eip1559"}),
            is_local=True,
        )
        pen = LocalSigner(Curve.SECP256K1, EVM_RELAYER_KEY)
        self.parts = Parts(network, EvmLanguage(network), pen, EvmPolicy())

    async def mine(self, blocks: int = 1) -> None:
        await self._eye.mine(blocks)

    async def lose(self, blocks: int) -> None:
        await self._node.ask("anvil_reorg", blocks, [])

    async def received(self) -> int:
        return await self._eye.balance(self._receiver)

    async def set_funds(self, amount: int) -> None:
        await self._eye.set_balance(self._eye.address, amount)

    def payment(self, amount: int) -> dict[str, Any]:
        return {"to": self._receiver, "value": amount}

    def failing(self) -> dict[str, Any]:
        """A creation whose code does nothing but revert."""
        return {"value": 0, "data": "0x" + reverting("no")[2:][reverting("no")[2:].index("63") :]}

    async def close(self) -> None:
        await self._node.kill()
