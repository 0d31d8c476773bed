"""A version of a transaction where its family matters and little else, and the keys that every record has."""

from datetime import UTC, datetime
from typing import Any

from baton.domain.transaction import Attempt, AttemptKind

INTERFACE = frozenset({
    "id", "relayer_id", "status", "status_reason", "created_at", "sent_at", "confirmed_at", "hash", "from", "to",
    "data", "value", "gas_limit", "gas_price", "max_fee_per_gas", "max_priority_fee_per_gas", "nonce", "speed",
    "signature",
})  # fmt: skip


def an_attempt(**changes: Any) -> Attempt:
    """The first of transaction "t" of relayer "r", unless something else is said."""
    plain: dict[str, Any] = {
        "id": "a",
        "relayer_id": "r",
        "transaction_id": "t",
        "revision": 1,
        "kind": AttemptKind.ORIGINAL,
        "hash": "ab" * 32,
        "slot": None,
        "max_cost": 0,
        "facts": {},
        "created_at": datetime(2026, 1, 1, 12, tzinfo=UTC),
    }
    return Attempt(**plain | changes)
