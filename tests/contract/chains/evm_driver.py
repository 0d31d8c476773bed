"""Anvil under the suite."""

from typing import Any

from tests.contract.chains.driver import Driver
from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import ChainEye, fresh_address
from tests.integration.evm.contracts import reverting
from tests.integration.evm.rig import parts

from baton.devnet.anvil import Anvil
from baton.domain.network import RpcUrl

DEPTH = 3


class EvmDriver(Driver):
    final_blocks = DEPTH - 1

    def __init__(self, node: Anvil, proxy: FaultProxy) -> None:
        self._node = node
        self._eye = ChainEye(node)
        self._receiver = fresh_address()
        self.parts = parts(RpcUrl(proxy.url), confirmations=DEPTH)

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
