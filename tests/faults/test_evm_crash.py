"""Crash at every write: a store that dies with the n-th write of a life, for every n; a fresh start finishes it once."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.faults.dying import DyingStore, is_done_before
from tests.faults.evm_judge import judge_everything
from tests.faults.evm_rig import FaultRig
from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import GWEI, fresh_address
from tests.rounds import rounds

from baton.devnet.anvil import Anvil
from baton.domain.errors import StoreUnavailable
from baton.storage.base import Store

LONGEST_LIFE = 60  # writes; a life that takes more would end the search without having died everywhere


@dataclass(slots=True)
class Life:
    """What a client does with a few transactions, one act after the other; an act that a crash broke is done again."""

    rig: FaultRig
    count: int = 1
    ids: list[str] = field(default_factory=list)
    receivers: dict[str, list[str]] = field(default_factory=dict)
    deadline: datetime | None = None

    async def pay(self) -> None:
        while len(self.ids) < self.count:
            receiver = fresh_address()
            self.ids.append(await self.rig.submit(to=receiver, speed="fastest"))
            self.receivers[self.ids[-1]] = [receiver]

    async def pay_in_time(self) -> None:
        receiver = fresh_address()
        deadline = self.deadline = datetime.now(UTC) + timedelta(seconds=0.4)
        self.ids.append(await self.rig.submit(to=receiver, valid_until=deadline.isoformat()))
        self.receivers[self.ids[-1]] = [receiver]

    async def in_pool(self) -> None:
        """Or further: what is expired before it is signed never gets there."""

        async def are_out() -> bool:
            return all(status not in ("pending", "sent") for status in await self.rig.statuses(self.ids))

        await self.rig.until(are_out)

    async def replace(self) -> None:
        for one in self.ids:
            if len(self.receivers[one]) == 1:
                receiver = fresh_address()
                self.receivers[one].append(receiver)
                try:
                    await self.rig.replace(one, to=receiver, speed="fastest")
                except StoreUnavailable:
                    self.receivers[one].pop()
                    raise

    async def cancel(self) -> None:
        for one in self.ids:
            await self.rig.cancel(one)

    async def carried_out(self) -> None:
        """A node has the version that displaces the first."""

        async def are_out() -> bool:
            return all([len(found := await self.rig.attempts(one)) > 1 and found[-1].accepted_at for one in self.ids])

        await self.rig.until(are_out)

    async def spike(self) -> None:
        """The base fee jumps over what was offered."""
        await self.rig.chain.set_base_fee(40 * GWEI)
        await self.rig.chain.mine()

    async def overdue(self) -> None:
        assert self.deadline is not None
        await asyncio.sleep((self.deadline - datetime.now(UTC)).total_seconds())

    async def end(self) -> None:
        await self.rig.settled(self.ids)


Act = Callable[[Life], Awaitable[None]]
PLAIN: tuple[Act, ...] = (Life.pay, Life.end)
LIVES: dict[str, tuple[int, tuple[Act, ...], str]] = {
    "one": (1, PLAIN, "confirmed"),
    "three": (3, PLAIN, "confirmed"),
    "replaced": (2, (Life.pay, Life.in_pool, Life.replace, Life.carried_out, Life.end), "confirmed"),
    "canceled": (2, (Life.pay, Life.in_pool, Life.cancel, Life.carried_out, Life.end), "canceled"),
    "bumped": (2, (Life.pay, Life.in_pool, Life.spike, Life.end), "confirmed"),
    "expired": (1, (Life.pay_in_time, Life.in_pool, Life.overdue, Life.spike, Life.end), "expired"),
}
# How a life that needs a second version gets it.
ROUTES = {"replaced": "replacement", "canceled": "noop", "bumped": "bump", "expired": "noop"}


@pytest.fixture
async def crash_node(anvil_path: Path, tmp_path: Path) -> AsyncIterator[Anvil]:
    node = Anvil(anvil_path, tmp_path / "anvil")
    await node.start(extra=["--no-mining", "--order", "fees"])
    await node.ask("anvil_mine", "0x3")
    yield node
    await node.kill()


@pytest.mark.torture
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("name", LIVES)
async def test_a_life_that_crashes_at_any_write_is_finished_once(
    crash_node: Anvil, tmp_path: Path, name: str, after: bool
) -> None:
    """D3, D4, D6, E1, E4, E5, N1, N2, N3: whichever write was the last."""
    count, acts, end = LIVES[name]
    step = rounds(quick=4, full=1)
    first = 1 + (len(name) + after) % step  # not the same sample everywhere
    for dies_at in range(first, LONGEST_LIFE, step):
        async with FaultProxy(crash_node.url) as proxy:
            rig = FaultRig(crash_node, [proxy], tmp_path / f"store-{dies_at}")
            life = Life(rig, count)
            try:
                has_died = await _lived(life, acts, dies_at, after=after)
                statuses = await rig.statuses(life.ids)
                assert statuses == [end] * count, f"died at write {dies_at}"
                kinds = {attempt.kind for one in life.ids for attempt in await rig.attempts(one)}
                assert kinds <= {"original", ROUTES.get(name, "original")}
                await judge_everything(rig, life.receivers)
            finally:
                await rig.stop()
        if not has_died:
            assert kinds == {"original", ROUTES.get(name, "original")}, "an undisturbed life goes its whole way"
            assert dies_at > 4, "a life has at least: lane taken, sent, submitted, mined and confirmed"
            return
    pytest.fail(f"a life took more than {LONGEST_LIFE} writes")


async def _lived(life: Life, acts: Sequence[Act], dies_at: int, *, after: bool) -> bool:
    """One life, with a fresh start if it dies on the way; tells whether it did."""
    rig = life.rig
    stores: list[DyingStore] = []

    def dying(store: Store) -> Store:
        stores.append(DyingStore(store, dies_at, after=after))
        return stores[-1]

    rig.wrap_store = dying
    await rig.chain.set_base_fee(GWEI)
    await rig.chain.mine(5)  # as many as the fee history is asked for
    await rig.start()
    rig.wrap_store = lambda store: store
    has_died = False
    for act in acts:
        while not has_died:
            if await is_done_before(act(life), stores[0].died):
                break
            has_died = True
            await rig.restart()
            await act(life)
        else:
            await act(life)
    return has_died
