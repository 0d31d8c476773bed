"""One node, however it misbehaves: each call gets an answer, or the node is unavailable and left alone for a while."""

import asyncio
import gzip
import zlib
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime

import msgspec
import pytest
from aiohttp import web
from tests.fakes import FakeClock
from tests.unit.chains.rpc.conftest import SETTINGS
from tests.unit.chains.rpc.odd_node import Odd, OddNode, always, answering, error, reply, sound

from baton.chains.rpc import Answer, Call, Endpoint, Result, RpcError, RpcSettings
from baton.chains.rpc.transport import Transport
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import RpcUrl
from baton.telemetry import REGISTRY, render_metrics


def echoes(count: int) -> list[Call]:
    return [Call("echo", (number,)) for number in range(count)]


def echoed(count: int) -> list[Answer]:
    return [Result([number]) for number in range(count)]


def refusing_above(limit: int, message: str = "batch too large") -> Odd:
    """A node that takes at most `limit` calls at once; 1 means no lists at all."""

    def answer(content: Json) -> Json:
        if not isinstance(content, list):
            return sound(content)
        if limit == 1 or len(content) > limit:
            return {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}
        return [sound(item) for item in content]

    return answering(answer)


async def test_many_calls_go_in_batches_of_the_limit(node: OddNode, endpoint: Endpoint) -> None:
    assert await endpoint.batch(echoes(45)) == echoed(45)
    assert sorted(node.sizes) == [5, 20, 20]


async def test_a_caller_may_ask_for_smaller_batches(node: OddNode, endpoint: Endpoint) -> None:
    assert await endpoint.batch(echoes(6), chunk=4) == echoed(6)
    assert sorted(node.sizes) == [2, 4]


async def test_nothing_to_ask_asks_nothing(node: OddNode, endpoint: Endpoint) -> None:
    assert await endpoint.batch([]) == []
    assert node.asked == []


async def test_answers_in_reverse_order_find_their_calls(node: OddNode, endpoint: Endpoint) -> None:
    node.odd = answering(lambda content: [sound(item) for item in reversed(content)])
    assert await endpoint.batch(echoes(10)) == echoed(10)


@pytest.mark.parametrize("limit", [7, 3, 1])
async def test_a_node_with_a_small_limit_is_found_out_and_remembered(
    node: OddNode, endpoint: Endpoint, clock: FakeClock, limit: int
) -> None:
    node.odd = refusing_above(limit)
    assert await endpoint.batch(echoes(20)) == echoed(20)
    assert endpoint.batch_limit <= limit
    assert not endpoint.health.is_paused
    node.asked.clear()
    assert await endpoint.batch(echoes(20)) == echoed(20)
    assert max(node.sizes) <= limit
    clock.advance(SETTINGS.batch_memory_s)
    assert endpoint.batch_limit == SETTINGS.batch_limit


async def test_the_limit_that_a_node_names_is_used_at_once(node: OddNode, endpoint: Endpoint) -> None:
    node.odd = refusing_above(8, "batch size is limited to at most 8 calls")
    assert await endpoint.batch(echoes(20)) == echoed(20)
    assert node.sizes[0] == 20
    assert sorted(node.sizes[1:]) == [4, 8, 8]


async def test_a_node_that_answers_batches_with_413_gets_smaller_ones(node: OddNode, endpoint: Endpoint) -> None:
    async def answer(content: Json) -> web.StreamResponse:
        if isinstance(content, list) and len(content) > 5:
            return web.Response(status=413, text="payload too large")
        return reply([sound(item) for item in content] if isinstance(content, list) else sound(content))

    node.odd = answer
    assert await endpoint.batch(echoes(20)) == echoed(20)
    assert endpoint.batch_limit == 5


async def test_a_gateway_that_answers_400_to_everything_does_not_make_us_forget_batches(
    node: OddNode, endpoint: Endpoint
) -> None:
    node.odd = always(b"no", 400)
    with pytest.raises(NodeUnavailable, match="HTTP 400"):
        await endpoint.batch(echoes(20))
    assert endpoint.batch_limit == 20


async def test_calls_in_order_arrive_one_batch_after_the_other(node: OddNode, endpoint: Endpoint) -> None:
    node.odd = refusing_above(1)
    assert await endpoint.batch(echoes(9), in_order=True) == echoed(9)
    alone = [content["params"][0] for content in node.asked if not isinstance(content, list)]
    assert alone == list(range(9))


async def test_calls_in_order_stop_at_the_first_failure(node: OddNode, endpoint: Endpoint) -> None:
    async def answer(content: Json) -> web.StreamResponse:
        return reply([sound(item) for item in content], 200 if len(node.asked) == 1 else 500)

    node.odd = answer
    found = await endpoint.batch(echoes(60), in_order=True)
    assert found[:20] == echoed(20)
    assert all(isinstance(answer, RpcError) and answer.is_unanswered for answer in found[20:])
    assert node.sizes == [20, 20]


async def test_one_error_for_many_calls_is_no_verdict_on_each(node: OddNode, endpoint: Endpoint) -> None:
    async def answer(content: Json) -> web.StreamResponse:
        is_first = len(node.asked) == 1
        lone = {"id": None, "error": {"code": -32603, "message": "invalid signature"}}
        return reply([sound(item) for item in content] if is_first else lone)

    node.odd = answer
    *_, last = await endpoint.batch(echoes(40), in_order=True)
    assert isinstance(last, RpcError)
    assert last.is_unanswered
    assert "signature" not in last.message


async def test_requests_at_once_are_limited(node: OddNode, endpoint: Endpoint) -> None:
    under_way, most = 0, 0
    may_go = asyncio.Event()

    async def answer(content: Json) -> web.StreamResponse:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == SETTINGS.concurrency:
            may_go.set()
        await may_go.wait()
        under_way -= 1
        return reply(sound(content))

    node.odd = answer
    assert await endpoint.batch(echoes(12), chunk=1) == echoed(12)
    assert most == SETTINGS.concurrency


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (always(b"<html>502 Bad Gateway</html>"), "not JSON-RPC"),
        (always(b'[{"jsonrpc":"2.0","id":1,"resu'), "not JSON-RPC"),
        (always(b""), "not JSON-RPC"),
        (always({"hello": "world"}), "not JSON-RPC"),
        (always([{"id": 999, "result": 1}]), "none of the calls"),
        (always({"error": {"code": -32603, "message": "internal"}}), "one error for 3 calls"),
        (always(b"oops", 500), "HTTP 500"),
        (always(b"", 302, {"Location": "http://127.0.0.1:1/"}), "HTTP 302"),
        (always([], 403), "HTTP 403"),
        (always(b"not gzip", 200, {"Content-Encoding": "gzip"}), "unpacked"),
        (always(b"x" * 100_001), "more than 100000 bytes"),
        (always(gzip.compress(bytes(10_000_000)), 200, {"Content-Encoding": "gzip"}), "more than 100000 bytes"),
        (always(gzip.compress(b"[]" * 99)[:-12], 200, {"Content-Encoding": "gzip"}), "broke off"),
    ],
)
async def test_an_unusable_answer_makes_the_node_unavailable_and_pauses_it(
    node: OddNode, endpoint: Endpoint, odd: Odd, why: str
) -> None:
    node.odd = odd
    with pytest.raises(NodeUnavailable, match=why) as caught:
        await endpoint.batch(echoes(3))
    assert endpoint.health.is_paused
    assert "secret-key" not in str(caught.value)
    assert len(node.asked) == 1


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "gzip"), (zlib.compress, "deflate")])
async def test_a_packed_answer_is_unpacked(
    node: OddNode, endpoint: Endpoint, pack: Callable[[bytes], bytes], name: str
) -> None:
    async def answer(content: Json) -> web.StreamResponse:
        body = pack(msgspec.json.encode([sound(item) for item in content]))
        return reply(body, headers={"Content-Encoding": name})

    node.odd = answer
    assert await endpoint.batch(echoes(3)) == echoed(3)


async def test_a_node_that_never_answers_is_given_up_in_time(node: OddNode, endpoint: Endpoint) -> None:
    node.odd = node.hang
    with pytest.raises(NodeUnavailable, match="no answer within"):
        await endpoint.batch(echoes(1), timeout_s=0.05)
    assert endpoint.health.is_paused


async def test_a_node_that_is_not_there_is_unavailable(clock: FakeClock) -> None:
    transport = Transport(SETTINGS, clock)
    endpoint = Endpoint(
        RpcUrl("http://user:secret-key@127.0.0.1:1/secret-key?k=secret-key"), transport, SETTINGS, clock
    )
    with pytest.raises(NodeUnavailable, match="cannot be reached") as caught:
        await endpoint.batch(echoes(1))
    assert "secret-key" not in str(caught.value) + repr(endpoint) + repr(endpoint.url)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    await transport.close()


async def test_an_answer_that_breaks_off_makes_the_node_unavailable(node: OddNode, endpoint: Endpoint) -> None:
    async def answer(_content: Json) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(node.request)
        await response.write(b"[")
        return node.cut(response)

    node.odd = answer
    with pytest.raises(NodeUnavailable, match="broke off"):
        await endpoint.batch(echoes(1))


async def test_a_reset_connection_makes_the_node_unavailable(node: OddNode, endpoint: Endpoint) -> None:
    async def answer(_content: Json) -> web.StreamResponse:
        return node.cut(web.Response())

    node.odd = answer
    with pytest.raises(NodeUnavailable, match="cannot be reached"):
        await endpoint.batch(echoes(1))
    assert len(node.asked) == 1


async def test_a_kept_connection_that_is_closed_as_we_write_is_replaced_once(node: OddNode, endpoint: Endpoint) -> None:
    async def answer(content: Json) -> web.StreamResponse:
        return node.cut(web.Response()) if len(node.asked) == 2 else reply(sound(content))

    node.odd = answer
    await endpoint.batch(echoes(1))
    assert await endpoint.batch(echoes(1)) == echoed(1)
    assert len(node.asked) == 3
    assert endpoint.health.failures == 0


async def test_an_error_to_a_broadcast_that_left_twice_is_no_answer(node: OddNode, endpoint: Endpoint) -> None:
    """The first time a node may have taken it: a refusal the second time must not end it (E5, C6)."""

    async def answer(content: Json) -> web.StreamResponse:
        if len(node.asked) == 2:
            return node.cut(web.Response())
        return reply([error(content[0], -32000, "intrinsic gas too low"), sound(content[1])])

    node.odd = answer
    assert isinstance((await endpoint.batch(echoes(2), in_order=True))[0], RpcError)
    refused, taken = await endpoint.batch(echoes(2), in_order=True)
    assert len(node.asked) == 3
    assert isinstance(refused, RpcError)
    assert refused.is_unanswered
    assert taken == echoed(2)[1]
    [again, _] = await endpoint.batch(echoes(2), in_order=True)
    assert isinstance(again, RpcError)
    assert not again.is_unanswered


async def test_connections_are_kept_and_nothing_is_taken_from_the_environment(
    node: OddNode, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert await endpoint.batch(echoes(1)) == echoed(1)
    assert await endpoint.batch(echoes(1)) == echoed(1)
    assert node.headers[0]["Accept-Encoding"] == "identity"


async def test_a_429_pauses_for_as_long_as_it_asks(node: OddNode, endpoint: Endpoint, clock: FakeClock) -> None:
    node.odd = always(b"slow down", 429, {"Retry-After": "17"})
    with pytest.raises(NodeUnavailable, match="HTTP 429"):
        await endpoint.batch(echoes(2))
    assert endpoint.health.is_told_to_wait
    clock.advance(16.9)
    assert endpoint.health.is_told_to_wait
    clock.advance(0.2)
    assert not endpoint.health.is_paused


async def test_a_retry_after_may_be_a_date(node: OddNode, endpoint: Endpoint, clock: FakeClock) -> None:
    when = format_datetime(clock.now() + timedelta(seconds=9), usegmt=True)
    node.odd = always(b"", 503, {"Retry-After": when})
    with pytest.raises(NodeUnavailable):
        await endpoint.batch(echoes(1))
    assert endpoint.health.paused_until == 9


@pytest.mark.parametrize("nonsense", ["soon", "-5", "", "99999999999999999999"])
async def test_a_retry_after_that_makes_no_sense_pauses_for_a_bounded_time(
    node: OddNode, endpoint: Endpoint, nonsense: str
) -> None:
    node.odd = always(b"", 429, {"Retry-After": nonsense})
    with pytest.raises(NodeUnavailable):
        await endpoint.batch(echoes(1))
    assert 0.5 <= endpoint.health.paused_until <= 60


async def test_items_over_the_rate_limit_are_errors_and_pause_the_node(node: OddNode, endpoint: Endpoint) -> None:
    node.odd = answering(lambda content: [sound(content[0]), error(content[1], -32005, "limit exceeded")])
    assert await endpoint.batch(echoes(2)) == [Result([0]), RpcError(-32005, "limit exceeded")]
    assert endpoint.health.is_told_to_wait


async def test_an_error_about_the_call_does_not_pause_the_node(node: OddNode, endpoint: Endpoint) -> None:
    node.odd = answering(lambda content: error(content, 3, "execution reverted: rate limit exceeded", "0x08c379a0"))
    assert await endpoint.batch(echoes(1)) == [RpcError(3, "execution reverted: rate limit exceeded", "0x08c379a0")]
    assert not endpoint.health.is_paused


async def test_metrics_name_the_host_and_never_the_path(node: OddNode, endpoint: Endpoint) -> None:
    label = {"node": f"127.0.0.1:{node.port}"}
    names = [("baton_rpc_calls_total", label), ("baton_rpc_errors_total", label | {"trouble": "status"})]
    names.append(("baton_rpc_request_seconds_count", label))

    def counts() -> list[float]:
        return [REGISTRY.get_sample_value(name, labels) or 0 for name, labels in names]

    before = counts()  # a port may have served an earlier test
    await endpoint.batch(echoes(3))
    node.odd = always(b"", 500)
    with pytest.raises(NodeUnavailable):
        await endpoint.batch(echoes(2))
    assert [now - then for now, then in zip(counts(), before, strict=True)] == [5, 1, 2]
    assert REGISTRY.get_sample_value("baton_rpc_node_down", label) == 1
    assert b"secret-key" not in render_metrics()[0]


async def test_a_call_cancelled_by_its_caller_gives_its_place_back(node: OddNode, clock: FakeClock) -> None:
    settings = RpcSettings(concurrency=1)
    transport = Transport(settings, clock)
    endpoint = Endpoint(node.url, transport, settings, clock)
    node.odd = node.hang
    task = asyncio.create_task(endpoint.batch(echoes(1)))
    await node.hanging.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    node.odd = None
    assert await endpoint.batch(echoes(1)) == echoed(1)
    assert endpoint.health.failures == 0
    await transport.close()
