"""What the API document says of each route: words, parameters, bodies, answers. Every route has an entry here."""

from collections.abc import Mapping

from baton.api import deliveries as d
from baton.api import events as e
from baton.api import look as k
from baton.api import notifications as n
from baton.api import relayers as r
from baton.api import transactions as t
from baton.api.described import (
    DELIVERY_ID,
    DELIVERY_STATUS,
    FEED,
    FILTERS,
    IDEMPOTENCY_KEY,
    NONCE,
    NOTIFICATION_ID,
    PAGING,
    RELAYER_ID,
    TRANSACTION_ID,
    Operation,
)
from baton.chains.schema import part

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
    ("DELETE", t.PENDING): Operation(
        "cancelPendingTransactions",
        "Cancel everything that is not in a block yet",
        "Transactions",
        "Each as if it were canceled by itself.",
        (RELAYER_ID,),
        data=part("PendingCanceled"),
        failures=(429,),
    ),
    ("GET", k.BY_NONCE): Operation(
        "getTransactionByNonce",
        "Look at the transaction of a nonce",
        "Transactions",
        "EVM only: other networks answer 400.",
        (RELAYER_ID, NONCE),
        data=TRANSACTION,
        failures=(429,),
    ),
    ("GET", k.ATTEMPTS): Operation(
        "listAttempts",
        "Every signed version of a transaction",
        "Transactions",
        "Oldest first: what each offered, when a node took it, and what became of it.",
        (RELAYER_ID, TRANSACTION_ID),
        data={"type": "array", "items": part("Attempt")},
        failures=(429,),
    ),
    ("GET", k.RECEIPT): Operation(
        "getReceipt",
        "What landed",
        "Transactions",
        "Of the version that is in a block; 404 while none is.",
        (RELAYER_ID, TRANSACTION_ID),
        data=part("Receipt"),
        failures=(429,),
    ),
    ("GET", k.EXPLAIN): Operation(
        "explainTransaction",
        "Why is it not mined yet",
        "Transactions",
        "What its lane sees at this moment: its offers against the market, what blocks the head of the lane, the cap, the "
        "money, which nodes know it, and what happens next.",
        (RELAYER_ID, TRANSACTION_ID),
        data=part("Explanation"),
        failures=(429,),
    ),
    ("GET", r.LIST): Operation(
        "listRelayers",
        "List relayers",
        "Relayers",
        "By id.",
        PAGING,
        data=part("RelayerRecord"),
        is_list=True,
        failures=(429,),
    ),
    ("GET", r.ONE): Operation(
        "getRelayer",
        "Look at a relayer",
        "Relayers",
        parameters=(RELAYER_ID,),
        data=part("RelayerRecord"),
        failures=(429,),
    ),
    ("PATCH", r.ONE): Operation(
        "updateRelayer",
        "Change a relayer",
        "Relayers",
        "A JSON merge patch; what a start reads from the file changes it again only if the file's entry changed.",
        (RELAYER_ID,),
        body=part("RelayerUpdate"),
        data=part("RelayerRecord"),
        failures=(429,),
    ),
    ("GET", r.STATUS): Operation(
        "getRelayerStatus",
        "How a relayer is doing",
        "Relayers",
        "As its account is at the head of the chain, or was last seen; 503 when it never was.",
        (RELAYER_ID,),
        data=part("RelayerStatusRecord"),
        failures=(429,),
    ),
    ("GET", r.BALANCE): Operation(
        "getRelayerBalance",
        "What a relayer owns",
        "Relayers",
        "As its account is at the head of the chain, or was last seen; 503 when it never was.",
        (RELAYER_ID,),
        data=part("RelayerBalance"),
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
    ("GET", d.LIST): Operation(
        "listDeliveries",
        "List the deliveries of a notification",
        "Notifications",
        "Newest first, each with every attempt that was made: when, what the receiver said, and when the next one is due.",
        (NOTIFICATION_ID, *PAGING, DELIVERY_STATUS),
        data=part("DeliveryRecord"),
        is_list=True,
    ),
    ("POST", d.REPLAY): Operation(
        "replayDelivery",
        "Deliver an event again",
        "Notifications",
        "Makes a new delivery of the same event, due at once. Its webhook-id is the one the receiver may know already.",
        (NOTIFICATION_ID, DELIVERY_ID),
        data=part("DeliveryRecord"),
    ),
    ("POST", d.TEST): Operation(
        "testNotification",
        "Try a notification",
        "Notifications",
        "Sends a test event at once and answers with what the receiver said. Nothing is stored.",
        (NOTIFICATION_ID,),
        data=part("TestRecord"),
    ),
    ("GET", e.PATH): Operation(
        "readEvents",
        "Read the feed of all events",
        "Events",
        "In one gap-free row. Keep the cursor: whoever asks with it again has missed nothing. With "
        "`Accept: text/event-stream` the same comes as server-sent events, from `after` or `Last-Event-ID` on.",
        FEED,
        data=part("FeedRecord"),
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
