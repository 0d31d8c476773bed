"""The fault proxy itself: each fault does what its name says, and the record tells what the node got."""

import asyncio
import random
from collections.abc import AsyncIterator

import aiohttp
import msgspec
import pytest
from tests.faults.proxy import FaultProxy
from tests.faults.rules import (
    Blackhole,
    Duplicate,
    Garbage,
    Latency,
    Lie,
    LoseResponse,
    NullResult,
    Reset,
    RpcFault,
    Rule,
    Stale,
    Status,
    Truncate,
)
from tests.unit.chains.rpc.odd_node import OddNode, always, answering, odd_node, sound

from baton.domain.json import Json

SEND = {"jsonrpc": "2.0", "id": 1, "method": "eth_sendRawTransaction", "params": ["0x02aa"]}
READ = {"jsonrpc": "2.0", "id": 2, "method": "eth_blockNumber", "params": []}


@pytest.fixture
async def node() -> AsyncIterator[OddNode]:
    async with odd_node() as found:
        yield found


@pytest.fixture
async def proxy(node: OddNode) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(f"http://127.0.0.1:{node.port}") as found:
        yield found


async def post(proxy: FaultProxy, content: Json, timeout_s: float = 5) -> tuple[int, bytes, dict[str, str]]:
    limit = aiohttp.ClientTimeout(total=timeout_s)
    async with (
        aiohttp.ClientSession(timeout=limit) as session,
        session.post(proxy.url, data=msgspec.json.encode(content)) as response,
    ):
        return response.status, await response.read(), dict(response.headers)


async def ask(proxy: FaultProxy, content: Json) -> Json:
    return msgspec.json.decode((await post(proxy, content))[1])


async def test_without_rules_it_is_a_plain_way_to_the_node(proxy: FaultProxy, node: OddNode) -> None:
    assert await ask(proxy, READ) == {"jsonrpc": "2.0", "id": 2, "result": "eth_blockNumber"}
    assert [answer["id"] for answer in await ask(proxy, [READ, SEND])] == [2, 1]
    assert node.asked == [READ, [READ, SEND]]


async def test_it_counts_requests_and_calls(proxy: FaultProxy) -> None:
    await ask(proxy, [READ, SEND, READ | {"id": 3}])
    await ask(proxy, READ)
    assert proxy.http_requests == 2
    assert proxy.calls == {"eth_blockNumber": 3, "eth_sendRawTransaction": 1}


async def test_every_raw_transaction_is_recorded_in_each_dialect(proxy: FaultProxy) -> None:
    solana = {"id": 1, "method": "sendTransaction", "params": ["AQID", {"encoding": "base64"}]}
    stellar = {"id": 1, "method": "sendTransaction", "params": {"transaction": "AAAA"}}
    for content in (SEND, [READ, solana], stellar):
        await ask(proxy, content)
    assert proxy.forwarded == ["0x02aa", "AQID", "AAAA"]
    assert [sent.at_s for sent in proxy.sent] == sorted(sent.at_s for sent in proxy.sent)


async def test_a_status_comes_instead_of_the_node(proxy: FaultProxy, node: OddNode) -> None:
    proxy.add(Status(429, retry_after="7"), "eth_sendRawTransaction")
    status, _, headers = await post(proxy, [READ, SEND])
    assert (status, headers["Retry-After"]) == (429, "7")
    assert node.asked == []
    assert proxy.forwarded == []
    assert [sent.raw for sent in proxy.sent] == ["0x02aa"]
    assert await ask(proxy, READ)


async def test_a_reset_hides_the_request_from_the_node(proxy: FaultProxy, node: OddNode) -> None:
    proxy.add(Reset())
    with pytest.raises(aiohttp.ClientError):
        await post(proxy, SEND)
    assert node.asked == []
    assert not proxy.sent[0].was_forwarded


async def test_a_lost_response_was_run_by_the_node(proxy: FaultProxy, node: OddNode) -> None:
    proxy.add(LoseResponse(), "eth_sendRawTransaction", times=1)
    with pytest.raises(aiohttp.ClientError):
        await post(proxy, SEND)
    assert node.asked == [SEND]
    assert proxy.forwarded == ["0x02aa"]
    assert await ask(proxy, SEND)


async def test_a_black_hole_never_answers_and_does_not_hold_up_the_end(node: OddNode) -> None:
    async with FaultProxy(f"http://127.0.0.1:{node.port}") as proxy:
        proxy.add(Blackhole())
        with pytest.raises(TimeoutError):
            await post(proxy, READ, timeout_s=0.1)
        waiting = asyncio.create_task(post(proxy, READ))
        while proxy.http_requests < 2:
            await asyncio.sleep(0)
    with pytest.raises(aiohttp.ClientError):
        await waiting
    assert node.asked == []


async def test_latency_delays_the_request(proxy: FaultProxy, node: OddNode) -> None:
    proxy.add(Latency(0.2), times=1)
    with pytest.raises(TimeoutError):
        await post(proxy, READ, timeout_s=0.05)
    assert node.asked == []
    assert await ask(proxy, READ)


async def test_a_truncated_answer_is_half_of_it(proxy: FaultProxy, node: OddNode) -> None:
    whole = (await post(proxy, READ))[1]
    proxy.add(Truncate())
    assert (await post(proxy, READ))[1] == whole[: len(whole) // 2]
    assert len(node.asked) == 2


async def test_garbage_comes_instead_of_the_answer(proxy: FaultProxy, node: OddNode) -> None:
    proxy.add(Garbage(b"<html>"))
    assert (await post(proxy, READ))[1] == b"<html>"
    assert len(node.asked) == 1


async def test_an_error_strikes_only_the_matching_calls_of_a_batch(proxy: FaultProxy, node: OddNode) -> None:
    proxy.add(RpcFault(-32000, "txpool is full"), "eth_sendRawTransaction")
    first, second = await ask(proxy, [SEND, READ])
    assert first == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "txpool is full"}}
    assert second["result"] == "eth_blockNumber"
    assert node.asked == [[READ]]
    assert proxy.forwarded == []


async def test_a_null_result_comes_instead_of_the_answer(proxy: FaultProxy) -> None:
    proxy.add(NullResult(), "eth_blockNumber", times=1)
    assert (await ask(proxy, READ))["result"] is None
    assert (await ask(proxy, READ))["result"] == "eth_blockNumber"


async def test_a_stale_answer_is_the_last_one_to_the_same_question(proxy: FaultProxy, node: OddNode) -> None:
    rule = proxy.add(Stale())
    node.odd = answering(lambda item: sound(item) | {"result": "0x1"})
    assert (await ask(proxy, READ))["result"] == "0x1"
    assert rule.hits == 0
    node.odd = answering(lambda item: sound(item) | {"result": "0x2"})
    assert (await ask(proxy, READ | {"id": 9})) == {"jsonrpc": "2.0", "id": 9, "result": "0x1"}
    assert (await ask(proxy, READ | {"params": ["other"]}))["result"] == "0x2"
    proxy.remove(rule)
    assert (await ask(proxy, READ))["result"] == "0x2"


async def test_a_duplicate_runs_twice_and_both_are_recorded(proxy: FaultProxy, node: OddNode) -> None:
    proxy.add(Duplicate(), "eth_sendRawTransaction", times=1)
    node.odd = answering(lambda items: [sound(item) | {"result": len(node.asked)} for item in items])
    answers = await ask(proxy, [SEND, READ])
    assert node.asked == [[SEND], [SEND, READ]]
    assert [answer["result"] for answer in answers] == [2, 2]
    assert proxy.forwarded == ["0x02aa", "0x02aa"]


async def test_a_lie_changes_the_result(proxy: FaultProxy) -> None:
    proxy.add(Lie(lambda result: result.upper()), "eth_blockNumber")
    first, second = await ask(proxy, [READ, SEND])
    assert (first["result"], second["result"]) == ("ETH_BLOCKNUMBER", "eth_sendRawTransaction")


async def test_an_answer_that_is_no_json_passes_as_it_is(proxy: FaultProxy, node: OddNode) -> None:
    node.odd = always(b"oops", 500)
    assert (await post(proxy, [READ]))[:2] == (500, b"oops")
    node.odd = always({"error": "no batches"})
    assert await ask(proxy, [READ]) == {"error": "no batches"}


async def test_a_node_that_is_gone_is_a_bad_gateway_and_may_be_replaced(proxy: FaultProxy, node: OddNode) -> None:
    right, proxy.upstream_url = proxy.upstream_url, "http://127.0.0.1:1"
    assert (await post(proxy, READ))[0] == 502
    proxy.upstream_url = right
    assert (await post(proxy, READ))[0] == 200


async def test_rules_count_skip_and_end(proxy: FaultProxy) -> None:
    rule = proxy.add(NullResult(), times=2, skip=1)
    found = [(await ask(proxy, READ))["result"] for _ in range(5)]
    assert found == ["eth_blockNumber", None, None, "eth_blockNumber", "eth_blockNumber"]
    assert rule.hits == 2
    proxy.add(NullResult())
    proxy.clear()
    assert (await ask(proxy, READ))["result"] is not None


def test_chance_is_the_same_for_the_same_seed() -> None:
    def strikes(seed: int) -> list[bool]:
        rule, chance = Rule(NullResult(), probability=0.5), random.Random(seed)
        return [rule.strikes(chance) for _ in range(50)]

    assert strikes(1) == strikes(1)
    assert strikes(1) != strikes(2)
    assert 10 < sum(strikes(1)) < 40
