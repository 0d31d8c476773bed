"""A Stellar network behind the chain seam: who it is, where its ledgers are, what it shows of our attempts."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from baton.chains.base import Broadcast
from baton.chains.rpc import Result
from baton.chains.seam import Account, Included, Sighting, Source, Tip, Unseen
from baton.chains.stellar.channels import Channels
from baton.chains.stellar.heads import Heads
from baton.chains.stellar.landings import Landings
from baton.chains.stellar.node import Found, Lookup, StellarNode, lookup_call
from baton.chains.stellar.proof import Proof, is_past, keys_of, source_of
from baton.chains.stellar.upkeep import Upkeep
from baton.domain.clock import Clock
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import Network
from baton.domain.policy import StellarPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, Block, Revision

FEW = 100  # up to so many open attempts are asked for by hash; beyond, whole ledgers are cheaper


@dataclass(frozen=True, slots=True)
class StellarAccount(Account):
    ledger: int  # at which it was read
    sequences: Mapping[str, int]  # of every account that lends its sequence


class StellarChain:
    has_slots = True

    def __init__(self, network: Network, node: StellarNode, channels: Channels, clock: Clock) -> None:
        self._node = node
        self._clock = clock
        self._proof = Proof(node)
        self._landings = Landings(node)
        self.heads = Heads(node, network.block_time_ms, is_local=network.is_local)
        self.upkeep = Upkeep(channels, self.heads)

    async def identity(self) -> str:
        return await self._node.identity()

    def tips(self) -> AsyncIterator[Tip]:
        return self.heads.tips()

    def needs_slot(self, revision: Revision) -> bool:
        """A transaction that others signed brings its own sequence number."""
        return not revision.content["fee_bump"]

    async def account(self, relayer: Relayer, tip: Tip) -> Account:
        assert isinstance(relayer.policy, StellarPolicy)
        channels = await self.upkeep.channels.addresses(relayer, relayer.policy.channel_accounts)
        seen = await self._node.accounts([relayer.address, *(channels or ())])
        if seen.ledger < tip.block.number:
            raise NodeUnavailable(f"a node is at ledger {seen.ledger}, behind {tip.block.number}")
        entry = seen.entries.get(relayer.address)
        sequence = 0 if entry is None else entry.sequence
        sources = self.upkeep.sources(relayer, channels or [], seen.entries)
        if channels is not None and not sources:
            sources = [Source(relayer.address, sequence + 1)]
        return StellarAccount(
            next_slot=sequence + 1,
            settled_slot=sequence + 1,
            balance=0 if entry is None else entry.spendable,
            depth=1,
            ledger=seen.ledger,
            sequences={address: one.sequence for address, one in seen.entries.items()},
            sources=tuple(sources),
            chores=self.upkeep.chores(relayer, channels or [], seen.entries, self._node.now_s(self._clock)),
        )

    async def observe(
        self,
        attempts: Sequence[Attempt],
        account: Account,
        tip: Tip,
        *,
        is_thorough: bool,
    ) -> list[Sighting]:
        asked = await self._worth_asking(attempts, account, tip, is_thorough=is_thorough)
        if not asked:
            return [Unseen()] * len(attempts)
        hashes = list(dict.fromkeys(key for attempt in asked for key in keys_of(attempt)))
        lookups = dict(zip(hashes, await self._node.lookups(hashes), strict=True))
        own = {attempt.hash for attempt in attempts}
        found = {attempt.id: key for attempt in asked if (key := _landing(attempt, own, lookups)) is not None}
        agreed = await self._proof.landed({key: lookups[key] for key in found.values()})
        doubtful = [
            attempt
            for attempt in asked
            if all(lookups[key].found is None for key in keys_of(attempt))
            and (is_thorough or _is_doubtful(attempt, account, max(lookups[k].closed_at for k in keys_of(attempt))))
        ]
        dead = await self._proof.dead(doubtful)
        sightings: list[Sighting] = []
        for attempt in attempts:
            key = found.get(attempt.id)
            landed = lookups[key].found if key is not None and key in agreed else None
            if landed is not None and _is_in_balance(landed, account):
                sightings.append(_included(landed))
            else:
                sightings.append(dead.get(attempt.id) or Unseen())
        return sightings

    async def _worth_asking(
        self, attempts: Sequence[Attempt], account: Account, tip: Tip, *, is_thorough: bool
    ) -> list[Attempt]:
        """Few: all of them. Many: those that a walk through the new ledgers has found, or that may be dead."""
        if is_thorough or len(attempts) <= FEW:
            return list(attempts)
        absent = await self._landings.covers(attempts, tip.block.number)
        now = self._landings.closed_at
        return [one for one in attempts if one.id not in absent or _is_doubtful(one, account, now)]

    async def broadcast(self, raws: Sequence[bytes]) -> list[Broadcast]:
        return await self._node.broadcast(raws)

    async def knows(self, hashes: Sequence[str]) -> Mapping[str, Mapping[str, bool]]:
        """Nodes tell of closed ledgers only: what waits in a queue is known to none."""
        known: dict[str, dict[str, bool]] = {one: {} for one in hashes}
        for endpoint, answers in await self._node.pool.everywhere([lookup_call(one) for one in hashes]):
            if isinstance(answers, NodeUnavailable):
                continue
            for one, answer in zip(hashes, answers, strict=True):
                if isinstance(answer, Result):
                    known[one][endpoint.shown] = self._node.read_lookup(answer).found is not None
        return known

    async def logs(self, tx_hash: str) -> list[Json] | None:
        """The events of contracts, as base64 XDR."""
        return await self._node.events(tx_hash)


def _is_doubtful(attempt: Attempt, account: Account, closed_at: int) -> bool:
    """Its time is over, or its number is used: worth asking everyone."""
    if is_past(attempt, closed_at):
        return True
    sequences = account.sequences if isinstance(account, StellarAccount) else {}
    return sequences.get(source_of(attempt), 0) >= int(attempt.facts["sequence_number"])


def _landing(attempt: Attempt, own: set[str], lookups: Mapping[str, Lookup]) -> str | None:
    """The hash by which it was found, unless it is another version of ours that was found by it."""
    for key in keys_of(attempt):
        found = lookups[key].found
        if found is not None:
            return key if found.hash == attempt.hash or found.hash not in own else None
    return None


def _is_in_balance(found: Found, account: Account) -> bool:
    """If not, the next look, with a newer balance, sees it."""
    return not isinstance(account, StellarAccount) or found.ledger <= account.ledger


def _included(found: Found) -> Included:
    """Final at once: a ledger that is closed stays."""
    outcome = {
        "ledger": found.ledger,
        "fee_charged": str(found.fee),
        "transaction_result_xdr": found.result_xdr,
    }
    return Included(Block(found.ledger, ""), True, found.has_succeeded, found.why, outcome)
