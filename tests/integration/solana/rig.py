"""A Solana lane before a local node that makes blocks only when told, behind a recording proxy."""

import base64
from pathlib import Path
from typing import Any

from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from tests.faults.proxy import FaultProxy
from tests.lane_client import Record
from tests.lane_rig import LaneRig, Parts

from baton.chains.solana.language import SolanaLanguage
from baton.chains.solana.maker import RESEND_S
from baton.devnet.solana import SolanaDevnet
from baton.domain.curve import Curve
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.policy import SolanaPolicy
from baton.signers.local import LocalSigner

SOL = 10**9
SEED = bytes(range(32))
MEMO = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
FINALITY = 32  # blocks
LIFE = 150  # blocks that a blockhash lives


def parts(*urls: str, policy: SolanaPolicy | None = None, seed: bytes = SEED, **of_network: Any) -> Parts:
    """Of a lane on a local chain."""
    usual = {"block_time_ms": 200, "is_local": True}
    network = Network("local", Family.SOLANA, rpc_urls=tuple(map(RpcUrl, urls)), **{**usual, **of_network})
    return Parts(network, SolanaLanguage(), LocalSigner(Curve.ED25519, seed), policy or SolanaPolicy())


class SolanaRig(LaneRig):
    def __init__(
        self,
        node: SolanaDevnet,
        proxies: list[FaultProxy],
        folder: Path,
        policy: SolanaPolicy | None = None,
        tags: frozenset[str] = frozenset(),
    ) -> None:
        self.node = node
        self.proxies = proxies
        self.key = Keypair.from_seed(SEED)
        super().__init__(parts(*(proxy.url for proxy in proxies), policy=policy, tags=tags), folder)
        assert self.address == str(self.key.pubkey())

    @property
    def proxy(self) -> FaultProxy:
        return self.proxies[0]

    @property
    def slot(self) -> int:
        return self.node.node.newest.slot

    async def mine(self, blocks: int = 1) -> None:
        """The lane has done all that it will at each block before the next comes."""
        for _ in range(blocks):
            self.node.mine()
            await self.seen()

    async def seen(self) -> None:
        """Waits until the lane has done all that it will at the node's newest block."""
        slot = self.slot
        await self.handled(lambda block: block.number >= slot)

    async def mine_idle(self, blocks: int) -> None:
        """While a lane has nothing to do it looks at nothing: only its watcher sees these."""
        self.node.mine(blocks)

    async def lands(self, transaction_id: str) -> Record:
        """Sent, and one block later in it."""
        await self.reaches(transaction_id, "submitted", "mined")
        self.node.mine()
        return await self.reaches(transaction_id, "mined")

    async def sends_again(self, transaction_id: str) -> None:
        """Some seconds later, at the next block, its bytes go out once more."""
        before = await self.times_sent(transaction_id)
        self.clock.leap(RESEND_S)
        self.node.mine()
        await self.is_sent(transaction_id, before + 1)

    async def is_sent(self, transaction_id: str, times: int) -> None:
        """Waits until a node got its bytes so often."""

        async def is_so() -> bool:
            return await self.times_sent(transaction_id) >= times

        await self.until(is_so)

    async def times_sent(self, transaction_id: str) -> int:
        raws = {base64.b64encode(one.raw).decode() for one in await self.attempts(transaction_id)}
        return sum(1 for proxy in self.proxies for raw in proxy.forwarded if raw in raws)

    async def confirms(self, *transaction_ids: str) -> list[Record]:
        """Everything that was sent lands with the next block, and is final some blocks later."""
        await self.all_reach(transaction_ids, "submitted", "mined", "confirmed")
        self.node.mine()
        await self.all_reach(transaction_ids, "mined", "confirmed")
        self.node.mine(FINALITY)
        return await self.all_reach(transaction_ids, "confirmed")

    def pay(self, to: Pubkey, lamports: int) -> Instruction:
        return transfer(TransferParams(from_pubkey=self.key.pubkey(), to_pubkey=to, lamports=lamports))

    def tag(self, text: str) -> Instruction:
        """A memo that names a transaction on chain: the judge reads it there."""
        return Instruction(MEMO, text.encode(), [AccountMeta(self.key.pubkey(), True, False)])


def body(*instructions: Instruction, **more: Any) -> dict[str, Any]:
    return {"instructions": [spec(each) for each in instructions], **more}


def spec(instruction: Instruction) -> dict[str, Any]:
    return {
        "program_id": str(instruction.program_id),
        "accounts": [
            {"pubkey": str(meta.pubkey), "is_signer": meta.is_signer, "is_writable": meta.is_writable}
            for meta in instruction.accounts
        ],
        "data": base64.b64encode(bytes(instruction.data)).decode(),
    }
