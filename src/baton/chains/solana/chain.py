"""A Solana network behind the chain seam: who it is, where its head is, what it shows of our attempts."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from baton.chains.base import Broadcast
from baton.chains.rpc import Result
from baton.chains.seam import Account, Included, Lapsed, Orphaned, Sighting, Tip, Unseen
from baton.chains.solana.failure import reason
from baton.chains.solana.heads import Heads
from baton.chains.solana.node import STATUSES_A_CALL, Level, SolanaNode, Status, parts, read_statuses, status_call
from baton.chains.solana.proof import Proof
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import Network, RpcUrl
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, Block, Revision

CONFIRMED_IS_FINAL = "confirmed-is-final"  # a tag of networks whose operators trust a supermajority's vote
FINAL_DEPTH = 32  # blocks until a block is rooted
RECHECK_SLOTS = 8  # a block that most have voted for is looked at again so seldom, until it may be rooted


@dataclass(frozen=True, slots=True)
class SolanaAccount(Account):
    slot: int  # at which the balance was read


@dataclass(frozen=True, slots=True)
class Seen:
    status: Status
    asked_at: int  # the tip's slot then


class SolanaChain:
    has_slots = False

    def __init__(self, network: Network, node: SolanaNode, ws_url: RpcUrl | None = None) -> None:
        self._node = node
        self._final = Level.CONFIRMED if CONFIRMED_IS_FINAL in network.tags else Level.FINALIZED
        self._proof = Proof(node)
        self.heads = Heads(node, network, ws_url)
        self._seen: dict[str, dict[str, Seen]] = {}  # relayer → signature → what was last said of it

    async def identity(self) -> str:
        """The genesis hash."""
        return await self._node.identity()

    def needs_slot(self, revision: Revision) -> bool:  # noqa: ARG002 - the seam's shape
        return False

    def tips(self) -> AsyncIterator[Tip]:
        return self.heads.tips()

    async def account(self, relayer: Relayer, tip: Tip) -> Account:
        balance, slot = await self._node.balance(relayer.address, tip.block.number)
        return SolanaAccount(next_slot=0, settled_slot=0, balance=balance, depth=FINAL_DEPTH, slot=slot)

    async def observe(
        self, attempts: Sequence[Attempt], account: Account, tip: Tip, *, is_thorough: bool
    ) -> list[Sighting]:
        if not attempts:
            return []
        statuses = await self._statuses(attempts, tip, is_thorough=is_thorough)
        doubtful = [one for one in attempts if one.hash not in statuses and self._is_doubtful(one)]
        heard = await self._proof.hear(doubtful)
        statuses |= heard.statuses
        final = await self._proof.final(statuses, self._final)
        sightings: list[Sighting] = []
        for attempt in attempts:
            status = statuses.get(attempt.hash)
            if status is not None:
                agreed = final.get(attempt.hash)
                is_final = agreed is not None
                sightings.append(await self._sighting(attempt, agreed or status, account, is_final=is_final))
            elif attempt.hash in heard.dead:
                sightings.append(_lapsed(attempt))
            else:
                sightings.append(Orphaned() if attempt.hash in heard.gone else Unseen())
        return sightings

    async def _statuses(self, attempts: Sequence[Attempt], tip: Tip, *, is_thorough: bool) -> dict[str, Status]:
        """Of those that one node shows."""
        slot = tip.block.number
        relayer_id = attempts[0].relayer_id
        seen = {} if is_thorough else self._seen.get(relayer_id, {})
        asked = [one.hash for one in attempts if one.hash not in seen or _is_due(seen[one.hash], slot)]
        found = await self._node.statuses(asked, is_history_searched=is_thorough)
        news = dict(zip(asked, found.items, strict=True))
        kept = {one.hash: seen[one.hash] for one in attempts if one.hash not in news}
        kept |= {signature: Seen(status, slot) for signature, status in news.items() if status is not None}
        self._seen[relayer_id] = kept
        return {signature: one.status for signature, one in kept.items()}

    def _is_doubtful(self, attempt: Attempt) -> bool:
        """Unseen now, and it was in a block, or it may be too late for it: worth asking everyone."""
        if attempt.block is not None or attempt.facts.get("nonce_account") is not None:
            return True
        head = self.heads.head
        return head is not None and head.height > int(attempt.facts["last_valid_block_height"])

    async def _sighting(self, attempt: Attempt, status: Status, account: Account, *, is_final: bool) -> Sighting:
        if attempt.block is None and isinstance(account, SolanaAccount) and status.slot > account.slot:
            return Unseen()  # its cost is not in that balance yet: the next look, with a newer one, sees it
        why = None
        if status.error is not None:
            logs = (await self._node.logs(attempt.hash) if is_final else None) or []
            why = "failed on chain: " + reason(status.error, logs, added=int(attempt.facts.get("added", 0)))
        outcome = {"slot": status.slot, "fee_paid": attempt.facts.get("fee")}
        return Included(Block(status.slot, ""), is_final, status.error is None, why, outcome)

    async def broadcast(self, raws: Sequence[bytes]) -> list[Broadcast]:
        return await self._node.broadcast(raws)

    async def knows(self, hashes: Sequence[str]) -> Mapping[str, Mapping[str, bool]]:
        known: dict[str, dict[str, bool]] = {one: {} for one in hashes}
        for part in parts(hashes, STATUSES_A_CALL):
            for endpoint, found in await self._node.pool.everywhere([status_call(part)]):
                if isinstance(found, NodeUnavailable) or not isinstance(found[0], Result):
                    continue
                for one, status in zip(part, read_statuses(found[0], len(part)).items, strict=True):
                    known[one][endpoint.shown] = status is not None
        return known

    async def logs(self, tx_hash: str) -> list[Json] | None:
        return await self._node.logs(tx_hash)


def _is_due(seen: Seen, slot: int) -> bool:
    """Blocks that most have voted for stay: they are asked for again only now and then, until they may be rooted."""
    if seen.status.level is Level.PROCESSED or slot - seen.asked_at >= RECHECK_SLOTS:
        return True
    return slot - seen.status.slot >= FINAL_DEPTH - 1


def _lapsed(attempt: Attempt) -> Lapsed:
    if attempt.facts.get("nonce_account") is not None:
        why = "its durable nonce was used by another transaction"
    else:
        why = f"its blockhash died after block {attempt.facts['last_valid_block_height']}"
    return Lapsed(why, is_renewable=bool(attempt.facts["is_renewable"]))
