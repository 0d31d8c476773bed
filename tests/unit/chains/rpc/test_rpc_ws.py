"""A subscription gives what the node tells, and ends with an outage when the node is lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager

import pytest
from aiohttp import web

from baton.chains.rpc import RpcSettings, subscribe
from baton.domain.errors import NodeUnavailable
from baton.domain.network import RpcUrl

Talk = Callable[[web.WebSocketResponse], Awaitable[None]]


@asynccontextmanager
async def talking(talk: Talk) -> AsyncIterator[RpcUrl]:
    async def answer(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await talk(socket)
        return socket

    async def move(_request: web.Request) -> web.StreamResponse:
        raise web.HTTPFound("/secret-key")

    app = web.Application()
    app.router.add_get("/secret-key", answer)
    app.router.add_get("/moved", move)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        yield RpcUrl(f"ws://127.0.0.1:{port}/secret-key")
    finally:
        await runner.cleanup()


async def accept(socket: web.WebSocketResponse) -> None:
    request = await socket.receive_json()
    assert (request["method"], request["params"]) == ("eth_subscribe", ["newHeads"])
    await socket.send_json({"jsonrpc": "2.0", "id": request["id"], "result": "0xabc"})


async def tell(socket: web.WebSocketResponse, value: object, subscription: str = "0xabc") -> None:
    params = {"subscription": subscription, "result": value}
    await socket.send_json({"jsonrpc": "2.0", "method": "eth_subscription", "params": params})


async def test_notifications_of_this_subscription_are_given_in_order() -> None:
    async def talk(socket: web.WebSocketResponse) -> None:
        await accept(socket)
        await tell(socket, 1)
        await tell(socket, 99, "0xother")
        await socket.send_str("not json")
        await socket.send_bytes(b'{"params":{"subscription":"0xabc","result":2}}')
        await socket.receive()

    async with talking(talk) as url, aclosing(subscribe(url, "eth_subscribe", ["newHeads"])) as heads:
        assert [await anext(heads), await anext(heads)] == [1, 2]


async def test_a_lost_connection_is_an_outage() -> None:
    async def talk(socket: web.WebSocketResponse) -> None:
        await accept(socket)
        await tell(socket, 1)
        await socket.close()

    async with talking(talk) as url:
        heads = subscribe(url, "eth_subscribe", ["newHeads"])
        assert await anext(heads) == 1
        with pytest.raises(NodeUnavailable, match="closed") as caught:
            await anext(heads)
    assert "secret-key" not in str(caught.value)


async def test_a_refused_subscription_is_an_outage() -> None:
    async def talk(socket: web.WebSocketResponse) -> None:
        await socket.receive()
        await socket.send_json({"id": 1, "error": {"code": -32601, "message": "notifications not supported"}})
        await socket.receive()

    async with talking(talk) as url:
        with pytest.raises(NodeUnavailable, match="notifications not supported"):
            await anext(subscribe(url, "eth_subscribe", ["newHeads"]))


async def test_a_node_that_does_not_answer_the_subscription_is_given_up() -> None:
    async def talk(socket: web.WebSocketResponse) -> None:
        await socket.receive()
        await socket.receive()

    async with talking(talk) as url:
        with pytest.raises(NodeUnavailable, match="no answer to eth_subscribe"):
            await anext(subscribe(url, "eth_subscribe", ["newHeads"], settings=RpcSettings(timeout_s=0.1)))


async def test_a_node_that_falls_silent_is_given_up() -> None:
    async def talk(socket: web.WebSocketResponse) -> None:
        await accept(socket)
        await socket.receive()

    async with talking(talk) as url:
        with pytest.raises(NodeUnavailable, match=r"nothing was heard for 0\.1 s"):
            await anext(subscribe(url, "eth_subscribe", ["newHeads"], quiet_s=0.1))


async def test_a_node_that_answers_no_pings_is_given_up() -> None:
    ended = asyncio.Event()

    async def talk(socket: web.WebSocketResponse) -> None:
        await accept(socket)
        await ended.wait()  # nobody reads, so no ping is answered

    async with talking(talk) as url:
        with pytest.raises(NodeUnavailable):
            await anext(subscribe(url, "eth_subscribe", ["newHeads"], settings=RpcSettings(heartbeat_s=0.1)))
        ended.set()


async def test_a_node_that_is_not_there_or_redirects_is_an_outage() -> None:
    async def talk(socket: web.WebSocketResponse) -> None:
        await accept(socket)

    async with talking(talk) as url:
        for wrong in (url.url.replace("secret-key", "moved"), "ws://127.0.0.1:1/secret-key", "ws://[/secret-key"):
            with pytest.raises(NodeUnavailable, match="cannot be reached") as caught:
                await anext(subscribe(RpcUrl(wrong), "eth_subscribe", ["newHeads"]))
            assert "secret-key" not in str(caught.value)
