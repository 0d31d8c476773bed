"""What a node's words to `sendTransaction` mean. All matching of node text is here.

Without preflight a node takes whatever it can read, so most answers are signatures. `Rejected` ends a transaction: its
patterns name what is wrong with the *bytes*. No code does: hosted nodes use the same ones for quotas that are used up.
A blockhash that a node does not know may be newer than the node: later.
"""

import re

from baton.chains.base import Accepted, AlreadyKnown, Broadcast, Busy, NoFunds, Rejected, Unknown
from baton.chains.rpc import RpcError
from baton.domain.json import Json

LONGEST = 200
NODE_BEHIND = -32005
MIN_SLOT_NOT_REACHED = -32016

_Answer = type[AlreadyKnown | Busy | NoFunds | Rejected]

_BYTES = (
    r"signature verification fail|not pass signature verification|signaturefailure|"
    r"failed to deserialize|failed to sanitize|sanitize ?failure|invalid transaction:|invalid base64|"
    r"transaction.{0,40}too large|too many account locks|toomanyaccountlocks|"
    r"version .{0,20}not supported|unsupported ?version"
)
_TABLE: tuple[tuple[_Answer, str], ...] = (
    (AlreadyKnown, r"already (been )?processed|alreadyprocessed"),  # preflight of Agave and Surfpool
    (Busy, r"blockhash ?not ?found|minimum context slot|node is (behind|unhealthy)|slots behind"),  # a lagging node
    (
        Busy,
        r"rate.?limit|too many requests|try again|temporarily|overloaded|(request|rate) (limit|count)|quota|credits",
    ),  # hosted nodes
    (Busy, r"would exceed|account ?in ?use|cluster maintenance"),  # a full block, a lock: passes by itself
    (NoFunds, r"insufficient ?(funds|lamports)|insufficientfundsfor|no record of a prior credit|accountnotfound"),
    (Rejected, _BYTES),
)
_PATTERNS = tuple((answer, re.compile(pattern, re.IGNORECASE)) for answer, pattern in _TABLE)


def understand(error: RpcError) -> Broadcast:
    """The error that a node answered to `sendTransaction`."""
    text = _text(error)
    why = text[:LONGEST]
    for answer, pattern in _PATTERNS:
        if pattern.search(text):
            return answer(why)
    return Busy(why) if error.code in (NODE_BEHIND, MIN_SLOT_NOT_REACHED) else Unknown(why)


def accepted(result: Json, expected: str) -> Broadcast:
    """The signature that a node answered: one that names another has not understood us."""
    if result == expected:
        return Accepted()
    return Unknown(f"the node answered with {str(result)[:LONGEST]} instead of the signature")


def _text(error: RpcError) -> str:
    """A preflight's verdict stands in the data, as `err`."""
    data = error.data.get("err") if isinstance(error.data, dict) else None
    return f"{error.message}: {data}" if data is not None else error.message
