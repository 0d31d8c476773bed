"""An EVM transaction as answers and webhooks show it: every key of the interface, null until known.

Until something is signed it shows what the client asked for; from then on the fees and the limit of the attempt that
the state points at. An attempt's `facts` are written by `facts_of`, here, so that both sides stay in step.
"""

from baton.chains.evm.wire import Envelope, Signed
from baton.domain.clock import to_text
from baton.domain.json import Json
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, View

PRICES = ("gas_price", "max_fee_per_gas", "max_priority_fee_per_gas")


def record(view: View, relayer: Relayer) -> dict[str, Json]:
    content, state, attempt = view.revision.content, view.state, view.attempt
    shown = content if attempt is None else attempt.facts
    speed = content.get("speed")
    return {
        "id": view.id,
        "relayer_id": view.relayer_id,
        "status": str(state.status),
        "status_reason": state.reason,
        "created_at": to_text(view.created_at),
        "sent_at": to_text(state.sent_at) if state.sent_at else None,
        "confirmed_at": to_text(state.confirmed_at) if state.confirmed_at else None,
        "hash": None if attempt is None else attempt.hash,
        "from": relayer.address,
        "to": content.get("to"),
        "data": content.get("data"),
        "value": content["value"],
        "gas_limit": shown.get("gas_limit"),
        "gas_price": shown.get("gas_price"),
        "max_fee_per_gas": shown.get("max_fee_per_gas"),
        "max_priority_fee_per_gas": shown.get("max_priority_fee_per_gas"),
        "nonce": None if attempt is None or attempt.slot is None else attempt.slot.number,
        "speed": None if speed is None else {"level": speed},
        "signature": None if attempt is None else attempt.facts.get("signature"),
        "is_canceled": state.is_canceled,
    }


def receipt(attempt: Attempt) -> dict[str, Json]:
    """What the chain said of an attempt that landed. Rollups charge for their data beside the gas."""
    outcome: dict[str, Json] = attempt.outcome or {}
    gas_used, gas_price = outcome.get("gas_used"), outcome.get("effective_gas_price")
    fee = None
    if gas_used is not None and gas_price is not None:
        fee = str(gas_used * int(gas_price) + int(outcome.get("l1_fee") or 0))
    return {
        "transaction_index": outcome.get("index"),
        "gas_used": gas_used,
        "effective_gas_price": gas_price,
        "fee_paid": fee,
        "contract_address": outcome.get("contract_address"),
    }


def facts_of(envelope: Envelope, signed: Signed) -> dict[str, Json]:
    """What an attempt keeps besides its bytes: amounts as decimal text, as the record shows them."""
    facts: dict[str, Json] = {"gas_limit": envelope.gas_limit, "signature": signed.signature}
    for name in PRICES:
        price = getattr(envelope, name)
        if price is not None:
            facts[name] = str(price)
    return facts
