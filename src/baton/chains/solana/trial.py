"""Trying transactions out: one batch of simulations tells what each would use, take from the relayer, or why it fails.

What would end a transaction is asked of every node: one that lags sees failures where there are none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from solders.message import from_bytes_versioned

from baton.chains.rpc import RpcError
from baton.chains.solana import failure
from baton.chains.solana.build import COMPUTE_BUDGET_PROGRAM
from baton.chains.solana.inner import inner_outflow, inner_programs
from baton.chains.solana.message import UNSIGNED, joined, signer_count
from baton.chains.solana.node import Simulation, SolanaNode
from baton.chains.solana.outflow import SYSTEM_PROGRAM, lamports_out
from baton.chains.solana.outline import Outline
from baton.chains.solana.plan import Instructed, Plan
from baton.chains.solana.tables import Shelf
from baton.domain.policy import SolanaPolicy

ALREADY_PROCESSED = "AlreadyProcessed"  # these bytes have landed: signing them again finds the landing
UNTOLD = "a node does not tell what programs do from within, and the relayer's policy has rules about that"
DISAGREED = "the nodes do not agree on what it would take from the relayer"
_INVALID_PARAMS = -32602
_PLAIN_PROGRAMS = frozenset({SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM})  # they call nothing from within


@dataclass(frozen=True, slots=True)
class Passed:
    units: int
    lamports_out: int  # what leaves the relayer's account beside the fee
    is_gift: bool  # programs give away something of the relayer's from within
    is_boundless: bool = False  # programs take what cannot be told beforehand
    programs: frozenset[str] = frozenset()  # that are called from within

    def offence(self, policy: SolanaPolicy) -> str | None:
        """How it would break the policy."""
        most = policy.max_lamports
        if most is not None and self.lamports_out > most:
            return f"it would take {self.lamports_out} lamports from the relayer, more than {most} (policy)"
        if self.is_gift and not policy.allow_fee_payer_transfers:
            return "a program would take from the relayer's own account, which its policy forbids"
        if self.is_boundless and policy.limits_lamports:
            return "a program would give the relayer's own account another owner, and its policy limits its lamports"
        denied = sorted(self.programs.intersection(policy.denied_programs))
        return f"from within it would call {denied[0]}, which the relayer's policy denies" if denied else None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why it would fail now."""

    why: str
    is_for_funds: bool = False
    is_certain: bool = False  # whatever else is in flight
    is_passing: bool = False  # nothing about it: the next try may pass

    @property
    def is_verdict(self) -> bool:
        """Whether it may end the transaction."""
        return not self.is_for_funds and not self.is_passing


Verdict = Passed | Refusal


@dataclass(frozen=True, slots=True)
class Trial:
    node: SolanaNode
    policy: SolanaPolicy
    address: str  # the relayer's

    async def of(self, plans: Sequence[Plan], shelf: Shelf) -> list[Verdict]:
        """One verdict for each plan; equal ones are tried once."""
        messages: list[bytes | None] = []
        for plan in plans:
            if isinstance(plan, Instructed):
                messages.append(plan.trial(shelf.tables) if plan.missing(shelf.tables) is None else None)
            else:
                messages.append(plan.raw)
        distinct: dict[bytes, Plan] = {}
        for plan, message in zip(plans, messages, strict=True):
            if message is not None:
                distinct.setdefault(message, plan)
        verdicts = await self._verdicts(distinct)
        return [
            _without_table(plan, shelf) if message is None else verdicts[message]
            for plan, message in zip(plans, messages, strict=True)
        ]

    async def _verdicts(self, plans: dict[bytes, Plan]) -> dict[bytes, Verdict]:
        if not plans:
            return {}
        answers = await self.node.try_out([_raw(message) for message in plans])
        found = {
            message: self._verdict(plan, message, answer)
            for (message, plan), answer in zip(plans.items(), answers, strict=True)
        }
        ends = [message for message, verdict in found.items() if self._is_end(verdict)]
        if not ends or self.node.needed == 1:
            return found
        heard = await self.node.opinions([_raw(message) for message in ends])
        for place, message in enumerate(ends):
            told = [self._verdict(plans[message], message, answers[place]) for answers in heard]
            found[message] = self._agreed(told)
        return found

    def _is_end(self, verdict: Verdict) -> bool:
        return verdict.is_verdict if isinstance(verdict, Refusal) else verdict.offence(self.policy) is not None

    def _agreed(self, told: Sequence[Verdict]) -> Verdict:
        """One node that can run it outweighs all that cannot; but nothing is signed that breaks the policy at any."""
        needed = self.node.needed
        passed = [one for one in told if isinstance(one, Passed)]
        offending = [one for one in passed if one.offence(self.policy) is not None]
        if offending:
            return offending[0] if len(offending) >= needed else Refusal(DISAGREED, is_passing=True)
        if passed:
            return passed[0]
        refusals = [one for one in told if isinstance(one, Refusal)]
        verdicts = [one for one in refusals if one.is_verdict]
        if len(verdicts) >= needed:
            return verdicts[0]
        return Refusal(f"too few nodes could be asked about it: {refusals[0].why}", is_passing=True)

    def _verdict(self, plan: Plan, message: bytes, answer: Simulation | RpcError) -> Verdict:
        if isinstance(answer, RpcError):
            if answer.code == _INVALID_PARAMS:
                return Refusal(f"no node can read it: {answer.message[:200]}", is_certain=True)
            # One transaction that a node cannot run must not hold up the others: it waits alone, with the node's words.
            return Refusal(f"a node could not simulate it: {answer.message[:200]}", is_passing=True)
        outline = plan.outline
        if answer.error is None or answer.error == ALREADY_PROCESSED:
            return self._passed(outline, message, answer)
        return _refusal(plan, outline, answer, self.address)

    def _passed(self, outline: Outline, message: bytes, answer: Simulation) -> Verdict:
        is_ruled = self.policy.limits_lamports or bool(self.policy.denied_programs)
        if answer.inner is None and answer.error is None and is_ruled and not _is_plain(outline):
            return Refusal(UNTOLD, is_passing=True)
        keys = [str(key) for key in from_bytes_versioned(message).account_keys]
        within = inner_outflow(answer.inner or (), keys, self.address)
        programs = inner_programs(answer.inner or (), keys)
        spelled = sum(lamports_out(call, self.address) for call in outline.calls)
        return Passed(answer.units, spelled + within.lamports, within.is_gift, within.is_boundless, programs)


def _raw(message: bytes) -> bytes:
    return joined([UNSIGNED] * signer_count(message), message)


def _is_plain(outline: Outline) -> bool:
    return all(call.program in _PLAIN_PROGRAMS for call in outline.calls)


def _without_table(plan: Plan, shelf: Shelf) -> Refusal:
    missing = plan.missing(shelf.tables) if isinstance(plan, Instructed) else None
    return Refusal(f"lookup table {missing} is not on chain", is_passing=missing not in shelf.absent)


def _refusal(plan: Plan, outline: Outline, answer: Simulation, address: str) -> Refusal:
    added = plan.added
    if failure.is_for_fee(answer.error):
        return Refusal(f"the fee payer {outline.fee_payer} cannot pay", is_for_funds=True)
    index = failure.short_transfer(answer.error)
    if index is not None and added <= index < added + len(outline.calls):
        wanted = lamports_out(outline.calls[index - added], address)
        if wanted:
            return Refusal(f"the balance does not cover its transfer of {wanted} lamports", is_for_funds=True)
    why = failure.reason(answer.error, answer.logs, added=added)
    return Refusal(f"the simulation fails: {why}", is_passing=failure.is_passing(answer.error))
