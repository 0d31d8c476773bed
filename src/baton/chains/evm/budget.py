"""The rescue budget: what no-ops may cost above the cap within 24 hours, so that one that is stuck does not hold up the rest.

Each attempt keeps what it could cost above the cap of its day; of the versions in one slot only the dearest can be paid.
"""

from collections.abc import Sequence

from baton.chains.evm.fees import cap_of
from baton.chains.evm.price import Price
from baton.domain.json import Json
from baton.domain.policy import EvmPolicy
from baton.domain.transaction import Attempt, Slot

OVER_CAP = "over_cap"


def facts(price: Price, gas_limit: int, policy: EvmPolicy) -> dict[str, Json]:
    """What an attempt keeps of it; nothing where it stays under the cap."""
    cap = cap_of(policy, gas_limit)
    over = 0 if cap is None else max(0, price.max_fee - cap) * gas_limit
    return {OVER_CAP: str(over)} if over else {}


def used(noops: Sequence[Attempt]) -> int:
    """How much of the budget these have taken."""
    dearest: dict[Slot | None, int] = {}
    for attempt in noops:
        dearest[attempt.slot] = max(dearest.get(attempt.slot, 0), int(attempt.facts.get(OVER_CAP, 0)))
    return sum(dearest.values())
