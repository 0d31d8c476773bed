"""What the API document says of each route: words, parameters, bodies, answers. Every route has an entry here."""

from collections.abc import Mapping
from dataclasses import dataclass

from baton.api import notifications as n
from baton.api import transactions as t
from baton.chains.schema import part
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
NOTIFICATION_ID: Json = RELAYER_ID | {
    "name": "notification_id",
    "description": "The unique identifier of the notification.",
}
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
TRANSACTION = part("Transaction")
NOTIFICATION = part("NotificationRecord")

OPERATIONS: Mapping[tuple[str, str], Operation] = {
    ("POST", t.LIST): Operation(
        "sendTransaction",
        "Send a transaction",
        "Transactions",
        "Stores a transaction and answers once that is durable; it is then signed, sent and watched until it is final. "
        "Which group of fields is read depends on the relayer's network.",
        (RELAYER_ID, IDEMPOTENCY_KEY),
        body=part("TransactionRequest"),
        data=TRANSACTION,
        failures=(403, 422, 429),
    ),
    ("GET", t.LIST): Operation(
        "listTransactions",
        "List the transactions of a relayer",
        "Transactions",
        "Newest first by order of acceptance. The path works with and without a slash at its end.",
        (RELAYER_ID, *PAGING, *FILTERS),
        data=TRANSACTION,
        is_list=True,
        failures=(429,),
    ),
    ("GET", t.ONE): Operation(
        "getTransaction",
        "Look at a transaction",
        "Transactions",
        parameters=(RELAYER_ID, TRANSACTION_ID),
        data=TRANSACTION,
        failures=(429,),
    ),
    ("PUT", t.ONE): Operation(
        "replaceTransaction",
        "Replace a transaction",
        "Transactions",
        "Replaces the whole body of a transaction that is pending, sent or submitted. Same id, same slot.",
        (RELAYER_ID, TRANSACTION_ID),
        body=part("TransactionRequest"),
        data=TRANSACTION,
        failures=(403, 429),
    ),
    ("DELETE", t.ONE): Operation(
        "cancelTransaction",
        "Cancel a transaction",
        "Transactions",
        "Effective at once while nothing is signed; afterwards it is carried out on chain, and the status says what "
        "happened there.",
        (RELAYER_ID, TRANSACTION_ID),
        data=TRANSACTION,
        failures=(429,),
    ),
    ("POST", n.LIST): Operation(
        "createNotification",
        "Create a notification",
        "Notifications",
        body=part("NotificationCreate"),
        data=NOTIFICATION,
        success=201,
        failures=(409,),
    ),
    ("GET", n.LIST): Operation(
        "listNotifications",
        "List notifications",
        "Notifications",
        "Newest first.",
        PAGING,
        data=NOTIFICATION,
        is_list=True,
    ),
    ("GET", n.ONE): Operation(
        "getNotification",
        "Look at a notification",
        "Notifications",
        parameters=(NOTIFICATION_ID,),
        data=NOTIFICATION,
    ),
    ("PATCH", n.ONE): Operation(
        "updateNotification",
        "Update a notification",
        "Notifications",
        "What is absent or null stays as it is; an empty signing_key removes the stored one.",
        (NOTIFICATION_ID,),
        body=part("NotificationUpdate"),
        data=NOTIFICATION,
    ),
    ("DELETE", n.ONE): Operation(
        "deleteNotification",
        "Delete a notification",
        "Notifications",
        parameters=(NOTIFICATION_ID,),
        data={"type": "null"},
    ),
    ("GET", "/"): Operation("home", "What this is", "Service", data={"type": "object"}),
    ("GET", "/api/v1/health"): Operation(
        "health", "Is it alive", "Service", bare=("text/plain; charset=utf-8", {"const": "OK"})
    ),
    ("GET", "/api/v1/ready"): Operation(
        "ready",
        "Can it take work",
        "Service",
        "503 with the same document when it cannot.",
        bare=("application/json", part("Readiness")),
    ),
    ("GET", "/metrics"): Operation(
        "metrics", "Metrics for Prometheus", "Service", bare=("text/plain", {"type": "string"})
    ),
}
