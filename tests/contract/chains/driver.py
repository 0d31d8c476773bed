"""What the suite needs of a family's real local node: controls that no client has, and bodies that mean the same everywhere."""

from abc import ABC, abstractmethod
from typing import Any

from tests.lane_rig import Parts


class Driver(ABC):
    """`proxy_url` of the parts stands between; these go to the node itself."""

    final_blocks: int  # how many blocks above its own make a landing final
    parts: Parts

    @abstractmethod
    async def mine(self, blocks: int = 1) -> None: ...

    @abstractmethod
    async def lose(self, blocks: int) -> None:
        """The newest blocks were not the ones that count: others, empty, stand in their place."""

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
