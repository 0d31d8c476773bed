"""What a transaction costs: signatures, and a priority fee of compute units times their price. Pure, no I/O.

Prices are in micro-lamports for each unit, fees in lamports; mixing the two up costs a factor of a million.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from baton.chains.solana.build import COMPUTE_BUDGET_PROGRAM
from baton.chains.solana.message import AnyMessage
from baton.domain.policy import SolanaPolicy, Speed

SIGNATURE_LAMPORTS = 5_000
MICRO = 1_000_000
MOST_UNITS = 1_400_000  # of one transaction
DEFAULT_UNITS = 200_000  # of an instruction in a transaction that sets no limit
MOST_PRIORITY_LAMPORTS = 10_000_000  # 0.01 SOL: what a relayer without a cap of its own pays for priority at most

# Instructions that verify signatures count as signatures themselves; the first byte of their data says how many.
_VERIFIERS = frozenset(
    {
        "Ed25519SigVerify111111111111111111111111111",
        "KeccakSecp256k11111111111111111111111111111",
        "Secp256r1SigVerify1111111111111111111111111",
    }
)
_SET_LIMIT, _SET_PRICE = 2, 3

_PERCENTILE = {Speed.SAFE_LOW: 25, Speed.AVERAGE: 50, Speed.FAST: 75, Speed.FASTEST: 95}
# Where nobody pays for priority, a little still puts us before those who pay nothing: lamports, not more.
_LEAST_PRICE = {Speed.SAFE_LOW: 0, Speed.AVERAGE: 1_000, Speed.FAST: 10_000, Speed.FASTEST: 100_000}


@dataclass(frozen=True, slots=True)
class Budget:
    """What a message says about its compute units; None where it says nothing."""

    units: int | None
    price: int | None
    other_instructions: int

    @property
    def most_units(self) -> int:
        given = DEFAULT_UNITS * self.other_instructions if self.units is None else self.units
        return min(given, MOST_UNITS)


def budget_of(message: AnyMessage) -> Budget:
    units = price = None
    others = 0
    for each in message.instructions:
        if str(message.account_keys[each.program_id_index]) != COMPUTE_BUDGET_PROGRAM:
            others += 1
            continue
        data = bytes(each.data)
        if data[:1] == bytes([_SET_LIMIT]):
            units = int.from_bytes(data[1:5], "little")
        elif data[:1] == bytes([_SET_PRICE]):
            price = int.from_bytes(data[1:9], "little")
    return Budget(units, price, others)


def base_fee(message: AnyMessage) -> int:
    """Lamports for the signatures, those that programs verify included."""
    keys = message.account_keys
    verified = sum(
        bytes(each.data)[0]
        for each in message.instructions
        if each.data and str(keys[each.program_id_index]) in _VERIFIERS
    )
    return SIGNATURE_LAMPORTS * (message.header.num_required_signatures + verified)


def priority_fee(units: int, price: int) -> int:
    """Lamports, rounded up as the runtime does."""
    return -(-units * price // MICRO)


def fee_of(message: AnyMessage) -> int:
    """All that a message pays to be processed, to the lamport."""
    budget = budget_of(message)
    return base_fee(message) + priority_fee(budget.most_units, budget.price or 0)


def with_margin(consumed: int) -> int:
    """A limit for what a simulation consumed: state moves between the two, and an exceeded limit fails the whole."""
    return min(consumed * 6 // 5 + 300, MOST_UNITS)


def price_for(recent: Sequence[int], speed: Speed) -> int:
    """What recent slots took at least, at the speed's percentile."""
    ordered = sorted(recent)
    market = ordered[min(len(ordered) - 1, len(ordered) * _PERCENTILE[speed] // 100)] if ordered else 0
    return max(market, _LEAST_PRICE[speed])


def most_fee(base: int, policy: SolanaPolicy) -> int:
    """The highest fee that a relayer pays, whoever set the price."""
    cap = policy.max_allowed_fee_lamports
    return base + MOST_PRIORITY_LAMPORTS if cap is None else cap


def within_cap(price: int, units: int, base: int, policy: SolanaPolicy) -> int | None:
    """The price, lowered until the whole fee fits the policy's cap; None if the signatures alone are over it."""
    room = most_fee(base, policy) - base
    if room < 0:
        return None
    return min(price, room * MICRO // max(units, 1))


def recent_prices(answer: Iterable[object]) -> list[int]:
    """The prices of a `getRecentPrioritizationFees` answer; what is no price is left out."""
    found = [item.get("prioritizationFee") for item in answer if isinstance(item, dict)]
    return [price for price in found if type(price) is int and 0 <= price < 2**64]
