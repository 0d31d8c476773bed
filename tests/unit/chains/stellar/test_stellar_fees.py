"""Bids: never over the cap, never below what the network takes, ten times as much to displace."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.chains.making import an_attempt

from baton.chains.stellar.fees import LEAST_BID, Load, OverCap, Prices, market_of, offer, raised, shortfall
from baton.domain.policy import Speed
from baton.domain.transaction import Attempt

STATS = {
    "min": "100",
    "max": "9000",
    "p10": "100",
    "p50": "200",
    "p90": "900",
    "p99": "5000",
}
PRICES = Prices(100, {Speed.SAFE_LOW: 100, Speed.AVERAGE: 200, Speed.FAST: 900, Speed.FASTEST: 5000})


def attempt(inclusion_fee: int, count: int) -> Attempt:
    return an_attempt(facts={"inclusion_fee": inclusion_fee, "operation_count": count})


def test_statistics_become_a_price_for_each_speed() -> None:
    market = market_of({"latestLedger": 7, "inclusionFee": STATS, "sorobanInclusionFee": STATS | {"p90": "0"}})
    assert market.ledger == 7
    assert market.classic == PRICES
    assert market.soroban.by_speed[Speed.FAST] == LEAST_BID, "nothing gets in below the least bid"


@pytest.mark.parametrize(
    "told", [None, {}, {"latestLedger": "7"}, {"latestLedger": 7, "inclusionFee": {"min": "many"}}, [], 5]
)
def test_what_are_no_statistics_is_a_value_error(told: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        market_of(told)


@given(
    count=st.integers(1, 101),
    resources=st.integers(0, 10**7),
    cap=st.integers(1, 10**8),
    speed=st.sampled_from(Speed),
    inner=st.integers(100, 10**5),
)
def test_an_offer_keeps_to_the_cap_and_to_the_least_that_gets_in(
    count: int, resources: int, cap: int, speed: Speed, inner: int
) -> None:
    load = Load(count, resources, inner)
    match offer(load, PRICES, speed, cap):
        case OverCap(needed):
            assert needed > cap
        case int(bid):
            assert load.cost(bid) <= cap
            assert bid >= max(PRICES.least, inner)


@given(
    fee=st.integers(100, 10**6),
    old_count=st.integers(1, 101),
    count=st.integers(2, 101),
    resources=st.integers(0, 10**6),
    cap=st.integers(1, 10**9),
)
def test_a_raised_bid_displaces_by_the_networks_own_rule_or_is_over_the_cap(
    fee: int, old_count: int, count: int, resources: int, cap: int
) -> None:
    """The rule of a node's queue: new fee x old operations >= 10 x old fee x new operations."""
    load = Load(count, resources)
    match raised(load, [attempt(fee, old_count), attempt(100, 1)], PRICES, cap):
        case OverCap(needed):
            assert needed > cap
        case int(bid):
            assert bid * count * old_count >= 10 * fee * count
            assert load.cost(bid) <= cap


def test_a_bid_below_the_market_is_a_shortfall_in_words() -> None:
    assert shortfall(attempt(400, 4), 100) is None
    told = shortfall(attempt(400, 4), 900)
    assert told is not None
    assert "bids 100 stroops" in told


@pytest.mark.parametrize("price", [10**9, 2**63, 10**30])
def test_no_market_makes_a_fee_that_a_transaction_cannot_carry(price: int) -> None:
    """A cap may be as high as an int64; the field of a transaction is smaller."""
    wild, load = Prices(100, dict.fromkeys(Speed, price)), Load(50, 1_000)
    bid = offer(load, wild, Speed.FAST, 2**63 - 1)
    assert isinstance(bid, int)
    assert load.cost(bid) < 2**32
    dearer = raised(load, [attempt(5_000, 50)], wild, 2**63 - 1)
    assert isinstance(dearer, int)
    assert load.cost(dearer) < 2**32
    assert isinstance(offer(Load(1, 2**40), wild, Speed.FAST, 2**63 - 1), OverCap)
