"""The application: token, route, rate, endpoint, answer. In that order, and nothing without an envelope.

Authentication comes before routing and before the body is read: without a key nothing can be learned about what is here.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from time import perf_counter

from baton.api.auth import Keys
from baton.api.envelope import CLOSING, JSON, Answer, Header, success
from baton.api.errors import answer_to, is_crash
from baton.api.limits import Buckets
from baton.api.request import Message, Receive, Request, Send
from baton.api.routing import Route, Router
from baton.domain.errors import Bug, Missing, WrongMethod
from baton.telemetry import REQUESTS_UNDER_WAY, log, observe_request

_PRIVATE: tuple[Header, ...] = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))


class Api:
    def __init__(self, routes: Iterable[Route], keys: Keys, buckets: Buckets) -> None:
        self.router = Router(routes)
        self._keys = keys
        self._buckets = buckets

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise Bug(f"only http is served here, not {scope['type']}")
        began = perf_counter()
        request = Request.of(scope, receive)
        REQUESTS_UNDER_WAY.inc()
        try:
            try:
                answer = await self._answer(request)
            except Exception as error:  # noqa: BLE001 - the outermost catch: whatever happens, there is an answer
                answer = answer_to(error)
                if is_crash(error):
                    log.error("request_crashed", request_id=request.id.decode(), route=request.template, exc_info=error)
            await _send(request, answer, send)
        finally:
            REQUESTS_UNDER_WAY.dec()
        observe_request(request.method, request.template, answer.status, perf_counter() - began)

    async def _answer(self, request: Request) -> Answer:
        found = self.router.find(request.path)
        if not self.router.is_public(request.path):
            request.caller = self._keys.caller(request.headers)
        if found is None:
            raise Missing(f"no path {request.path[:200].decode('latin-1')!r} here; /docs shows what there is")
        place, request.ids = found
        request.template = place.template
        route = place.routes.get("GET" if request.method == "HEAD" else request.method)
        if route is None:
            if request.method == "OPTIONS":
                return success({"methods": place.allowed}, headers=((b"allow", ", ".join(place.allowed).encode()),))
            raise WrongMethod(request.method, place.allowed)
        if route.is_limited:
            self._buckets.take(request.caller.id)
        return await route.endpoint(request)


async def _send(request: Request, answer: Answer, send: Send) -> None:
    headers = [(b"content-type", answer.media), (b"x-request-id", request.id), *answer.headers]
    if answer.stream is None:
        headers.append((b"content-length", str(len(answer.body)).encode()))
    if answer.media == JSON:
        headers += _PRIVATE
    if not request.is_read and request.all_of(b"expect"):
        headers.append(CLOSING)  # the client may or may not send its body now: the stream is ambiguous
    elif answer.stream is None and request.answer_whole(answer.status, headers, _body(request, answer)):
        return
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if answer.stream is not None and request.method != "HEAD":
        await _send_stream(request, answer.stream, send)
    else:
        await send({"type": "http.response.body", "body": _body(request, answer)})


def _body(request: Request, answer: Answer) -> bytes:
    return b"" if request.method == "HEAD" else answer.body


async def _send_stream(request: Request, stream: AsyncIterator[bytes], send: Send) -> None:
    """As long as the client listens: nothing else would tell us that it left."""
    gone = asyncio.create_task(_until_gone(request))
    try:
        async for chunk in stream:
            if gone.done():
                return
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
