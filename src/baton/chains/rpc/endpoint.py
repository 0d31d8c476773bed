"""One node at one URL: batches in the size that it takes, and what is known of its health.

An endpoint tells the truth about one node. Which node to believe, and when another is asked, is the pool's business.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import count

from baton.chains.rpc.batch import Answers, Broken, Limited, Reading, Refusal, Trouble, encode, read
from baton.chains.rpc.dialect import asked_wait_s, is_rate_limited
from baton.chains.rpc.exchange import Answer, Call, RpcError, unanswered
from baton.chains.rpc.health import Health
from baton.chains.rpc.settings import RpcSettings
from baton.chains.rpc.transport import Transport
from baton.domain.clock import Clock
from baton.domain.errors import NodeUnavailable, WrongChain
from baton.domain.json import Json
from baton.domain.network import RpcUrl
from baton.telemetry import RPC_CALLS, RPC_ERROR_ANSWERS, RPC_ERRORS, RPC_NODE_DOWN, RPC_SECONDS, log

Verify = Callable[["Endpoint"], Awaitable[None]]
_Found = list[Answer] | NodeUnavailable


class Endpoint:
    def __init__(self, url: RpcUrl, transport: Transport, settings: RpcSettings, clock: Clock) -> None:
        self.url = url
        self.shown = url.shown
        self.health = Health(settings, clock)
        self._transport = transport
        self._settings = settings
        self._clock = clock
        self._ids = count(1)  # never used twice: an answer meant for another request is noticed
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._batch_limit = settings.batch_limit
        self._limit_until = float("-inf")
        self._checking = asyncio.Lock()
        self._checked_at: float | None = None  # None: not since the last failure
        self._node = self.shown.partition("://")[2]
        self._is_forgotten = False
        self.stray: str | None = None  # its last check found another chain, and which
        self.is_fresh = False  # a new connection was made since the check: it may lead to another node

    def __repr__(self) -> str:
        return f"Endpoint({self.shown!r})"

    @property
    def is_checked(self) -> bool:
        """Has passed its check, without a failure or a new connection since."""
        return self._checked_at is not None and not self.is_fresh

    @property
    def is_ready(self) -> bool:
        return self.is_checked and not self.health.is_paused

    async def call(self, method: str, *params: Json) -> Answer:
        return (await self.batch([Call(method, params)]))[0]

    async def batch(
        self, calls: Sequence[Call], *, timeout_s: float | None = None, chunk: int | None = None, in_order: bool = False
    ) -> list[Answer]:
        """One answer a call, in their order, within `timeout_s` in all. `chunk`: fewer calls in one HTTP request.

        `in_order`, for what changes something: requests go one after the other, and none after a failed one; an error to a
        request that had to leave twice is no answer, because the first time may have succeeded elsewhere. Calls that got no answer while others
        did are `RpcError` with `is_unanswered`; if none got one, `NodeUnavailable`.
        """
        if not calls:
            return []
        deadline = asyncio.get_running_loop().time() + (timeout_s or self._settings.timeout_s)
        found = await self._pieces(calls, min(chunk or self.batch_limit, self.batch_limit), deadline, in_order)
        if isinstance(found, NodeUnavailable):
            raise found
        return found

    async def check(self, verify: Verify) -> None:
        """Lets the node in: runs `verify` unless it passed since the last failure or new connection. One at a time."""
        async with self._checking:
            if self.is_checked:
                return
            began_at = self._clock.monotonic()
            try:
                await verify(self)
            except NodeUnavailable as error:
                self.stray = str(error) if isinstance(error, WrongChain) else None
                self._note_failure(began_at, str(error))
                raise
            self.stray = None
            if self.health.failures:
                log.info("node_back", node=self._node)
            self.is_fresh = False
            self._checked_at = self._clock.monotonic()
            self.health.lift()
            self._show_down(0)

    def forget(self) -> None:
        """It is not asked any more: an alarm that it is down would never end."""
        self._is_forgotten = True
        RPC_NODE_DOWN.remove(self._node)

    @property
    def batch_limit(self) -> int:
        """How many calls this node takes at once, as far as is known."""
        if self._clock.monotonic() >= self._limit_until:
            self._batch_limit = self._settings.batch_limit
        return self._batch_limit

    async def _pieces(self, calls: Sequence[Call], size: int, deadline: float, in_order: bool) -> _Found:
        pieces = [calls[start : start + size] for start in range(0, len(calls), size)]
        found: list[_Found]
        if in_order:
            found = []
            for piece in pieces:
                failed = next((item for item in found if isinstance(item, NodeUnavailable)), None)
                found.append(failed or await self._piece(piece, deadline, in_order))
        else:
            found = list(await asyncio.gather(*(self._piece(piece, deadline, in_order) for piece in pieces)))
        failures = [item for item in found if isinstance(item, NodeUnavailable)]
        if len(failures) == len(found):
            return failures[0]
        answers: list[Answer] = []
        for piece, item in zip(pieces, found, strict=True):
            answers += [unanswered(str(item))] * len(piece) if isinstance(item, NodeUnavailable) else item
        return answers

    async def _piece(self, calls: Sequence[Call], deadline: float, in_order: bool) -> _Found:
        began_at = self._clock.monotonic()
        reading, is_repeated = await self._exchange(calls, deadline)
        match reading:
            case Answers(items):
                self._note_answers(items, began_at)
                return [_doubted(item) for item in items] if in_order and is_repeated else items
            case Refusal(limit, why):
                found = await self._pieces(calls, limit, deadline, in_order)
                if not isinstance(found, NodeUnavailable):
                    self._learn(limit, why)  # only now: it was the size, and not some other trouble
                return found
            case Limited(why, wait_s):
                self._note_limit(began_at, why, wait_s)
                RPC_ERRORS.labels(self._node, Trouble.RATE_LIMITED).inc()
                return NodeUnavailable(f"{self.shown}: {why}")
            case Broken(trouble, why):
                self._note_failure(began_at, why)
                RPC_ERRORS.labels(self._node, trouble).inc()
                return NodeUnavailable(f"{self.shown}: {why}")

    async def _exchange(self, calls: Sequence[Call], deadline: float) -> tuple[Reading, bool]:
        """What came back, and whether the request had to leave twice for it."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(deadline):
                await self._slots.acquire()
        except TimeoutError:
            return Broken(Trouble.TIMEOUT, "no answer in time to many calls before"), False
        try:
            ids = [next(self._ids) for _ in calls]
            began = loop.time()
            RPC_CALLS.labels(self._node).inc(len(calls))
            reply = await self._transport.post(self.url, encode(calls, ids), deadline - began)
            RPC_SECONDS.labels(self._node).observe(loop.time() - began)
        finally:
            self._slots.release()
        if isinstance(reply, Broken):
            return reply, False
        if reply.is_first and self._checked_at is not None:
            self.is_fresh = self._clock.monotonic() - self._checked_at >= self._settings.recheck_s or self.is_fresh
        return read(reply, ids), reply.is_repeated

    def _note_answers(self, items: Sequence[Answer], began_at: float) -> None:
        errors = [item for item in items if isinstance(item, RpcError)]
        if errors:
            RPC_ERROR_ANSWERS.labels(self._node).inc(len(errors))
        limited = [error for error in errors if is_rate_limited(error)]
        if limited:
            RPC_ERRORS.labels(self._node, Trouble.RATE_LIMITED).inc()
            self._note_limit(began_at, limited[0].message, asked_wait_s(limited[0]))
        elif self._checked_at is not None:  # else it is the check that asks, and its verdict is what counts
            self.health.succeeded(began_at)

    def _note_limit(self, began_at: float, why: str, wait_s: float | None) -> None:
        if self.health.told_to_wait(began_at, wait_s):
            self._shut_out(why)

    def _note_failure(self, began_at: float, why: str) -> None:
        if self.health.failed(began_at):
            self._shut_out(why)

    def _shut_out(self, why: str) -> None:
        self._checked_at = None
        self._show_down(1)
        if self.health.failures == 1 and not self._is_forgotten:
            log.warning("node_paused", node=self._node, why=why)

    def _show_down(self, count: int) -> None:
        if not self._is_forgotten:
            RPC_NODE_DOWN.labels(self._node).set(count)

    def _learn(self, limit: int, why: str) -> None:
        now = self._clock.monotonic()
        if limit < self.batch_limit:
            log.info("node_refuses_batches", node=self._node, limit=limit, why=why)
            self._batch_limit = limit
            self._limit_until = now + self._settings.batch_memory_s


def _doubted(answer: Answer) -> Answer:
    return unanswered(answer.message) if isinstance(answer, RpcError) else answer
