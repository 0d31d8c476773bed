"""Makes what an EVM lane signs: fees from the market, gas from a simulation, signatures from a pen."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from baton.chains.evm import budget, build, data_fee, fees, price, wire
from baton.chains.evm.ask import Ask
from baton.chains.evm.gas import Gas, Refusal
from baton.chains.evm.ledger import Ledger
from baton.chains.evm.node import EvmNode
from baton.chains.evm.policy import check
from baton.chains.evm.price import OverCap, Price
from baton.chains.evm.record import facts_of
from baton.chains.seam import Doomed, Outlook, Pen, Prepared, Ready, Signed, Stall, Step, Wait
from baton.domain.errors import Bug, Invalid
from baton.domain.network import Network
from baton.domain.policy import EvmPolicy, Speed
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, AttemptKind, Revision, Slot

# Blocks that an attempt may wait, though it waits for nobody, before it is offered dearer.
PATIENCE = {Speed.FASTEST: 2, Speed.FAST: 3, Speed.AVERAGE: 5, Speed.SAFE_LOW: 10}
RESEND_BLOCKS = 1  # what waits for nobody should be in the next block; if it is not, remind the nodes
SANE_TIMES = 10  # so far above the market it is not the price that holds it up


class Draft(Struct, frozen=True):
    """All but the nonce."""

    ask: Ask
    gas_limit: int
    price: Price
    speed: Speed


class EvmMaker:
    def __init__(self, network: Network, node: EvmNode, ledger: Ledger) -> None:
        self._network = network
        self._node = node
        self._ledger = ledger
        self._gas = Gas(network, node)
        self._market: fees.Market | None = None
        self._market_height = -1

    async def prepare(self, asks: Sequence[tuple[Revision, bool]], relayer: Relayer) -> list[Prepared]:
        policy = policy_of(relayer)
        market = await self._fresh_market()
        wanted = [Ask.of(revision.content) for revision, _ in asks]
        limits = await self._gas.limits(wanted, relayer, self._block_gas_limit())
        prepared = [
            self._prepared(ask, limit, policy, market, relayer, is_first=is_first)
            for ask, limit, (_, is_first) in zip(wanted, limits, asks, strict=True)
        ]
        return await self._with_data_fees(prepared)

    async def _with_data_fees(self, prepared: list[Prepared]) -> list[Prepared]:
        """On a rollup that charges for data, the greatest cost counts that too."""
        ready = [one for one in prepared if isinstance(one, Ready)]
        if not ready or data_fee.TAG not in self._network.tags:
            return prepared
        slot = Slot("", "", 0)  # the nonce changes the size by a few bytes at most
        plain = [wire.unsigned(self._envelope(one.value, slot)) for one in ready]
        fees_due = iter(await data_fee.data_fees(self._node, plain))
        return [
            replace(one, max_cost=one.max_cost + next(fees_due)) if isinstance(one, Ready) else one for one in prepared
        ]

    def _prepared(
        self,
        ask: Ask,
        limit: int | Refusal,
        policy: EvmPolicy,
        market: fees.Market,
        relayer: Relayer,
        *,
        is_first: bool,
    ) -> Prepared:
        try:
            check(ask, policy, relayer.address)  # the policy may have changed since it was accepted
        except Invalid as refused:
            return Doomed(f"refused by the relayer's policy: {refused}")
        if isinstance(limit, Refusal):
            if limit.is_for_funds:
                return Wait("waiting for funds: " + limit.why)
            if limit.is_passing:
                return Wait("waiting: " + limit.why)
            if is_first or limit.is_certain:
                return Doomed(limit.why)
            return Wait(
                "its simulation fails while earlier transactions are on their way; it is repeated: " + limit.why
            )
        dynamic = fees.is_dynamic(ask, policy, self._network)
        cap = fees.cap_of(policy, limit)
        offered = fees.offer(ask, market, policy, cap, dynamic=dynamic)
        is_low = not isinstance(offered, OverCap) and offered.max_fee < market.base_fee
        if is_low and not (policy.bump_explicit_prices and self._fits(ask, market, policy, cap)):
            return Wait("waiting for the price to fall: the base fee is over what it offers, and it may not be raised")
        return self._ready(ask, limit, offered, policy)

    def _fits(self, ask: Ask, market: fees.Market, policy: EvmPolicy, cap: int | None) -> bool:
        """Whether the market's price is within the cap."""
        dynamic = fees.is_dynamic(ask, policy, self._network)
        return not isinstance(fees.quote(market, ask.speed or policy.default_speed, cap, dynamic=dynamic), OverCap)

    def _ready(self, ask: Ask, gas_limit: int, offered: Price | OverCap, policy: EvmPolicy) -> Prepared:
        if isinstance(offered, OverCap):
            # Without the price of the moment: a reason that changed with every block would be an event with every block.
            return Wait(f"waiting for the price to fall: it is over the limit of {offered.cap} wei per gas")
        draft = Draft(ask, gas_limit, offered, ask.speed or policy.default_speed)
        return Ready(draft, ask.value + gas_limit * offered.max_fee)

    async def bump(self, revision: Revision, attempts: Sequence[Attempt], relayer: Relayer) -> Prepared:
        policy, ask = policy_of(relayer), Ask.of(revision.content)
        same = [a for a in attempts if a.revision == revision.number and a.kind is not AttemptKind.NOOP]
        if same and ask.prices and not policy.bump_explicit_prices:
            return Wait("its explicit price is not raised: the relayer's policy says so")
        if same:
            limit: int | Refusal = int(same[-1].facts["gas_limit"])
        else:
            limit = (await self._gas.limits([ask], relayer, self._block_gas_limit()))[0]
        if isinstance(limit, Refusal):
            return Wait(limit.why) if limit.is_for_funds or limit.is_passing else Doomed(limit.why)
        if not same:
            try:
                check(ask, policy, relayer.address)
            except Invalid as refused:
                return Doomed(f"refused by the relayer's policy: {refused}")
        market, old = await self._fresh_market(), _dearest(attempts)
        dynamic = fees.is_dynamic(ask, policy, self._network)
        if same:  # what a client named was the first attempt's; now the market is asked, in the same kind
            speed = ask.speed or policy.default_speed
            offered = fees.quote(market, speed, None, dynamic=dynamic and ask.gas_price is None)
        else:
            offered = fees.offer(ask, market, policy, None, dynamic=dynamic)
        if isinstance(offered, OverCap):
            raise Bug("an offer without a cap is over it")
        if same and old.max_fee > SANE_TIMES * offered.max_fee:
            return Wait("it is not offered dearer: it is so far above the market that its price cannot be the reason")
        dearer = self._ready(ask, limit, price.bump(old, offered, fees.cap_of(policy, limit)), policy)
        return (await self._with_data_fees([dearer]))[0]

    async def void(
        self, attempts: Sequence[Attempt], relayer: Relayer, earlier: Sequence[Attempt] | None = None
    ) -> Prepared:
        policy = policy_of(relayer)
        ask = Ask(0, relayer.address)
        limit = await self._gas.of_noop(relayer)
        market, cap = await self._fresh_market(), fees.cap_of(policy, limit)
        dynamic = fees.is_dynamic(ask, policy, self._network)
        offered = fees.quote(market, Speed.FAST, None if attempts else cap, dynamic=dynamic)
        if attempts and not isinstance(offered, OverCap):
            offered = price.bump(_dearest(attempts), offered, cap)
        if earlier is not None and cap is not None:
            if not isinstance(offered, OverCap):
                return Wait("the cap allows a no-op: the rescue budget is not for this")
            frugal = fees.quote(market, Speed.SAFE_LOW, None, dynamic=dynamic)
            more = max(0, policy.rescue_budget_24h - budget.used(earlier)) // limit
            offered = frugal if isinstance(frugal, OverCap) else price.bump(_dearest(attempts), frugal, cap + more)
        return self._ready(ask, limit, offered, policy)

    async def sign(self, drafts: Sequence[tuple[Ready, Slot | None]], relayer: Relayer, pen: Pen) -> list[Signed]:
        plain = [wire.unsigned(self._envelope(ready.value, slot)) for ready, slot in drafts]
        signatures = await pen.sign([one.digest for one in plain])
        signed = []
        for one, signature, (ready, _) in zip(plain, signatures, drafts, strict=True):
            made = wire.attach(one, signature, pen.public_key)
            facts = facts_of(one.envelope, made) | {"speed": str(ready.value.speed)}
            facts |= budget.facts(ready.value.price, ready.value.gas_limit, policy_of(relayer))
            signed.append(Signed(made.raw, made.hash, facts, ready.max_cost))
        return signed

    def _envelope(self, draft: Draft, slot: Slot | None) -> wire.Envelope:
        if slot is None or self._network.chain_id is None:
            raise Bug("an EVM transaction needs a nonce and a chain id")
        return build.envelope(draft.ask, self._network.chain_id, slot.number, draft.gas_limit, draft.price)

    def next_step(self, attempt: Attempt, stall: Stall, relayer: Relayer) -> Step:
        """Bump what waits for nobody, or is too cheap for the next block; remind the nodes of the head of the lane."""
        if "no-mempool" in self._network.tags:
            return Step.RESEND if stall.is_head and stall.blocks_since_sent >= RESEND_BLOCKS else Step.NOTHING
        speed = Speed(attempt.facts.get("speed", policy_of(relayer).default_speed))
        if stall.blocks >= PATIENCE[speed] and (stall.is_head or self._is_too_cheap(attempt)):
            return Step.BUMP
        if stall.is_head and stall.blocks_since_sent >= RESEND_BLOCKS:
            return Step.RESEND
        return Step.NOTHING

    async def outlook(self, attempts: Sequence[Attempt], relayer: Relayer) -> Outlook:
        policy, market = policy_of(relayer), await self._fresh_market()
        cap = fees.cap_of(policy, int(attempts[-1].facts["gas_limit"])) if attempts else policy.gas_price_cap
        shortfalls = tuple(fees.shortfall(price.of_facts(attempt.facts), market) for attempt in attempts)
        return Outlook(market.shown, cap, shortfalls)

    def _is_too_cheap(self, attempt: Attempt) -> bool:
        head = self._ledger.head
        return head is not None and price.of_facts(attempt.facts).max_fee < (head.base_fee or 0)

    async def _fresh_market(self) -> fees.Market:
        """One fee request a block, whatever the number of transactions."""
        head = self._ledger.head
        height = -1 if head is None else head.block.number
        if self._market is None or height != self._market_height:
            self._market = await self._node.market()
            self._market_height = height
        return self._market

    def _block_gas_limit(self) -> int | None:
        head = self._ledger.head
        return None if head is None else head.gas_limit


def policy_of(relayer: Relayer) -> EvmPolicy:
    if not isinstance(relayer.policy, EvmPolicy):
        raise Bug(f"relayer {relayer.id!r} has no EVM policy")
    return relayer.policy


def _dearest(attempts: Sequence[Attempt]) -> Price:
    return price.dearest([price.of_facts(attempt.facts) for attempt in attempts])
