"""A request as the endpoints see it."""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from baton.api.auth import NOBODY, Caller
from baton.api.envelope import Header
from baton.domain.errors import Invalid
from baton.domain.ids import random_id

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

WHOLE_BODY = "baton.whole_body"  # in a scope: gives the body if it is all here already
WHOLE_ANSWER = "baton.whole_answer"  # in a scope: gives an answer in one write, if that can be done now
_SANE_ID = re.compile(rb"[!-~]{1,128}")


@dataclass(slots=True)
class Request:
    method: str
    path: bytes  # as it came over the wire: not decoded, without the query
    query: bytes
    headers: list[Header]
    receive: Receive
    id: bytes
    take_whole: Callable[[], bytes | None]  # the body, if it is all here already and nobody took it
    answer_whole: Callable[[int, list[Header], bytes], bool]  # in one write; tells whether it was done
    ids: tuple[str, ...] = ()  # the decoded variables of the path
    template: str = ""  # the route it was led to; empty when there is none
    caller: Caller = NOBODY
    is_read: bool = False  # whether its body was taken from the wire

    @classmethod
    def of(cls, scope: Message, receive: Receive) -> "Request":
        headers: list[Header] = scope["headers"]
        return cls(
            scope["method"],
            scope["raw_path"],
            scope["query_string"],
            headers,
            receive,
            request_id(headers),
            scope.get(WHOLE_BODY, _not_here),
            scope.get(WHOLE_ANSWER, _not_so),
        )

    def all_of(self, name: bytes) -> list[bytes]:
        """Every header of that (lower-case) name, in order."""
        return [value for each, value in self.headers if each == name]

    def one_of(self, name: bytes) -> str | None:
        """The header of that name, or None; given twice it is refused, because proxies disagree on which one counts."""
        values = self.all_of(name)
        if len(values) > 1:
            raise Invalid(name.decode(), f"{len(values)} headers of that name", "one")
        return values[0].decode("latin-1").strip() if values else None


def _not_here() -> None:
    return None


def _not_so(_status: int, _headers: list[Header], _body: bytes) -> bool:
    return False


def request_id(headers: list[Header]) -> bytes:
    """The client's own id of the request if it is sane, else a new one."""
    for name, value in headers:
        if name == b"x-request-id" and _SANE_ID.fullmatch(value):
            return value
    return random_id().encode()
