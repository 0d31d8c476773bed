"""Several nodes as one: failover, checks before use, broadcasts everywhere, witnesses."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
from aiohttp import web
from tests.fakes import FakeClock
from tests.unit.chains.rpc.conftest import SETTINGS
from tests.unit.chains.rpc.odd_node import OddNode, always, answering, error, reply, sound

from baton.chains.rpc import Call, Endpoint, Result, RpcError, RpcPool, RpcSettings, value_of
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import RpcUrl

SEND = Call("send", ("0x02",))


class Checks:
    """Counts the checks of each node; nodes named in `wrong` do not pass."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.wrong: set[str] = set()

    async def __call__(self, endpoint: Endpoint) -> None:
        value_of(await endpoint.call("chain"))
        if endpoint.shown in self.wrong:
            raise NodeUnavailable(f"{endpoint.shown}: another chain")
        self.passed.append(endpoint.shown)


@pytest.fixture
def checks() -> Checks:
    return Checks()


Open = Callable[..., RpcPool]


@pytest.fixture
async def open_pool(clock: FakeClock, checks: Checks) -> AsyncIterator[Open]:
    pools: list[RpcPool] = []

    def make(*urls: RpcUrl, settings: RpcSettings = SETTINGS) -> RpcPool:
        pools.append(RpcPool(urls, settings=settings, clock=clock, verify=checks))
        return pools[-1]

    yield make
    for pool in pools:
        await pool.close()


def weighing(node: OddNode, weight: int) -> RpcUrl:
    return replace(node.url, weight=weight)


async def settle(pool: RpcPool) -> None:
    """Waits for what the pool does beside its calls."""
    await asyncio.gather(*pool._tasks, return_exceptions=True)


async def test_the_heaviest_node_carries_the_calls(node: OddNode, other: OddNode, open_pool: Open) -> None:
    pool = open_pool(weighing(other, 10), weighing(node, 90))
    for _ in range(5):
        assert await pool.call("a") == Result("a")
    await settle(pool)
    assert node.calls.count("a") == 5
    assert "a" not in other.calls


async def test_a_weight_of_zero_switches_a_node_off(node: OddNode, open_pool: Open) -> None:
    pool = open_pool(weighing(node, 0))
    assert pool.endpoints == ()
    with pytest.raises(NodeUnavailable, match="no RPC URL"):
        await pool.call("a")


async def test_parameters_go_by_position_or_by_name(node: OddNode, open_pool: Open) -> None:
    pool = open_pool(node.url)
    assert await pool.call("echo", 1, "b") == Result([1, "b"])
    assert await pool.call("echo", limit=5) == Result({"limit": 5})


async def test_a_websocket_url_is_kept_for_subscriptions(node: OddNode, open_pool: Open) -> None:
    pool = open_pool(RpcUrl("wss://example.test/ws"), node.url)
    assert [url.url for url in pool.ws_urls] == ["wss://example.test/ws"]
    assert [endpoint.url for endpoint in pool.endpoints] == [node.url]


async def test_when_a_node_fails_the_next_one_answers_the_same_call(
    node: OddNode, other: OddNode, open_pool: Open
) -> None:
    node.odd = always(b"", 500)
    pool = open_pool(node.url, other.url)
    assert await pool.batch([Call("a"), Call("b")]) == [Result("a"), Result("b")]
    assert other.calls.count("a") == 1


async def test_a_paused_node_is_not_asked_and_comes_back_after_its_pause(
    node: OddNode, other: OddNode, open_pool: Open, clock: FakeClock
) -> None:
    pool = open_pool(node.url, other.url)
    await pool.call("a")
    node.odd = always(b"", 500)
    await pool.call("a")
    node.odd = None
    asked = len(node.asked)
    await pool.call("a")
    assert len(node.asked) == asked
    clock.advance(0.6)
    await pool.call("a")  # carried by the other one, while this one is let in beside it
    await settle(pool)
    await pool.call("last")
    assert node.calls[-1] == "last"


async def test_a_node_is_checked_at_first_use_and_after_an_outage_but_not_between(
    node: OddNode, open_pool: Open, clock: FakeClock, checks: Checks
) -> None:
    pool = open_pool(node.url)
    await asyncio.gather(*(pool.call("a") for _ in range(3)))
    assert node.calls[0] == "chain"
    assert len(checks.passed) == 1
    node.odd = always(b"", 500)
    with pytest.raises(NodeUnavailable):
        await pool.call("a")
    node.odd = None
    clock.advance(1)
    await pool.call("b")
    assert node.calls[-2:] == ["chain", "b"]
    assert len(checks.passed) == 2


async def test_a_new_connection_is_checked_before_its_answer_is_used(
    node: OddNode, open_pool: Open, clock: FakeClock, checks: Checks
) -> None:
    pool = open_pool(node.url)
    await pool.call("a")
    await node.stop()
    checks.wrong.add(pool.endpoints[0].shown)  # another chain answers there now
    await node.start(node.port)
    clock.advance(5)
    with pytest.raises(NodeUnavailable, match="another chain"):
        await pool.call("a")


async def test_a_node_of_another_chain_is_kept_out_even_when_it_is_the_only_one(
    node: OddNode, other: OddNode, open_pool: Open, clock: FakeClock, checks: Checks
) -> None:
    pool = open_pool(node.url, weighing(other, 1))
    checks.wrong.add(pool.endpoints[0].shown)
    for _ in range(3):
        assert await pool.call("a") == Result("a")
        clock.advance(100)
        await settle(pool)
    assert "a" not in node.calls
    await other.stop()
    with pytest.raises(NodeUnavailable, match="another chain"):
        await pool.call("a")
    assert "a" not in node.calls


async def test_pauses_of_a_node_that_keeps_failing_its_check_grow(
    node: OddNode, open_pool: Open, clock: FakeClock, checks: Checks
) -> None:
    pool = open_pool(node.url)
    (endpoint,) = pool.endpoints
    checks.wrong.add(endpoint.shown)
    for _ in range(4):
        clock.advance(100)
        with pytest.raises(NodeUnavailable):
            await pool.call("a")
    assert endpoint.health.paused_until - clock.monotonic() == 4


async def test_the_only_node_is_asked_even_while_paused(node: OddNode, open_pool: Open, clock: FakeClock) -> None:
    pool = open_pool(node.url)
    node.odd = always(b"", 500)
    with pytest.raises(NodeUnavailable):
        await pool.call("a")
    node.odd = None
    clock.advance(0.01)
    assert await pool.call("a") == Result("a")


async def test_when_all_are_paused_the_least_bad_is_asked(
    node: OddNode, other: OddNode, open_pool: Open, clock: FakeClock
) -> None:
    pool = open_pool(node.url, weighing(other, 1))
    node.odd = other.odd = always(b"", 500)
    for _ in range(3):  # the first one fails more often, so its pause is longer
        clock.advance(0.01)
        with pytest.raises(NodeUnavailable):
            await pool.endpoints[0].call("a")
    with pytest.raises(NodeUnavailable):
        await pool.endpoints[1].call("a")
    node.odd = other.odd = None
    node.asked.clear()
    assert await pool.call("a") == Result("a")
    assert node.asked == []


async def test_a_node_that_asked_us_to_wait_is_not_asked_even_in_need(
    node: OddNode, open_pool: Open, clock: FakeClock
) -> None:
    pool = open_pool(node.url)
    node.odd = always(b"", 429, {"Retry-After": "5"})
    with pytest.raises(NodeUnavailable):
        await pool.call("a")
    node.odd = None
    node.asked.clear()
    clock.advance(4)
    with pytest.raises(NodeUnavailable, match="asked us to wait"):
        await pool.call("a")
    assert node.asked == []
    clock.advance(2)
    assert await pool.call("a") == Result("a")


async def test_every_reason_is_told_when_all_fail(node: OddNode, other: OddNode, open_pool: Open) -> None:
    node.odd, other.odd = always(b"", 500), always(b"", 502)
    with pytest.raises(NodeUnavailable, match=r"HTTP 500.*HTTP 502") as caught:
        await open_pool(node.url, other.url).call("a")
    assert "secret-key" not in str(caught.value)


async def test_items_that_one_node_limits_or_leaves_out_are_asked_of_the_next(
    node: OddNode, other: OddNode, open_pool: Open
) -> None:
    pool = open_pool(node.url, weighing(other, 1))
    await pool.call("a")
    node.odd = answering(lambda content: [sound(content[0]), error(content[1], -32005, "limit exceeded")])
    calls = [Call("a"), Call("b"), Call("c")]
    assert await pool.batch(calls) == [Result("a"), Result("b"), Result("c")]
    assert [name for name in other.calls if name != "chain"] == ["b", "c"]


async def test_items_that_nobody_answers_are_errors_when_others_are_answered(node: OddNode, open_pool: Open) -> None:
    pool = open_pool(node.url)
    await pool.call("a")
    node.odd = answering(lambda content: [sound(content[0])])
    first, second = await pool.batch([Call("a"), Call("b")])
    assert first == Result("a")
    assert isinstance(second, RpcError)
    assert second.is_unanswered


async def test_an_error_about_the_call_is_not_asked_of_another_node(
    node: OddNode, other: OddNode, open_pool: Open
) -> None:
    pool = open_pool(node.url, weighing(other, 1))
    await pool.call("a")
    node.odd = answering(lambda content: error(content, -32000, "nonce too low"))
    assert await pool.call("b") == RpcError(-32000, "nonce too low")
    assert "b" not in other.calls


async def test_a_broadcast_reaches_every_healthy_node(node: OddNode, other: OddNode, open_pool: Open) -> None:
    other.odd = answering(
        lambda content: error(content, -32000, "already known") if content["method"] == "send" else sound(content)
    )
    pool = open_pool(node.url, weighing(other, 1))
    told = await pool.everywhere([SEND])
    assert [(endpoint.url.weight, answers) for endpoint, answers in told] == [
        (100, [Result("send")]),
        (1, [RpcError(-32000, "already known")]),
    ]


async def test_a_broadcast_tells_which_node_failed(node: OddNode, other: OddNode, open_pool: Open) -> None:
    pool = open_pool(node.url, other.url)
    await pool.everywhere([SEND])
    node.odd = always(b"", 500)
    (_, first), (_, second) = await pool.everywhere([SEND])
    assert isinstance(first, NodeUnavailable)
    assert second == [Result("send")]
    node.asked.clear()
    assert len(await pool.everywhere([SEND])) == 1  # the paused one is spared
    assert node.asked == []


async def test_a_node_that_hangs_slows_a_broadcast_only_for_the_grace(
    node: OddNode, other: OddNode, open_pool: Open
) -> None:
    pool = open_pool(node.url, other.url, settings=replace(SETTINGS, broadcast_timeout_s=60, broadcast_grace_s=0.05))
    await pool.everywhere([SEND])
    node.odd = node.hang
    async with asyncio.timeout(5):
        (_, first), (_, second) = await pool.everywhere([SEND])
    assert isinstance(first, NodeUnavailable)
    assert second == [Result("send")]


async def test_a_broadcast_is_bounded_when_every_node_hangs(node: OddNode, open_pool: Open) -> None:
    pool = open_pool(node.url, settings=replace(SETTINGS, broadcast_timeout_s=0.1))
    await pool.call("a")
    node.odd = node.hang
    ((_, found),) = await pool.everywhere([SEND])
    assert isinstance(found, NodeUnavailable)


async def test_witnesses_are_distinct_nodes(node: OddNode, other: OddNode, open_pool: Open) -> None:
    other.odd = answering(lambda content: sound(content) | {"result": "0xother"})
    pool = open_pool(node.url, other.url)
    found = await pool.witnesses([Call("a")])
    assert [answers for _, answers in found] == [[Result("a")], [Result("0xother")]]
    assert len({endpoint.shown for endpoint, _ in found}) == 2


async def test_a_third_node_stands_in_for_a_witness_that_fails(node: OddNode, other: OddNode, open_pool: Open) -> None:
    dead = RpcUrl("http://127.0.0.1:1")
    found = await open_pool(dead, weighing(node, 50), weighing(other, 20)).witnesses([Call("a")], 2)
    assert [endpoint.url.weight for endpoint, _ in found] == [50, 20]


async def test_one_witness_is_better_than_none_and_none_is_an_outage(node: OddNode, open_pool: Open) -> None:
    pool = open_pool(node.url, RpcUrl("http://127.0.0.1:1"))
    assert len(await pool.witnesses([Call("a")])) == 1
    node.odd = always(b"", 500)
    with pytest.raises(NodeUnavailable):
        await pool.witnesses([Call("a")])


async def test_how_long_a_node_has_been_alone_is_known(
    node: OddNode, other: OddNode, open_pool: Open, clock: FakeClock
) -> None:
    pool = open_pool(node.url, other.url)
    await pool.witnesses([Call("a")])
    assert pool.alone_for_s() == 0
    other.odd = always(b"", 500)
    clock.advance(1)
    await pool.witnesses([Call("a")])
    clock.advance(600)
    assert pool.alone_for_s() == 600
    other.odd = None
    await pool.witnesses([Call("a")])
    assert pool.alone_for_s() == 0
    assert open_pool(node.url).alone_for_s() == float("inf")


async def test_a_hanging_check_holds_up_nobody_who_can_be_served(
    node: OddNode, other: OddNode, open_pool: Open, clock: FakeClock
) -> None:
    pool = open_pool(node.url, weighing(other, 1))
    node.odd = always(b"", 500)
    await pool.call("a")
    node.odd = node.hang
    clock.advance(1)
    async with asyncio.timeout(2):
        assert await pool.call("a") == Result("a")
    await node.hanging.wait()


async def test_a_broadcast_that_gives_up_waiting_for_a_check_does_not_end_it(
    node: OddNode, open_pool: Open, checks: Checks
) -> None:
    node.odd = node.hang
    pool = open_pool(node.url, settings=replace(SETTINGS, timeout_s=0.3, broadcast_timeout_s=0.05))
    ((_, found),) = await pool.everywhere([SEND])
    assert isinstance(found, NodeUnavailable)
    assert pool.endpoints[0].health.failures == 0
    await settle(pool)
    assert pool.endpoints[0].health.failures == 1


async def test_after_close_every_call_is_an_outage(node: OddNode, open_pool: Open) -> None:
    pool = open_pool(node.url)
    await pool.call("a")
    await pool.close()
    with pytest.raises(NodeUnavailable):
        await pool.call("a")


async def test_a_batch_too_large_for_a_node_is_split_behind_the_pool(node: OddNode, open_pool: Open) -> None:
    async def answer(content: Json) -> web.StreamResponse:
        if isinstance(content, list):
            return reply({"error": {"code": -32600, "message": "batch not supported"}, "id": None})
        return reply(sound(content))

    node.odd = answer
    calls = [Call("echo", (number,)) for number in range(30)]
    assert await open_pool(node.url).batch(calls) == [Result([number]) for number in range(30)]
