"""The statuses of a transaction and the one table of legal moves, each with its cause.

    pending ──▶ sent ──▶ submitted ──▶ mined ──▶ confirmed
       ▲         │           │  ▲        │
       └─────────┴───────────┘  └────────┘        failed · expired · canceled: from where the table says

The documentation's diagram is generated from this table.
"""

from enum import StrEnum


class Status(StrEnum):
    PENDING = "pending"  # stored
    SENT = "sent"  # signed and stored, not yet accepted by a node
    SUBMITTED = "submitted"  # a node accepted it
    MINED = "mined"  # in a block
    CONFIRMED = "confirmed"  # deep enough
    FAILED = "failed"
    EXPIRED = "expired"
    CANCELED = "canceled"

    @property
    def is_final(self) -> bool:
        return self in FINAL

    @property
    def is_amendable(self) -> bool:
        """Whether a client may still replace or cancel."""
        return self in AMENDABLE


FINAL = frozenset({Status.CONFIRMED, Status.FAILED, Status.EXPIRED, Status.CANCELED})
OPEN = frozenset(Status) - FINAL
AMENDABLE = frozenset({Status.PENDING, Status.SENT, Status.SUBMITTED})

MOVES: dict[tuple[Status, Status], str] = {
    (Status.PENDING, Status.SENT): "signed and stored",
    (Status.PENDING, Status.FAILED): "can never be carried out: simulation or policy refuses it",
    (Status.PENDING, Status.EXPIRED): "its validity ended before anything was signed",
    (Status.PENDING, Status.CANCELED): "canceled before anything was signed",
    (Status.SENT, Status.SUBMITTED): "a node accepted it",
    (Status.SENT, Status.MINED): "found in a block; the answer to the broadcast was lost",
    (Status.SENT, Status.PENDING): "slot or validity proven lost; it is signed anew",
    (Status.SENT, Status.FAILED): "no node could ever take it",
    (Status.SENT, Status.EXPIRED): "its validity ended and it can never land",
    (Status.SENT, Status.CANCELED): "our no-op took its slot, or it can never land",
    (Status.SUBMITTED, Status.MINED): "found in a block",
    (Status.SUBMITTED, Status.PENDING): "slot or validity proven lost; it is signed anew",
    (Status.SUBMITTED, Status.FAILED): "proven that it can never land",
    (Status.SUBMITTED, Status.EXPIRED): "its validity ended and it can never land",
    (Status.SUBMITTED, Status.CANCELED): "our no-op took its slot, or it can never land",
    (Status.MINED, Status.CONFIRMED): "deep enough on the canonical chain",
    (Status.MINED, Status.FAILED): "reverted, deep enough on the canonical chain",
    (Status.MINED, Status.SUBMITTED): "its block was reorganised away; the same bytes are sent again",
}


def may_move(old: Status, new: Status) -> bool:
    """Staying is always legal (a new hash, new content); everything else is in the table."""
    return (old is new and not old.is_final) or (old, new) in MOVES
