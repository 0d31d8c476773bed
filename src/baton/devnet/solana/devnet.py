"""The devnet as a thing to start and stop: a node, its server, and the beat of its slots."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Self

from solders.pubkey import Pubkey

from baton.devnet.served import HOST, Served
from baton.devnet.solana.node import Node
from baton.devnet.solana.server import build_app
from baton.domain.clock import Clock, SystemClock
from baton.domain.json import Json


class SolanaDevnet(Served):
    """Runs in the caller's event loop. `node` is open to tests that judge the chain without the wire."""

    def __init__(self, clock: Clock | None = None) -> None:
        super().__init__()
        self.node = Node(clock or SystemClock())

    @property
    def ws_url(self) -> str:
        """The same port speaks both; `port + 1` is bound as well, where some clients look for it."""
        return f"ws://{HOST}:{self.port}"

    @property
    def genesis_hash(self) -> str:
        return str(self.node.bank.genesis_hash)

    async def start(self, port: int = 0, slot_ms: int = 400, *, manual: bool = False) -> Self:
        """Returns when it listens. `port` 0 takes a free one; `manual` makes blocks only when `mine` is called."""
        await self._serve(build_app(self.node), port)
        # Where the port was picked for us, its neighbour may be taken: those who need it ask for a fixed one.
        with contextlib.suppress(OSError) if port == 0 else contextlib.nullcontext():
            await self._listen(self.port + 1)
        if not manual:
            self._beat = asyncio.create_task(self._keep_time(slot_ms / 1000))
        return self

    def airdrop(self, address: str, lamports: int) -> None:
        """Fund an account at once, at every commitment, without a transaction."""
        self.node.bank.grant(Pubkey.from_string(address), lamports)

    def balance(self, address: str) -> int:
        return self.node.bank.lamports(Pubkey.from_string(address))

    def mine(self, blocks: int = 1) -> None:
        for _ in range(blocks):
            self.node.tick()

    def fork(self, depth: int, *, relay: bool = False) -> list[str]:
        """Lose the newest blocks; the signatures that were in them."""
        return self.node.fork(depth, relay=relay)

    def set(self, knobs: Mapping[str, Json]) -> None:
        self.node.faults.turn(dict(knobs))

    async def _keep_time(self, slot_s: float) -> None:
        """Slots by the clock: a late one is followed sooner, so that the rate holds under load."""
        loop = asyncio.get_running_loop()
        due = loop.time() + slot_s
        while True:
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not self.node.faults.paused:
                self.node.tick()
            due = max(due + slot_s, loop.time())
