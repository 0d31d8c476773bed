"""Why a transaction failed, in words: the runtime's error, decoded, and the last lines that its programs logged."""

import re
from collections.abc import Sequence

from baton.domain.json import Json

LAST_LINES = 6
LONGEST = 700
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FUNDS = frozenset({"InsufficientFundsForFee", "AccountNotFound"})
_PASSING = frozenset(
    {
        "BlockhashNotFound",
        "AccountInUse",
        "ClusterMaintenance",
        "WouldExceedMaxBlockCostLimit",
        "WouldExceedMaxAccountCostLimit",
        "WouldExceedMaxVoteCostLimit",
        "WouldExceedAccountDataBlockLimit",
        "WouldExceedAccountDataTotalLimit",
        "ProgramCacheHitMaxLimit",
        "ResanitizationNeeded",
        "CommitCancelled",
    }
)


def reason(error: Json, logs: Sequence[str] = (), *, added: int = 0) -> str:
    """One line for people. `added` instructions of ours stand before the client's: numbers are those of the client."""
    text = _words(error, added)
    lines = [line for line in logs if line.strip()][-LAST_LINES:]
    if lines:
        text += "; logs: " + " | ".join(lines)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _words(error: Json, added: int) -> str:
    match error:
        case str():
            return _spelled(error)
        case {"InstructionError": [int(index), cause]}:
            which = f"instruction {index - added}" if index >= added else "a compute budget instruction of ours"
            return f"{which} failed: {_cause(cause)}"
        case {"InsufficientFundsForRent": {"account_index": index}}:
            return f"account {index} of the transaction would hold too little for its rent"
        case {"DuplicateInstruction": int(index)}:
            return f"instruction {index - added} stands there twice"
        case _:
            return str(error)


def _cause(cause: Json) -> str:
    match cause:
        case {"Custom": int(code)}:
            return f"custom program error {code:#x}"
        case {"BorshIoError": why}:
            return f"data that the program cannot read ({why})"
        case str():
            return _spelled(cause)
        case _:
            return str(cause)


def _spelled(name: str) -> str:
    """The runtime's names are words already: `InsufficientFundsForFee`."""
    return _HUMP.sub(" ", name).lower()


def is_passing(error: Json) -> bool:
    """It may succeed a moment later, whatever it does."""
    return isinstance(error, str) and error in _PASSING


def is_for_fee(error: Json) -> bool:
    """The fee payer cannot pay: it is missing, empty, or would be left with less than its rent."""
    match error:
        case str():
            return error in _FUNDS
        case {"InsufficientFundsForRent": {"account_index": 0}}:
            return True
        case _:
            return False


def short_transfer(error: Json) -> int | None:
    """The index of the instruction that failed as a transfer does for want of lamports."""
    match error:
        case {"InstructionError": [int(index), {"Custom": 1}]}:  # the System Program's "result with negative lamports"
            return index
        case _:
            return None
