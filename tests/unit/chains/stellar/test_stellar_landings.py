"""Walking through ledgers: it ends, whatever a node answers, and tells only what it saw."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from tests.unit.chains.making import an_attempt

from baton.chains.rpc import Answer, Call, Result, RpcError, RpcPool
from baton.chains.stellar.landings import MOST_PAGES, PAGE, Landings
from baton.chains.stellar.node import StellarNode
from baton.domain.errors import NodeUnavailable

LEDGER = 50
ATTEMPT = an_attempt(hash="ours", facts={"ledger": LEDGER - 1})


@dataclass(slots=True)
class FakePool:
    answer: Callable[[Any], Answer]
    asked: list[Any] = field(default_factory=list)

    async def batch(self, calls: Sequence[Call]) -> list[Answer]:
        self.asked += [call.params for call in calls]
        return [self.answer(call.params) for call in calls]


def page(*hashes: str) -> Answer:
    found = [{"ledger": LEDGER, "txHash": one} for one in hashes]
    return Result({"transactions": found, "cursor": "c", "latestLedger": LEDGER})


def landings(answer: Callable[[Any], Answer]) -> tuple[Landings, FakePool]:
    pool = FakePool(answer)
    return Landings(StellarNode(cast("RpcPool", pool), "passphrase")), pool


async def test_what_is_in_no_ledger_since_it_was_signed_is_told() -> None:
    found, _ = landings(lambda _: page("theirs"))
    assert await found.covers([ATTEMPT], LEDGER) == {"a"}


async def test_what_is_in_one_is_asked_for() -> None:
    found, _ = landings(lambda _: page("theirs", "ours"))
    assert await found.covers([ATTEMPT], LEDGER) == set()


async def test_a_node_whose_pages_never_end_is_given_up() -> None:
    found, pool = landings(lambda _: page(*["theirs"] * PAGE))
    assert await found.covers([ATTEMPT], LEDGER) == set()
    assert len(pool.asked) == MOST_PAGES


@pytest.mark.parametrize(
    "answer", [Result(None), Result([]), Result({"transactions": [5], "cursor": "", "latestLedger": 9})]
)
async def test_rubbish_counts_as_no_node(answer: Answer) -> None:
    found, _ = landings(lambda _: answer)
    with pytest.raises(NodeUnavailable):
        await found.covers([ATTEMPT], LEDGER)


async def test_where_it_is_not_offered_everything_is_asked_for() -> None:
    found, _ = landings(lambda _: RpcError(-32601, "method not found"))
    assert await found.covers([ATTEMPT], LEDGER) == set()
