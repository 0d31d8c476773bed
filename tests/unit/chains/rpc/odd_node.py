"""A node that does as a test tells it: sound by default, odd on demand. It keeps what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
from aiohttp import web

from baton.domain.json import Json
from baton.domain.network import RpcUrl

Odd = Callable[[Json], Awaitable[web.StreamResponse]]


def sound(item: Json) -> dict[str, Json]:
    """`echo` gives its parameters back; everything else gives its own name."""
    value = item["params"] if item["method"] == "echo" else item["method"]
    return {"jsonrpc": "2.0", "id": item["id"], "result": value}


def error(item: Json, code: int, message: str, data: Json = None) -> dict[str, Json]:
    return {"jsonrpc": "2.0", "id": item["id"], "error": {"code": code, "message": message, "data": data}}


def reply(content: Json, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    body = content if isinstance(content, bytes) else msgspec.json.encode(content)
    return web.Response(body=body, status=status, headers=headers, content_type="application/json")


class OddNode:
    def __init__(self) -> None:
        self.asked: list[Json] = []  # one entry for each HTTP request
        self.headers: list[dict[str, str]] = []
        self.odd: Odd | None = None
        self.request: web.Request  # the latest
        self.hanging = asyncio.Event()  # set when somebody is kept waiting
        self.release = asyncio.Event()
        self.port = 0
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> RpcUrl:
        return RpcUrl(f"http://127.0.0.1:{self.port}/v1/secret-key")

    @property
    def calls(self) -> list[str]:
        return [
            item["method"] for content in self.asked for item in (content if isinstance(content, list) else [content])
        ]

    @property
    def sizes(self) -> list[int]:
        return [len(content) if isinstance(content, list) else 1 for content in self.asked]

    async def start(self, port: int = 0) -> None:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, reuse_address=True)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]

    async def stop(self) -> None:
        self.release.set()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def hang(self, _content: Json) -> web.StreamResponse:
        self.hanging.set()
        await self.release.wait()
        return web.Response(status=500)

    def cut(self, response: web.StreamResponse) -> web.StreamResponse:
        """Ends the latest request's connection, whatever was sent of the response."""
        assert self.request.transport is not None
        self.request.transport.abort()
        return response

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        content = msgspec.json.decode(await request.read())
        self.request = request
        self.asked.append(content)
        self.headers.append(dict(request.headers))
        if self.odd is not None:
            return await self.odd(content)
        return reply([sound(item) for item in content] if isinstance(content, list) else sound(content))


@asynccontextmanager
async def odd_node() -> AsyncIterator[OddNode]:
    node = OddNode()
    await node.start()
    try:
        yield node
    finally:
        await node.stop()


def always(content: Json, status: int = 200, headers: dict[str, str] | None = None) -> Odd:
    async def answer(_content: Json) -> web.StreamResponse:
        return reply(content, status, headers)

    return answer


def answering(how: Callable[[Json], Json]) -> Odd:
    """`how` makes the answer's content from the request's."""

    async def answer(content: Json) -> web.StreamResponse:
        return reply(how(content))

    return answer
