"""Events: what the outbox tells the world. Written in the same SQL transaction as the change they report."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from baton.domain.json import Json
from baton.domain.transaction import State, View


class EventKind(StrEnum):
    TRANSACTION_UPDATE = "transaction_update"
    RELAYER_STATE_UPDATE = "relayer_state_update"


class TransactionEvent(Struct, frozen=True):
    """One change of one transaction. `number` counts from 1 per transaction, without holes."""

    id: str
    transaction_id: str
    relayer_id: str
    number: int
    at: datetime
    state: State


class RelayerEvent(Struct, frozen=True):
    id: str
    relayer_id: str
    at: datetime
    payload: Json


Event = TransactionEvent | RelayerEvent


class FeedEvent(Struct, frozen=True):
    """An event with its place in the feed, and what its record is made from (None for a relayer's own events)."""

    position: int  # dense, over all events
    event: Event
    view: View | None
