"""A transaction as answers and webhooks show it: every key of the interface, in its order, null where it means nothing."""

from collections.abc import Mapping

from baton.domain.clock import to_text
from baton.domain.json import Json
from baton.domain.transaction import View


def record_of(view: View, own: Mapping[str, Json]) -> dict[str, Json]:
    """What is told alike of every family, with what a family knows itself: the sender at least."""
    state, speed = view.state, view.revision.content.get("speed")
    return {
        "id": view.id,
        "relayer_id": view.relayer_id,
        "status": str(state.status),
        "status_reason": state.reason,
        "created_at": to_text(view.created_at),
        "sent_at": to_text(state.sent_at) if state.sent_at else None,
        "confirmed_at": to_text(state.confirmed_at) if state.confirmed_at else None,
        "hash": None if view.attempt is None else view.attempt.hash,
        "from": None,
        "to": None,
        "data": None,
        "value": None,
        "gas_limit": None,
        "gas_price": None,
        "max_fee_per_gas": None,
        "max_priority_fee_per_gas": None,
        "nonce": None,
        "speed": None if speed is None else {"level": speed},
        "signature": None,
        **own,
        "is_canceled": state.is_canceled,
    }
