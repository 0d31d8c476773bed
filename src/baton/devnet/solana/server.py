"""HTTP and WebSocket in front of a node: single calls, batches, `/health`, subscriptions on the same port."""

import msgspec
from aiohttp import web

from baton.devnet.solana.errors import INVALID_REQUEST, PARSE_ERROR, RpcRefused
from baton.devnet.solana.methods import answer, failure
from baton.devnet.solana.node import Node
from baton.devnet.solana.subscriptions import Subscriber
from baton.domain.json import Json

MAX_REQUEST_BYTES = 50 * 1024
"""A validator's default; a client that sends larger batches must be told so here, not in production."""

_HEARTBEAT_S = 20.0


def build_app(node: Node) -> web.Application:
    async def serve(request: web.Request) -> web.StreamResponse:
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await _serve_socket(node, request)
        if request.method == "POST":
            return await _serve_call(node, request)
        return web.Response(text="behind" if node.faults.unhealthy else "ok")

    app = web.Application(client_max_size=MAX_REQUEST_BYTES)
    app.router.add_route("*", "/{path:.*}", serve)
    return app


async def _serve_call(node: Node, request: web.Request) -> web.Response:
    if request.content_type != "application/json":
        return web.Response(
            status=415, text="Supplied content type is not allowed. Content-Type: application/json is required"
        )
    try:
        body = msgspec.json.decode(await request.read())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _respond(failure(None, RpcRefused(PARSE_ERROR, "Parse error")))
    if not isinstance(body, list):
        return _respond(answer(node, body))
    if not body:
        return _respond(failure(None, RpcRefused(INVALID_REQUEST, "Invalid request")))
    return _respond([answer(node, one) for one in body])


def _respond(body: Json) -> web.Response:
    return web.Response(body=msgspec.json.encode(body), content_type="application/json")


async def _serve_socket(node: Node, request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_S)
    await socket.prepare(request)
    await Subscriber(node, socket).serve()
    return socket
