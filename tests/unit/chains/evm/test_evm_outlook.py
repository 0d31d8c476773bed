"""For people: an offer against the market, what a receipt says was paid, and what was logged."""

from typing import Any

import pytest

from baton.chains.evm import fees, price
from baton.chains.evm.fees import Market
from baton.chains.evm.ledger import logs_of, receipt_of
from baton.chains.evm.price import Dynamic, Legacy, Price
from baton.domain.errors import NodeUnavailable
from baton.domain.policy import Speed

MARKET = Market(110, 100, dict.fromkeys(Speed, 10))
RECEIPT: dict[str, Any] = {
    "transactionHash": "0x01",
    "blockNumber": "0x5",
    "blockHash": "0xb5",
    "gasUsed": "0x5208",
    "effectiveGasPrice": "0x7",
    "status": "0x1",
    "logs": [{"address": "0xaa", "topics": ["0x07"], "data": "0x2a", "logIndex": "0x3"}],
}


@pytest.mark.parametrize(
    ("offered", "words"),
    [
        (Dynamic(110, 10), None),
        (Legacy(110), None),
        (Dynamic(99, 10), "at most 99 wei per gas; the next block's base fee is 100"),
        (Legacy(99), "base fee is 100"),
        (Dynamic(200, 9), "a tip of 9 wei per gas; even slow ones paid 10"),
        (Dynamic(105, 10), "a tip of 5 wei per gas"),
    ],
)
def test_an_offer_is_enough_or_tells_by_how_much_it_is_not(offered: Price, words: str | None) -> None:
    found = fees.shortfall(offered, MARKET)
    assert found is None if words is None else words in str(found)


@pytest.mark.parametrize(
    ("offered", "is_enough"), [(Legacy(110), True), (Legacy(109), False), (Dynamic(109, 1), False)]
)
def test_where_a_chain_tells_a_price_only_that_is_the_measure(offered: Price, is_enough: bool) -> None:
    assert (fees.shortfall(offered, Market(110)) is None) is is_enough


def test_a_market_is_shown_in_decimal_text() -> None:
    assert Market(2**70, 1, {Speed.FAST: 3}).shown == {
        "gas_price": str(2**70),
        "base_fee": "1",
        "tips": {"fast": "3"},
    }


def test_the_dearest_of_several_has_the_highest_of_both_limits() -> None:
    assert price.dearest([Dynamic(100, 3), Dynamic(90, 5), Legacy(4)]) == Dynamic(100, 5)


def test_a_rollups_data_fee_is_kept_where_it_is_told() -> None:
    assert "l1_fee" not in receipt_of(RECEIPT).outcome
    assert receipt_of(RECEIPT | {"l1Fee": "0x3e8"}).outcome["l1_fee"] == "1000"


def test_logs_are_told_under_our_own_names() -> None:
    assert logs_of(RECEIPT) == [{"address": "0xaa", "topics": ["0x07"], "data": "0x2a", "log_index": 3}]


@pytest.mark.parametrize("answer", [{}, {"logs": None}, {"logs": [{}]}, [], {"logs": [None]}])
def test_what_is_no_receipt_counts_as_an_unreachable_node(answer: Any) -> None:
    with pytest.raises(NodeUnavailable):
        logs_of(answer)
