"""The Solana devnet under the suite."""

from typing import Any

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.system_program import TransferParams, transfer
from tests.contract.chains.driver import Driver
from tests.faults.proxy import FaultProxy
from tests.integration.solana.rig import FINALITY, MEMO, SEED, SOL, body, parts

from baton.devnet.solana import SolanaDevnet


class SolanaDriver(Driver):
    final_blocks = FINALITY

    def __init__(self, node: SolanaDevnet, proxy: FaultProxy) -> None:
        self._node = node
        self._key = Keypair.from_seed(SEED).pubkey()
        self._receiver = Keypair.from_seed(bytes([77]) * 32).pubkey()
        self.parts = parts(proxy.url)
        node.airdrop(str(self._key), 1000 * SOL)
        node.airdrop(str(self._receiver), SOL)
        self._before = node.balance(str(self._receiver))

    async def mine(self, blocks: int = 1) -> None:
        self._node.mine(blocks)

    async def lose(self, blocks: int) -> None:
        self._node.fork(blocks)

    async def received(self) -> int:
        return self._node.balance(str(self._receiver)) - self._before

    async def set_funds(self, amount: int) -> None:
        self._node.airdrop(str(self._key), amount - self._node.balance(str(self._key)))

    def payment(self, amount: int) -> dict[str, Any]:
        return body(
            transfer(TransferParams(from_pubkey=self._key, to_pubkey=self._receiver, lamports=amount)),
        )

    def failing(self) -> dict[str, Any]:
        return body(Instruction(MEMO, b"\xff", []))

    async def close(self) -> None:
        await self._node.stop()
