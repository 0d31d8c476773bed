"""Trying transactions out: one batch of simulations tells what each would use, take from the relayer, or why it fails."""

from collections.abc import Sequence
from dataclasses import dataclass

from solders.message import from_bytes_versioned

from baton.chains.rpc import RpcError
from baton.chains.solana import failure
from baton.chains.solana.inner import inner_outflow
from baton.chains.solana.message import UNSIGNED, joined, signer_count
from baton.chains.solana.node import Simulation, SolanaNode
from baton.chains.solana.outflow import lamports_out
from baton.chains.solana.outline import Outline
from baton.chains.solana.plan import Instructed, Plan, Tables
from baton.domain.errors import NodeUnavailable

ALREADY_PROCESSED = "AlreadyProcessed"  # these bytes have landed: signing them again finds the landing
_INVALID_PARAMS = -32602


@dataclass(frozen=True, slots=True)
class Passed:
    units: int
    lamports_out: int  # what leaves the relayer's account beside the fee
    is_gift: bool  # programs give away something of the relayer's from within


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why it would fail now."""

    why: str
    is_for_funds: bool = False
    is_certain: bool = False  # whatever else is in flight
    is_passing: bool = False  # nothing about it: the next try may pass


Verdict = Passed | Refusal


async def try_out(node: SolanaNode, plans: Sequence[Plan], tables: Tables, address: str) -> list[Verdict]:
    """One verdict for each plan; equal ones are tried once."""
    messages: list[bytes | None] = []
    for plan in plans:
        if isinstance(plan, Instructed):
            messages.append(plan.trial(tables) if plan.missing(tables) is None else None)
        else:
            messages.append(plan.raw)
    distinct = list(dict.fromkeys(message for message in messages if message is not None))
    raws = [joined([UNSIGNED] * signer_count(message), message) for message in distinct]
    answers = dict(zip(distinct, await node.try_out(raws), strict=True)) if raws else {}
    return [
        _verdict(plan, message, answers[message], address) if message is not None else _without_table(plan, tables)
        for plan, message in zip(plans, messages, strict=True)
    ]


def _without_table(plan: Plan, tables: Tables) -> Refusal:
    missing = plan.missing(tables) if isinstance(plan, Instructed) else None
    return Refusal(f"lookup table {missing} is not on chain")


def _verdict(plan: Plan, message: bytes, answer: Simulation | RpcError, address: str) -> Verdict:
    if isinstance(answer, RpcError):
        if answer.code == _INVALID_PARAMS:
            return Refusal(f"no node can read it: {answer.message[:200]}", is_certain=True)
        raise NodeUnavailable(f"a node could not simulate: {answer.message[:200]}")
    outline = plan.outline
    if answer.error is None or answer.error == ALREADY_PROCESSED:
        keys = [str(key) for key in from_bytes_versioned(message).account_keys]
        within, is_gift = inner_outflow(answer.inner, keys, address)
        spelled = sum(lamports_out(call, address) for call in outline.calls)
        return Passed(answer.units, spelled + within, is_gift)
    return _refusal(plan, outline, answer, address)


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
