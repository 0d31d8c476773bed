"""Nodes that answer by a script, where a family's client expects a pool of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.fakes import FakeClock

from baton.chains.base import Accepted, Rejected, Unknown
from baton.chains.rpc import Answer, Call
from baton.domain.errors import NodeUnavailable

Script = Callable[[Call], Answer | None]  # None is silence


@dataclass(slots=True)
class ScriptedPool:
    endpoints: Sequence[Script]
    clock: FakeClock = field(default_factory=FakeClock)
    asked: int = 0

    def alone_for_s(self) -> float:
        return 0.0

    async def batch(self, calls: Sequence[Call]) -> list[Answer]:
        self.asked += 1
        return [answer for call in calls if (answer := self.endpoints[0](call)) is not None]

    async def witnesses(self, calls: Sequence[Call], _n: int) -> list[tuple[Script, list[Answer]]]:
        told = [(script, [script(call) for call in calls]) for script in self.endpoints]
        return [(script, [one for one in found if one is not None]) for script, found in told if None not in found]

    async def everywhere(self, calls: Sequence[Call]) -> list[tuple[Script, list[Answer] | NodeUnavailable]]:
        heard = dict(await self.witnesses(calls, len(self.endpoints)))
        return [(script, heard.get(script, NodeUnavailable("silent"))) for script in self.endpoints]


def always(answer: Answer | None) -> Script:
    return lambda _: answer


def answers_to_a_broadcast(accepted: Answer, rejected: Answer, odd: Answer) -> list[tuple[list[Answer | None], type]]:
    """What several nodes say, and what it comes to on every chain: one that says nothing may have the bytes (C5, C6)."""
    return [
        ([rejected], Rejected),
        ([rejected, rejected], Rejected),
        ([rejected, None], Unknown),
        ([rejected, accepted], Accepted),
        ([accepted, None], Accepted),
        ([odd], Unknown),
    ]
