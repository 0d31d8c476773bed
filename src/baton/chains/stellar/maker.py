"""Makes what a Stellar lane signs: bids from the market, resources from a simulation, signatures from a pen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import stellar_sdk as sdk

from baton.chains.seam import Doomed, Outlook, Pen, Prepared, Ready, Signed, Stall, Step, Wait
from baton.chains.stellar import envelope as envelopes
from baton.chains.stellar import fees
from baton.chains.stellar import policy as policies
from baton.chains.stellar.envelope import Body
from baton.chains.stellar.fees import LEAST_BID, Load, Market, OverCap
from baton.chains.stellar.heads import Heads
from baton.chains.stellar.node import StellarNode
from baton.chains.stellar.plan import VALID_S, Plan, max_time, plan_of
from baton.chains.stellar.signing import Draft, Signing
from baton.chains.stellar.simulation import Archived, Refusal, agreed, assembled
from baton.chains.stellar.upkeep import Upkeep
from baton.domain.clock import Clock
from baton.domain.errors import Bug, Invalid
from baton.domain.policy import StellarPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, AttemptKind, Revision, Slot

RESEND_LEDGERS = 2  # what a node took should be in the next ledger; after two, remind the nodes
PATIENCE_LEDGERS = 3  # a node's queue gives up what four ledgers did not take: offer more before that
LAST_SECONDS = 10  # a version that ends so soon is not worth raising

ITS_OWN_NUMBER = "waiting until the earlier version is dead or has landed: what others signed keeps its sequence number"
ARCHIVED = "waiting: entries that it needs are archived and must be restored first"


@dataclass(frozen=True, slots=True)
class Till:
    """What prices are made from: one relayer's policy at one ledger."""

    address: str
    policy: StellarPolicy
    market: Market

    def cap(self, plan: Plan) -> int:
        return min(plan.max_fee, self.policy.max_fee)


class StellarMaker:
    def __init__(self, node: StellarNode, heads: Heads, upkeep: Upkeep, clock: Clock) -> None:
        self._node = node
        self._heads = heads
        self._upkeep = upkeep
        self._clock = clock

    async def prepare(self, asks: Sequence[tuple[Revision, bool]], relayer: Relayer) -> list[Prepared]:
        till = await self._till(relayer)
        plans = [plan_of(revision.content, self._node.passphrase) for revision, _ in asks]
        tried = await self._tried(plans, relayer)
        return [
            self._prepared(revision, plan, till, is_first=is_first)
            for (revision, is_first), plan in zip(asks, tried, strict=True)
        ]

    async def _tried(self, plans: Sequence[Plan], relayer: Relayer) -> list[Plan | Refusal | Archived]:
        """Contract calls with what a simulation adds to them; the others as they are. One batch."""
        tried: list[Plan | Refusal | Archived] = list(plans)
        places = [place for place, plan in enumerate(plans) if plan.is_soroban and plan.signed is None]
        slot = Slot("", relayer.address, 0)  # a simulation asks for no sequence number
        made = [envelopes.transaction(plans[place].body, slot, LEAST_BID, 0, self._node.passphrase) for place in places]
        for place, envelope, answer in zip(places, made, await self._node.simulate(made), strict=True):
            body = plans[place].body
            found = assembled(body, answer)
            if isinstance(found, Refusal) and self._node.needed > 1:
                found = agreed(body, await self._node.opinions(envelope), self._node.needed)
            tried[place] = replace(plans[place], body=found) if isinstance(found, Body) else found
            if isinstance(found, Archived):
                self._upkeep.ask_for(relayer, found.restore)
        return tried

    def _prepared(self, revision: Revision, plan: Plan | Refusal | Archived, till: Till, *, is_first: bool) -> Prepared:
        match plan:
            case Archived():
                return Wait(ARCHIVED)
            case Refusal(why, is_certain=False):
                return Wait(f"its simulation is repeated, because too few nodes could be asked: {why}")
            case Refusal(why) if is_first:
                return Doomed(why)
            case Refusal(why):
                return Wait(f"its simulation fails while earlier transactions are on their way; it is repeated: {why}")
            case Plan():
                return self._priced(revision, plan, till)

    def _priced(self, revision: Revision, plan: Plan, till: Till) -> Prepared:
        refused = _refused(plan, till)
        if refused is not None:
            return refused
        ends = max_time(plan, revision.valid_until, self._now_s())
        if 0 < ends <= self._node.closed_at:
            return Doomed("its validity ended, by the ledger's clock", is_expired=True)
        is_wrapped = plan.signed is not None
        load = plan.load(is_wrapped=is_wrapped or till.policy.channel_accounts > 0)
        prices = till.market.prices(is_soroban=plan.is_soroban)
        bid = fees.offer(load, prices, till.policy.default_speed, till.cap(plan))
        if isinstance(bid, OverCap):
            is_for_ever = load.count * load.least_bid > plan.max_fee  # resources may cost less at another time
            return Doomed(f"max_fee: {bid.why}") if is_for_ever else Wait(f"waiting for the price to fall: {bid.why}")
        draft = Draft(plan.body, bid, ends, plan.signed, is_wrapped)
        return Ready(draft, load.cost(bid) + plan.outflow(till.address))

    async def bump(self, revision: Revision, attempts: Sequence[Attempt], relayer: Relayer) -> Prepared:
        till = await self._till(relayer)
        plan = plan_of(revision.content, self._node.passphrase)
        same = [a for a in attempts if a.revision == revision.number and a.kind is not AttemptKind.NOOP]
        if same:
            return self._wrapped_anew(plan, same[-1], attempts, till)
        if plan.signed is not None or attempts[-1].slot is None:
            return Wait(ITS_OWN_NUMBER)
        match (await self._tried([plan], relayer))[0]:
            case Archived():
                return Wait(ARCHIVED)
            case Refusal(why, is_certain):
                return Doomed(why) if is_certain else Wait(f"its simulation is repeated: {why}")
            case Plan() as tried:
                refused = _refused(tried, till)
                if refused is not None:
                    return refused
                ends = max_time(tried, revision.valid_until, self._now_s())
                return self._raised(Draft(tried.body, 0, ends, is_wrapped=True), tried, attempts, till)

    def _wrapped_anew(self, plan: Plan, last: Attempt, attempts: Sequence[Attempt], till: Till) -> Prepared:
        """The very same transaction in a dearer fee bump: whichever lands, it is the same one."""
        inner = envelopes.inner_of(envelopes.parsed(last.raw, self._node.passphrase))
        ends = envelopes.max_time_of(inner.transaction)
        if 0 < ends <= self._now_s() + LAST_SECONDS:
            return Wait("waiting for its time bound to pass; then it is signed anew")
        body = replace(plan.body, soroban=inner.transaction.soroban_data)
        return self._raised(Draft(body, 0, ends, inner, is_wrapped=True), plan, attempts, till)

    def _raised(self, draft: Draft, plan: Plan, attempts: Sequence[Attempt], till: Till) -> Prepared:
        load = replace(plan, body=draft.body).load(is_wrapped=True)
        bid = fees.raised(load, attempts, till.market.prices(is_soroban=plan.is_soroban), till.cap(plan))
        if isinstance(bid, OverCap):
            return Wait(f"waiting for its time bound to pass, because a fee bump is too dear: {bid.why}")
        return Ready(draft.at(bid), load.cost(bid) + plan.outflow(till.address))

    async def void(
        self,
        attempts: Sequence[Attempt],
        relayer: Relayer,
        earlier: Sequence[Attempt] | None = None,
    ) -> Prepared:
        """Ten times the bid, or nothing: the network lets a waiting transaction be displaced by nothing else."""
        if not attempts or attempts[-1].slot is None:
            return Wait(ITS_OWN_NUMBER)
        if earlier is not None:
            return Wait("there is no rescue budget here: a time bound ends what is stuck")
        if all(0 < int(a.facts["max_time"]) <= self._now_s() for a in attempts):
            return Wait("waiting for a ledger that closes after its time bound")
        till = await self._till(relayer)
        body = Body(relayer.address, (sdk.BumpSequence(0),), sdk.NoneMemo())
        load = Load(count=2)
        bid = fees.raised(load, attempts, till.market.classic, till.policy.max_fee)
        if isinstance(bid, OverCap):
            return Wait(f"waiting for its time bound to pass, because displacing it is too dear: {bid.why}")
        return Ready(Draft(body, bid, self._now_s() + VALID_S, is_wrapped=True), load.cost(bid))

    async def sign(self, drafts: Sequence[tuple[Ready, Slot | None]], relayer: Relayer, pen: Pen) -> list[Signed]:
        market = self._heads.market
        ledger = 0 if market is None else market.ledger
        return await Signing(relayer.address, self._node.passphrase, ledger, pen).all(drafts)

    def next_step(self, attempt: Attempt, stall: Stall, relayer: Relayer) -> Step:  # noqa: ARG002 - the seam's shape
        """Raise what ledgers pass by; remind the nodes of what they took and do not show."""
        if stall.blocks >= PATIENCE_LEDGERS:
            return Step.BUMP
        return Step.RESEND if stall.blocks_since_sent >= RESEND_LEDGERS else Step.NOTHING

    async def outlook(self, attempts: Sequence[Attempt], relayer: Relayer) -> Outlook:
        till = await self._till(relayer)
        wanted = till.market.classic.by_speed[till.policy.default_speed]
        market = {"inclusion_fee": till.market.classic.shown, "soroban_inclusion_fee": till.market.soroban.shown}
        return Outlook(market, till.policy.max_fee, tuple(fees.shortfall(attempt, wanted) for attempt in attempts))

    async def _till(self, relayer: Relayer) -> Till:
        """With the market as the newest ledger's poll told it."""
        if not isinstance(relayer.policy, StellarPolicy):
            raise Bug(f"relayer {relayer.id!r} has no Stellar policy")
        return Till(relayer.address, relayer.policy, self._heads.market or await self._node.market())

    def _now_s(self) -> int:
        return self._node.now_s(self._clock)


def _refused(plan: Plan, till: Till) -> Doomed | None:
    """The policy may have changed since it was accepted."""
    try:
        policies.check(plan.deeds, till.policy, is_own_money=plan.signed is None)
    except Invalid as refused:
        return Doomed(f"refused by the relayer's policy: {refused}")
    return None
