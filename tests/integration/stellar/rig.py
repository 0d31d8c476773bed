"""A Stellar lane before a simulated node that closes ledgers only when told, behind a recording proxy."""

import base64
from pathlib import Path
from typing import Any

from aiohttp import ClientSession
from stellar_sdk import Account, FeeBumpTransactionEnvelope, Keypair, Operation, TransactionBuilder, TransactionEnvelope
from stellar_sdk.soroban_server_async import SorobanServerAsync
from tests.faults.proxy import FaultProxy
from tests.lane_client import Record
from tests.lane_rig import LaneRig, Parts

from baton.chains.stellar.language import StellarLanguage
from baton.devnet.stellar import StellarDevnet
from baton.domain.curve import Curve
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.policy import StellarPolicy
from baton.signers.local import LocalSigner

LUMEN = 10**7
SEED = bytes(range(32))
NATIVE = {"type": "native"}


def parts(node: StellarDevnet, *urls: str, policy: StellarPolicy | None = None, seed: bytes = SEED) -> Parts:
    """Of a lane on the node's network, reached by these addresses."""
    network = Network(
        "local",
        Family.STELLAR,
        rpc_urls=tuple(map(RpcUrl, urls)),
        block_time_ms=200,
        passphrase=node.passphrase,
        is_local=True,
    )
    language = StellarLanguage({network.name: network})
    return Parts(network, language, LocalSigner(Curve.ED25519, seed), policy or StellarPolicy())


class StellarRig(LaneRig):
    def __init__(
        self,
        node: StellarDevnet,
        proxies: list[FaultProxy],
        folder: Path,
        policy: StellarPolicy | None = None,
        *,
        seed: bytes = SEED,
    ) -> None:
        self.node = node
        self.proxies = proxies
        self.expects_foreign_landing = False  # somebody else carried our content in: its hash is not one of ours
        self.key = Keypair.from_raw_ed25519_seed(seed)
        super().__init__(parts(node, *(proxy.url for proxy in proxies), policy=policy, seed=seed), folder)
        assert self.address == self.key.public_key

    @property
    def proxy(self) -> FaultProxy:
        return self.proxies[0]

    async def account(self, lumens: int = 100) -> Keypair:
        """A stranger with some money."""
        key = Keypair.random()
        await self.node.fund(key.public_key, lumens * LUMEN)
        return key

    async def close(self, ledgers: int = 1) -> None:
        """The lane has done all that it will at each ledger before the next closes."""
        for _ in range(ledgers):
            self.node.close()
            await self.seen()

    async def seen(self) -> None:
        """Waits until the lane has done all that it will at the newest ledger."""
        newest = self.node.ledger.latest.sequence
        await self.handled(lambda block: block.number >= newest)

    async def polled(self, times: int) -> None:
        """Waits until the node was asked so often for its newest ledger: it may be the same one again."""
        before = self.proxy.calls["getFeeStats"]

        async def is_so() -> bool:
            return self.proxy.calls["getFeeStats"] >= before + times

        await self.until(is_so)

    async def lands(self, transaction_id: str) -> Record:
        """Sent, and in the next ledger: final at once."""
        await self.reaches(transaction_id, "submitted")
        self.node.close()
        return await self.reaches(transaction_id, "confirmed")

    async def closes_until(self, transaction_id: str, *statuses: str, ledgers: int = 8) -> Record:
        """Closes ledgers, each seen by the lane, until it is there."""
        for _ in range(ledgers):
            found = await self.record(transaction_id)
            if found["status"] in statuses:
                return found
            await self.close()
        return await self.reaches(transaction_id, *statuses)

    def balance(self, address: str) -> int:
        """In stroops, from the ledger itself, past the RPC."""
        entry = self.node.ledger.state.account(Keypair.from_public_key(address).xdr_account_id())
        return entry.balance.int64 if entry else 0

    def sequence(self, address: str | None = None) -> int:
        key = Keypair.from_public_key(address or self.address)
        entry = self.node.ledger.state.account(key.xdr_account_id())
        assert entry is not None
        return entry.seq_num.sequence_number.int64

    def build(self, source: Keypair, *operations: Operation, fee: int = 100, **options: Any) -> TransactionEnvelope:
        """Unsigned, by the official client: what somebody else would make."""
        sequence = self.sequence(source.public_key) + int(options.get("ahead", 0))
        builder = TransactionBuilder(Account(source.public_key, sequence), self.node.passphrase, fee)
        for operation in operations:
            builder.append_operation(operation)
        if options.get("memo") is not None:
            builder.add_text_memo(options["memo"])
        return builder.add_time_bounds(0, int(options.get("max_time", 0))).build()

    async def foreign_bump(self, inner: TransactionEnvelope, payer: Keypair) -> None:
        """Somebody else pays for a transaction that others signed."""
        outer = TransactionBuilder.build_fee_bump_transaction(payer, 500, inner, self.node.passphrase)
        outer.sign(payer)
        await self.foreign(outer)

    async def foreign(self, envelope: TransactionEnvelope | FeeBumpTransactionEnvelope) -> None:
        """Somebody else hands it to the node, past our lane and our proxy."""
        async with SorobanServerAsync(self.node.url) as server:
            answer = await server.send_transaction(envelope)
        assert answer.status.value == "PENDING", answer.error_result_xdr

    async def archive(self, contract: str) -> None:
        """Lets a contract's entries fall asleep."""
        asked = {"jsonrpc": "2.0", "id": 1, "method": "devnet_archive", "params": {"contract": contract}}
        async with ClientSession() as session, session.post(self.node.url, json=asked) as answer:
            assert (await answer.json())["result"] > 0

    async def times_sent(self, transaction_id: str) -> int:
        raws = {base64.b64encode(one.raw).decode() for one in await self.attempts(transaction_id)}
        return sum(1 for proxy in self.proxies for raw in proxy.forwarded if raw in raws)

    async def is_sent(self, transaction_id: str, times: int) -> None:
        """Waits until a node has taken in its bytes so often."""

        async def is_so() -> bool:
            raws = {base64.b64encode(one.raw).decode() for one in await self.attempts(transaction_id)}
            return sum(raw in raws for proxy in self.proxies for raw in proxy.arrived) >= times

        await self.until(is_so)


def payment(to: str, stroops: int = LUMEN, asset: Any = None) -> dict[str, Any]:
    return {"type": "payment", "destination": to, "asset": asset or NATIVE, "amount": str(stroops)}


def body(*operations: dict[str, Any], tag: str | None = None, **more: Any) -> dict[str, Any]:
    """`tag` is a memo that names a transaction on the ledger: the judge reads it there."""
    memo = {} if tag is None else {"memo": {"type": "text", "value": tag}}
    return {"network": "local", "operations": list(operations), **memo, **more}
