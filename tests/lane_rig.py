"""A real store and a real lane of any family, in one hand, with the client's commands. What is true is asked of the chain.

A family plugs in its `Parts`, and in a class of its own the ways to make its node's blocks. Every wait is for a signal:
the store's wake-ups tell when it is worth looking.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as with_changes
from pathlib import Path
from typing import Any

from tests.clocks import MovedClock
from tests.lane_client import RELAYER, LaneClient

from baton.app.lines import open_line
from baton.chains.base import Language
from baton.chains.seam import Pen
from baton.commands.context import Context
from baton.commands.registry import Relayers
from baton.domain.ids import random_id
from baton.domain.network import Network, RpcUrl
from baton.domain.policy import Policy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Block
from baton.lanes.desk import Desk, LaneSettings
from baton.lanes.explain import LaneSight
from baton.lanes.ground import Track
from baton.lanes.keeper import Keeper
from baton.lanes.lines import Line, Nodes
from baton.storage.base import Store
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore


@dataclass(frozen=True)
class Parts:
    """What makes a lane of one family."""

    network: Network
    language: Language
    pen: Pen
    policy: Policy
    usual: Mapping[str, Any] = field(default_factory=dict)  # what every body has that does not say otherwise


class LaneRig(LaneClient):
    lane_settings = LaneSettings()
    lease_s = 2.0

    def __init__(self, parts: Parts, folder: Path) -> None:
        self.parts = parts
        self.folder = folder
        self.address = parts.language.address(parts.pen.public_key)
        self.clock = MovedClock()
        self.wrap_store: Callable[[Store], Store] = lambda store: store  # a fault test puts its own before the real one
        self.usual = parts.usual
        self._policy = parts.policy
        self._store: Store | None = None
        self._keeper: Keeper | None = None

    async def start(self) -> None:
        """On the data folder as it is: fresh at first, with its past after a `stop`."""
        network, language = self.parts.network, self.parts.language
        self._store = self.wrap_store(await SqliteStore.open(self.folder, Cipher(bytes(32))))
        relayer = Relayer(RELAYER, "R", network.name, network.family, "signer", self.address, self._policy)
        self.context = Context(self._store, Relayers(lambda _: language, [relayer]), self.clock)
        self._keeper = await self.another_keeper(self.lease_s)
        live = LaneSight(self._keeper.desks, {(network.family, network.name): network})
        self.context = with_changes(self.context, live=live)

    async def another_keeper(self, lease_s: float) -> Keeper:
        """One more owner on the same store, as another process would be. Who asks for it stops it."""
        relayers = self.context.relayers
        keeper = Keeper(self.store, self.clock, random_id(), self.lane_settings, lease_s)
        relayers.listen(keeper.look)
        track = Track(lambda: relayers.get(RELAYER).relayer, self.parts.pen, self.parts.network)
        await keeper.start([track], self.open_line)
        return keeper

    def open_line(self, nodes: Nodes) -> Line:
        """As the service itself does it."""
        return open_line(nodes, {RELAYER: self.parts.pen}, self.clock)

    async def stop(self) -> None:
        """As a shutdown does it. Twice is no harm."""
        if self._keeper is not None:
            await self._keeper.stop()
        if self._store is not None:
            await self._store.close()
        self._keeper, self._store = None, None

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    @property
    def desk(self) -> Desk | None:
        """For signals only: what the lane has seen, once it runs."""
        assert self._keeper is not None
        return self._keeper.desks.get(RELAYER)

    def set_policy(self, **changes: Any) -> None:
        """As a PATCH would, in force at once."""
        self._policy = with_changes(self._policy, **changes)
        self._change_relayer(policy=self._policy)

    def set_paused(self, is_paused: bool) -> None:
        self._change_relayer(is_paused=is_paused)

    def set_nodes(self, *urls: str) -> None:
        """Its own from now on; none at all: the network's."""
        self._change_relayer(custom_rpc_urls=tuple(RpcUrl(url) for url in urls) or None)

    def _change_relayer(self, **changes: Any) -> None:
        relayers = self.context.relayers
        relayers.put(with_changes(relayers.get(RELAYER).relayer, **changes))

    async def looked(self, number: int) -> None:
        """Waits until the lane has looked at a block of at least that number; one without open work does not look."""

        async def has_looked() -> bool:
            seen = self.desk.looked_at if self.desk is not None else None
            return (seen is not None and seen.block.number >= number) or await self.is_idle()

        await self.until(has_looked)

    async def handled(self, is_it: Callable[[Block], bool]) -> None:
        """Waits until the lane has done all that it will at such a block: decisions are stored, sends are answered."""

        async def has_handled() -> bool:
            is_idle, desk = await self.is_idle(), self.desk
            if desk is None or desk.tip is None or not (is_it(desk.tip.block) and desk.is_resting):
                return False
            return is_idle or desk.looked_at is desk.tip

        await self.until(has_handled)
