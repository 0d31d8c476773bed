"""Crash at every write of a Stellar life, on a ledger that closes quickly: a fresh start finishes it, once."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.faults.dying import DyingStore, is_done_before
from tests.faults.proxy import FaultProxy
from tests.integration.stellar.judge import judge, tags
from tests.integration.stellar.rig import LUMEN, StellarRig, body, payment
from tests.rounds import rounds

from baton.devnet.stellar import StellarDevnet
from baton.domain.policy import StellarPolicy
from baton.storage.base import Store

CLOSE_MS = 60
LONGEST_LIFE = 60  # writes; a life that takes more would end the search without having died everywhere


@dataclass(slots=True)
class Life:
    """What a client does with a few transactions; an act that a crash broke is done again."""

    rig: StellarRig
    to: str
    count: int
    name: str
    ids: list[str] = field(default_factory=list)

    async def pay(self) -> None:
        while len(self.ids) < self.count:
            wish = f"{self.name}-{len(self.ids)}"
            self.ids.append(await self.rig.submit(body(payment(self.to), tag=wish), key=wish))

    async def pay_in_vain(self) -> None:
        """Everything that is sent gets lost on its way; the first is under way."""
        self.rig.node.controls.drop_next = 100_000
        await self.pay()
        await self.rig.reaches(self.ids[0], "submitted")

    async def heal(self) -> None:
        """Not before the lane has seen what was asked for: what it was sending until then may land."""
        await self.rig.looked(self.rig.node.ledger.latest.sequence + 3)
        self.rig.node.controls.drop_next = 0

    async def cancel(self) -> None:
        for one in self.ids:
            if not (await self.rig.record(one))["is_canceled"]:
                await self.rig.cancel(one)

    async def replace(self) -> None:
        for place, one in enumerate(self.ids):
            tag = f"{self.name}-{place}-other"
            if (await self.rig.record(one))["memo"]["value"] != tag:
                await self.rig.replace(one, body(payment(self.to), tag=tag))

    async def die_of_age(self) -> None:
        """The time bound passes before anything lands."""
        self.rig.node.controls.ahead_s += 301

    async def end(self) -> None:
        await self.rig.all_reach(self.ids, "confirmed", "canceled")


Act = Callable[[Life], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Kind:
    count: int
    acts: tuple[Act, ...]
    end: str = "confirmed"
    suffix: str | None = ""  # of the memos that land; None: none does
    channels: int = 0


KINDS = {
    "one": Kind(1, (Life.pay, Life.end)),
    "three": Kind(3, (Life.pay, Life.end)),
    "wide": Kind(4, (Life.pay, Life.end), channels=2),
    "lost": Kind(2, (Life.pay_in_vain, Life.heal, Life.end)),
    "aged": Kind(2, (Life.pay_in_vain, Life.die_of_age, Life.heal, Life.end)),
    "canceled": Kind(2, (Life.pay_in_vain, Life.cancel, Life.heal, Life.end), end="canceled", suffix=None),
    "replaced": Kind(2, (Life.pay_in_vain, Life.replace, Life.heal, Life.end), suffix="-other"),
}


@pytest.fixture
async def quick_node() -> AsyncIterator[StellarDevnet]:
    devnet = await StellarDevnet().start(close_ms=CLOSE_MS)
    yield devnet
    await devnet.stop()


@pytest.mark.torture
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("name", KINDS)
async def test_a_stellar_life_that_crashes_at_any_write_is_finished_once(
    quick_node: StellarDevnet, tmp_path: Path, name: str, after: bool
) -> None:
    """D3, D4, D6, E1, E4, E5, N3: whichever write was the last."""
    kind = KINDS[name]
    step = rounds(quick=4, full=1)
    first = 1 + (len(name) + after) % step  # not the same sample everywhere
    for dies_at in range(first, LONGEST_LIFE, step):
        async with FaultProxy(quick_node.url) as proxy:
            policy = StellarPolicy(channel_accounts=kind.channels)
            rig = StellarRig(quick_node, [proxy], tmp_path / f"store-{dies_at}", policy)
            await quick_node.fund(rig.address, 100 * LUMEN)
            life = Life(rig, (await rig.account()).public_key, kind.count, f"{name}-{dies_at}")
            try:
                has_died = await _lived(life, kind.acts, dies_at, after=after)
                await _check(life, kind, dies_at)
            finally:
                await rig.stop()
        if not has_died:
            assert dies_at > 4, "a life has at least: lane taken, sent, submitted, confirmed"
            return
    pytest.fail(f"a life took more than {LONGEST_LIFE} writes")


async def _check(life: Life, kind: Kind, dies_at: int) -> None:
    statuses = [(await life.rig.record(one))["status"] for one in life.ids]
    assert statuses == [kind.end] * kind.count, f"died at write {dies_at}"
    landed = Counter({tag: n for tag, n in tags(life.rig.node).items() if tag.startswith(f"{life.name}-")})
    wanted = [] if kind.suffix is None else [f"{life.name}-{n}{kind.suffix}" for n in range(kind.count)]
    assert landed == Counter(wanted), f"died at write {dies_at}"
    paid = life.rig.balance(life.to) - 100 * LUMEN
    assert paid == len(wanted) * LUMEN, f"died at write {dies_at}"
    judge(life.rig)


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
