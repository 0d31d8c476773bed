"""Crash at every write of a Solana life, on a node with quick blocks: a fresh start finishes it, once."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.faults.dying import DyingStore, is_done_before
from tests.faults.proxy import FaultProxy
from tests.integration.solana.judge import judge, memos
from tests.integration.solana.rig import SOL, SolanaRig, body
from tests.rounds import rounds

from baton.devnet.solana import SolanaDevnet
from baton.storage.base import Store

SLOT_MS = 10  # final after a third of a second, dead after two
LONGEST_LIFE = 60  # writes; a life that takes more would end the search without having died everywhere


@dataclass(slots=True)
class Life:
    """What a client does with a few transactions; an act that a crash broke is done again."""

    rig: SolanaRig
    count: int
    ids: list[str] = field(default_factory=list)

    async def pay(self) -> None:
        while len(self.ids) < self.count:
            wish = f"wish {len(self.ids)}"
            self.ids.append(await self.rig.submit(body(self.rig.tag(wish)), key=wish.replace(" ", "-")))

    async def pay_in_vain(self) -> None:
        """Everything that is sent gets lost on its way to a leader."""
        self.rig.node.set({"drop_next": 100_000})
        await self.pay()
        await self.rig.all_reach(self.ids, "submitted")

    async def heal(self) -> None:
        """Not before the lane has seen what was asked for: what it was sending until then may land."""
        await self.rig.looked(self.rig.slot + 5)
        self.rig.node.set({"drop_next": 0})

    async def cancel(self) -> None:
        for one in self.ids:
            await self.rig.cancel(one)

    async def replace(self) -> None:
        for place, one in enumerate(self.ids):
            wish = body(self.rig.tag(f"other wish {place}"))
            if (await self.rig.record(one))["instructions"] != wish["instructions"]:
                await self.rig.replace(one, wish)

    async def end(self) -> None:
        await self.rig.all_reach(self.ids, "confirmed", "canceled")


Act = Callable[[Life], Awaitable[None]]
LIVES: dict[str, tuple[int, tuple[Act, ...], str, str | None]] = {
    "one": (1, (Life.pay, Life.end), "confirmed", "wish"),
    "three": (3, (Life.pay, Life.end), "confirmed", "wish"),
    "lost": (2, (Life.pay_in_vain, Life.heal, Life.end), "confirmed", "wish"),
    "canceled": (2, (Life.pay_in_vain, Life.cancel, Life.heal, Life.end), "canceled", None),
    "replaced": (2, (Life.pay_in_vain, Life.replace, Life.heal, Life.end), "confirmed", "other wish"),
}


@pytest.fixture
async def quick_node() -> AsyncIterator[SolanaDevnet]:
    devnet = await SolanaDevnet().start(slot_ms=SLOT_MS)
    yield devnet
    await devnet.stop()


@pytest.mark.torture
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("name", LIVES)
async def test_a_solana_life_that_crashes_at_any_write_is_finished_once(
    quick_node: SolanaDevnet, tmp_path: Path, name: str, after: bool
) -> None:
    """D3, D4, D6, E1, E4, E5: whichever write was the last."""
    count, acts, end, wish = LIVES[name]
    step = rounds(quick=4, full=1)
    first = 1 + (len(name) + after) % step  # not the same sample everywhere
    for dies_at in range(first, LONGEST_LIFE, step):
        async with FaultProxy(quick_node.url) as proxy:
            rig = SolanaRig(quick_node, [proxy], tmp_path / f"store-{dies_at}")
            quick_node.airdrop(rig.address, SOL)
            before = len(memos(quick_node))
            try:
                has_died = await _lived(life := Life(rig, count), acts, dies_at, after=after)
                statuses = [(await rig.record(one))["status"] for one in life.ids]
                assert statuses == [end] * count, f"died at write {dies_at}"
                expected = [] if wish is None else [f"{wish} {place}" for place in range(count)]
                assert sorted(memos(quick_node)[before:]) == expected, f"died at write {dies_at}"
                judge(rig)
            finally:
                await rig.stop()
        if not has_died:
            assert dies_at > 4, "a life has at least: lane taken, sent, submitted, mined and confirmed"
            return
    pytest.fail(f"a life took more than {LONGEST_LIFE} writes")


async def _lived(life: Life, acts: tuple[Act, ...], dies_at: int, *, after: bool) -> bool:
    """One life, with a fresh start if it dies on the way; tells whether it did."""
    rig = life.rig
    stores: list[DyingStore] = []

    def dying(store: Store) -> Store:
        stores.append(DyingStore(store, dies_at, after=after))
        return stores[-1]

    rig.wrap_store = dying
    await rig.start()
    rig.wrap_store = lambda store: store
    has_died = False
    for act in acts:
        if not has_died and not await is_done_before(act(life), stores[0].died):
            has_died = True
            await rig.restart()
            await act(life)
        elif has_died:
            await act(life)
    return has_died
