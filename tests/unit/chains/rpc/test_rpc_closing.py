"""Nodes that are given up while the service runs, and nodes of another chain."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import pytest
from tests.fakes import FakeClock
from tests.unit.chains.rpc.conftest import SETTINGS
from tests.unit.chains.rpc.odd_node import OddNode, always

from baton.chains.rpc import Call, Endpoint, RpcPool, value_of
from baton.domain.errors import NodeUnavailable, WrongChain
from baton.telemetry import REGISTRY

PATIENCE_S = 20


async def serves(endpoint: Endpoint, chain: str) -> None:
    found = value_of(await endpoint.call("echo", chain))
    if found != ["ours"]:
        raise WrongChain(f"{endpoint.shown}: serves {found}, expected ours")


def pool_of(clock: FakeClock, *nodes: OddNode, chain: str = "ours") -> RpcPool:
    return RpcPool([node.url for node in nodes], settings=SETTINGS, clock=clock, verify=partial(serves, chain=chain))


async def told_everywhere(pool: RpcPool) -> None:
    [(_, found)] = await pool.everywhere([Call("a")])
    if isinstance(found, NodeUnavailable):
        raise found


WAYS: dict[str, Callable[[RpcPool], Coroutine[Any, Any, object]]] = {
    "call": lambda pool: pool.call("a"),
    "witnesses": lambda pool: pool.witnesses([Call("a")]),
    "everywhere": told_everywhere,
}


def is_down(node: OddNode) -> float | None:
    return REGISTRY.get_sample_value("baton_rpc_node_down", {"node": f"127.0.0.1:{node.port}"})


async def test_nodes_that_all_serve_another_chain_are_more_than_an_outage(
    node: OddNode, other: OddNode, clock: FakeClock
) -> None:
    pool = pool_of(clock, node, other, chain="theirs")
    told = []
    for ask in (pool.call("a"), pool.witnesses([Call("a")]), pool.call("a")):
        with pytest.raises(WrongChain) as found:
            await ask
        told.append(str(found.value))
    assert len(set(told)) == 1, "in the same words each time"
    assert str(node.port) in told[0]
    assert str(other.port) in told[0]
    await pool.close()


async def test_one_silent_node_leaves_hope(node: OddNode, other: OddNode, clock: FakeClock) -> None:
    pool = pool_of(clock, node, other, chain="theirs")
    other.odd = always(b"", 500)
    with pytest.raises(NodeUnavailable) as found:
        await pool.call("a")
    assert not isinstance(found.value, WrongChain)
    await pool.close()


async def test_a_node_that_strayed_and_falls_silent_may_come_back_as_ours(node: OddNode, clock: FakeClock) -> None:
    pool = pool_of(clock, node, chain="theirs")
    with pytest.raises(WrongChain):
        await pool.call("a")
    node.odd = always(b"", 500)
    clock.advance(60)
    with pytest.raises(NodeUnavailable) as found:
        await pool.call("a")
    assert not isinstance(found.value, WrongChain)
    await pool.close()


async def test_the_alarm_of_a_node_that_is_down_ends_with_its_pool(node: OddNode, clock: FakeClock) -> None:
    pool = pool_of(clock, node)
    node.odd = always(b"", 500)
    with pytest.raises(NodeUnavailable):
        await pool.call("a")
    assert is_down(node) == 1
    await pool.close()
    assert is_down(node) is None
    clock.advance(60)
    with pytest.raises(NodeUnavailable):
        await pool.call("a")
    assert is_down(node) is None


@pytest.mark.parametrize("is_checked", [True, False], ids=["in a call", "in the check before it"])
@pytest.mark.parametrize("way", list(WAYS))
async def test_whoever_waits_for_an_answer_when_the_pool_is_closed_meets_an_outage(
    node: OddNode, clock: FakeClock, *, is_checked: bool, way: str
) -> None:
    pool = pool_of(clock, node)
    if is_checked:
        await pool.call("a")
    node.odd = node.hang
    waiting = asyncio.create_task(WAYS[way](pool))
    async with asyncio.timeout(PATIENCE_S):
        await node.hanging.wait()
        await pool.close()
        with pytest.raises(NodeUnavailable):
            await waiting


async def test_a_caller_that_gives_up_is_cancelled_all_the_same(node: OddNode, clock: FakeClock) -> None:
    pool = pool_of(clock, node)
    node.odd = node.hang
    waiting = asyncio.create_task(pool.call("a"))
    async with asyncio.timeout(PATIENCE_S):
        await node.hanging.wait()
        waiting.cancel()
        await pool.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting
