"""A real lane on a real node, in one hand: store, keeper, anvil behind a recording proxy, and the client's commands.

Blocks come only when a test mines, so that every wait is for a signal. What is true is asked of the node itself
(`chain.py`); the store's wake-ups only tell when it is worth looking.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace as with_changes
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import ChainEye, Node

from baton.app.lines import build_lines
from baton.chains.evm.language import EvmLanguage
from baton.chains.rpc import RpcPool
from baton.commands import amend, transactions
from baton.commands.context import Context
from baton.commands.registry import Relayers
from baton.config import Config, Settings
from baton.devnet.anvil import CHAIN_ID
from baton.devnet.keys import EVM_RELAYER_KEY
from baton.domain.clock import to_text
from baton.domain.curve import Curve
from baton.domain.ids import random_id
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.policy import EvmPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt
from baton.lanes.desk import Desk, LaneSettings
from baton.lanes.explain import LaneSight
from baton.lanes.keeper import Keeper
from baton.signers.local import LocalSigner
from baton.storage.base import Store
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore

RELAYER = "evm-local"
PATIENCE_S = 20.0  # far beyond what anything here takes; a test that waits so long has failed
LOOK_S = 0.02  # between looks at a node, which cannot wake us
STEP_S = 0.3  # how long the lane gets for one block before the next is mined

Record = dict[str, Any]


class JumpingClock:
    """The machine's clock, whose time of day a test can move ahead. Waiting is by the other hand, which stays."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def monotonic(self) -> float:
        return time.monotonic()

    def jump(self, seconds: float) -> None:
        self._ahead += timedelta(seconds=seconds)

    def in_s(self, seconds: float) -> str:
        """A moment to come, as a client writes it."""
        return to_text(self.now() + timedelta(seconds=seconds))


class Rig:
    def __init__(
        self,
        node: Node,
        proxy: FaultProxy,
        folder: Path,
        policy: EvmPolicy | None = None,
        *,
        ws_url: str | None = None,
    ) -> None:
        self.node = node
        self.proxy = proxy
        self.chain = ChainEye(node)
        self.clock = JumpingClock()
        self.store_folder = folder
        self._ws_url = node.ws_url if ws_url is None else ws_url
        self._signer = LocalSigner(Curve.SECP256K1, EVM_RELAYER_KEY)
        self._policy = policy or EvmPolicy()
        self._store: Store | None = None
        self._keeper: Keeper | None = None
        self._pools: list[RpcPool] = []
        self.address = EvmLanguage(self._network()).address(self._signer.public_key)
        self.context: Context
        self.wrap_store: Callable[[Store], Store] = lambda store: store  # a fault test puts its own before the real one

    def _network(self) -> Network:
        urls = (RpcUrl(self.proxy.url), RpcUrl(self._ws_url))
        return Network(
            "local",
            Family.EVM,
            rpc_urls=urls,
            block_time_ms=200,
            chain_id=CHAIN_ID,
            features=frozenset({"eip1559"}),
            is_local=True,
        )

    async def start(self) -> None:
        """On the data folder as it is: fresh at first, with its past after a `stop`."""
        network = self._network()
        store = self.wrap_store(await SqliteStore.open(self.store_folder, Cipher(bytes(32))))
        relayer = Relayer(RELAYER, "EVM", "local", Family.EVM, "signer", self.address, self._policy)
        relayers = Relayers(lambda _: EvmLanguage(network), [relayer])
        config = Config(Settings(), networks={(Family.EVM, "local"): network})
        lines, self._pools = build_lines(config, relayers, {RELAYER: self._signer}, self.clock)
        self._keeper = Keeper(store, self.clock, random_id(), LaneSettings(), lease_s=2.0)
        live = LaneSight(self._keeper.desks, config.networks)
        self._store, self.context = store, Context(store, relayers, self.clock, live=live)
        await self._keeper.start(lines)

    async def stop(self) -> None:
        """As a shutdown does it. Twice is no harm."""
        if self._keeper is not None:
            await self._keeper.stop()
        for pool in self._pools:
            await pool.close()
        if self._store is not None:
            await self._store.close()
        self._keeper, self._pools, self._store = None, [], None

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    @property
    def store(self) -> Store:
        assert self._store is not None
        return self._store

    @property
    def desk(self) -> Desk:
        """For signals only: what the lane has seen."""
        assert self._keeper is not None
        return self._keeper.desks[RELAYER]

    def set_policy(self, **changes: Any) -> None:
        """As a PATCH would, in force at once."""
        self._policy = with_changes(self._policy, **changes)
        relayer = self.context.relayers.get(RELAYER).relayer
        self.context.relayers.put(with_changes(relayer, policy=self._policy))

    def set_paused(self, is_paused: bool) -> None:
        relayer = self.context.relayers.get(RELAYER).relayer
        self.context.relayers.put(with_changes(relayer, is_paused=is_paused))

    async def submit(self, **body: Any) -> str:
        body.setdefault("value", 1)
        return (await transactions.submit(self.context, RELAYER, body)).view.id

    async def replace(self, transaction_id: str, **body: Any) -> Record:
        body.setdefault("value", 1)
        return (await amend.replace(self.context, RELAYER, transaction_id, body)).record()

    async def cancel(self, transaction_id: str) -> Record:
        return (await amend.cancel(self.context, RELAYER, transaction_id)).record()

    async def record(self, transaction_id: str) -> Record:
        return (await transactions.get(self.context, RELAYER, transaction_id)).record()

    async def story(self, transaction_id: str) -> list[str]:
        """The status of each event, in order."""
        async with self.store.read() as snapshot:
            return [str(event.state.status) for event in await snapshot.transactions.events(transaction_id)]

    async def attempts(self, transaction_id: str) -> list[Attempt]:
        async with self.store.read() as snapshot:
            return await snapshot.transactions.attempts(transaction_id)

    async def until(self, is_so: Callable[[], Awaitable[bool]], timeout_s: float = PATIENCE_S) -> None:
        """Looks again at each commit of the store."""
        told = self.store.watch("events")
        async with asyncio.timeout(timeout_s):
            while not await is_so():
                try:
                    async with asyncio.timeout(LOOK_S * 5):  # what only the node knows gives no wake-up
                        await told.wait()
                except TimeoutError:
                    pass
                told.clear()

    async def reaches(self, transaction_id: str, *statuses: str) -> Record:
        """Waits until it is in one of these statuses; a final one that is not among them fails at once."""
        found: Record = {}

        async def is_there() -> bool:
            found.update(await self.record(transaction_id))
            if found["status"] in ("confirmed", "failed", "expired", "canceled"):
                assert found["status"] in statuses, f"{found['status']}: {found['status_reason']}"
            return found["status"] in statuses

        try:
            await self.until(is_there)
        except TimeoutError:
            raise AssertionError(f"still {found['status']} ({found['status_reason']}), awaited {statuses}") from None
        return found

    async def reason(self, transaction_id: str, part: str) -> Record:
        """Waits until its reason has these words."""
        found: Record = {}

        async def says() -> bool:
            found.update(await self.record(transaction_id))
            return part in (found["status_reason"] or "")

        try:
            await self.until(says)
        except TimeoutError:
            raise AssertionError(f"{found['status']} says {found['status_reason']!r}, awaited {part!r}") from None
        return found

    async def in_pool(self, *hashes: str) -> None:
        """Waits until the node has these, mined or not."""

        async def has_all() -> bool:
            return all([await self.chain.has(one) for one in hashes])

        await self.until(has_all)

    async def mine(self, blocks: int = 1) -> None:
        """Each block is seen by the lane before the next comes."""
        for _ in range(blocks):
            await self.chain.mine()
            await self.seen()

    async def seen(self) -> None:
        """Waits until the lane has looked at the node's newest block."""
        head = await self.chain.head()

        async def has_seen() -> bool:
            assert self._keeper is not None
            desk = self._keeper.desks.get(RELAYER)
            if desk is None or desk.tip is None or desk.tip.block.hash != head:
                return False
            async with self.store.read() as snapshot:
                is_idle = await snapshot.relayers.open_count(RELAYER) == 0
            return is_idle or desk.looked_at is desk.tip

        await self.until(has_seen)

    async def mine_until(self, is_so: Callable[[], Awaitable[bool]], blocks: int) -> int:
        """Mines one block after the other until it is so; tells how many it took."""
        for count in range(blocks + 1):
            try:
                await self.until(is_so, STEP_S if count else LOOK_S)
            except TimeoutError:
                assert count < blocks, f"not so after {blocks} blocks"
                await self.chain.mine()
                await self.seen()
            else:
                return count
        raise AssertionError

    async def mine_to(self, transaction_id: str, status: str, blocks: int = 3) -> Record:
        async def is_there() -> bool:
            return bool((await self.record(transaction_id))["status"] == status)

        try:
            await self.mine_until(is_there, blocks)
        except AssertionError as error:
            found = await self.record(transaction_id)
            raise AssertionError(f"{error}: {found['status']} ({found['status_reason']}), awaited {status}") from None
        return await self.record(transaction_id)

    async def confirmed(self, transaction_ids: Sequence[str], blocks: int = 4) -> list[Record]:
        """Mines until all of them are confirmed, and lets the chain itself be asked about each."""

        async def are_all() -> bool:
            return all([(await self.record(one))["status"] == "confirmed" for one in transaction_ids])

        async def have_left() -> bool:
            return all([(await self.record(one))["status"] not in ("pending", "sent") for one in transaction_ids])

        with contextlib.suppress(TimeoutError):
            await self.until(have_left, 2.0)
        try:
            await self.mine_until(are_all, blocks)
        except AssertionError as error:
            stands = [await self.record(one) for one in transaction_ids]
            told = {f"{one['status']}: {one['status_reason']}" for one in stands}
            raise AssertionError(f"{error}: {told}") from None
        found = [await self.record(one) for one in transaction_ids]
        for one in found:
            receipt = await self.chain.receipt(one["hash"])
            assert receipt is not None
            assert receipt["status"] == "0x1"
        return found
