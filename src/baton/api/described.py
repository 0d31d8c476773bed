"""How an operation is described: its words, parameters, body and answers; and the parameters that several share."""

from dataclasses import dataclass

from baton.domain.delivery import DeliveryStatus
from baton.domain.json import Json
from baton.domain.status import Status

RELAYER_ID: Json = {
    "name": "relayer_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
    "description": "The unique identifier of the relayer.",
}
TRANSACTION_ID: Json = RELAYER_ID | {
    "name": "transaction_id",
    "description": "The unique identifier of the transaction.",
}
NONCE: Json = RELAYER_ID | {
    "name": "nonce",
    "schema": {"type": "integer", "minimum": 0},
    "description": "The nonce that it holds, or held last.",
}
NOTIFICATION_ID: Json = RELAYER_ID | {
    "name": "notification_id",
    "description": "The unique identifier of the notification.",
}
DELIVERY_ID: Json = RELAYER_ID | {"name": "delivery_id", "description": "The unique identifier of the delivery."}
IDEMPOTENCY_KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    "description": "The same key with the same body gives the same transaction, however often it is sent.",
}


def _query(name: str, schema: Json, description: str) -> Json:
    return {"name": name, "in": "query", "schema": schema, "description": description}


PAGING = (
    _query("page", {"type": "integer", "minimum": 0, "default": 1}, "Starts at 1; 0 is taken as 1."),
    _query(
        "per_page",
        {"type": "integer", "minimum": 0, "default": 10},
        "At most 1000 are given; 0 gives none, with the count.",
    ),
)
FILTERS = (
    _query("status", {"type": "string", "enum": [str(status) for status in Status]}, "Only those in this status."),
    _query("since", {"type": "string", "format": "date-time"}, "Only those created then or later."),
    _query(
        "until",
        {"type": "string", "format": "date-time"},
        "Only those created until then: freezes a walk through pages.",
    ),
    _query("hash", {"type": "string"}, "Only the one that has a signed version of this hash, whatever became of it."),
)

DELIVERY_STATUS = _query(
    "status", {"type": "string", "enum": [str(status) for status in DeliveryStatus]}, "Only those in this status."
)
FEED = (
    _query(
        "after",
        {"type": "string", "pattern": "^([0-9]{1,18}|now)$"},
        "The cursor of the last answer; absent: from the oldest event that is kept; now: only what comes.",
    ),
    _query("limit", {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}, "How many at most."),
    _query(
        "wait",
        {"type": "number", "minimum": 0, "maximum": 60, "default": 0},
        "Seconds to wait for something to come, if nothing is there.",
    ),
)


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    summary: str
    tag: str
    description: str = ""
    parameters: tuple[Json, ...] = ()
    body: Json = None
    data: Json = None  # of a success, inside the envelope
    is_list: bool = False
    bare: tuple[str, Json] | None = None  # media type and schema of an answer without the envelope
    success: int = 200
    failures: tuple[int, ...] = ()  # beyond those that every operation of its kind may have


BODY_FAILURES = (408, 413, 415)
