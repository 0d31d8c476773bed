"""A Solana transaction as answers and webhooks show it: every key of the interface, null where it means nothing."""

from baton.domain.clock import to_text
from baton.domain.json import Json
from baton.domain.transaction import View


def record(view: View) -> dict[str, Json]:
    content, state, attempt = view.revision.content, view.state, view.attempt
    facts = attempt.facts if attempt is not None else {}
    speed = content.get("speed")
    return {
        "id": view.id,
        "relayer_id": view.relayer_id,
        "status": str(state.status),
        "status_reason": state.reason,
        "created_at": to_text(view.created_at),
        "sent_at": to_text(state.sent_at) if state.sent_at else None,
        "confirmed_at": to_text(state.confirmed_at) if state.confirmed_at else None,
        "hash": attempt.hash if attempt is not None else None,
        "from": content["fee_payer"],
        "to": None,
        "data": None,
        "value": None,
        "gas_limit": None,
        "gas_price": None,
        "max_fee_per_gas": None,
        "max_priority_fee_per_gas": None,
        "nonce": None,
        "speed": {"level": speed} if speed else None,
        "signature": facts.get("signature"),
        "transaction": facts.get("transaction") or content["transaction"],
        "instructions": content["instructions"],
        "is_canceled": state.is_canceled,
    }
