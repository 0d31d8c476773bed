"""What a place in the ledger costs: a bid for each operation, a fee bump counting as one more. Pure, no I/O.

The network charges everyone the price of the cheapest bid that got in, so a generous bid costs nothing in quiet times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from baton.domain.json import Json
from baton.domain.policy import Speed
from baton.domain.transaction import Attempt

LEAST_BID = 100  # stroops for each operation
HIGHEST_FEE = 2**32 - 1  # stroops: what the field of a transaction holds
DISPLACING = 10  # a waiting transaction gives way only to so many times its bid

_PERCENTILE = {Speed.SAFE_LOW: "p10", Speed.AVERAGE: "p50", Speed.FAST: "p90", Speed.FASTEST: "p99"}


@dataclass(frozen=True, slots=True)
class Prices:
    """What was lately bid for each operation, by percentile."""

    least: int
    by_speed: Mapping[Speed, int]

    @property
    def shown(self) -> dict[str, str]:
        return {str(speed): str(bid) for speed, bid in self.by_speed.items()}


@dataclass(frozen=True, slots=True)
class Market:
    ledger: int  # at which it was told
    classic: Prices
    soroban: Prices

    def prices(self, *, is_soroban: bool) -> Prices:
        return self.soroban if is_soroban else self.classic


@dataclass(frozen=True, slots=True)
class OverCap:
    """What would have to be offered is over what may be offered."""

    needed: int
    cap: int

    @property
    def why(self) -> str:
        return f"it costs {self.needed} stroops, over the limit of {self.cap}"


def market_of(answer: Json) -> Market:
    """An answer to `getFeeStats`; raises `ValueError` for what is none."""
    try:
        ledger = answer["latestLedger"]
        if type(ledger) is not int:
            raise ValueError("a ledger that is no number")
        return Market(ledger, _prices(answer["inclusionFee"]), _prices(answer["sorobanInclusionFee"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"no fee statistics: {error}") from None


def _prices(told: Json) -> Prices:
    """Statistics of a quiet network may say 0: nothing gets in below the least bid."""
    by_speed = {speed: max(LEAST_BID, int(told[name])) for speed, name in _PERCENTILE.items()}
    return Prices(max(LEAST_BID, int(told["min"])), by_speed)


@dataclass(frozen=True, slots=True)
class Load:
    """What is paid for: so many operations at the same bid, and what a contract uses."""

    count: int
    resources: int = 0
    least_bid: int = LEAST_BID  # a fee bump bids at least what the transaction inside does

    def cost(self, bid: int) -> int:
        return bid * self.count + self.resources

    def most(self, cap: int) -> int:
        """The highest bid within a cap on the whole."""
        return (min(cap, HIGHEST_FEE) - self.resources) // self.count


def offer(load: Load, prices: Prices, speed: Speed, cap: int) -> int | OverCap:
    """The bid for each operation: the speed's, lowered to what the cap allows.

    `OverCap` when that is less than anything that lately got in.
    """
    least = max(prices.least, load.least_bid)
    most = load.most(cap)
    if most < least:
        return OverCap(load.cost(least), cap)
    return min(max(prices.by_speed[speed], least), most)


def raised(load: Load, attempts: Sequence[Attempt], prices: Prices, cap: int) -> int | OverCap:
    """The bid that displaces every one of `attempts` that may wait in a queue, or the market's if that is more."""
    needed = max(_displacing(attempt) for attempt in attempts)
    most = load.most(cap)
    if needed > most:
        return OverCap(load.cost(needed), cap)
    return max(needed, min(prices.by_speed[Speed.FASTEST], most))


def shortfall(attempt: Attempt, wanted: int) -> str | None:
    """Why its bid is too low now; None if it is enough."""
    bid = int(attempt.facts["inclusion_fee"]) // int(attempt.facts["operation_count"])
    return None if bid >= wanted else f"it bids {bid} stroops for each operation, lately {wanted} were bid"


def _displacing(attempt: Attempt) -> int:
    return -(-DISPLACING * int(attempt.facts["inclusion_fee"]) // int(attempt.facts["operation_count"]))
