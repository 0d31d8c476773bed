"""A recording fault proxy for JSON-RPC over HTTP: it stands before a node, keeps what was sent to it, and does harm by rule.

It is a judge as well: `sent` has every raw transaction that came by, with the time and whether the node got it.
"""

import asyncio
import random
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Self

import msgspec
from aiohttp import ClientError, ClientSession, DummyCookieJar, web
from tests.faults.rules import (
    ANY,
    Blackhole,
    Duplicate,
    Fault,
    Forge,
    Garbage,
    Latency,
    Lie,
    LoseResponse,
    NullResult,
    Reset,
    RpcFault,
    Rule,
    Stale,
    Status,
    Truncate,
)

from baton.domain.json import Json

SENDS = frozenset({"eth_sendRawTransaction", "sendTransaction"})
REMEMBERED = 10_000  # answers kept for `Stale`


@dataclass(frozen=True, slots=True)
class Sent:
    """A raw transaction on its way to the node, once for each time it went or was held back."""

    at_s: float  # monotonic
    method: str
    raw: str
    was_forwarded: bool


class FaultProxy:
    def __init__(self, upstream_url: str, *, seed: int = 0) -> None:
        self.upstream_url = upstream_url  # may be changed while running
        self.sent: list[Sent] = []
        self.arrived: list[str] = []  # raw transactions that the node has answered
        self.http_requests = 0
        self.calls: Counter[str] = Counter()
        self._rules: list[Rule] = []
        self._chance = random.Random(seed)
        self._memory: dict[bytes, Json] = {}
        self._stopping = asyncio.Event()
        self._port = 0
        self._runner: web.AppRunner | None = None
        self._session: ClientSession | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_told: object) -> None:
        await self.stop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def forwarded(self) -> list[str]:
        """Every raw transaction that the node got, each time it did."""
        return [sent.raw for sent in self.sent if sent.was_forwarded]

    async def start(self, port: int = 0) -> None:
        app = web.Application(client_max_size=2**28)
        app.router.add_post("/{path:.*}", self._carry)
        self._stopping.clear()
        self._session = ClientSession(cookie_jar=DummyCookieJar(), trust_env=False)
        self._runner = web.AppRunner(app, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, reuse_address=True)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        self._stopping.set()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._session is not None:
            await self._session.close()

    def add(
        self, fault: Fault, method: str = ANY, *, times: int | None = None, probability: float = 1.0, skip: int = 0
    ) -> Rule:
        """From now on. The rule counts its `hits`; rules apply together, in the order they were added."""
        rule = Rule(fault, method, times, probability, skip)
        self._rules.append(rule)
        return rule

    def remove(self, rule: Rule) -> None:
        self._rules.remove(rule)

    def clear(self) -> None:
        self._rules.clear()

    async def _carry(self, request: web.Request) -> web.StreamResponse:
        content = msgspec.json.decode(await request.read())
        items: list[Json] = content if isinstance(content, list) else [content]
        self.http_requests += 1
        self.calls.update(item["method"] for item in items)
        for fault in self._striking(Latency, items):
            assert isinstance(fault, Latency)
            await asyncio.sleep(fault.seconds + self._chance.uniform(0, fault.jitter_s))
        stops = self._striking(Status | Reset | Blackhole, items)
        if stops:
            self._record(items, was_forwarded=False)
            return await self._refuse(request, stops[0])
        made = self._made_up(items)
        self._record([items[place] for place in made], was_forwarded=False)
        passed = [item for place, item in enumerate(items) if place not in made]
        again = [item for item in passed if self._striking(Duplicate, [item])]
        try:
            if again:
                await self._forward(request, again, is_list=isinstance(content, list))
            status, answers = 200, msgspec.json.encode([])
            if passed:
                status, answers = await self._forward(request, passed, is_list=isinstance(content, list))
        except (ClientError, OSError):
            return web.Response(status=502, text="the node cannot be reached")
        body = self._merged(content, made, answers)
        return self._hand_back(request, items, status, body)

    def _striking(self, kind: type[Fault] | UnionType, items: Sequence[Json]) -> list[Fault]:
        """The faults of this kind that strike a request with these calls."""
        return [
            rule.fault
            for rule in self._rules
            if isinstance(rule.fault, kind)
            and any(rule.matches(item["method"]) for item in items)
            and rule.strikes(self._chance)
        ]

    async def _refuse(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        match fault:
            case Status(code, retry_after, text):
                headers = {} if retry_after is None else {"Retry-After": retry_after}
                return web.Response(status=code, text=text, headers=headers)
            case Blackhole():
                await self._stopping.wait()
        return _reset(request)

    def _made_up(self, items: Sequence[Json]) -> dict[int, Json]:
        """Answers that the node is not asked for, by the place of their call."""
        made: dict[int, Json] = {}
        for place, item in enumerate(items):
            for rule in self._rules:
                if place not in made and rule.matches(item["method"]):
                    answer = self._instead(rule, item)
                    if answer is not None:
                        made[place] = {"jsonrpc": "2.0", "id": item.get("id")} | answer
        return made

    def _instead(self, rule: Rule, item: Json) -> dict[str, Json] | None:
        match rule.fault:
            case RpcFault(code, message, data) if rule.strikes(self._chance):
                told = {"code": code, "message": message}
                return {"error": told if data is None else told | {"data": data}}
            case NullResult() if rule.strikes(self._chance):
                return {"result": None}
            case Stale() if _key(item) in self._memory and rule.strikes(self._chance):
                return {"result": self._memory[_key(item)]}
            case _:
                return None

    async def _forward(self, request: web.Request, items: Sequence[Json], *, is_list: bool) -> tuple[int, bytes]:
        self._record(items, was_forwarded=True)
        assert self._session is not None
        address = self.upstream_url.rstrip("/") + (request.path_qs if request.path != "/" else "")
        body = msgspec.json.encode(items if is_list else items[0])
        headers = {"Content-Type": "application/json"}
        async with self._session.post(address, data=body, headers=headers, allow_redirects=False) as response:
            answer = await response.read()
        self.arrived += [_raw(item.get("params")) for item in items if item["method"] in SENDS]
        return response.status, answer

    def _merged(self, content: Json, made: dict[int, Json], body: bytes) -> bytes:
        """The node's answers with ours among them. What is no list of answers stays as it came."""
        try:
            answers = msgspec.json.decode(body)
        except msgspec.DecodeError:
            return body
        if isinstance(content, list) and not isinstance(answers, list):
            return body
        items = content if isinstance(content, list) else [content]
        told = {answer.get("id"): answer for answer in (answers if isinstance(answers, list) else [answers])}
        found = [made.get(place) or self._bent(item, told.get(item.get("id"))) for place, item in enumerate(items)]
        found = [answer for answer in found if answer is not None]
        return msgspec.json.encode(found if isinstance(content, list) else found[0])

    def _bent(self, item: Json, answer: Json) -> Json:
        """The node's answer to a call, remembered as it is and changed by whoever lies."""
        if answer is None or "result" not in answer:
            return answer
        if item["method"] not in SENDS:
            self._memory[_key(item)] = answer["result"]
            if len(self._memory) > REMEMBERED:
                del self._memory[next(iter(self._memory))]
        for fault in self._striking(Lie | Forge, [item]):
            match fault:
                case Lie(transform):
                    answer = answer | {"result": transform(answer["result"])}
                case Forge(forge):
                    answer = answer | {"result": forge(item.get("params"), answer["result"])}
        return answer

    def _hand_back(self, request: web.Request, items: Sequence[Json], status: int, body: bytes) -> web.StreamResponse:
        for fault in self._striking(LoseResponse | Truncate | Garbage, items):
            match fault:
                case LoseResponse():
                    return _reset(request)
                case Truncate():
                    body = body[: len(body) // 2]
                case Garbage(instead):
                    body = instead
        return web.Response(status=status, body=body, content_type="application/json")

    def _record(self, items: Iterable[Json], *, was_forwarded: bool) -> None:
        at_s = time.monotonic()
        for item in items:
            if item["method"] in SENDS:
                self.sent.append(Sent(at_s, item["method"], _raw(item.get("params")), was_forwarded))


def _key(item: Json) -> bytes:
    return msgspec.json.encode([item["method"], item.get("params")])


def _raw(params: Json) -> str:
    """The transaction itself: the first parameter, or the one named so (Stellar)."""
    return str(params["transaction"] if isinstance(params, dict) else params[0])


def _reset(request: web.Request) -> web.StreamResponse:
    """Ends the connection with RST, not with a polite end."""
    assert request.transport is not None
    line = request.transport.get_extra_info("socket")
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()
    return web.Response()
