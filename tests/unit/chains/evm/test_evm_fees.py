"""What is offered per gas: by speed, by the client, within the cap; and what displaces an earlier offer."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.chains.evm import fees, price
from baton.chains.evm.ask import Ask
from baton.chains.evm.fees import GWEI, LEAST_TIP, SPEEDS, Market
from baton.chains.evm.price import Dynamic, Legacy, OverCap, Price
from baton.domain.errors import Invalid, NodeUnavailable
from baton.domain.network import Family, Network
from baton.domain.policy import EvmPolicy, Speed

POLICY = EvmPolicy()
TO = "0x" + "11" * 20


def history(base_fee: int, *rows: list[int]) -> dict[str, Any]:
    return {
        "oldestBlock": "0x1",
        "baseFeePerGas": [hex(1), hex(base_fee)],
        "gasUsedRatio": [0.5],
        "reward": [[hex(tip) for tip in row] for row in rows],
    }


def offered(ask: Ask, market: Market, cap: int | None = None, *, dynamic: bool = True) -> Price | OverCap:
    return fees.offer(ask, market, POLICY, cap, dynamic=dynamic)


BUSY = fees.from_history(history(100 * GWEI, [1 * GWEI, 2 * GWEI, 3 * GWEI, 4 * GWEI]))


def test_the_base_fee_is_that_of_the_next_block() -> None:
    assert BUSY.base_fee == 100 * GWEI


def test_a_tip_is_the_mean_of_the_tips_that_were_paid() -> None:
    market = fees.from_history(history(GWEI, [0, 2 * GWEI, 3 * GWEI, 8 * GWEI], [GWEI, 0, 5 * GWEI, 8 * GWEI]))
    assert market.tips == {
        Speed.SAFE_LOW: GWEI,
        Speed.AVERAGE: 2 * GWEI,
        Speed.FAST: 4 * GWEI,
        Speed.FASTEST: 8 * GWEI,
    }


def test_empty_blocks_give_quiet_tips() -> None:
    for rows in ([], [[0, 0, 0, 0]]):
        market = fees.from_history(history(50 * GWEI, *rows))
        assert [market.tips[speed] for speed in SPEEDS] == [300_000_000, 500_000_000, 850_000_000, 990_000_000]


def test_on_a_cheap_chain_a_quiet_tip_is_no_more_than_the_base_fee() -> None:
    assert fees.from_history(history(2 * LEAST_TIP)).tips[Speed.FASTEST] == 2 * LEAST_TIP
    assert fees.from_history(history(7)).tips[Speed.FASTEST] == LEAST_TIP


@pytest.mark.parametrize("reward", [None, 5, "text", {"a": 1}, [5, None]])
def test_a_missing_reward_list_is_a_quiet_chain(reward: Any) -> None:
    answer = history(GWEI) | {"reward": reward}
    assert fees.from_history(answer).tips[Speed.SAFE_LOW] == 300_000_000


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "0x1",
        {},
        {"baseFeePerGas": []},
        {"baseFeePerGas": [5]},
        {"baseFeePerGas": ["0x"]},
        {"baseFeePerGas": ["-0x1"]},
        {"baseFeePerGas": ["0x" + "f" * 65]},
        {"baseFeePerGas": ["0x1"], "reward": [["0x1", "x", "0x1", "0x1"]]},
    ],
)
def test_an_answer_without_sense_is_an_outage(answer: Any) -> None:
    with pytest.raises(NodeUnavailable):
        fees.from_history(answer)


def test_headroom_grows_with_speed() -> None:
    offers = [fees.quote(BUSY, speed, None, dynamic=True) for speed in SPEEDS]
    assert offers == [
        Dynamic(128 * GWEI, GWEI),
        Dynamic(145 * GWEI, 2 * GWEI),
        Dynamic(206 * GWEI, 3 * GWEI),
        Dynamic(293 * GWEI, 4 * GWEI),
    ]


def test_a_legacy_offer_is_the_gas_price_raised_by_speed() -> None:
    market = fees.from_gas_price(hex(1000))
    offers = [fees.quote(market, speed, None, dynamic=False) for speed in SPEEDS]
    assert offers == [Legacy(1000), Legacy(1250), Legacy(1500), Legacy(2000)]


def test_a_legacy_offer_outlives_a_rising_base_fee() -> None:
    offer = fees.quote(BUSY, Speed.SAFE_LOW, None, dynamic=False)
    assert offer == Legacy(127 * GWEI)


def test_a_chain_that_tells_a_gas_price_only_gets_it_as_both_limits() -> None:
    assert fees.quote(Market(1000), Speed.FAST, None, dynamic=True) == Dynamic(1500, 1500)
    assert offered(Ask(0, TO, max_priority_fee_per_gas=10), Market(1000)) == Dynamic(2040, 10)


def test_the_cap_lowers_an_offer_while_it_would_still_be_mined() -> None:
    assert fees.quote(BUSY, Speed.FAST, 150 * GWEI, dynamic=True) == Dynamic(150 * GWEI, 3 * GWEI)
    assert fees.quote(BUSY, Speed.FAST, 101 * GWEI, dynamic=True) == Dynamic(101 * GWEI, 3 * GWEI)
    assert fees.quote(Market(1000), Speed.FAST, 1100, dynamic=False) == Legacy(1100)


def test_over_the_cap_there_is_no_offer() -> None:
    over = fees.quote(BUSY, Speed.FAST, 101 * GWEI - 1, dynamic=True)
    assert over == OverCap(101 * GWEI, 101 * GWEI - 1)
    assert fees.quote(Market(1000), Speed.FAST, 999, dynamic=False) == OverCap(1000, 999)
    assert isinstance(over, OverCap)
    assert "over the limit" in over.why


def test_explicit_prices_are_kept_to_the_wei() -> None:
    assert offered(Ask(0, TO, gas_price=7), BUSY) == Legacy(7)
    assert offered(Ask(0, TO, max_fee_per_gas=7, max_priority_fee_per_gas=0), BUSY) == Dynamic(7, 0)
    assert offered(Ask(0, TO, gas_price=7), BUSY, cap=6) == OverCap(7, 6)


def test_one_of_the_pair_alone_is_completed() -> None:
    assert offered(Ask(0, TO, max_fee_per_gas=500 * GWEI), BUSY) == Dynamic(500 * GWEI, 3 * GWEI)
    assert offered(Ask(0, TO, max_fee_per_gas=5), BUSY) == Dynamic(5, 5)
    assert offered(Ask(0, TO, max_priority_fee_per_gas=9 * GWEI), BUSY) == Dynamic(212 * GWEI, 9 * GWEI)
    assert offered(Ask(0, TO, max_priority_fee_per_gas=9 * GWEI), BUSY, cap=120 * GWEI) == Dynamic(120 * GWEI, 9 * GWEI)
    assert offered(Ask(0, TO, max_priority_fee_per_gas=9 * GWEI), BUSY, cap=108 * GWEI) == OverCap(
        109 * GWEI, 108 * GWEI
    )


def test_without_a_price_the_asked_speed_counts_else_the_relayers() -> None:
    assert offered(Ask(0, TO, speed=Speed.SAFE_LOW), BUSY) == Dynamic(128 * GWEI, GWEI)
    assert offered(Ask(0, TO), BUSY) == Dynamic(206 * GWEI, 3 * GWEI)


def test_dynamic_fees_need_a_chain_that_knows_them_and_a_policy_that_wants_them() -> None:
    old, new = Network("old", Family.EVM), Network("new", Family.EVM, features=frozenset({"eip1559"}))
    assert fees.is_dynamic(Ask(0, TO), POLICY, new)
    assert not fees.is_dynamic(Ask(0, TO), POLICY, old)
    assert not fees.is_dynamic(Ask(0, TO), EvmPolicy(eip1559_pricing=False), new)


def test_the_cap_is_the_lower_of_price_cap_and_what_the_fee_limit_leaves() -> None:
    assert fees.cap_of(EvmPolicy(), 21_000) is None
    assert fees.cap_of(EvmPolicy(gas_price_cap=5), 21_000) == 5
    assert fees.cap_of(EvmPolicy(gas_price_cap=5, max_fee=21_000 * 3 + 1), 21_000) == 3
    assert fees.cap_of(EvmPolicy(max_fee=1), 0) == 1


@pytest.mark.parametrize(("old", "new"), [(0, 1), (1, 2), (9, 10), (10, 11), (11, 13), (100, 110), (101, 112)])
def test_the_least_replacement_is_a_tenth_more_rounded_up(old: int, new: int) -> None:
    assert price.least(Legacy(old)) == Dynamic(new, new)


def test_a_bump_follows_the_market_when_that_is_more() -> None:
    assert price.bump(Dynamic(100, 10), Dynamic(300, 50), None) == Dynamic(300, 50)
    assert price.bump(Dynamic(100, 10), Dynamic(50, 5), None) == Dynamic(110, 11)
    assert price.bump(Dynamic(100, 10), Dynamic(300, 50), 200) == Dynamic(200, 50)
    assert price.bump(Legacy(100), Legacy(90), None) == Legacy(110)


def test_a_bump_is_over_the_cap_only_when_the_least_one_is() -> None:
    assert price.bump(Dynamic(100, 10), Dynamic(300, 50), 109) == OverCap(110, 109)
    assert price.bump(Dynamic(100, 10), Dynamic(300, 50), 110) == Dynamic(110, 50)


def test_a_bump_may_change_the_kind() -> None:
    assert price.bump(Legacy(100), Dynamic(50, 5), None) == Dynamic(110, 110)
    assert price.bump(Dynamic(100, 10), Legacy(50), None) == Legacy(110)


def test_a_replacement_too_cheap_is_refused_with_the_least_price() -> None:
    old = Dynamic(100, 10)
    price.check_replacement(old, {})
    price.check_replacement(old, {"max_fee_per_gas": 110, "max_priority_fee_per_gas": 11})
    for name, cheap, least in (
        ("max_fee_per_gas", 109, 110),
        ("max_priority_fee_per_gas", 10, 11),
        ("gas_price", 109, 110),
    ):
        with pytest.raises(Invalid) as caught:
            price.check_replacement(old, {name: cheap})
        assert caught.value.field == name
        assert str(least) in caught.value.expected


def test_the_price_of_a_stored_attempt_is_read_back() -> None:
    assert price.of_facts({"gas_price": str(2**100)}) == Legacy(2**100)
    assert price.of_facts({"max_fee_per_gas": "9", "max_priority_fee_per_gas": "2"}) == Dynamic(9, 2)


amounts = st.one_of(st.integers(0, 50), st.integers(0, 2**128 - 1))
prices = st.one_of(
    st.builds(Legacy, amounts),
    st.tuples(amounts, amounts).map(lambda pair: Dynamic(max(pair), min(pair))),
)
caps = st.one_of(st.none(), amounts)
markets = st.builds(
    lambda base, rows: fees.from_history(history(base, *rows)),
    st.integers(0, 2**100),
    st.lists(st.lists(st.integers(0, 2**100), min_size=4, max_size=4), max_size=5),
)
asks = st.one_of(
    st.just(Ask(0, TO)),
    st.builds(lambda speed: Ask(0, TO, speed=speed), st.sampled_from(Speed)),
    st.builds(lambda amount: Ask(0, TO, gas_price=amount), amounts),
    st.builds(lambda amount: Ask(0, TO, max_fee_per_gas=amount), amounts),
    st.builds(lambda amount: Ask(0, TO, max_priority_fee_per_gas=amount), amounts),
)


@given(prices, prices, caps)
@settings(max_examples=100)
def test_every_bump_replaces_the_old_offer_and_respects_the_cap(old: Price, market: Price, cap: int | None) -> None:
    new = price.bump(old, market, cap)
    if isinstance(new, OverCap):
        assert cap is not None
        assert max(price.least(old).max_fee, price.least(old).tip) > cap
        return
    assert price.replaces(old, new)
    assert new.max_fee * 10 >= old.max_fee * 11
    assert new.tip * 10 >= old.tip * 11
    assert new.tip <= new.max_fee
    assert type(new) is type(market)
    if cap is None:
        assert new.max_fee >= market.max_fee
        assert new.tip >= market.tip
    else:
        assert new.max_fee <= cap
        assert new.max_fee >= min(market.max_fee, cap)


@given(asks, markets, caps, st.booleans())
@settings(max_examples=100)
def test_no_offer_is_over_the_cap_nor_tips_more_than_it_pays(
    ask: Ask, market: Market, cap: int | None, dynamic: bool
) -> None:
    offer = offered(ask, market, cap, dynamic=dynamic)
    if isinstance(offer, OverCap):
        assert cap is not None
        assert offer.needed > cap
        return
    assert offer.tip <= offer.max_fee
    assert cap is None or offer.max_fee <= cap
    assert all(type(amount) is int for amount in offer.fields.values())
    if not ask.prices:
        assert offer.max_fee >= market.base_fee


@given(markets)
@settings(max_examples=100)
def test_faster_never_offers_less(market: Market) -> None:
    for dynamic in (True, False):
        offers = [fees.quote(market, speed, None, dynamic=dynamic) for speed in SPEEDS]
        paid = [(one.max_fee, one.tip) for one in offers if not isinstance(one, OverCap)]
        assert len(paid) == 4
        assert paid == sorted(paid)
        assert [tip for _, tip in paid] == sorted(tip for _, tip in paid)
