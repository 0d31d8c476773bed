"""Events as they are told: the same document in a webhook's body and in the feed."""

from baton.commands.registry import Relayers
from baton.domain.clock import to_text
from baton.domain.errors import TransactionMissing
from baton.domain.events import EventKind, FeedEvent, RelayerEvent
from baton.domain.json import Json


def document(relayers: Relayers, told: FeedEvent) -> dict[str, Json]:
    """Raises `Missing` when what it tells of is no longer known here."""
    event = told.event
    if isinstance(event, RelayerEvent):
        return _document(event.id, EventKind.RELAYER_STATE_UPDATE, event.payload, to_text(event.at))
    if told.view is None:
        raise TransactionMissing(event.transaction_id)
    known = relayers.get(event.relayer_id)
    payload = {"payload_type": "transaction", **known.language.record(told.view, known.relayer)}
    made = _document(event.id, EventKind.TRANSACTION_UPDATE, payload, to_text(event.at))
    return {**made, "sequence": event.number}


def _document(event_id: str, kind: str, payload: Json, timestamp: str) -> dict[str, Json]:
    """The keys of the peer in its order; ours come after them."""
    return {"id": event_id, "event": str(kind), "payload": payload, "timestamp": timestamp}
