"""From what nodes say about fees to what we offer. Pure, and integers only: no float touches an amount.

eth_feeHistory ─▶ Market ─▶ offer(what the client asked, speed, cap) ─▶ Price | OverCap
eth_gasPrice   ─▶
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from baton.chains.evm.ask import Ask
from baton.chains.evm.price import Dynamic, Legacy, OverCap, Price, within
from baton.chains.evm.quantity import quantity
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import Network
from baton.domain.policy import EvmPolicy, Speed

GWEI = 10**9
HISTORY_BLOCKS = 5
SPEEDS = (Speed.SAFE_LOW, Speed.AVERAGE, Speed.FAST, Speed.FASTEST)  # slow to fast
PERCENTILES = (30, 50, 85, 99)  # of each block's tips, for the speeds in order

# Tips where the last blocks show none; on chains cheaper than that, no more than the base fee.
QUIET_TIPS = dict(zip(SPEEDS, (30 * GWEI // 100, 50 * GWEI // 100, 85 * GWEI // 100, 99 * GWEI // 100), strict=True))
LEAST_TIP = GWEI // 1000  # what common node software wants by default before it puts a transaction into a block

# How far the base fee may rise (at most 12.5 % a block) before the offer is too low: 2, 3, 6 and 9 full blocks.
HEADROOM_PERCENT = dict(zip(SPEEDS, (127, 143, 203, 289), strict=True))
LEGACY_PERCENT = dict(zip(SPEEDS, (100, 125, 150, 200), strict=True))


@dataclass(frozen=True, slots=True)
class Market:
    gas_price: int  # what a plain offer costs now
    base_fee: int = 0  # of the next block; 0 where there is none
    tips: Mapping[Speed, int] = field(default_factory=dict)  # empty: the chain told a gas price only

    @property
    def shown(self) -> dict[str, Json]:
        """For people: wei per gas, as decimal text."""
        tips = {str(speed): str(tip) for speed, tip in self.tips.items()}
        return {"gas_price": str(self.gas_price), "base_fee": str(self.base_fee), "tips": tips}


def from_history(history: Json) -> Market:
    """The result of `eth_feeHistory(HISTORY_BLOCKS, "latest" or "pending", PERCENTILES)`.

    Post-conditions: a faster speed never tips less than a slower one, and each tips at least `LEAST_TIP`.
    Raises `NodeUnavailable` for an answer that makes no sense.
    """
    base_fees = history.get("baseFeePerGas") if isinstance(history, dict) else None
    if not isinstance(base_fees, list) or not base_fees:
        raise NodeUnavailable("eth_feeHistory: a node answered without base fees")
    base_fee = quantity(base_fees[-1], "eth_feeHistory")
    reward = history.get("reward")
    told = reward if isinstance(reward, list) else []
    rows = [row for row in told if isinstance(row, list) and len(row) == len(PERCENTILES)]
    tips: dict[Speed, int] = {}
    slower = LEAST_TIP
    for column, speed in enumerate(SPEEDS):
        paid = [tip for row in rows if (tip := quantity(row[column], "eth_feeHistory")) > 0]
        usual = sum(paid) // len(paid) if paid else min(QUIET_TIPS[speed], max(base_fee, LEAST_TIP))
        tips[speed] = slower = max(slower, usual)
    return Market(base_fee + tips[Speed.SAFE_LOW], base_fee, tips)


def from_gas_price(answer: Json) -> Market:
    """The result of `eth_gasPrice`, where the chain has no fee history."""
    return Market(quantity(answer, "eth_gasPrice"))


def is_dynamic(ask: Ask, policy: EvmPolicy, network: Network) -> bool:
    """Whether an offer by speed is an EIP-1559 one. Authorizations know no other kind."""
    return bool(ask.authorizations) or (policy.eip1559_pricing and "eip1559" in network.features)


def cap_of(policy: EvmPolicy, gas_limit: int) -> int | None:
    """The most that one gas may cost: the price cap, or what the fee limit of one transaction leaves."""
    caps = [] if policy.gas_price_cap is None else [policy.gas_price_cap]
    if policy.max_fee is not None:
        caps.append(policy.max_fee // max(gas_limit, 1))
    return min(caps, default=None)


def offer(ask: Ask, market: Market, policy: EvmPolicy, cap: int | None, *, dynamic: bool) -> Price | OverCap:
    """The first attempt's price: the client's own, completed where half of it is missing, else by speed.

    Post-conditions: never over the cap; explicit prices are kept to the wei; the tip is at most the maximum.
    """
    speed = ask.speed or policy.default_speed
    if ask.gas_price is not None:
        return within(Legacy(ask.gas_price), cap)
    if ask.max_fee_per_gas is not None:
        tip = ask.max_priority_fee_per_gas
        if tip is None:
            tip = min(market.tips.get(speed, QUIET_TIPS[speed]), ask.max_fee_per_gas)
        return within(Dynamic(ask.max_fee_per_gas, tip), cap)
    if ask.max_priority_fee_per_gas is not None:
        return _with_headroom(market, ask.max_priority_fee_per_gas, ask.max_priority_fee_per_gas, speed, cap)
    return quote(market, speed, cap, dynamic=dynamic)


def quote(market: Market, speed: Speed, cap: int | None, *, dynamic: bool) -> Price | OverCap:
    """The market price for a speed.

    A cap lowers it as far as the transaction would still be mined at today's fees; below that it is `OverCap`, so that
    the transaction waits without a slot instead of holding up the ones behind it.
    """
    if dynamic and market.tips:
        return _with_headroom(market, market.tips[speed], market.tips[Speed.SAFE_LOW], speed, cap)
    now = max(market.gas_price, market.base_fee)
    if cap is not None and now > cap:
        return OverCap(now, cap)
    price = max(_percent(market.gas_price, LEGACY_PERCENT[speed]), _percent(market.base_fee, HEADROOM_PERCENT[speed]))
    if dynamic:  # the chain told a gas price only: offer it as both limits
        return Dynamic(_at_most(price, cap), _at_most(price, cap))
    return Legacy(_at_most(price, cap))


def shortfall(offered: Price, market: Market) -> str | None:
    """Why an offer that is out there would hardly be taken into the next block; None if it should be."""
    if not market.tips:
        is_low = offered.max_fee < market.gas_price
        return f"it offers {offered.max_fee} wei per gas; the usual price is {market.gas_price}" if is_low else None
    if offered.max_fee < market.base_fee:
        return f"it offers at most {offered.max_fee} wei per gas; the next block's base fee is {market.base_fee}"
    tip, usual = min(offered.tip, offered.max_fee - market.base_fee), market.tips[Speed.SAFE_LOW]
    if tip < usual:
        return f"it leaves a tip of {tip} wei per gas; even slow ones paid {usual} lately"
    return None


def _with_headroom(market: Market, tip: int, least_tip: int, speed: Speed, cap: int | None) -> Price | OverCap:
    base = market.base_fee if market.tips else market.gas_price
    if cap is not None and base + least_tip > cap:
        return OverCap(base + least_tip, cap)
    max_fee = _at_most(_percent(base, HEADROOM_PERCENT[speed]) + tip, cap)
    return Dynamic(max_fee, min(tip, max_fee))


def _percent(amount: int, percent: int) -> int:
    return -(-amount * percent // 100)


def _at_most(amount: int, cap: int | None) -> int:
    return amount if cap is None else min(amount, cap)
