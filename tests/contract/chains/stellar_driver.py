"""The Stellar simulator under the suite: ledgers are final at once, and an account has one transaction waiting at most."""

from typing import Any, Self

from stellar_sdk import Asset, Keypair, xdr
from tests.contract.chains.driver import Driver
from tests.faults.proxy import FaultProxy
from tests.integration.stellar.rig import LUMEN, SEED, body, parts, payment

from baton.devnet.stellar import StellarDevnet


class StellarDriver(Driver):
    final_blocks = 0
    can_lose = False
    side_by_side = False

    def __init__(self, node: StellarDevnet, proxy: FaultProxy) -> None:
        self._node = node
        self._key = Keypair.from_raw_ed25519_seed(SEED)
        self._receiver = Keypair.from_raw_ed25519_seed(bytes([77]) * 32)
        self.parts = parts(node, proxy.url)

    async def ready(self) -> Self:
        await self._node.fund(self._key.public_key, 1000 * LUMEN)
        await self._node.fund(self._receiver.public_key, LUMEN)
        return self

    async def mine(self, blocks: int = 1) -> None:
        self._node.close(blocks)

    async def received(self) -> int:
        return self._entry(self._receiver).balance.int64 - LUMEN

    async def set_funds(self, amount: int) -> None:
        entry = self._entry(self._key)
        entry.balance = xdr.Int64(amount)
        self._node.ledger.state.save_account(entry)

    def payment(self, amount: int) -> dict[str, Any]:
        return body(payment(self._receiver.public_key, amount))

    def failing(self) -> dict[str, Any]:
        """A function that the contract does not have."""
        contract = Asset.native().contract_id(self._node.passphrase)
        return body({"type": "invoke_contract", "contract_address": contract, "function_name": "nothing", "args": []})

    async def close(self) -> None:
        await self._node.stop()

    def _entry(self, key: Keypair) -> xdr.AccountEntry:
        entry = self._node.ledger.state.account(key.xdr_account_id())
        assert entry is not None
        return entry
