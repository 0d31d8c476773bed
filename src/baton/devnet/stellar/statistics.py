"""`getFeeStats`: what was lately paid for a place in the ledger, for each operation."""

from typing import Any

from baton.devnet.stellar.ledger import Ledger

CLASSIC_LEDGERS = 10
SOROBAN_LEDGERS = 50
PERCENTILES = (10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)


def fee_stats(ledger: Ledger) -> dict[str, Any]:
    return {
        "inclusionFee": _distribution(ledger, soroban=False, ledgers=CLASSIC_LEDGERS),
        "sorobanInclusionFee": _distribution(ledger, soroban=True, ledgers=SOROBAN_LEDGERS),
        "latestLedger": ledger.shown.sequence,
    }


def _distribution(ledger: Ledger, *, soroban: bool, ledgers: int) -> dict[str, str | int]:
    """Where nothing was paid lately, the present price stands for all; a surge lifts what was paid before it."""
    latest = ledger.shown.sequence
    recent = [ledger.closed[at] for at in range(max(ledger.oldest.sequence, latest - ledgers + 1), latest + 1)]
    paid = [done.paid_stroops for closed in recent for done in closed.landed if done.is_soroban == soroban]
    price = ledger.controls.price
    fees = sorted(max(fee, price) for fee in paid) or [price]
    told: dict[str, str | int] = {
        "max": str(fees[-1]),
        "min": str(fees[0]),
        "mode": str(max(fees, key=fees.count)),
        "transactionCount": str(len(paid)),
        "ledgerCount": len(recent),
    }
    for percentile in PERCENTILES:
        told[f"p{percentile}"] = str(fees[(len(fees) - 1) * percentile // 100])
    return told
