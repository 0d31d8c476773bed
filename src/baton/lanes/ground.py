"""What a lane stands on: the relayer that it is for, and what all lanes of this node share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from baton.chains.seam import Pen
from baton.domain.clock import Clock
from baton.domain.json import Json
from baton.domain.network import Network
from baton.domain.relayer import Relayer
from baton.lanes.desk import Desk, LaneSettings
from baton.lanes.lines import Lines, Nodes
from baton.storage.base import Store

SetDisabled = Callable[[str, str | None], Awaitable[None]]
Tell = Callable[[str, str, Mapping[str, Json]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Track:
    """A relayer with all that its lane needs."""

    relayer_of: Callable[[], Relayer]  # as it is now
    pen: Pen
    network: Network

    @property
    def relayer(self) -> Relayer:
        return self.relayer_of()

    @property
    def nodes(self) -> Nodes:
        """Its own, else its network's. They change at run time."""
        return Nodes(self.network, self.relayer.custom_rpc_urls or self.network.rpc_urls)

    @property
    def lane(self) -> str:
        """A lane is an account on a network, whichever nodes lead there."""
        relayer = self.relayer
        return f"{relayer.family}:{relayer.network}/{relayer.address}"


@dataclass(frozen=True, slots=True)
class Ground:
    store: Store
    clock: Clock
    node: str
    settings: LaneSettings
    lease_s: float
    lines: Lines
    desks: dict[str, Desk]  # by relayer id, for those who only look
    set_disabled: SetDisabled
    tell: Tell
