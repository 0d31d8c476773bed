"""What only a running lane knows, as commands see it: a seam, because lanes are strangers to whoever asks here.

Amounts are decimal text: they go to clients as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from baton.chains.seam import Account
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.relayer import Relayer


@dataclass(frozen=True, slots=True)
class Funds:
    balance: str
    reserved: str  # the most that what is in flight could take
    min_balance: str
    available: str
    is_enough: bool | None  # for this transaction; null while nothing is signed, or once it is in a block


@dataclass(frozen=True, slots=True)
class LaneHead:
    """The lowest open slot of a lane: everything above it waits for it."""

    slot: int
    transaction_id: str | None  # null: a no-op of the relayer's own, or a slot that nothing holds yet
    status: str | None
    status_reason: str | None
    hash: str | None


@dataclass(frozen=True, slots=True)
class LaneNow:
    height: int | None
    in_flight: int
    window: int  # as many as it may have in flight now
    next_slot: int | None  # as the chain sees it; null where accounts have no slots
    pending_before: int  # accepted earlier and not signed yet
    is_head: bool  # waits for no other transaction
    head: LaneHead | None


@dataclass(frozen=True, slots=True)
class Offer:
    """One signed version against the market of this moment."""

    attempt_id: str
    hash: str
    shortfall: str | None  # why the offer is too low now; null if it is enough
    nodes: Mapping[str, bool] | None  # node → whether it knows the hash; null when none answered


@dataclass(frozen=True, slots=True)
class NextAction:
    action: str
    at: str | None = None
    in_blocks: int | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """A lane's own view of one transaction, at this moment."""

    why: str  # why it is not final yet, in one sentence
    next_action: NextAction | None
    lane: LaneNow | None = None
    funds: Funds | None = None
    market: Json | None = None
    cap: str | None = None
    offers: tuple[Offer, ...] = ()
    trouble: str | None = None  # why parts are missing


class Live(Protocol):
    async def account(self, relayer: Relayer) -> Account:
        """The sending account at the head, or as it was last seen. Raises `NodeUnavailable` when it never was."""

    async def logs(self, relayer: Relayer, tx_hash: str) -> list[Json] | None:
        """What a landed transaction has logged; None when no node tells it now."""

    async def sight(self, relayer: Relayer, transaction_id: str) -> Sight: ...


class NoLanes:
    """Where no lane runs."""

    async def account(self, relayer: Relayer) -> Account:
        raise NodeUnavailable(not_running(relayer))

    async def logs(self, relayer: Relayer, tx_hash: str) -> list[Json] | None:  # noqa: ARG002 - the seam's shape
        return None

    async def sight(self, relayer: Relayer, transaction_id: str) -> Sight:  # noqa: ARG002 - the seam's shape
        return Sight(not_running(relayer), None)


def not_running(relayer: Relayer) -> str:
    return f"the lane of relayer {relayer.id!r} is not running here: no node of {relayer.network!r} has answered yet"
