"""A subscription over a WebSocket. It is a wake-up, not the truth: what it says is asked again over HTTP."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence

import aiohttp

from baton.chains.rpc.batch import decode
from baton.chains.rpc.exchange import shown_text
from baton.chains.rpc.settings import RpcSettings
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import RpcUrl

_REQUEST_ID = 1


async def subscribe(
    url: RpcUrl,
    method: str,
    params: Sequence[Json] | Mapping[str, Json] = (),
    *,
    settings: RpcSettings | None = None,
    quiet_s: float | None = None,
) -> AsyncGenerator[Json, None]:
    """Each notification's result, for ever: ends only by `NodeUnavailable`. Leave it with `aclose`.

    `quiet_s`: how long the node may say nothing before the subscription counts as lost, though the line holds.
    """
    chosen = settings or RpcSettings()
    traces = aiohttp.TraceConfig()
    traces.on_request_redirect.append(_refuse_redirect)
    async with aiohttp.ClientSession(
        cookie_jar=aiohttp.DummyCookieJar(), trust_env=False, trace_configs=[traces]
    ) as session:
        socket = await _connect(session, url, chosen)
        try:
            request = {"jsonrpc": "2.0", "id": _REQUEST_ID, "method": method, "params": params or []}
            subscription = await _ask(socket, url, request, chosen.timeout_s)
            while True:
                match await _hear(socket, url, quiet_s):
                    case {"params": {"subscription": told, "result": value}} if told == subscription:
                        yield value
        finally:
            await socket.close()


async def _connect(
    session: aiohttp.ClientSession, url: RpcUrl, settings: RpcSettings
) -> aiohttp.ClientWebSocketResponse:
    try:
        async with asyncio.timeout(settings.timeout_s):
            return await session.ws_connect(
                url.url, heartbeat=settings.heartbeat_s, max_msg_size=settings.message_limit_bytes
            )
    except TimeoutError:
        raise NodeUnavailable(f"{url.shown}: no connection within {settings.timeout_s:.3g} s") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:  # its text may hold the whole address: not chained
        raise NodeUnavailable(f"{url.shown}: cannot be reached ({type(error).__name__})") from None


async def _ask(socket: aiohttp.ClientWebSocketResponse, url: RpcUrl, request: Json, timeout_s: float) -> Json:
    """The subscription's name."""
    try:
        async with asyncio.timeout(timeout_s):
            await socket.send_json(request)
            while True:
                match await _hear(socket, url, None):
                    case {"id": 1, "error": error} if error is not None:
                        raise NodeUnavailable(f"{url.shown}: refused {request['method']}: {shown_text(str(error))}")
                    case {"id": 1, "result": subscription}:
                        return subscription
    except TimeoutError:
        raise NodeUnavailable(f"{url.shown}: no answer to {request['method']} in time") from None
    except (aiohttp.ClientError, OSError) as error:
        raise NodeUnavailable(f"{url.shown}: the connection broke ({type(error).__name__})") from None


async def _hear(socket: aiohttp.ClientWebSocketResponse, url: RpcUrl, quiet_s: float | None) -> Json:
    """The next message; one that cannot be read counts as none."""
    try:
        message = await socket.receive(timeout=quiet_s)
    except TimeoutError:
        if quiet_s is None:
            raise
        raise NodeUnavailable(f"{url.shown}: nothing was heard for {quiet_s:.3g} s") from None
    except (aiohttp.ClientError, OSError) as error:  # an answer to a ping may fail too
        raise NodeUnavailable(f"{url.shown}: the connection broke ({type(error).__name__})") from None
    if message.type is aiohttp.WSMsgType.TEXT:
        return decode(message.data.encode())
    if message.type is aiohttp.WSMsgType.BINARY:
        return decode(message.data)
    raise NodeUnavailable(f"{url.shown}: the connection was closed")


async def _refuse_redirect(*_told: object) -> None:
    raise aiohttp.ClientError
