"""A batch on the wire, and what came back, read without trust: nothing is assumed of a node's answer but its bytes.

Reply ── read ──▶ Answers    one for each call, in the order asked
                  Refusal    the batch as such is unwanted: ask in smaller ones
                  Limited    too fast: stay away for a while
                  Broken     no answer that could be used
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from baton.chains.rpc.dialect import (
    asked_wait_s,
    is_rate_limited,
    refuses_batch,
    refuses_part,
    smaller_batch,
    speaks_of_batches,
)
from baton.chains.rpc.exchange import NO_ANSWER, Answer, Call, Result, RpcError, shown_text, unanswered
from baton.domain.json import Json

OK, BAD_REQUEST, TOO_LARGE, TOO_MANY, UNAVAILABLE = 200, 400, 413, 429, 503
MESSAGE_CHARS = 2_000  # more of a node's message is noise
_UNREADABLE = object()
_CODE = re.compile(r"-?[0-9]{1,9}")


class Trouble(StrEnum):
    """The label of the error metric."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    STATUS = "status"
    UNREADABLE = "unreadable"
    RATE_LIMITED = "rate_limited"


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP response, unpacked."""

    status: int
    body: bytes
    retry_after_s: float | None = None
    is_first: bool = False  # of its connection
    is_repeated: bool = False  # the request left twice, and nobody knows what came of the first


@dataclass(frozen=True, slots=True)
class Answers:
    items: list[Answer]


@dataclass(frozen=True, slots=True)
class Refusal:
    limit: int
    why: str


@dataclass(frozen=True, slots=True)
class Limited:
    why: str
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    trouble: Trouble
    why: str


Reading = Answers | Refusal | Limited | Broken


def encode(calls: Sequence[Call], ids: Sequence[int]) -> bytes:
    """A lone call goes without brackets: every node understands that."""
    requests = [
        {"jsonrpc": "2.0", "id": number, "method": call.method} | _params(call)
        for call, number in zip(calls, ids, strict=True)
    ]
    return msgspec.json.encode(requests[0] if len(requests) == 1 else requests)


def _params(call: Call) -> dict[str, Json]:
    """A Stellar node refuses any parameters, even none at all, of a method that takes none."""
    if isinstance(call.params, Mapping):
        return {"params": call.params} if call.params else {}
    return {"params": list(call.params)}


def decode(body: bytes) -> Json:
    """JSON with exact integers, or `_UNREADABLE`. Depth and broken text raise beside the decoder's own error."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _UNREADABLE


def read(reply: Reply, ids: Sequence[int]) -> Reading:
    if reply.status == TOO_MANY or (reply.status == UNAVAILABLE and reply.retry_after_s is not None):
        return Limited(f"HTTP {reply.status}", reply.retry_after_s)
    content = decode(reply.body)
    if reply.status == OK:
        return _read_content(content, ids)
    return _read_failure(reply, content, ids)


def _read_failure(reply: Reply, content: Json, ids: Sequence[int]) -> Reading:
    """Some nodes put their answers or their refusal of a batch under a failure status; the rest is an outage."""
    failed = Broken(Trouble.STATUS, f"HTTP {reply.status}")
    is_about_request = reply.status in (BAD_REQUEST, TOO_LARGE)
    if is_about_request:
        found = _read_content(content, ids)
        if not isinstance(found, Broken):
            return found
    text = reply.body[:MESSAGE_CHARS].decode("utf-8", "replace")
    if len(ids) > 1 and (is_about_request or speaks_of_batches(text)):
        return Refusal(smaller_batch(text, len(ids)), f"HTTP {reply.status} {shown_text(text)}")
    return failed


def _read_content(content: Json, ids: Sequence[int]) -> Reading:
    match content:
        case list():
            return _read_items(content, ids)
        case dict() if len(ids) == 1:
            return _read_items([content], ids)
        case {"error": error} if error is not None:
            return _read_lone_error(_error(error), len(ids))
        case _:
            return Broken(Trouble.UNREADABLE, "an answer that is not JSON-RPC")


def _read_lone_error(error: RpcError, size: int) -> Reading:
    why = f"{error.code} {shown_text(error.message)}"
    if is_rate_limited(error):
        return Limited(why, asked_wait_s(error))
    if refuses_batch(error):
        return Refusal(smaller_batch(error.message, size), why)
    return Broken(Trouble.UNREADABLE, f"one error for {size} calls: {why}")


def _read_items(items: list[Json], ids: Sequence[int]) -> Reading:
    places = {number: place for place, number in enumerate(ids)}
    found: list[Answer | None] = [None] * len(ids)
    spoilt: set[int] = set()
    for item in items:
        answer = _answer(item)
        number = _id(item)
        place = None if number is None else places.get(number)
        if number is None and len(ids) == 1 and isinstance(answer, RpcError):
            place = 0  # an error before the id was read: it can only be about the one call of this request
        if place is None or answer is None:
            continue
        if found[place] is not None and found[place] != answer:
            spoilt.add(place)
        found[place] = answer
    if len(ids) > 1:
        for answer in found:
            if isinstance(answer, RpcError) and refuses_part(answer):
                return Refusal(smaller_batch(answer.message, len(ids)), shown_text(answer.message))
    if all(answer is None for answer in found) or len(spoilt) == len(ids):
        return Broken(Trouble.UNREADABLE, "answers that belong to none of the calls")
    return Answers([_settled(answer, place in spoilt) for place, answer in enumerate(found)])


def _settled(answer: Answer | None, is_spoilt: bool) -> Answer:
    if is_spoilt:
        return unanswered("two different answers")
    return unanswered("left out") if answer is None else answer


def _id(item: Json) -> int | None:
    """Some nodes send the number back as text."""
    match item:
        case {"id": bool()}:
            return -1
        case {"id": int(number)}:
            return number
        case {"id": str(text)} if text.isascii() and text.isdigit():
            return int(text[:20])
        case {"id": None}:
            return None
        case {"id": _}:
            return -1
        case _:
            return None


def _answer(item: Json) -> Answer | None:
    match item:
        case {"error": error} if error is not None:
            return _error(error)
        case {"result": value}:
            return Result(value)
        case _:
            return None


def _error(error: Json) -> RpcError:
    """Whatever stands under `error`, as far as it can be read. -32603 is JSON-RPC's own "internal error"."""
    if not isinstance(error, dict):
        return RpcError(-32603, str(error)[:MESSAGE_CHARS])
    code, message = error.get("code"), error.get("message")
    if isinstance(code, str) and _CODE.fullmatch(code):
        code = int(code)
    if not isinstance(code, int) or isinstance(code, bool) or code == NO_ANSWER:
        code = -32603
    text = message if isinstance(message, str) else ("" if message is None else str(message))
    return RpcError(code, text[:MESSAGE_CHARS], error.get("data"))
