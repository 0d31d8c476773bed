"""Crash at every write of a Solana life, on a node with quick blocks: a fresh start finishes it, once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.faults.crash import Kind, crash_everywhere
from tests.faults.lost_lives import LIVES, LostLife
from tests.faults.proxy import FaultProxy
from tests.integration.solana.judge import judge, memos
from tests.integration.solana.rig import SOL, SolanaRig, body

from baton.devnet.solana import SolanaDevnet

SLOT_MS = 10  # final after a third of a second, dead after two


class SolanaLife(LostLife):
    content = "instructions"
    blocks_of_grace = 5
    rig: SolanaRig

    def body(self, tag: str) -> dict[str, Any]:
        return body(self.rig.tag(tag))

    def lose(self, is_lost: bool) -> None:
        self.rig.node.set({"drop_next": 100_000 if is_lost else 0})

    def height(self) -> int:
        return self.rig.slot

    async def check(self, kind: Kind, *, has_died: bool) -> None:
        landed = [memo for memo in memos(self.rig.node) if memo.startswith(f"{self.name}-")]
        assert sorted(landed) == await self.landing(kind)
        judge(self.rig)


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
    kind = LIVES[name]

    @asynccontextmanager
    async def begin(number: int) -> AsyncIterator[SolanaLife]:
        async with FaultProxy(quick_node.url) as proxy:
            rig = SolanaRig(quick_node, [proxy], tmp_path / f"store-{number}")
            quick_node.airdrop(rig.address, SOL)
            yield SolanaLife(rig, kind.count, f"{name}-{number}")

    await crash_everywhere(name, kind, begin, after=after)
