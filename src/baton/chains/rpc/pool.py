"""The nodes of one network as one: the heaviest healthy node carries the calls, the next one steps in when it fails.

One node at a time, not a lottery: what a lane reads in one turn is then of one mind. Broadcasts go to every node, and
what is to be final is asked of several. No answer is used before the node has passed `verify` on its present connection.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from baton.chains.rpc.dialect import is_rate_limited
from baton.chains.rpc.endpoint import Endpoint, Verify
from baton.chains.rpc.exchange import Answer, Call, RpcError
from baton.chains.rpc.settings import RpcSettings
from baton.chains.rpc.transport import Transport
from baton.domain.clock import Clock, SystemClock
from baton.domain.errors import NodeUnavailable, WrongChain
from baton.domain.json import Json
from baton.domain.network import RpcUrl

T = TypeVar("T")
Told = tuple[Endpoint, list[Answer] | NodeUnavailable]
CLOSED = "is not asked any more"


async def _trust(_endpoint: Endpoint) -> None:
    """For those who have nothing to check."""


class RpcPool:
    def __init__(
        self,
        urls: Sequence[RpcUrl],
        *,
        settings: RpcSettings | None = None,
        clock: Clock | None = None,
        verify: Verify = _trust,
    ) -> None:
        self._settings = settings or RpcSettings()
        self.clock = clock or SystemClock()
        self._verify = verify
        self._transport = Transport(self._settings, self.clock)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._checks: dict[Endpoint, asyncio.Task[NodeUnavailable | None]] = {}  # under way
        used = sorted((url for url in urls if url.weight > 0), key=lambda url: -url.weight)
        self.ws_urls = tuple(url for url in used if _is_ws(url))
        self.endpoints = tuple(
            Endpoint(url, self._transport, self._settings, self.clock) for url in used if not _is_ws(url)
        )

    async def call(self, method: str, *params: Json, **named: Json) -> Answer:
        """One call, with parameters by position or by name."""
        return (await self.batch([Call(method, named or params)]))[0]

    async def batch(
        self, calls: Sequence[Call], *, timeout_s: float | None = None, chunk: int | None = None
    ) -> list[Answer]:
        """An answer for each call, from the best node; what it leaves unanswered or limits, from the next ones."""
        if not calls:
            return []
        answers: list[Answer] = []
        open_places = list(range(len(calls)))
        reasons: list[str] = []
        for endpoint in self._candidates():
            try:
                found = await self._ask(endpoint, [calls[place] for place in open_places], timeout_s, chunk)
            except NodeUnavailable as error:
                reasons.append(str(error))
                continue
            answers = answers or list(found)
            for place, answer in zip(open_places, found, strict=True):
                answers[place] = answer
            open_places = [place for place in open_places if is_passing(answers[place])]
            if not open_places:
                break
        if not answers:
            raise self._outage(reasons)
        return answers

    async def everywhere(self, calls: Sequence[Call], *, timeout_s: float | None = None) -> list[Told]:
        """The same batch, in order, to every healthy node at once: for broadcasts.

        Once one has answered, the others have a short grace; then they go on unheard, so that a node that hangs slows
        nobody. Raises `NodeUnavailable` only when there is no node to ask.
        """
        limit_s = timeout_s or self._settings.broadcast_timeout_s
        endpoints = self._candidates()
        if not endpoints:
            raise NodeUnavailable(self._why_nobody())
        tasks = [self._spawn(self._tell(endpoint, calls, limit_s)) for endpoint in endpoints]
        waiting: set[asyncio.Task[Told]] = set(tasks)
        while waiting and not any(_has_answers(task) for task in tasks):
            _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if waiting:
            await asyncio.wait(waiting, timeout=self._settings.broadcast_grace_s)
        return [_told(task, endpoint) for task, endpoint in zip(tasks, endpoints, strict=True)]

    async def witnesses(
        self, calls: Sequence[Call], n: int = 2, *, timeout_s: float | None = None
    ) -> list[tuple[Endpoint, list[Answer]]]:
        """The same batch from up to `n` distinct nodes, as many as answer: for what must not hang on one node's word.

        At least one, else `NodeUnavailable`; whether fewer than `n` suffice is for the caller to judge.
        """
        waiting = self._candidates()
        found: list[tuple[Endpoint, list[Answer]]] = []
        reasons: list[str] = []
        while waiting and len(found) < n:
            asked, waiting = waiting[: n - len(found)], waiting[n - len(found) :]
            answers = await asyncio.gather(
                *(self._ask(endpoint, calls, timeout_s, None) for endpoint in asked), return_exceptions=True
            )
            for endpoint, answer in zip(asked, answers, strict=True):
                match answer:
                    case NodeUnavailable():
                        reasons.append(str(answer))
                    case BaseException():
                        raise answer
                    case list():
                        found.append((endpoint, answer))
        if not found:
            raise self._outage(reasons)
        return found

    def alone_for_s(self) -> float:
        """For how long at most one node has been reachable; 0 while two are. With one node configured: for ever."""
        others = len(self.endpoints) - 1
        if others < 1:
            return float("inf")
        return sorted((endpoint.health.down_s for endpoint in self.endpoints), reverse=True)[others - 1]

    async def close(self) -> None:
        """Whoever still waits for an answer gets `NodeUnavailable`."""
        for endpoint in self.endpoints:
            endpoint.forget()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._transport.close()

    async def _ask(
        self,
        endpoint: Endpoint,
        calls: Sequence[Call],
        timeout_s: float | None,
        chunk: int | None,
        *,
        in_order: bool = False,
    ) -> list[Answer]:
        await self._check(endpoint)
        answers = await endpoint.batch(calls, timeout_s=timeout_s, chunk=chunk, in_order=in_order)
        if endpoint.is_fresh:
            await self._check(endpoint)
        return answers

    async def _tell(self, endpoint: Endpoint, calls: Sequence[Call], limit_s: float) -> Told:
        try:
            async with asyncio.timeout(limit_s):
                return endpoint, await self._ask(endpoint, calls, limit_s, None, in_order=True)
        except NodeUnavailable as error:
            return endpoint, error
        except TimeoutError:
            return endpoint, NodeUnavailable(f"{endpoint.shown}: no answer within {limit_s:.3g} s")

    def _candidates(self) -> list[Endpoint]:
        """Whom to ask, best first. Nodes whose pause is over are let in beside the call, not at its cost."""
        ready = [endpoint for endpoint in self.endpoints if endpoint.is_ready]
        idle = [each for each in self.endpoints if not each.is_ready and not each.health.is_paused]
        if ready:
            for endpoint in idle:
                self._let_in(endpoint)
        if ready or idle:
            return ready + idle
        willing = [endpoint for endpoint in self.endpoints if not endpoint.health.is_told_to_wait]
        return [min(willing, key=lambda endpoint: endpoint.health.paused_until)] if willing else []

    async def _check(self, endpoint: Endpoint) -> None:
        """Shielded: a caller that gives up must not undo what others wait for, nor hide that the node hangs."""
        if endpoint.is_checked:
            return
        task = self._let_in(endpoint)
        try:
            failure = await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.cancelled() or _is_given_up():
                raise
            failure = NodeUnavailable(f"{endpoint.shown}: {CLOSED}")
        if failure is not None:
            raise NodeUnavailable(str(failure))

    def _let_in(self, endpoint: Endpoint) -> asyncio.Task[NodeUnavailable | None]:
        if endpoint not in self._checks:
            self._checks[endpoint] = self._spawn(self._try_to_let_in(endpoint))
        return self._checks[endpoint]

    async def _try_to_let_in(self, endpoint: Endpoint) -> NodeUnavailable | None:
        try:
            await endpoint.check(self._verify)
        except NodeUnavailable as error:
            return error
        else:
            return None
        finally:
            del self._checks[endpoint]

    def _spawn(self, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _outage(self, reasons: Sequence[str]) -> NodeUnavailable:
        """In the same words each time where every node strayed: somebody is told when they change."""
        strays = [endpoint.stray for endpoint in self.endpoints if endpoint.stray is not None]
        if strays and len(strays) == len(self.endpoints):
            return WrongChain("; ".join(strays))
        return NodeUnavailable("; ".join(reasons) or self._why_nobody())

    def _why_nobody(self) -> str:
        if not self.endpoints:
            return "no RPC URL over http or https is configured and switched on"
        return "; ".join(f"{endpoint.shown}: asked us to wait" for endpoint in self.endpoints)


def _has_answers(task: asyncio.Task[Told]) -> bool:
    return task.done() and not task.cancelled() and isinstance(task.result()[1], list)


def _told(task: asyncio.Task[Told], endpoint: Endpoint) -> Told:
    if task.cancelled():
        return endpoint, NodeUnavailable(f"{endpoint.shown}: {CLOSED}")
    return task.result() if task.done() else (endpoint, NodeUnavailable(f"{endpoint.shown}: has not answered yet"))


def _is_given_up() -> bool:
    """Whether it is we who are cancelled, and not only what we wait for."""
    us = asyncio.current_task()
    return us is not None and us.cancelling() > 0


def _is_ws(url: RpcUrl) -> bool:
    return url.url.lower().startswith(("ws://", "wss://"))


def is_passing(answer: Answer) -> bool:
    """Not about the call, but about this node at this moment: another node may answer."""
    return isinstance(answer, RpcError) and (answer.is_unanswered or is_rate_limited(answer))
