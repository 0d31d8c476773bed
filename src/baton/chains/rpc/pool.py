"""The nodes of one network as one: the heaviest healthy node carries the calls, the next one steps in when it fails.

One node at a time, not a lottery: what a lane reads in one turn is then of one mind. Broadcasts go to every node, and
what is to be final is asked of several. No answer is used before the node has passed `verify` on its present connection.
"""

import asyncio
from collections.abc import Coroutine, Sequence

from baton.chains.rpc.dialect import is_rate_limited
from baton.chains.rpc.endpoint import Endpoint, Verify
from baton.chains.rpc.exchange import Answer, Call, RpcError
from baton.chains.rpc.settings import RpcSettings
from baton.chains.rpc.transport import Transport
from baton.domain.clock import Clock, SystemClock
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import RpcUrl

Told = tuple[Endpoint, list[Answer] | NodeUnavailable]


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
        self._clock = clock or SystemClock()
        self._verify = verify
        self._transport = Transport(self._settings, self._clock)
        self._tasks: set[asyncio.Task[None]] = set()
        self._letting_in: set[Endpoint] = set()
        used = sorted((url for url in urls if url.weight > 0), key=lambda url: -url.weight)
        self.ws_urls = tuple(url for url in used if _is_ws(url))
        self.endpoints = tuple(
            Endpoint(url, self._transport, self._settings, self._clock) for url in used if not _is_ws(url)
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
            open_places = [place for place in open_places if _is_passing(answers[place])]
            if not open_places:
                break
        if not answers:
            raise NodeUnavailable("; ".join(reasons) or self._why_nobody())
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
        told: dict[Endpoint, list[Answer] | NodeUnavailable] = {}
        has_answered = asyncio.Event()

        async def tell(endpoint: Endpoint) -> None:
            try:
                async with asyncio.timeout(limit_s):
                    told[endpoint] = await self._ask(endpoint, calls, limit_s, None, in_order=True)
            except NodeUnavailable as error:
                told[endpoint] = error
            except TimeoutError:
                told[endpoint] = NodeUnavailable(f"{endpoint.shown}: no answer within {limit_s:.3g} s")
            if isinstance(told[endpoint], list) or len(told) == len(endpoints):
                has_answered.set()

        tasks = [self._spawn(tell(endpoint)) for endpoint in endpoints]
        await has_answered.wait()
        await asyncio.wait(tasks, timeout=self._settings.broadcast_grace_s)
        late = "has not answered yet"
        return [(each, told.get(each) or NodeUnavailable(f"{each.shown}: {late}")) for each in endpoints]

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
            raise NodeUnavailable("; ".join(reasons) or self._why_nobody())
        return found

    def alone_for_s(self) -> float:
        """For how long at most one node has been reachable; 0 while two are. With one node configured: for ever."""
        others = len(self.endpoints) - 1
        if others < 1:
            return float("inf")
        return sorted((endpoint.health.down_s for endpoint in self.endpoints), reverse=True)[others - 1]

    async def close(self) -> None:
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
        await endpoint.check(self._verify)
        answers = await endpoint.batch(calls, timeout_s=timeout_s, chunk=chunk, in_order=in_order)
        if endpoint.is_fresh:
            await endpoint.check(self._verify)
        return answers

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

    def _let_in(self, endpoint: Endpoint) -> None:
        if endpoint not in self._letting_in:
            self._letting_in.add(endpoint)
            self._spawn(self._try_to_let_in(endpoint))

    async def _try_to_let_in(self, endpoint: Endpoint) -> None:
        try:
            await endpoint.check(self._verify)
        except NodeUnavailable:
            return  # its pause has grown
        finally:
            self._letting_in.discard(endpoint)

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _why_nobody(self) -> str:
        if not self.endpoints:
            return "no RPC URL over http or https is configured and switched on"
        return "; ".join(f"{endpoint.shown}: asked us to wait" for endpoint in self.endpoints)


def _is_ws(url: RpcUrl) -> bool:
    return url.url.lower().startswith(("ws://", "wss://"))


def _is_passing(answer: Answer) -> bool:
    """Not about the call, but about this node at this moment: another node may answer."""
    return isinstance(answer, RpcError) and (answer.is_unanswered or is_rate_limited(answer))
