"""Lives whose transactions may get lost on their way: what clients of any such family do, act by act.

Each is told by a memo on the chain, so that what landed is seen there.
"""

from abc import ABC, abstractmethod
from typing import Any

from tests.faults.crash import Kind
from tests.lane_rig import LaneRig


class LostLife(ABC):
    content: str  # the part of a body that says what is wanted
    at_once: int | None = None  # how many are sent before one has landed; None: all
    blocks_of_grace: int  # how many it takes until the lane has surely seen what was asked for

    def __init__(self, rig: LaneRig, count: int, name: str) -> None:
        self.rig = rig
        self.ids: list[str] = []
        self._count = count
        self.name = name

    @abstractmethod
    def body(self, tag: str) -> dict[str, Any]:
        """A wish that lands with this memo."""

    @abstractmethod
    def lose(self, is_lost: bool) -> None:
        """Whether everything that is sent gets lost on its way from now on."""

    @abstractmethod
    def height(self) -> int:
        """The newest block."""

    def tags(self, suffix: str = "") -> list[str]:
        return [f"{self.name}-{place}{suffix}" for place in range(self._count)]

    async def pay(self) -> None:
        for tag in self.tags()[len(self.ids) :]:
            self.ids.append(await self.rig.submit(self.body(tag), key=tag))

    async def pay_in_vain(self) -> None:
        self.lose(True)
        await self.pay()
        await self.rig.all_reach(self.ids[: self.at_once], "submitted")

    async def heal(self) -> None:
        """Not before the lane has seen what was asked for: what it was sending until then may land."""
        await self.rig.looked(self.height() + self.blocks_of_grace)
        self.lose(False)

    async def cancel(self) -> None:
        for one in self.ids:
            if not (await self.rig.record(one))["is_canceled"]:
                await self.rig.cancel(one)

    async def replace(self) -> None:
        for one, tag in zip(self.ids, self.tags("-other"), strict=True):
            wish = self.body(tag)
            if (await self.rig.record(one))[self.content] != wish[self.content]:
                await self.rig.replace(one, wish)

    async def end(self) -> None:
        await self.rig.all_reach(self.ids, "confirmed", "canceled")

    async def landing(self, kind: Kind) -> list[str]:
        """Which memos must be on the chain, each once; in the records all have ended as they should."""
        assert await self.rig.statuses(self.ids) == [kind.end] * kind.count
        if kind.end == "canceled":
            return []
        return self.tags("-other" if LostLife.replace in kind.acts else "")


LIVES = {
    "one": Kind(1, (LostLife.pay, LostLife.end)),
    "three": Kind(3, (LostLife.pay, LostLife.end)),
    "lost": Kind(2, (LostLife.pay_in_vain, LostLife.heal, LostLife.end)),
    "canceled": Kind(2, (LostLife.pay_in_vain, LostLife.cancel, LostLife.heal, LostLife.end), end="canceled"),
    "replaced": Kind(2, (LostLife.pay_in_vain, LostLife.replace, LostLife.heal, LostLife.end)),
}
