"""Makes what a Solana lane signs: units from a simulation, a price from recent fees, a message unlike any before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from solders.signature import Signature

from baton.chains.octets import base64_text
from baton.chains.seam import Doomed, Outlook, Pen, Prepared, Ready, Signed, Stall, Step, Wait
from baton.chains.solana import fees
from baton.chains.solana.blockhashes import MOST_AGE, Blockhashes
from baton.chains.solana.heads import Heads
from baton.chains.solana.lifetimes import Life, Lifetimes
from baton.chains.solana.message import AnyMessage, blockhash_of, joined, serialized, with_blockhash
from baton.chains.solana.node import Blockhash, SolanaNode
from baton.chains.solana.plan import NO_HASH, Instructed, Plan, Prebuilt, Tables, plan_of
from baton.chains.solana.policy import check
from baton.chains.solana.prices import Prices
from baton.chains.solana.tables import read_tables
from baton.chains.solana.trial import Passed, Refusal, Trial, Verdict
from baton.chains.solana.wire import LARGEST_TRANSACTION, SIGNATURE_BYTES
from baton.domain.clock import Clock
from baton.domain.errors import Bug, Invalid, NodeUnavailable
from baton.domain.json import Json
from baton.domain.policy import SolanaPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, Revision, Slot

RESEND_S = 2.0  # leaders forget what they had no room for: the bytes go out again until they are seen
MOST_TWINS = 100_000
EQUAL = "an equal transaction was signed under the same blockhash; it goes with the next one"


@dataclass(frozen=True, slots=True)
class Draft:
    """A message that only lacks the relayer's signature."""

    message: bytes
    signatures: tuple[bytes, ...]
    place: int
    facts: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Ground:
    """What one batch of drafts is made from."""

    policy: SolanaPolicy
    address: str
    blockhash: Blockhash
    tables: Tables
    lives: Mapping[str, Life]
    prices: Prices


class SolanaMaker:
    def __init__(self, node: SolanaNode, heads: Heads, clock: Clock) -> None:
        self._node = node
        self._heads = heads
        self._blockhashes = Blockhashes(node, heads, clock)
        self._lifetimes = Lifetimes(node, heads)
        self._prices = Prices(node, heads)

    async def prepare(self, asks: Sequence[tuple[Revision, bool]], relayer: Relayer) -> list[Prepared]:
        policy = policy_of(relayer)
        plans = [plan_of(revision.content, relayer) for revision, _ in asks]
        named = [table for plan in plans if isinstance(plan, Instructed) for table in plan.tables]
        shelf = await read_tables(self._node, named)
        verdicts = await Trial(self._node, policy, relayer.address).of(plans, shelf)
        given = [plan for plan in plans if isinstance(plan, Prebuilt) and not plan.is_renewable]
        lives = await self._lifetimes.of(given)
        await self._prices.learn([plan for plan in plans if isinstance(plan, Instructed)])
        blockhash = await self._blockhashes.fresh()
        ground = Ground(policy, relayer.address, blockhash, shelf.tables, lives, self._prices)
        return [
            self._prepared(plan, verdict, ground, is_first=is_first)
            for plan, verdict, (_, is_first) in zip(plans, verdicts, asks, strict=True)
        ]

    def _prepared(self, plan: Plan, verdict: Verdict, ground: Ground, *, is_first: bool) -> Prepared:
        refused = _refused(plan, verdict, ground)
        if refused is not None:
            return refused
        if isinstance(verdict, Refusal):
            if verdict.is_for_funds:
                return Wait("waiting for funds: " + verdict.why)
            if verdict.is_passing:
                return Wait(verdict.why)
            if is_first or verdict.is_certain:
                return Doomed(verdict.why)
            return Wait(
                "its simulation fails while earlier transactions are on their way; it is repeated: " + verdict.why
            )
        if isinstance(plan, Instructed):
            return self._of_instructions(plan, verdict, ground)
        return self._of_prebuilt(plan, verdict, ground)

    def _of_instructions(self, plan: Instructed, passed: Passed, ground: Ground) -> Prepared:
        units = fees.with_margin(passed.units)
        bare = plan.message(units, 0, NO_HASH, ground.tables)
        budget, base = fees.budget_of(bare), fees.base_fee(bare)
        wanted = ground.prices.of(plan, ground.policy)
        price = fees.within_cap(wanted, budget.most_units, base, ground.policy)
        if price is None:
            return Wait(_over_cap(base, ground.policy))
        made = self._blockhashes.made_under(ground.blockhash)
        for shift in range(made.twins[plan.key], MOST_TWINS):
            message = _shifted(plan, units, price, shift, ground)
            if message is None:
                break
            made.twins[plan.key] = shift + 1
            if made.claim(raw := serialized(message)):
                return self._ready(message, raw, passed, ground, plan)
        return Wait(EQUAL)

    def _of_prebuilt(self, plan: Prebuilt, passed: Passed, ground: Ground) -> Prepared:
        raw = plan.raw
        if plan.is_renewable:
            raw = with_blockhash(plan.raw, ground.blockhash.hash)
            if not self._blockhashes.made_under(ground.blockhash).claim(raw):
                return Wait(EQUAL)
        return self._ready(plan.message, raw, passed, ground, plan)

    def _ready(self, message: AnyMessage, raw: bytes, passed: Passed, ground: Ground, plan: Plan) -> Prepared:
        fee, budget = fees.fee_of(message), fees.budget_of(message)
        cap = fees.most_fee(fees.base_fee(message), ground.policy)
        is_payer = plan.fee_payer == ground.address
        if is_payer and fee > cap:
            return Doomed(f"its own compute budget makes its fee {fee} lamports, over the relayer's cap of {cap}")
        size = 1 + SIGNATURE_BYTES * len(plan.signatures) + len(raw)
        most = min(ground.policy.max_tx_data_size, LARGEST_TRANSACTION)
        if size > most:
            return Doomed(f"it takes {size} bytes, more than {most}")
        facts = {
            "blockhash": blockhash_of(raw),
            "last_valid_block_height": self._last_height(plan, ground),
            "slot": ground.blockhash.slot,
            "is_renewable": plan.is_renewable,
            "nonce_account": plan.nonce_account,
            "fee": str(fee),
            "compute_unit_limit": budget.units,
            "compute_unit_price": budget.price,
            "added": plan.added,
        }
        draft = Draft(raw, plan.signatures, plan.place, facts)
        return Ready(draft, passed.lamports_out + (fee if is_payer else 0))

    def _last_height(self, plan: Plan, ground: Ground) -> int | None:
        """When a blockhash came with the transaction its age is not known: the latest that it could be."""
        if plan.is_renewable:
            return ground.blockhash.last_valid_height
        if plan.nonce_account is not None:
            return None
        head = self._heads.head
        newest = ground.blockhash.last_valid_height
        return newest if head is None else max(newest, head.height + MOST_AGE)

    async def bump(self, revision: Revision, attempts: Sequence[Attempt], relayer: Relayer) -> Prepared:  # noqa: ARG002 - the seam's shape
        return Wait("a signed Solana transaction is not replaced while it could still land")

    async def void(
        self,
        attempts: Sequence[Attempt],  # noqa: ARG002 - the seam's shape
        relayer: Relayer,  # noqa: ARG002 - the seam's shape
        earlier: Sequence[Attempt] | None = None,  # noqa: ARG002 - the seam's shape
    ) -> Prepared:
        return Wait("there is nothing to send in the place of a Solana transaction: it is waited for until it is dead")

    async def sign(self, drafts: Sequence[tuple[Ready, Slot | None]], relayer: Relayer, pen: Pen) -> list[Signed]:  # noqa: ARG002 - the pen names the account
        written = await pen.sign([ready.value.message for ready, _ in drafts])
        return [_signed(ready, signature) for (ready, _), signature in zip(drafts, written, strict=True)]

    def next_step(self, attempt: Attempt, stall: Stall, relayer: Relayer) -> Step:  # noqa: ARG002 - the seam's shape
        """The same bytes every couple of seconds until they are seen; after the last height they cannot land."""
        head, last = self._heads.head, attempt.facts["last_valid_block_height"]
        if last is not None and head is not None and head.height > last:
            return Step.NOTHING
        return Step.RESEND if stall.seconds_since_sent >= RESEND_S else Step.NOTHING

    async def outlook(self, attempts: Sequence[Attempt], relayer: Relayer) -> Outlook:
        market = await self._prices.market()
        wanted = market[str(policy_of(relayer).default_speed)]
        return Outlook(
            {"compute_unit_price": market}, None, tuple(_shortfall(attempt, int(wanted)) for attempt in attempts)
        )


def _shortfall(attempt: Attempt, wanted: int) -> str | None:
    offered = attempt.facts.get("compute_unit_price") or 0
    if offered >= wanted:
        return None
    return f"it offers {offered} micro-lamports for each compute unit, recent blocks took {wanted}"


def policy_of(relayer: Relayer) -> SolanaPolicy:
    if not isinstance(relayer.policy, SolanaPolicy):
        raise Bug(f"relayer {relayer.id!r} has no Solana policy")
    return relayer.policy


def _refused(plan: Plan, verdict: Verdict, ground: Ground) -> Prepared | None:
    """What does not depend on whether the simulation passes: the policy, which may have changed, and what has run out."""
    try:
        check(plan.outline, ground.policy, ground.address)
    except Invalid as refused:
        return Doomed(f"refused by the relayer's policy: {refused}")
    if isinstance(verdict, Passed) and (offence := verdict.offence(ground.policy)) is not None:
        return Doomed(offence)
    if isinstance(plan, Prebuilt) and not plan.is_renewable:
        what = "blockhash" if plan.nonce_account is None else "durable nonce"
        match ground.lives[plan.blockhash]:
            case Life.DEAD:
                return Doomed(f"the {what} that it came with is dead, and it was not ours to renew", is_expired=True)
            case Life.DOUBTFUL:
                return Wait(f"waiting until a node knows the {what} that it came with")
            case Life.ALIVE:
                pass
    return None


def _shifted(plan: Instructed, units: int, price: int, shift: int, ground: Ground) -> AnyMessage | None:
    """The message, made distinct by `shift`: in its unit limit, else in its price; None if both are the client's."""
    bare = plan.message(units + shift, price, ground.blockhash.hash, ground.tables)
    if not shift or fees.budget_of(bare).units == units + shift <= fees.MOST_UNITS:
        return bare
    dearer = plan.message(units, price + shift, ground.blockhash.hash, ground.tables)
    cap = fees.within_cap(price + shift, fees.budget_of(dearer).most_units, fees.base_fee(dearer), ground.policy)
    return dearer if fees.budget_of(dearer).price == price + shift == cap else None


def _over_cap(base: int, policy: SolanaPolicy) -> str:
    return f"waiting: its signatures cost {base} lamports, over the relayer's cap of {policy.max_allowed_fee_lamports}"


def _signed(ready: Ready, signature: bytes) -> Signed:
    draft: Draft = ready.value
    if len(signature) != SIGNATURE_BYTES:
        raise NodeUnavailable(f"a signer answered with {len(signature)} bytes")
    signatures = [*draft.signatures[: draft.place], signature, *draft.signatures[draft.place + 1 :]]
    raw = joined(signatures, draft.message)
    name = str(Signature.from_bytes(signatures[0]))
    return Signed(raw, name, {**draft.facts, "signature": name, "transaction": base64_text(raw)}, ready.max_cost)
