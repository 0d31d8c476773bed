"""One HTTP POST to a node. The client library and its errors end here: what comes out is a reply, or why there is none.

Its errors are not chained to ours on purpose: their text holds the whole address, and addresses of hosted nodes are keys.
"""

import asyncio
import zlib
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from types import SimpleNamespace

import aiohttp

from baton.chains.rpc.batch import Broken, Reply, Trouble
from baton.chains.rpc.settings import RpcSettings
from baton.domain.clock import Clock
from baton.domain.network import RpcUrl

_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_ANY_WRAPPER = 47  # zlib: gzip or zlib, whichever the data begins with


class _OversizeError(Exception):
    pass


@dataclass(slots=True)
class _Way:
    """What the client library tells about the connection that a request went over."""

    is_reused: bool = False


class Transport:
    """Connections are kept and shared by all nodes of a pool. No redirects, no cookies, no proxy from the environment."""

    def __init__(self, settings: RpcSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None
        self._is_closed = False

    async def post(self, url: RpcUrl, body: bytes, timeout_s: float) -> Reply | Broken:
        way = _Way()
        try:
            async with asyncio.timeout(timeout_s):
                try:
                    return await self._post(url, body, way)
                except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                    if not way.is_reused:
                        raise
                # A kept connection was closed as we wrote: common, and no sign of trouble. Once more, on a new one.
                return replace(await self._post(url, body, _Way()), is_repeated=True)
        except TimeoutError:
            return Broken(Trouble.TIMEOUT, f"no answer within {timeout_s:.3g} s")
        except _OversizeError:
            return Broken(Trouble.UNREADABLE, f"an answer of more than {self._settings.response_limit_bytes} bytes")
        except (aiohttp.ClientPayloadError, zlib.error) as error:
            return Broken(
                Trouble.UNREADABLE, f"an answer that broke off or cannot be unpacked ({type(error).__name__})"
            )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Broken(Trouble.UNREACHABLE, _reason(error))

    async def close(self) -> None:
        self._is_closed = True
        if self._session is not None:
            await self._session.close()

    async def _post(self, url: RpcUrl, body: bytes, way: _Way) -> Reply:
        # A node nearby needs no compression, and it costs both sides more than the wire.
        accepted = "gzip" if url.url.startswith("https:") else "identity"
        headers = {"Content-Type": "application/json", "Accept-Encoding": accepted}
        session = self._opened()
        async with session.post(
            url.url, data=body, headers=headers, allow_redirects=False, trace_request_ctx=way
        ) as response:
            packing = response.headers.get("Content-Encoding", "").strip().lower()
            content = await self._content(response, is_packed=packing in _PACKED)
            wait_s = self._wait_s(response.headers.get("Retry-After"))
            return Reply(response.status, content, wait_s, is_first=not way.is_reused)

    async def _content(self, response: aiohttp.ClientResponse, *, is_packed: bool) -> bytes:
        limit = self._settings.response_limit_bytes
        unpack = zlib.decompressobj(_ANY_WRAPPER)
        content = bytearray()
        async for chunk in response.content.iter_any():
            content += unpack.decompress(chunk, limit + 1 - len(content)) if is_packed else chunk
            if len(content) > limit:
                raise _OversizeError
        if is_packed and content and not unpack.eof:
            raise zlib.error("incomplete")
        return bytes(content)

    def _wait_s(self, text: str | None) -> float | None:
        """`Retry-After` in either form: seconds, or a date."""
        if text is None:
            return None
        text = text.strip()
        if text.isascii() and text.isdigit():
            return float(text[:9])
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - self._clock.now()).total_seconds())

    def _opened(self) -> aiohttp.ClientSession:
        if self._is_closed:
            raise aiohttp.ClientConnectionError("closed")
        if self._session is None:
            traces = aiohttp.TraceConfig()
            traces.on_connection_reuseconn.append(_note_reuse)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),  # each endpoint counts its own
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._settings.connect_timeout_s),
                auto_decompress=False,  # unpacked here, so that a small answer cannot become a huge one
                trust_env=False,
                trace_configs=[traces],
            )
        return self._session


async def _note_reuse(_session: aiohttp.ClientSession, context: SimpleNamespace, _params: object) -> None:
    if isinstance(context.trace_request_ctx, _Way):
        context.trace_request_ctx.is_reused = True


def _reason(error: Exception) -> str:
    """What went wrong, without the address that the library's own text would name."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    text = cause.strerror if isinstance(cause, OSError) else None
    return f"cannot be reached ({type(cause).__name__}{': ' + text if text and '://' not in text else ''})"
