"""Contract calls are tried out first: the simulation tells their resources, their fee, and who must authorise them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import stellar_sdk as sdk
from stellar_sdk import xdr as stellar_xdr

from baton.chains.stellar.envelope import Body, with_auth
from baton.chains.stellar.verdict import contract_error
from baton.chains.stellar.wire import UNREADABLE
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json

LONGEST = 300


@dataclass(frozen=True, slots=True)
class Refusal:
    """The simulation says that it would fail."""

    why: str
    is_certain: bool = True  # by the word of as many nodes as anything final takes


@dataclass(frozen=True, slots=True)
class Archived:
    """Entries that it needs have fallen asleep: this must land before it."""

    restore: Body


def assembled(body: Body, answer: Json) -> Body | Refusal | Archived:
    """The body with what the simulation says it needs; raises `NodeUnavailable` for an answer that makes no sense."""
    if not isinstance(answer, dict):
        raise NodeUnavailable("a node answered with something that is not a simulation")
    if answer.get("error"):
        cause = contract_error(answer) or _first_line(str(answer["error"]))
        return Refusal(f"the call would fail: {cause}"[:LONGEST])
    try:
        preamble = answer.get("restorePreamble")
        if preamble:
            restore = Body(body.source, (sdk.RestoreFootprint(),), sdk.NoneMemo())
            return Archived(replace(restore, soroban=_resources(preamble)))
        auth = [
            stellar_xdr.SorobanAuthorizationEntry.from_xdr(text)
            for result in answer.get("results") or ()
            for text in result.get("auth") or ()
        ]
        return replace(with_auth(body, auth), soroban=_resources(answer))
    except UNREADABLE as error:
        raise NodeUnavailable(f"a node answered with an unreadable simulation: {str(error)[:80]}") from None


def agreed(body: Body, answers: Sequence[Json], needed: int) -> Body | Refusal | Archived:
    """One node that can run it outweighs all that cannot: a node that lags sees failures where there are none."""
    found = [assembled(body, answer) for answer in answers]
    able = [one for one in found if not isinstance(one, Refusal)]
    if able:
        return able[0]
    refusals = [one for one in found if isinstance(one, Refusal)]
    if not refusals:
        raise NodeUnavailable("no node could be asked for a simulation")
    return replace(refusals[0], is_certain=len(refusals) >= needed)


def _resources(told: Json) -> stellar_xdr.SorobanTransactionData:
    data = stellar_xdr.SorobanTransactionData.from_xdr(told["transactionData"])
    data.resource_fee = stellar_xdr.Int64(int(told["minResourceFee"]))
    return data


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
