"""What a node's answer to `sendTransaction` means. The codes are the protocol's own, so no text is matched here.

`Rejected` ends a transaction: its codes name what is wrong with the *bytes*. What passes with time is `Busy`.
"""

from baton.chains.base import (
    Accepted,
    AlreadyKnown,
    Broadcast,
    Busy,
    NoFunds,
    Rejected,
    SlotTaken,
    Underpriced,
    Unknown,
)
from baton.chains.rpc import RpcError
from baton.chains.stellar.verdict import Code, Verdict, contract_error, verdict
from baton.domain.json import Json

LONGEST = 200
INVALID_PARAMS = -32602

_Answer = type[SlotTaken | Underpriced | NoFunds | Busy | Rejected | Unknown]

_CODES: dict[Code, _Answer] = {
    Code.txBAD_SEQ: SlotTaken,  # used by us or by another, or the ones before it are not in yet: look
    Code.txINSUFFICIENT_FEE: Underpriced,
    Code.txINSUFFICIENT_BALANCE: NoFunds,
    Code.txNO_ACCOUNT: NoFunds,  # an account without money is not there at all
    Code.txTOO_EARLY: Busy,
    Code.txTOO_LATE: Busy,  # a look proves the lapse
    Code.txBAD_MIN_SEQ_AGE_OR_GAP: Busy,
    Code.txFAILED: Rejected,  # an operation cannot be carried out as it is written, or is not signed for
    Code.txMISSING_OPERATION: Rejected,
    Code.txBAD_AUTH: Rejected,
    Code.txBAD_AUTH_EXTRA: Rejected,
    Code.txNOT_SUPPORTED: Rejected,
    Code.txBAD_SPONSORSHIP: Rejected,
    Code.txMALFORMED: Rejected,
    Code.txSOROBAN_INVALID: Rejected,
    Code.txFROZEN_KEY_ACCESSED: Rejected,
}


def understand(result: Json, expected_hash: str) -> Broadcast:
    """The `result` of a JSON-RPC answer: a node that names another hash has not understood us."""
    if not isinstance(result, dict) or result.get("hash") != expected_hash:
        return Unknown(f"the node answered with {str(result)[:LONGEST]} instead of the hash")
    match result.get("status"):
        case "PENDING":
            return Accepted()
        case "DUPLICATE":
            return AlreadyKnown()
        case "TRY_AGAIN_LATER":
            return Busy("the node asks to try again later")
        case "ERROR":
            return _error(result)
        case other:
            return Unknown(f"the node answered with the status {str(other)[:LONGEST]}")


def refused(error: RpcError) -> Broadcast:
    """A JSON-RPC error: only of bytes that it cannot read does a node say so."""
    if error.code == INVALID_PARAMS and "xdr" in error.message.lower():
        return Rejected(error.message[:LONGEST])
    return Unknown(error.message[:LONGEST])


def _error(result: Json) -> Broadcast:
    try:
        told = verdict(str(result.get("errorResultXdr")))
    except ValueError as unreadable:
        return Unknown(str(unreadable))
    cause = contract_error(result)
    return _CODES.get(told.code, Unknown)(_words(told) if cause is None else f"{_words(told)}: {cause}")


def _words(told: Verdict) -> str:
    return f"{told.words}, at least {told.fee} stroops" if told.code is Code.txINSUFFICIENT_FEE else told.words
