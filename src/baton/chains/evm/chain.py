"""An EVM network behind the chain seam: who it is, where its head is, what it shows of our attempts."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from baton.chains.base import Broadcast
from baton.chains.evm import revert
from baton.chains.evm.heads import Heads
from baton.chains.evm.ledger import Ledger, Receipt
from baton.chains.evm.node import EvmNode
from baton.chains.evm.proof import Proof, has_value
from baton.chains.evm.unwire import decode
from baton.chains.rpc import Call, RpcError
from baton.chains.seam import Account, Included, Lapsed, Orphaned, Sighting, Tip, Unseen
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import Network, RpcUrl
from baton.domain.policy import EvmPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, Block, Fate, Revision

RECENT_BLOCKS = 3
FEW = 20  # up to so many open attempts are asked for by hash; beyond, whole blocks are cheaper


class EvmChain:
    has_slots = True

    def __init__(self, network: Network, node: EvmNode, ws_url: RpcUrl | None = None) -> None:
        self._network = network
        self._node = node
        self.ledger = Ledger()
        self._heads = Heads(node, self.ledger, network.block_time_ms, ws_url)
        self._heads.senders = self._busy_senders
        self._watched: dict[
            str, tuple[int, int]
        ] = {}  # account → how many attempts of it are open, seen at which height
        self.proof = Proof(node)

    async def identity(self) -> str:
        """Chain id and the hash of block 0: a development chain started anew differs in the latter."""
        return await self._node.identity()

    def needs_slot(self, revision: Revision) -> bool:  # noqa: ARG002 - the seam's shape
        return True

    def tips(self) -> AsyncIterator[Tip]:
        return self._heads.tips()

    async def account(self, relayer: Relayer, tip: Tip) -> Account:
        assert isinstance(relayer.policy, EvmPolicy)
        depth = relayer.policy.confirmations or self._network.confirmations
        height = tip.block.number
        next_slot, settled, balance = await self._node.account(relayer.address, height, height - depth + 1)
        if self._node.needed == 1:
            return Account(next_slot, settled, balance, depth)
        told = sorted([next_slot, *await self._node.counts(relayer.address)])
        # Used is what everyone says, unused what nobody denies: no single node moves a slot.
        return Account(told[0], settled, balance, depth, unused_from=told[-1])

    async def observe(
        self, attempts: Sequence[Attempt], account: Account, tip: Tip, *, is_thorough: bool
    ) -> list[Sighting]:
        if attempts and attempts[0].slot is not None:
            self._watched[attempts[0].slot.account] = len(attempts), tip.block.number
        receipts = await self._receipts(attempts, account, is_thorough=is_thorough)
        return await Look(self, account, tip).at_all(attempts, receipts)

    async def _receipts(
        self, attempts: Sequence[Attempt], account: Account, *, is_thorough: bool
    ) -> Mapping[str, Receipt | None]:
        """What is known by hash. Only what was asked for is in it: None means the node knows no receipt."""
        if is_thorough or len(attempts) <= FEW or self._open_count() <= FEW:
            doubtful = [attempt.hash for attempt in attempts if not self._is_settled_here(attempt)]
        else:
            doubtful = [a.hash for a in attempts if a.hash not in self.ledger.landed and _is_doubtful(a, account, self)]
        return await self.receipts(doubtful)

    async def receipts(self, hashes: Sequence[str]) -> dict[str, Receipt | None]:
        """By transaction hash; None where the node that we asked knows none."""
        return dict(zip(hashes, await self._node.receipts(hashes), strict=True))

    def _open_count(self) -> int:
        """A lane without work does not look: what it had open a few blocks ago counts no more."""
        head = self.ledger.head
        height = 0 if head is None else head.block.number
        return sum(count for count, seen_at in self._watched.values() if height - seen_at <= RECENT_BLOCKS)

    def _busy_senders(self) -> frozenset[str]:
        """Whose attempts are looked for in whole blocks; nobody's while few are open."""
        return frozenset(account.lower() for account in self._watched) if self._open_count() > FEW else frozenset()

    def _is_settled_here(self, attempt: Attempt) -> bool:
        """Included, in a block that is still canonical: nothing to ask."""
        block = attempt.block
        return block is not None and self.ledger.hash_at(block.number) == block.hash

    async def broadcast(self, raws: Sequence[bytes]) -> list[Broadcast]:
        return await self._node.broadcast(raws)

    async def hashes_at(self, numbers: Iterable[int]) -> dict[int, str]:
        """The canonical hashes at heights that may be older than the ledger, in one request."""
        known = {number: self.ledger.hash_at(number) for number in numbers}
        older = [number for number, found in known.items() if found is None]
        asked = await self._node.headers(older)
        return {number: found for number, found in known.items() if found is not None} | {
            header.block.number: header.block.hash for header in asked
        }

    async def why_reverted(self, attempt: Attempt, block: Block) -> str:
        """The decoded reason, by running it again on the block before; best effort."""
        call = as_call(attempt)
        try:
            answer = (await self._node.try_out([Call("eth_call", [call, hex(block.number - 1)])]))[0]
        except NodeUnavailable:
            return "reverted on chain"
        if isinstance(answer, RpcError):
            error = {"code": answer.code, "message": answer.message, "data": answer.data}
            if revert.is_revert(error):
                return f"reverted on chain: {revert.reason(error)}"
        return "reverted on chain"

    async def knows(self, hashes: Sequence[str]) -> Mapping[str, Mapping[str, bool]]:
        calls = [Call("eth_getTransactionByHash", [one]) for one in hashes]
        heard = {
            endpoint.shown: found
            for endpoint, found in await self._node.pool.everywhere(calls)
            if not isinstance(found, NodeUnavailable)
        }
        if not heard:
            raise NodeUnavailable("no node answers now")
        return {
            one: {node: has_value(found[index]) for node, found in heard.items()} for index, one in enumerate(hashes)
        }

    async def logs(self, tx_hash: str) -> list[Json] | None:
        return await self._node.logs(tx_hash)


def _is_doubtful(attempt: Attempt, account: Account, chain: EvmChain) -> bool:
    """Its slot is used according to the chain, or its block is not canonical any more: ask by hash."""
    if attempt.fate is Fate.OPEN:
        return attempt.slot is not None and attempt.slot.number < account.first_unused
    return attempt.block is not None and chain.ledger.hash_at(attempt.block.number) != attempt.block.hash


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the chain, at one tip, for one account."""

    chain: EvmChain
    account: Account
    tip: Tip

    async def at_all(self, attempts: Sequence[Attempt], asked: Mapping[str, Receipt | None]) -> list[Sighting]:
        """What one node shows, then what it takes more than one node's word for: depth, and slots that are gone."""
        hashes = await self._hashes(attempts, asked)
        seen = [self._at(attempt, asked, hashes) for attempt in attempts]
        deep = [one for one in seen if isinstance(one, Receipt) and self._is_deep(one.block)]
        settled = await self.chain.proof.settled(deep, self.account.depth)
        seen = await self._doubted(attempts, seen, settled)
        doubtful = [
            attempt for attempt, one in zip(attempts, seen, strict=True) if self._may_be_lost(attempt, one, asked)
        ]
        lost = await self.chain.proof.lost(doubtful, self.tip.block.number - self.account.depth + 1)
        sightings: list[Sighting] = []
        for attempt, one in zip(attempts, seen, strict=True):
            if isinstance(one, Receipt):
                agreed = settled.get(one.hash)
                sightings.append(await self._included(attempt, agreed or one, is_final=agreed is not None))
            elif attempt.hash in lost:
                sightings.append(Lapsed(f"nonce {_number(attempt)} was used by another transaction of this account"))
            else:
                sightings.append(one)
        return sightings

    async def _hashes(self, attempts: Sequence[Attempt], asked: Mapping[str, Receipt | None]) -> dict[int, str]:
        """What stands at the heights where they are or were, up to the tip."""
        receipts = [self.chain.ledger.landed.get(one.hash) or asked.get(one.hash) for one in attempts]
        blocks = [one.block for one in (*attempts, *receipts) if one is not None and one.block is not None]
        return await self.chain.hashes_at({one.number for one in blocks if one.number <= self.tip.block.number})

    async def _doubted(
        self, attempts: Sequence[Attempt], seen: list[Receipt | Orphaned | Unseen], settled: Mapping[str, Receipt]
    ) -> list[Receipt | Orphaned | Unseen]:
        """What we wrote down as included, and too few nodes confirm though it should be deep by now, is asked for anew."""
        doubtful = [
            attempt.hash
            for attempt, one in zip(attempts, seen, strict=True)
            if isinstance(one, Receipt) and self._is_deep(one.block) and attempt.block and one.hash not in settled
        ]
        if not doubtful:
            return seen
        found = await self.chain.receipts(doubtful)
        return [
            (found[attempt.hash] or Orphaned()) if attempt.hash in found else one
            for attempt, one in zip(attempts, seen, strict=True)
        ]

    def _at(
        self, attempt: Attempt, asked: Mapping[str, Receipt | None], hashes: Mapping[int, str]
    ) -> Receipt | Orphaned | Unseen:
        block = attempt.block
        if block is not None and hashes.get(block.number) == block.hash:
            return Receipt(attempt.hash, block, attempt.fate is Fate.INCLUDED, None)
        receipt = self.chain.ledger.landed.get(attempt.hash) or asked.get(attempt.hash)
        # A receipt from a block above our tip is simply early; below it must match what we know.
        if receipt is not None and hashes.get(receipt.block.number, receipt.block.hash) == receipt.block.hash:
            return receipt
        is_replaced = block is not None and block.number in hashes
        return Orphaned() if is_replaced else Unseen()

    def _is_deep(self, block: Block) -> bool:
        return self.tip.block.number - block.number + 1 >= self.account.depth

    def _may_be_lost(self, attempt: Attempt, seen: Receipt | Sighting, asked: Mapping[str, Receipt | None]) -> bool:
        """Its slot is used at the required depth, and the node that we asked knows no receipt of it."""
        is_used = attempt.slot is not None and attempt.slot.number < self.account.settled_slot
        is_open = isinstance(seen, Unseen) and attempt.block is None
        return is_used and is_open and attempt.hash in asked and asked[attempt.hash] is None

    async def _included(self, attempt: Attempt, receipt: Receipt, *, is_final: bool) -> Included:
        why = None
        if not receipt.has_succeeded and (is_final or attempt.fate is Fate.OPEN):
            why = await self.chain.why_reverted(attempt, receipt.block)
        return Included(receipt.block, is_final, receipt.has_succeeded, why, receipt.outcome)


def _number(attempt: Attempt) -> int:
    assert attempt.slot is not None
    return attempt.slot.number


def as_call(attempt: Attempt) -> dict[str, object]:
    """A signed attempt as the object of an `eth_call`."""
    read = decode(attempt.raw)
    tx = read.envelope
    call: dict[str, object] = {
        "from": read.sender,
        "gas": hex(tx.gas_limit),
        "value": hex(tx.value),
        "data": "0x" + tx.data.hex(),
    }
    if tx.to is not None:
        call["to"] = "0x" + tx.to.hex()
    return call
