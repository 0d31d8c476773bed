"""Contract calls are tried out first: the simulation tells their resources, their fee, and who must authorise them."""

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


def _resources(told: Json) -> stellar_xdr.SorobanTransactionData:
    data = stellar_xdr.SorobanTransactionData.from_xdr(told["transactionData"])
    data.resource_fee = stellar_xdr.Int64(int(told["minResourceFee"]))
    return data


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
