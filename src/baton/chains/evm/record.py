"""What a record tells of an EVM transaction beyond what all families tell; null until known.

Until something is signed it shows what the client asked for; from then on the fees and the limit of the attempt that
the state points at. An attempt's `facts` are written by `facts_of`, here, so that both sides stay in step.
"""

from baton.chains.evm.wire import Envelope, Signed
from baton.chains.record import record_of
from baton.domain.json import Json
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, View

PRICES = ("gas_price", "max_fee_per_gas", "max_priority_fee_per_gas")


def record(view: View, relayer: Relayer) -> dict[str, Json]:
    content, attempt = view.revision.content, view.attempt
    shown = content if attempt is None else attempt.facts
    own = {
        "from": relayer.address,
        "to": content.get("to"),
        "data": content.get("data"),
        "value": content["value"],
        "gas_limit": shown.get("gas_limit"),
        "gas_price": shown.get("gas_price"),
        "max_fee_per_gas": shown.get("max_fee_per_gas"),
        "max_priority_fee_per_gas": shown.get("max_priority_fee_per_gas"),
        "nonce": None if attempt is None or attempt.slot is None else attempt.slot.number,
        "signature": None if attempt is None else attempt.facts.get("signature"),
    }
    return record_of(view, own)


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
