"""The connection itself: deadlines, the head's size, and errors of the HTTP parser in our own envelope.

uvicorn closes neither a half-sent head nor a half-sent body, and answers a malformed request in plain text. So: a head
has `head_s` from its first byte, a body that nobody reads (the answer was given without it) is taken in and dropped
for `body_s`, and then the connection is closed. Both are absolute: a byte now and then buys no time.
"""

import asyncio
from collections.abc import Iterable, MutableMapping
from enum import Enum, auto
from functools import partial
from typing import Any

import httptools
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from baton.api.envelope import CLOSING, Answer, Header
from baton.api.errors import answer_to
from baton.api.limits import Limits
from baton.api.request import WHOLE_ANSWER, WHOLE_BODY, request_id
from baton.domain.errors import BatonError, HeadTooLarge, Invalid, TooSlow, Unavailable

_GRACE_S = 1.0  # beyond the body's deadline, so that a reading endpoint answers first
_BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding"})


class Phase(Enum):
    IDLE = auto()  # between requests: uvicorn's own keep-alive time rules
    HEAD = auto()
    BODY = auto()


class GuardedProtocol(HttpToolsProtocol):
    limits = Limits()

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._phase = Phase.HEAD  # a new connection owes us a head
        self._timer: asyncio.TimerHandle | None = None
        self._timed: tuple[Phase, int] = (Phase.IDLE, 0)  # what the timer was set for
        self._requests = 0
        self._head_bytes = 0
        self._is_refused = False
        self._flaw: BatonError | None = None

    # asyncio's side
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn narrows it
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(Unavailable(f"more than {self.limits.connections} connections are open"))
        else:
            self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._drop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        begun = self._requests
        self._head_bytes += len(data)
        super().data_received(data)
        if self._is_refused:
            return
        if self._phase is Phase.IDLE and self._requests == begun:
            self._phase = Phase.HEAD  # blank lines before a head: they stopped uvicorn's keep-alive timer
        if self._phase is Phase.HEAD and self._head_bytes > self.limits.head_bytes:
            self._refuse(self._head_too_large())
        else:
            self._set_timer()

    def eof_received(self) -> bool:  # type: ignore[override]  # as asyncio has it: whether we still want to write
        """The client says no more. What it asked in full is answered; what it asked in part is refused."""
        if self._is_refused:
            return False
        if self._phase is Phase.HEAD and self._head_bytes:
            self._refuse(Invalid("request", "the end in the middle of its head", "a whole request"))
        elif self._phase is Phase.BODY:
            self._refuse(Invalid("body", "its end too early", "as much as the head announces"))
        elif self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False
            return True
        return False

    # the parser's side
    def on_message_begin(self) -> None:
        self._phase = Phase.HEAD
        self._requests += 1
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        if self._head_bytes > self.limits.head_bytes and self._head_size() > self.limits.head_bytes:
            self._flaw = self._head_too_large()
            raise httptools.HttpParserCallbackError
        if self.parser.should_upgrade() and any(name in _BODY_HEADERS for name, _ in self.headers):
            # the parser takes everything behind such a head for another language
            self._flaw = Invalid("upgrade", "an offer to upgrade with a body", "a request without the Upgrade header")
            raise httptools.HttpParserCallbackError
        self._phase = Phase.BODY
        super().on_headers_complete()
        scope: MutableMapping[str, Any] = self.scope  # type: ignore[assignment]  # as ASGI lets a server extend it
        scope[WHOLE_BODY] = partial(_whole_body, self.cycle)
        scope[WHOLE_ANSWER] = partial(_whole_answer, self.cycle)
        if self.parser.should_upgrade():
            self.cycle.keep_alive = False  # we speak nothing else; what follows such a head is not ours to read

    def on_message_complete(self) -> None:
        self._phase = Phase.IDLE
        self._head_bytes = 0
        super().on_message_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """A client that offers an upgrade (curl --http2 does) is served as if it had not."""

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the parser's words help nobody
        """What uvicorn calls when the parser gives up."""
        flaw = self._flaw or Invalid("request", "bytes that are not HTTP/1.1", "a well-formed request")
        self._refuse(flaw)

    # ours
    def _head_size(self) -> int:
        line = len(self.parser.get_method()) + len(self.url) + len("  HTTP/1.1\r\n")
        return line + sum(len(name) + len(value) + 4 for name, value in self.headers) + 2

    def _head_too_large(self) -> HeadTooLarge:
        return HeadTooLarge(f"head: found more than {self.limits.head_bytes} bytes of request line and headers")

    def _set_timer(self) -> None:
        wanted = (self._phase, self._requests)
        if self._timed == wanted:
            return
        self._drop_timer()
        self._timed = wanted
        if self._phase is Phase.HEAD:
            self._timer = self.loop.call_later(self.limits.head_s, self._head_is_late)
        elif self._phase is Phase.BODY:
            self._timer = self.loop.call_later(self.limits.body_s + _GRACE_S, self._body_is_late)

    def _drop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _head_is_late(self) -> None:
        if self._head_bytes:
            self._refuse(TooSlow(f"the head was not complete within {self.limits.head_s:g} s"))
        else:
            self.transport.close()

    def _body_is_late(self) -> None:
        self._is_refused = True
        self.transport.close()

    def _refuse(self, error: BatonError) -> None:
        """Answers outside of the application and ends the connection, without cutting into another answer."""
        self._is_refused = True
        self._drop_timer()
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if not cycle.more_body:
                cycle.keep_alive = False  # an earlier request is still being answered: that is the last answer
                return
            cycle.disconnected = True  # its own body is broken: wake the endpoint that waits for it
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        headers = [] if self._phase is Phase.IDLE else self.headers
        self.transport.write(_refusal(answer_to(error), request_id(headers or [])))
        self.transport.close()


def _whole_body(cycle: RequestResponseCycle) -> bytes | None:
    """The body, if all of it came with the head: most do, and then nobody has to wait for it with a deadline."""
    if cycle.more_body or cycle.disconnected or cycle.response_complete:
        return None
    body, cycle.body = bytes(cycle.body), bytearray()
    cycle.flow.resume_reading()
    cycle.message_event.clear()
    return body


def _whole_answer(cycle: RequestResponseCycle, status: int, headers: list[Header], body: bytes) -> bool:
    """An answer in one write; tells whether it could be given so. What uvicorn's two messages come to, without another
    look at headers that are our own."""
    if cycle.response_started or cycle.disconnected or cycle.flow.write_paused:
        return False
    cycle.response_started = cycle.response_complete = True
    cycle.waiting_for_100_continue = False
    closing = () if cycle.keep_alive else (CLOSING,)
    cycle.transport.write(_on_the_wire(status, (*cycle.default_headers, *headers, *closing), body))
    cycle.message_event.set()
    if not cycle.keep_alive:
        cycle.transport.close()
    cycle.on_response()
    return True


def _refusal(answer: Answer, of_request: bytes) -> bytes:
    headers = {
        b"content-type": answer.media,
        b"content-length": str(len(answer.body)).encode(),
        b"x-request-id": of_request,
        **dict(answer.headers),
    }
    return _on_the_wire(answer.status, (*headers.items(), CLOSING), answer.body)


def _on_the_wire(status: int, headers: Iterable[Header], body: bytes) -> bytes:
    lines = [STATUS_LINE[status]]
    for name, value in headers:
        lines += (name, b": ", value, b"\r\n")
    return b"".join((*lines, b"\r\n", body))
