"""What a transaction offers per gas, and by how much a replacement must raise it. Integers only.

Pools see a legacy price as both limits at once, so every price has a `max_fee` and a `tip` and the rules need no cases.
"""

from collections.abc import Sequence

from msgspec import Struct

from baton.domain.errors import Invalid
from baton.domain.json import Json


class Legacy(Struct, frozen=True):
    gas_price: int

    @property
    def max_fee(self) -> int:
        return self.gas_price

    @property
    def tip(self) -> int:
        return self.gas_price

    @property
    def fields(self) -> dict[str, int]:
        """By the names of the request, the record and the envelope."""
        return {"gas_price": self.gas_price}


class Dynamic(Struct, frozen=True):
    """EIP-1559; `tip` is never above `max_fee`."""

    max_fee: int
    tip: int

    @property
    def fields(self) -> dict[str, int]:
        return {"max_fee_per_gas": self.max_fee, "max_priority_fee_per_gas": self.tip}


Price = Legacy | Dynamic


class OverCap(Struct, frozen=True):
    """What would have to be offered is over what may be offered."""

    needed: int
    cap: int

    @property
    def why(self) -> str:
        return f"needs {self.needed} wei per gas, over the limit of {self.cap}"


def of_facts(facts: Json) -> Price:
    """The price of a stored attempt."""
    if "gas_price" in facts:
        return Legacy(int(facts["gas_price"]))
    return Dynamic(int(facts["max_fee_per_gas"]), int(facts["max_priority_fee_per_gas"]))


def dearest(prices: Sequence[Price]) -> Dynamic:
    """What a replacement must beat: pools compare with the version they hold, which may be any of ours."""
    return Dynamic(max(one.max_fee for one in prices), max(one.tip for one in prices))


def within(price: Price, cap: int | None) -> Price | OverCap:
    """The price as it is, if the cap allows it."""
    return price if cap is None or price.max_fee <= cap else OverCap(price.max_fee, cap)


def least(old: Price) -> Dynamic:
    """The cheapest that every pool takes in place of `old`: each limit up by a tenth (rounded up), by 1 wei at least."""
    return Dynamic(_raised(old.max_fee), _raised(old.tip))


def replaces(old: Price, new: Price) -> bool:
    floor = least(old)
    return new.max_fee >= floor.max_fee and new.tip >= floor.tip


def bump(old: Price, market: Price, cap: int | None) -> Price | OverCap:
    """The price of the next attempt in the slot of `old`, of the market price's kind.

    Post-conditions: it replaces `old` in every pool; it is at least the market price, as far as the cap allows; it is
    never over the cap. `OverCap` only when even the least replacement is over the cap.
    """
    floor = least(old)
    needed = max(floor.max_fee, floor.tip)
    if cap is not None and needed > cap:
        return OverCap(needed, cap)
    tip = max(floor.tip, market.tip)
    max_fee = max(needed, market.max_fee, tip)
    if cap is not None:
        max_fee = min(max_fee, cap)
    if isinstance(market, Legacy):
        return Legacy(max_fee)
    return Dynamic(max_fee, min(tip, max_fee))


def check_replacement(old: Price, given: dict[str, int]) -> None:
    """Raises `Invalid` when an explicit price of a replace (by its request name) would not displace `old`."""
    floor = least(old)
    needs = {
        "gas_price": max(floor.max_fee, floor.tip),
        "max_fee_per_gas": floor.max_fee,
        "max_priority_fee_per_gas": floor.tip,
    }
    for name, price in given.items():
        if price < needs[name]:
            raise Invalid(name, str(price), f"at least {needs[name]}, a tenth above the last attempt")


def _raised(amount: int) -> int:
    return max(amount + 1, (amount * 11 + 9) // 10)
