"""Lines: a network through one set of nodes. One watcher each, however many lanes share it; closed after the last lane.

lane ── joined(nodes) ──▶ OpenLine ── spell ──▶ the chain's identity, and its watcher
                                      None while no node answers, or while the chain behind it is being exchanged
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from baton import telemetry
from baton.chains.seam import Chain, ChainReplaced, Maker
from baton.domain.errors import Unavailable, WrongChain
from baton.domain.network import Network, RpcUrl
from baton.lanes.watcher import Watcher

RETRY_S = 1.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0  # between two tries to reach a network


@dataclass(frozen=True, slots=True)
class Nodes:
    """By what lines are told apart: relayers with nodes of their own have a line of their own."""

    network: Network
    urls: tuple[RpcUrl, ...]

    @property
    def name(self) -> str:
        """Families have networks of the same name: every one has a "local"."""
        return f"{self.network.family}:{self.network.name}"


@dataclass(frozen=True, slots=True)
class Line:
    """What speaks to those nodes. Who opened it closes it."""

    chain: Chain
    maker: Maker
    close: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, eq=False)
class Spell:
    """The time from reaching a chain until another one is found in its place."""

    identity: str
    watcher: Watcher


class OpenLine:
    """Reaches the network and watches it; starts over when the chain behind it was replaced."""

    def __init__(self, nodes: Nodes, line: Line) -> None:
        self.nodes = nodes
        self.line = line
        self.spell: Spell | None = None
        self.stray: str | None = None  # every node serves another chain, and which
        self.listeners: set[asyncio.Event] = set()  # one of each lane: set when anything above changes
        self._task = asyncio.create_task(self._run(), name=f"network {nodes.name}")

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self.line.close()

    async def _run(self) -> None:
        while True:
            try:
                await self._watch(await self._reach())
            except ChainReplaced:
                telemetry.log.warning("chain_replaced", network=self.nodes.name)
            except Exception:  # noqa: BLE001 - the outermost loop of a network
                telemetry.log.exception("network_failed", network=self.nodes.name)
                await asyncio.sleep(RETRY_S)

    async def _reach(self) -> str:
        """The chain's identity once a node answers: an unreachable node never stops the start."""
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                return await self.line.chain.identity()
            except Unavailable as outage:
                telemetry.log.warning("network_unreachable", network=self.nodes.name, why=str(outage))
                self._tell(stray=str(outage) if isinstance(outage, WrongChain) else None)
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def _watch(self, identity: str) -> None:
        spell = Spell(identity, Watcher(self.line.chain))
        self._tell(spell=spell)
        try:
            await spell.watcher.run()
        finally:
            self._tell()

    def _tell(self, *, spell: Spell | None = None, stray: str | None = None) -> None:
        self.spell, self.stray = spell, stray
        for news in self.listeners:
            news.set()


class Lines:
    """The open lines of this process."""

    def __init__(self, open_line: Callable[[Nodes], Line]) -> None:
        self._open_line = open_line
        self._lines: dict[Nodes, OpenLine] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @contextmanager
    def joined(self, nodes: Nodes, news: asyncio.Event) -> Iterator[OpenLine]:
        """The line of these nodes, shared with whoever uses them too. `news` is set when something happens on it."""
        line = self._lines.get(nodes)
        if line is None:
            line = self._lines[nodes] = OpenLine(nodes, self._open_line(nodes))
        line.listeners.add(news)
        try:
            yield line
        finally:
            line.listeners.discard(news)
            if not line.listeners:
                del self._lines[nodes]
                self._close(line)

    def _close(self, line: OpenLine) -> None:
        """Beside the lane that left it, which has better things to do than to wait for connections to end."""
        task = asyncio.create_task(line.close(), name=f"closing {line.nodes.name}")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Returns when every line that was left is closed. The lanes must have left theirs."""
        await asyncio.gather(*self._closing)
