"""Crash at every write of a Stellar life, on a ledger that closes quickly: a fresh start finishes it, once."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.faults.crash import Kind, crash_everywhere
from tests.faults.lost_lives import LIVES, LostLife
from tests.faults.proxy import FaultProxy
from tests.integration.stellar.judge import judge, tags
from tests.integration.stellar.rig import LUMEN, StellarRig, body, payment

from baton.devnet.stellar import StellarDevnet
from baton.domain.policy import StellarPolicy

CLOSE_MS = 60


class StellarLife(LostLife):
    content = "memo"
    at_once = 1
    blocks_of_grace = 3
    rig: StellarRig

    def __init__(self, rig: StellarRig, to: str, count: int, name: str) -> None:
        super().__init__(rig, count, name)
        self.to = to

    def body(self, tag: str) -> dict[str, Any]:
        return body(payment(self.to), tag=tag)

    def lose(self, is_lost: bool) -> None:
        self.rig.node.controls.drop_next = 100_000 if is_lost else 0

    def height(self) -> int:
        return self.rig.node.ledger.latest.sequence

    async def die_of_age(self) -> None:
        """The time bound passes before anything lands."""
        self.rig.node.controls.ahead_s += 301

    async def check(self, kind: Kind, *, has_died: bool) -> None:
        wanted = await self.landing(kind)
        landed = {tag: n for tag, n in tags(self.rig.node).items() if tag.startswith(f"{self.name}-")}
        assert landed == Counter(wanted)
        assert self.rig.balance(self.to) - 100 * LUMEN == len(wanted) * LUMEN
        judge(self.rig)


STELLAR_LIVES = LIVES | {
    "wide": Kind(4, (StellarLife.pay, StellarLife.end), channels=2),
    "aged": Kind(2, (StellarLife.pay_in_vain, StellarLife.die_of_age, StellarLife.heal, StellarLife.end)),
}


@pytest.fixture
async def quick_node() -> AsyncIterator[StellarDevnet]:
    devnet = await StellarDevnet().start(close_ms=CLOSE_MS)
    yield devnet
    await devnet.stop()


@pytest.mark.torture
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("name", STELLAR_LIVES)
async def test_a_stellar_life_that_crashes_at_any_write_is_finished_once(
    quick_node: StellarDevnet, tmp_path: Path, name: str, after: bool
) -> None:
    """D3, D4, D6, E1, E4, E5, N3: whichever write was the last."""
    kind = STELLAR_LIVES[name]

    @asynccontextmanager
    async def begin(number: int) -> AsyncIterator[StellarLife]:
        async with FaultProxy(quick_node.url) as proxy:
            policy = StellarPolicy(channel_accounts=kind.channels)
            rig = StellarRig(quick_node, [proxy], tmp_path / f"store-{number}", policy)
            await quick_node.fund(rig.address, 100 * LUMEN)
            yield StellarLife(rig, (await rig.account()).public_key, kind.count, f"{name}-{number}")

    await crash_everywhere(name, kind, begin, after=after)
