"""Rows to values and back: the one place that knows the order of columns."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from baton.domain.clock import from_micros, to_micros
from baton.domain.delivery import Delivery, DeliveryStatus, Said, Try
from baton.domain.events import Event, EventKind, FeedEvent, RelayerEvent, TransactionEvent
from baton.domain.json import Json
from baton.domain.status import Status
from baton.domain.transaction import (
    Attempt,
    AttemptKind,
    Block,
    Fate,
    Intent,
    IntentKind,
    Revision,
    Slot,
    State,
    Transaction,
    View,
)

Row = Sequence[Any]

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder().decode


def json_text(value: Json) -> str:
    return encode(value).decode()


def micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def moment(value: int | None) -> datetime | None:
    return None if value is None else from_micros(value)


def state_columns(state: State) -> tuple[Any, ...]:
    """status, reason, revision, attempt_id, sent_at, confirmed_at, is_canceled"""
    return (
        str(state.status),
        state.reason,
        state.revision,
        state.attempt_id,
        micros(state.sent_at),
        micros(state.confirmed_at),
        int(state.is_canceled),
    )


def state_from(row: Row) -> State:
    """From: status, revision, reason, attempt_id, sent_at, confirmed_at, is_canceled."""
    return State(
        status=Status(row[0]),
        revision=row[1],
        reason=row[2],
        attempt_id=row[3],
        sent_at=moment(row[4]),
        confirmed_at=moment(row[5]),
        is_canceled=bool(row[6]),
    )


def transaction_from(row: Row) -> Transaction:
    intent = None if row[13] is None else Intent(IntentKind(row[13]), row[14])
    return Transaction(
        id=row[0],
        relayer_id=row[1],
        seq=row[2],
        created_at=from_micros(row[3]),
        version=row[4],
        events=row[5],
        state=state_from(row[6:13]),
        intent=intent,
    )


def revision_from(row: Row) -> Revision:
    return Revision(number=row[0], content=decode(row[1]), valid_until=moment(row[2]))


def attempt_from(row: Row) -> Attempt:
    """`raw` is the last column where it was asked for; records do not need it."""
    return Attempt(
        id=row[0],
        relayer_id=row[1],
        transaction_id=row[2],
        revision=row[3],
        kind=AttemptKind(row[4]),
        hash=row[5],
        slot=None if row[8] is None else Slot(row[6], row[7], row[8]),
        max_cost=int(row[9]),
        facts=decode(row[10]),
        created_at=from_micros(row[11]),
        fate=Fate(row[12]),
        block=None if row[13] is None else Block(row[13], row[14]),
        accepted_at=moment(row[15]),
        outcome=None if row[16] is None else decode(row[16]),
        raw=row[17] if len(row) > ATTEMPT_COLUMNS else b"",
    )


ATTEMPT_COLUMNS = 17


def attempt_columns(attempt: Attempt) -> tuple[Any, ...]:
    slot = attempt.slot
    return (
        attempt.id,
        attempt.relayer_id,
        attempt.transaction_id,
        attempt.revision,
        str(attempt.kind),
        attempt.hash,
        slot.chain if slot else None,
        slot.account if slot else None,
        slot.number if slot else None,
        str(attempt.max_cost),
        json_text(attempt.facts),
        to_micros(attempt.created_at),
        attempt.raw,
    )


def view_from(row: Row) -> View:
    return View(
        id=row[0],
        relayer_id=row[1],
        created_at=from_micros(row[2]),
        state=state_from(row[3:10]),
        revision=revision_from(row[10:13]),
        attempt=None if row[13] is None else attempt_from(row[13:]),
    )


def event_from(row: Row) -> TransactionEvent:
    return TransactionEvent(
        id=row[0],
        transaction_id=row[1],
        relayer_id=row[2],
        number=row[3],
        at=from_micros(row[4]),
        state=state_from(row[5:12]),
    )


def feed_event_from(row: Row) -> FeedEvent:
    """From: position, kind, payload, the event, the transaction's created_at, its revision, its attempt."""
    position, kind, payload = row[0], EventKind(row[1]), row[2]
    event: Event
    if kind is EventKind.RELAYER_STATE_UPDATE:
        event = RelayerEvent(id=row[3], relayer_id=row[5], at=from_micros(row[7]), payload=decode(payload))
        return FeedEvent(position, event, None)
    event = event_from(row[3:15])
    if row[15] is None or row[16] is None:
        return FeedEvent(position, event, None)  # its transaction is no longer kept
    view = View(
        id=event.transaction_id,
        relayer_id=event.relayer_id,
        created_at=from_micros(row[15]),
        state=event.state,
        revision=revision_from(row[16:19]),
        attempt=None if row[19] is None else attempt_from(row[19:]),
    )
    return FeedEvent(position, event, view)


def delivery_from(notification_id: str, row: Row) -> Delivery:
    return Delivery(
        id=row[0],
        notification_id=notification_id,
        event_id=row[1],
        kind=EventKind(row[2]),
        relayer_id=row[3],
        transaction_id=row[4],
        number=row[5],
        position=row[6],
        status=DeliveryStatus(row[7]),
        since=from_micros(row[8]),
        due_at=moment(row[9]),
        tries=row[10],
        tried_at=moment(row[11]),
        finished_at=moment(row[12]),
        reason=row[13],
        replay_of=row[14],
    )


def try_from(row: Row) -> Try:
    return Try(row[0], Said(from_micros(row[1]), row[2], row[3], row[4], row[5]))
