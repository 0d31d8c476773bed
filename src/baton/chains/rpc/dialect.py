"""What nodes mean when they complain about how they are asked: too fast, or too much at once.

All matching of such text is here. A contract's revert reason may hold any words ("rate limit exceeded" is a common one),
so an error that speaks of an execution is never read as a complaint.
"""

import re

from baton.chains.rpc.exchange import RpcError

# "Limit exceeded" of EIP-1474, and the same thing in the dialects of hosted nodes. Solana: -32005 is a node that is behind.
_LIMIT_CODES = frozenset({-32005, -32029, -32097, 429})
_NOT_A_RATE = re.compile(
    r"gas|batch|range|results|logs|response size|block limit", re.IGNORECASE
)  # besu and eth_getLogs
_RATE = re.compile(
    r"rate.?limit|too many (?:concurrent )?requests|requests? (?:per second|limit)|compute units per second"
    r"|throughput|(?:daily|monthly|request) (?:quota|count exceeded)|exceeded its .{0,40}capacity",
    re.IGNORECASE,
)
_EXECUTION = re.compile(r"revert|exception|panic|execution", re.IGNORECASE)

_BATCH = re.compile(
    r"\bbatch|\barrays?\b|invalid type: sequence|number of (?:requests|calls)|too many (?:calls|requests in)",
    re.IGNORECASE,
)
# A node that reads an array as if it were one request finds no method and no parameters in it.
_NOT_UNDERSTOOD = frozenset({-32600, -32601, -32602, -32700})
_UNSUPPORTED = re.compile(r"not (?:supported|allowed|enabled|permitted)|unsupported|disabled|forbidden", re.IGNORECASE)
_AT_MOST = re.compile(r"(?:limit|max|at most|up to|exceed|larger|more than|allowed)\D{0,40}?(\d{1,5})\b", re.IGNORECASE)
_PART_REFUSED = re.compile(r"^(?:batch|response) (?:too large|size|response|limit)|^number of requests", re.IGNORECASE)
_PART_CODES = frozenset({-32600, -32003, -32005})  # geth: too many calls, too much to answer; besu: too many calls
_SHRINK = 4


def is_rate_limited(error: RpcError) -> bool:
    if _EXECUTION.search(error.message):
        return False
    if error.code in _LIMIT_CODES:
        return not _NOT_A_RATE.search(error.message)
    return error.code < 0 and bool(_RATE.search(error.message))


def asked_wait_s(error: RpcError) -> float | None:
    """How long the node asks us to stay away, where it says so in the error's data."""
    data = error.data if isinstance(error.data, dict) else {}
    rate = data.get("rate")
    rate = rate if isinstance(rate, dict) else {}
    for value in (rate.get("backoff_seconds"), data.get("backoff_seconds"), data.get("retry_after")):
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return float(value)
    return None


def refuses_batch(error: RpcError) -> bool:
    """One error instead of a list: is it the batch itself that the node does not want?"""
    return error.code in _NOT_UNDERSTOOD or bool(_BATCH.search(error.message))


def refuses_part(error: RpcError) -> bool:
    """An error of one item that would not be there had the item been asked alone."""
    return error.code in _PART_CODES and bool(_PART_REFUSED.search(error.message))


def speaks_of_batches(text: str) -> bool:
    return bool(_BATCH.search(text))


def smaller_batch(text: str, size: int) -> int:
    """How many calls to send at once after a batch of `size` was refused with this text; always fewer."""
    told = [int(number) for number in _AT_MOST.findall(text)]
    fitting = [number for number in told if 0 < number < size]
    if fitting:
        return max(fitting)
    return 1 if _UNSUPPORTED.search(text) else max(1, size // _SHRINK)
