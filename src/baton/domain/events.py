"""Events: what the outbox tells the world. Written in the same SQL transaction as the change they report."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from baton.domain.json import Json
from baton.domain.transaction import State, View


class EventKind(StrEnum):
    TRANSACTION_UPDATE = "transaction_update"
    RELAYER_STATE_UPDATE = "relayer_state_update"


@dataclass(frozen=True, slots=True)
class TransactionEvent:
    """One change of one transaction. `number` counts from 1 per transaction, without holes."""

    id: str
    transaction_id: str
    relayer_id: str
    number: int
    at: datetime
    state: State


@dataclass(frozen=True, slots=True)
class RelayerEvent:
    id: str
    relayer_id: str
    at: datetime
    payload: Json


Event = TransactionEvent | RelayerEvent


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """An event with its place in the feed, and what its record is made from (None for a relayer's own events)."""

    position: int  # dense, over all events
    event: Event
    view: View | None
