"""One try: POST the bytes, read what comes back. Whatever the receiver does, it costs 15 s and 16 KiB at most."""

import asyncio
import contextlib
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import SimpleNamespace
from typing import Any

import aiohttp
from yarl import URL

from baton import __version__
from baton.domain.clock import Clock
from baton.domain.delivery import Said
from baton.webhooks.guard import Blocked, Guard, GuardedResolver, Range
from baton.webhooks.signature import sign_headers

USER_AGENT = f"Baton/{__version__}"
TIMEOUT_S = 15.0
READ_BYTES = 16 * 1024
EXCERPT_CHARS = 256
LOOKUP_THREADS = 32
# Below what common servers grant an idle connection (5 s): we let go first, so a reused one is rarely dead.
KEEP_ALIVE_S = 4.0
_STALE = (aiohttp.ServerDisconnectedError, ConnectionResetError, BrokenPipeError)


class Post:
    """The one HTTP client of the webhooks: no redirects, no decompression, no cookies, no proxy from the environment."""

    def __init__(self, clock: Clock, allowed: Sequence[Range] = (), timeout_s: float = TIMEOUT_S) -> None:
        self._clock = clock
        self._timeout_s = timeout_s
        self._threads = ThreadPoolExecutor(LOOKUP_THREADS, thread_name_prefix="baton-lookup")
        guard = Guard(allowed)
        connector = aiohttp.TCPConnector(
            resolver=GuardedResolver(guard, self._threads),
            socket_factory=guard.open_socket,
            limit=0,  # how many may be under way is the dispatch's to say
            keepalive_timeout=KEEP_ALIVE_S,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            read_bufsize=READ_BYTES,
            timeout=aiohttp.ClientTimeout(total=None),
            skip_auto_headers=("Accept-Encoding",),
            trace_configs=[_noting_reuse()],
        )

    async def close(self) -> None:
        await self._session.close()
        self._threads.shutdown(wait=False)

    async def send(self, url: str, keys: Sequence[str], event_id: str, body: bytes) -> Said:
        """Never raises for what a receiver, a name server or the network does."""
        at, began = self._clock.now(), self._clock.monotonic()
        headers = sign_headers(keys, event_id, int(at.timestamp()), body)
        headers |= {"Content-Type": "application/json", "User-Agent": USER_AGENT, "Accept-Encoding": "identity"}
        status_code, excerpt, retry_after_s, error = None, "", None, None
        try:
            status_code, excerpt, retry_after_s = await self._exchange(url, headers, body)
        except (TimeoutError, OSError, aiohttp.ClientError, ValueError, UnicodeError) as failure:
            error = _explained(failure, self._timeout_s)
        else:
            error = None if 200 <= status_code < 300 else f"HTTP {status_code}"  # noqa: PLR2004 - 2xx
        took_ms = round((self._clock.monotonic() - began) * 1000)
        return Said(at, took_ms, status_code, error, excerpt, retry_after_s)

    async def _exchange(self, url: str, headers: dict[str, str], body: bytes) -> tuple[int, str, float | None]:
        target = URL(url)
        ends_at = asyncio.get_running_loop().time() + self._timeout_s
        async with asyncio.timeout_at(ends_at):
            response = await self._answer(target, headers, body)
        try:
            excerpt = await _excerpt(response, ends_at)
        finally:
            if response.content.at_eof():
                response.release()
            else:
                response.close()  # more than we care to read
        return response.status, excerpt, self._retry_after(response.headers.get("Retry-After"))

    async def _answer(self, target: URL, headers: dict[str, str], body: bytes) -> aiohttp.ClientResponse:
        """The head of the receiver's answer. A kept connection that died idle is no failure: once more on a new one."""
        seen = SimpleNamespace(is_reused=False)

        async def ask() -> aiohttp.ClientResponse:
            return await self._session.post(
                target, data=body, headers=headers, allow_redirects=False, trace_request_ctx=seen
            )

        try:
            return await ask()
        except _STALE:
            if not seen.is_reused:
                raise
            return await ask()

    def _retry_after(self, text: str | None) -> float | None:
        """Seconds, or a date, as HTTP has it."""
        if text is None:
            return None
        if text.isascii() and text.isdigit():
            return float(text[:9])
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            moment: datetime = parsedate_to_datetime(text)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            return max(0.0, (moment - self._clock.now()).total_seconds())
        return None


async def _excerpt(response: aiohttp.ClientResponse, ends_at: float) -> str:
    """The status has said all that counts; a body that ends badly changes nothing."""
    read = bytearray()
    with contextlib.suppress(TimeoutError, OSError, aiohttp.ClientError, ValueError):
        async with asyncio.timeout_at(ends_at):
            while len(read) < READ_BYTES and (chunk := await response.content.read(READ_BYTES - len(read))):
                read += chunk
    text = bytes(read[: EXCERPT_CHARS * 4]).decode("utf-8", "replace")[:EXCERPT_CHARS]
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _noting_reuse() -> aiohttp.TraceConfig:
    async def note(_session: aiohttp.ClientSession, context: Any, _params: Any) -> None:
        context.trace_request_ctx.is_reused = True

    trace = aiohttp.TraceConfig()
    trace.on_connection_reuseconn.append(note)
    return trace


def _explained(failure: BaseException, timeout_s: float) -> str:
    """Why there was no answer, in words; the URL is left out, because it may carry a key."""
    match cause := _cause(failure):
        case Blocked():
            return str(cause)
        case TimeoutError():
            return f"no answer within {timeout_s:g} s"
        case ssl.SSLCertVerificationError(verify_message=why):
            return f"its certificate was refused: {why}"
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return f"TLS failed: {getattr(cause, 'reason', None) or type(cause).__name__}"
        case ValueError():  # a host that is no name, a path that is no path
            return "the URL cannot be used"
        case aiohttp.ServerDisconnectedError() | ConnectionResetError():
            return "the receiver closed the connection without an answer"
        case ConnectionRefusedError():
            return "cannot connect: refused"
        case aiohttp.ClientConnectorDNSError() | OSError(strerror=str()) as known:
            return f"cannot connect: {getattr(known, 'strerror', None) or 'the host name cannot be looked up'}"
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return "its answer is not HTTP"
        case _:
            return f"cannot be reached ({type(cause).__name__})"


def _cause(failure: BaseException) -> BaseException:
    """What the client library wrapped."""
    match failure:
        case aiohttp.ClientConnectorCertificateError(certificate_error=why):
            return why
        case aiohttp.ClientConnectorError(os_error=why):
            return why
        case _:
            return failure
