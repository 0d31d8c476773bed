"""Deliveries of a notification: list them with every attempt, send one again, try the receiver."""

from typing import Annotated

import msgspec
from msgspec import Meta

from baton.api.envelope import Answer, page, success
from baton.api.notifications import ONE
from baton.api.query import paging, values_of
from baton.api.request import Request
from baton.api.routing import Route
from baton.chains.fields import found
from baton.commands import deliveries, notifications
from baton.commands.context import Context
from baton.commands.deliveries import ShownDelivery
from baton.domain.clock import to_text
from baton.domain.delivery import DeliveryStatus, Said, Try
from baton.domain.errors import Invalid
from baton.domain.events import EventKind

LIST = ONE + "/deliveries"
REPLAY = LIST + "/{delivery_id}/replay"
TEST = ONE + "/test"


class DeliveryAttempt(msgspec.Struct, frozen=True):
    """One try."""

    number: int
    at: str
    took_ms: int
    status_code: Annotated[int | None, Meta(description="null when there was no answer")]
    error: Annotated[str | None, Meta(description="null if the receiver took it")]
    response: Annotated[str, Meta(description="the beginning of the answer's body")]

    @classmethod
    def of(cls, one: Try) -> "DeliveryAttempt":
        said = one.said
        return cls(one.number, to_text(said.at), said.took_ms, said.status_code, said.error, said.excerpt)


class DeliveryRecord(msgspec.Struct, frozen=True):
    """One event on its way to one notification."""

    id: str
    notification_id: str
    event_id: Annotated[str, Meta(description="the body's id and the header webhook-id, the same in every attempt")]
    event: EventKind
    relayer_id: str
    transaction_id: str | None
    sequence: Annotated[int | None, Meta(description="the event's number within its transaction, from 1")]
    position: Annotated[int, Meta(description="the event's place in GET /api/v1/events")]
    status: DeliveryStatus
    reason: Annotated[str | None, Meta(description="why it is not delivered")]
    created_at: str
    next_attempt_at: Annotated[
        str | None, Meta(description="null when it is done, disabled, or waits for an earlier event of its transaction")
    ]
    finished_at: str | None
    replay_of: Annotated[str | None, Meta(description="the delivery whose event this one carries again")]
    attempts: list[DeliveryAttempt]

    @classmethod
    def of(cls, shown: ShownDelivery) -> "DeliveryRecord":
        one, disabled = shown.delivery, shown.health.disabled_reason
        is_pending = one.status is DeliveryStatus.PENDING
        due_at = one.due_at if disabled is None else None
        return cls(
            id=one.id,
            notification_id=one.notification_id,
            event_id=one.event_id,
            event=one.kind,
            relayer_id=one.relayer_id,
            transaction_id=one.transaction_id,
            sequence=one.number,
            position=one.position,
            status=one.status,
            reason=disabled if is_pending and disabled is not None else one.reason,
            created_at=to_text(one.since),
            next_attempt_at=None if due_at is None else to_text(due_at),
            finished_at=None if one.finished_at is None else to_text(one.finished_at),
            replay_of=one.replay_of,
            attempts=[DeliveryAttempt.of(each) for each in shown.tries],
        )


class TestRecord(msgspec.Struct, frozen=True):
    """What a receiver said to a test event."""

    delivered: bool
    status_code: int | None
    took_ms: int
    error: str | None
    response: str

    @classmethod
    def of(cls, said: Said) -> "TestRecord":
        return cls(said.is_taken, said.status_code, said.took_ms, said.error, said.excerpt)


class Deliveries:
    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        return [
            Route("GET", LIST, self.list),
            Route("POST", REPLAY, self.replay),
            Route("POST", TEST, self.test),
        ]

    async def list(self, request: Request) -> Answer:
        await notifications.get(self._context, request.ids[0])  # an unknown one comes before a wrong query
        wanted = await deliveries.list_page(self._context, request.ids[0], paging(request), _status(request))
        return page([DeliveryRecord.of(each) for each in wanted.items], wanted.paging, wanted.total)

    async def replay(self, request: Request) -> Answer:
        return success(DeliveryRecord.of(await deliveries.replay(self._context, *request.ids)))

    async def test(self, request: Request) -> Answer:
        return success(TestRecord.of(await deliveries.test(self._context, request.ids[0])))


def _status(request: Request) -> DeliveryStatus | None:
    text = values_of(request).get("status")
    if text is None:
        return None
    try:
        return DeliveryStatus(text.lower())
    except ValueError:
        raise Invalid("status", found(text), "one of " + ", ".join(DeliveryStatus)) from None
