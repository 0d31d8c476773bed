"""A Stellar transaction as answers and webhooks show it: every key of the interface, null where it means nothing."""

from baton.domain.clock import to_text
from baton.domain.json import Json
from baton.domain.transaction import View


def record(view: View) -> dict[str, Json]:
    content, state, attempt = view.revision.content, view.state, view.attempt
    facts = attempt.facts if attempt is not None else {}
    outcome = (attempt.outcome if attempt is not None else None) or {}
    return {
        "id": view.id,
        "relayer_id": view.relayer_id,
        "status": str(state.status),
        "status_reason": state.reason,
        "created_at": to_text(view.created_at),
        "sent_at": to_text(state.sent_at) if state.sent_at else None,
        "confirmed_at": to_text(state.confirmed_at) if state.confirmed_at else None,
        "hash": attempt.hash if attempt is not None else None,
        "from": content["source_account"],
        "to": None,
        "data": None,
        "value": None,
        "gas_limit": None,
        "gas_price": None,
        "max_fee_per_gas": None,
        "max_priority_fee_per_gas": None,
        "nonce": None,
        "speed": None,
        "signature": None,
        "source_account": facts.get("source_account") or content["source_account"],
        "sequence_number": facts.get("sequence_number"),
        "fee": facts.get("fee"),
        "memo": content["memo"],
        "operations": content["operations"],
        "transaction_xdr": facts.get("transaction_xdr") or content["transaction_xdr"],
        "transaction_result_xdr": outcome.get("transaction_result_xdr"),
        "is_canceled": state.is_canceled,
    }
