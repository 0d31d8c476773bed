"""What the suite needs of a family's real local node: controls that no client has, and bodies that mean the same everywhere."""

from abc import ABC, abstractmethod
from typing import Any

from tests.lane_rig import Parts


class Driver(ABC):
    """`proxy_url` of the parts stands between; these go to the node itself."""

    final_blocks: int  # how many blocks above its own make a landing final
    can_lose: bool = True  # blocks may be replaced by others
    side_by_side: bool = True  # a pool takes several of one account
    parts: Parts

    @abstractmethod
    async def mine(self, blocks: int = 1) -> None: ...

    async def finish(self) -> None:
        """Makes what landed final, where it is not at once."""
        if self.final_blocks:
            await self.mine(self.final_blocks)

    async def lose(self, blocks: int) -> None:
        """The newest blocks were not the ones that count: others, empty, stand in their place."""
        raise NotImplementedError(f"this chain never loses {blocks} blocks")

    @abstractmethod
    async def received(self) -> int:
        """What the receiver of the payments has on chain."""

    @abstractmethod
    async def set_funds(self, amount: int) -> None:
        """What the relayer has."""

    @abstractmethod
    def payment(self, amount: int) -> dict[str, Any]:
        """A request that pays the receiver."""

    @abstractmethod
    def failing(self) -> dict[str, Any]:
        """A request that the chain itself refuses, whatever the balance."""

    @abstractmethod
    async def close(self) -> None: ...
