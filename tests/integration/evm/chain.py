"""The judge: asks the node itself, never our own code. Also the node's own controls, and a stranger with our key."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from eth_account import Account

from baton.devnet.anvil import CHAIN_ID, Anvil
from baton.devnet.keys import EVM_RELAYER_KEY
from baton.domain.json import Json

GWEI = 10**9
ETHER = 10**18

Found = dict[str, Any]


class Node(Protocol):
    """A real node that a test has started."""

    @property
    def is_running(self) -> bool: ...

    @property
    def url(self) -> str: ...

    @property
    def ws_url(self) -> str: ...

    async def ask(self, method: str, *params: Json) -> Json: ...


@asynccontextmanager
async def patient_anvil(
    anvil_path: Path, folder: Path, *, blocks: int, state: Path | None = None
) -> AsyncIterator[Anvil]:
    """Mines only when told. With a few blocks behind it, so that depth and history are there from the start."""
    node = Anvil(anvil_path, folder)
    await node.start(extra=["--no-mining", "--order", "fees"], state=state)
    try:
        await node.ask("anvil_mine", hex(blocks))
        yield node
    finally:
        await node.kill()


def fresh_address() -> str:
    """A receiver that nobody else pays: how often it was paid is seen in its balance."""
    return str(Account.create().address).lower()


class ChainEye:
    def __init__(self, node: Node) -> None:
        self.ask = node.ask
        self.address = str(Account.from_key(EVM_RELAYER_KEY).address).lower()

    async def mine(self, blocks: int = 1) -> None:
        for _ in range(blocks):
            await self.ask("evm_mine")

    async def head(self) -> str:
        return str((await self.ask("eth_getBlockByNumber", "latest", False))["hash"])

    async def genesis(self) -> str:
        return str((await self.ask("eth_getBlockByNumber", "0x0", False))["hash"])

    async def height(self) -> int:
        return int(await self.ask("eth_blockNumber"), 16)

    async def base_fee(self) -> int:
        return int((await self.ask("eth_getBlockByNumber", "latest", False))["baseFeePerGas"], 16)

    async def set_base_fee(self, wei: int) -> None:
        """Of the next block."""
        await self.ask("anvil_setNextBlockBaseFeePerGas", hex(wei))

    async def balance(self, address: str) -> int:
        return int(await self.ask("eth_getBalance", address, "latest"), 16)

    async def set_balance(self, address: str, wei: int) -> None:
        await self.ask("anvil_setBalance", address, hex(wei))

    async def nonce(self, address: str | None = None) -> int:
        return int(await self.ask("eth_getTransactionCount", address or self.address, "latest"), 16)

    async def receipt(self, hash_: str) -> Found | None:
        found = await self.ask("eth_getTransactionReceipt", hash_)
        return None if found is None else dict(found)

    async def transaction(self, hash_: str) -> Found | None:
        found = await self.ask("eth_getTransactionByHash", hash_)
        return None if found is None else dict(found)

    async def has(self, hash_: str) -> bool:
        return await self.transaction(hash_) is not None

    async def pool(self) -> dict[int, Found]:
        """What waits in the node's pool from our account, by nonce."""
        content = await self.ask("txpool_content")
        found: dict[int, Found] = {}
        for kind in ("pending", "queued"):
            for sender, ours in content[kind].items():
                if sender.lower() == self.address:
                    found |= {int(nonce): dict(one) for nonce, one in ours.items()}
        return found

    async def mined(self) -> list[Found]:
        """Everything that our account ever got into a canonical block, in order."""
        found: list[Found] = []
        for number in range(await self.height() + 1):
            block = await self.ask("eth_getBlockByNumber", hex(number), True)
            found += [dict(one) for one in block["transactions"] if one["from"].lower() == self.address]
        return found

    async def rival(self, tip_wei: int) -> None:
        """Another account's payment, which a block prefers to ours."""
        sender = (await self.ask("eth_accounts"))[1]
        fees = {"maxFeePerGas": hex(2 * tip_wei), "maxPriorityFeePerGas": hex(tip_wei)}
        await self.ask("eth_sendTransaction", {"from": sender, "to": sender, "gas": hex(21_000), **fees})

    async def foreign(self, nonce: int, **fields: Json) -> str:
        """Someone else who has our key signs with another library; gives the hash."""
        base = await self.base_fee()
        sent = {
            "chainId": CHAIN_ID,
            "nonce": nonce,
            "to": "0x" + "99" * 20,
            "value": 0,
            "gas": 21_000,
            "maxFeePerGas": base * 3 + 5 * GWEI,
            "maxPriorityFeePerGas": 3 * GWEI,
        } | fields
        signed = Account.sign_transaction(sent, EVM_RELAYER_KEY)
        return str(await self.ask("eth_sendRawTransaction", "0x" + signed.raw_transaction.hex()))
