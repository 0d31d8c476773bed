"""Chains that count gas in their own way or keep no pool, and heads that come by a subscription alone."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from baton.chains import following
from baton.chains.evm import heads
from baton.chains.evm.ask import GAS_CALL, Ask
from baton.chains.evm.gas import Gas, Refusal
from baton.chains.evm.ledger import Header, Ledger
from baton.chains.evm.maker import EvmMaker
from baton.chains.evm.node import EvmNode
from baton.chains.rpc import Call, Result, RpcError
from baton.chains.seam import Stall, Step
from baton.domain.errors import NodeUnavailable
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.policy import EvmPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, AttemptKind, Block, Slot

US, THEM = "0x" + "11" * 20, "0x" + "22" * 20
RELAYER = Relayer("r", "r", "n", Family.EVM, "s", US, EvmPolicy())


class FakeNode:
    """Answers plain calls with nothing and estimates with what a test says."""

    needed = 1

    def __init__(self, estimate: Result | RpcError) -> None:
        self.estimate = estimate
        self.asked: list[str] = []

    async def try_out(self, calls: Sequence[Call]) -> list[Result | RpcError]:
        self.asked += [call.method for call in calls]
        return [self.estimate if call.method == "eth_estimateGas" else Result("0x") for call in calls]


def gas(tags: Sequence[str], estimate: Result | RpcError) -> tuple[Gas, FakeNode]:
    node = FakeNode(estimate)
    return Gas(Network("n", Family.EVM, tags=frozenset(tags)), cast("EvmNode", node)), node


async def test_a_plain_payment_takes_21000() -> None:
    limits, node = gas((), Result("0x30d40"))
    assert await limits.limits([Ask(1, THEM)], RELAYER, None) == [GAS_CALL]
    assert node.asked == ["eth_call"]
    assert await limits.of_noop(RELAYER) == GAS_CALL


@pytest.mark.parametrize("tag", ["arbitrum-based", "zk-based", "zksync-based"])
async def test_where_gas_is_counted_otherwise_even_a_payment_is_estimated(tag: str) -> None:
    limits, node = gas((tag,), Result("0x30d40"))
    assert await limits.limits([Ask(1, THEM)], RELAYER, None) == [220_000]
    assert await limits.of_noop(RELAYER) == 220_000
    assert node.asked == ["eth_estimateGas"] * 2


async def test_a_no_op_that_cannot_be_estimated_decides_nothing() -> None:
    limits, _ = gas(("arbitrum-based",), RpcError(-32000, "the weather"))
    with pytest.raises(NodeUnavailable):
        await limits.of_noop(RELAYER)


async def test_a_payment_to_a_contract_that_refuses_it_is_a_refusal() -> None:
    limits, _ = gas(("arbitrum-based",), RpcError(3, "execution reverted"))
    [found] = await limits.limits([Ask(1, THEM)], RELAYER, None)
    assert isinstance(found, Refusal)
    assert found.is_verdict


@pytest.mark.parametrize(("tags", "expected"), [((), Step.BUMP), (("no-mempool",), Step.RESEND)])
def test_where_there_is_no_pool_nothing_is_offered_dearer(tags: Sequence[str], expected: Step) -> None:
    """A sequencer takes them as they come: a higher price changes nothing."""
    network = Network("n", Family.EVM, tags=frozenset(tags))
    maker = EvmMaker(network, cast("EvmNode", FakeNode(Result("0x"))), Ledger())
    facts = {"max_fee_per_gas": "5", "max_priority_fee_per_gas": "1", "gas_limit": GAS_CALL, "speed": "fast"}
    now = datetime(2026, 1, 1, tzinfo=UTC)
    attempt = Attempt("a", "r", "t", 1, AttemptKind.ORIGINAL, "0x", Slot("c", US, 1), 0, facts, now)
    assert maker.next_step(attempt, Stall(9, 9, 9.0, is_head=True), RELAYER) is expected


def header(number: int) -> Header:
    return Header(Block(number, f"h{number}"), f"h{number - 1}", 30_000_000, 1)


class GrowingChain:
    """One block more each time it is asked."""

    number = 0

    async def head(self) -> Header:
        self.number += 1
        return header(self.number)

    async def identity(self) -> str:
        return "chain"


async def test_a_subscription_alone_moves_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    told: asyncio.Queue[Any] = asyncio.Queue()
    asked: list[Any] = []

    async def subscribe(_url: RpcUrl, method: str, params: Any) -> AsyncIterator[Any]:
        asked.append((method, params))
        while True:
            yield await told.get()

    monkeypatch.setattr(heads, "subscribe", subscribe)
    monkeypatch.setattr(following, "SLOWEST_POLL_S", 10_000.0)  # no poll comes in time
    node = cast("EvmNode", GrowingChain())
    tips = heads.Heads(node, Ledger(), 10**9, RpcUrl("ws://node")).tips()
    async with asyncio.timeout(20):
        assert (await anext(tips)).block.number == 1
        for expected in (2, 3):
            told.put_nowait({})
            assert (await anext(tips)).block.number == expected
    assert asked == [("eth_subscribe", ["newHeads"])]
    await cast("Any", tips).aclose()
