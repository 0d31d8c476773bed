"""What a chain family must offer: its language (pure, no node) and its chain (a node's answers as closed values).

The payload of a transaction is opaque JSON to the rest of the house and typed inside its family.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from baton.domain.curve import Curve
from baton.domain.json import Json
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, View


class Draft(Struct, frozen=True):
    """A request that was understood: what is stored as a revision's content, in its family's canonical form."""

    content: Json
    valid_until: datetime | None
    fingerprint: str | None = None  # names bytes that can land once only, so that no two transactions carry them


class Language(Protocol):
    """How a family reads requests and writes records. Pure: no node is asked, so accepting never waits for one."""

    curve: Curve

    def address(self, public_key: bytes) -> str:
        """The account that a key controls."""

    def parse(self, body: Json, relayer: Relayer, now: datetime) -> Draft:
        """Reads a request body (any JSON value). Raises `Invalid` naming the field, `Forbidden` never:
        what the policy refuses about one transaction is `Invalid` too."""

    def record(self, view: View, relayer: Relayer) -> dict[str, Json]:
        """The record that answers and webhooks carry: every key of the interface, null where it means nothing."""

    def check_replacement(self, draft: Draft, attempts: Sequence[Attempt]) -> None:
        """Raises `Invalid` when a price that the draft names could never displace the attempts, oldest first, that may
        still land; it names the least that could."""

    def receipt(self, attempt: Attempt) -> dict[str, Json]:
        """What the stored outcome of an attempt that landed says: what was used and paid, amounts as decimal text."""


# What a node said to a broadcast. Closed: the lane matches it to the end. `why` is the node's text, clipped.


class Accepted(Struct, frozen=True):
    """The node took it."""

    why: str = ""


class AlreadyKnown(Struct, frozen=True):
    """The node has these very bytes: as good as accepted."""

    why: str = ""


class SlotTaken(Struct, frozen=True):
    """The slot is used on chain: by an attempt of ours whose answer was lost, or by someone else. Look before judging."""

    why: str = ""


class Underpriced(Struct, frozen=True):
    """Too cheap for the pool, for the block, or to replace what holds the slot. The slot is not lost."""

    why: str = ""


class NoFunds(Struct, frozen=True):
    """The account cannot pay now."""

    why: str = ""


class Busy(Struct, frozen=True):
    """Not now: pool full, account limit, rate limit, a lagging node. The same bytes again later."""

    why: str = ""


class Rejected(Struct, frozen=True):
    """No node could ever take these bytes."""

    why: str = ""


class Unknown(Struct, frozen=True):
    """An answer that we cannot read: maybe sent."""

    why: str = ""


Broadcast = Accepted | AlreadyKnown | SlotTaken | Underpriced | NoFunds | Busy | Rejected | Unknown
