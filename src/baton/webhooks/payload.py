"""The body of a webhook: compact JSON, encoded once, so that the bytes signed are the bytes sent."""

from datetime import datetime

import msgspec

from baton.commands.events import document
from baton.commands.registry import Relayers
from baton.domain.clock import to_text
from baton.domain.events import FeedEvent
from baton.domain.notification import Notification

_encode = msgspec.json.Encoder().encode

TEST_EVENT = "notification_test"


def body(relayers: Relayers, told: FeedEvent) -> bytes:
    """Raises `Missing` when what it tells of is no longer known here."""
    return _encode(document(relayers, told))


def ping(event_id: str, notification: Notification, at: datetime) -> bytes:
    """What `POST /notifications/{id}/test` sends."""
    payload = {"payload_type": "test", "notification_id": notification.id, "message": "Baton can reach this receiver"}
    return _encode({"id": event_id, "event": TEST_EVENT, "payload": payload, "timestamp": to_text(at)})
