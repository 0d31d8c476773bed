"""Crash at every write of a life: a store that dies with the n-th write, for every n; a fresh start finishes it, once."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import pytest
from tests.faults.dying import DyingStore, is_done_before
from tests.lane_rig import LaneRig
from tests.rounds import rounds

from baton.storage.base import Store

LONGEST_LIFE = 60  # writes; a life that takes more would end the search without having died everywhere

# Of a life of the family's own. One that a crash broke is done again.
Act = Callable[[Any], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A life to be lived: with how many transactions, act by act, and how each of them ends."""

    count: int
    acts: tuple[Act, ...]
    end: str = "confirmed"
    channels: int = 0


class Life(Protocol):
    """What a client does with a few transactions."""

    @property
    def rig(self) -> LaneRig: ...

    async def check(self, kind: Kind, *, has_died: bool) -> None:
        """All of it ended as it should, judged on the chain."""


Begin = Callable[[int], AbstractAsyncContextManager[Life]]  # on a store of its own, named by a number


async def crash_everywhere(name: str, kind: Kind, begin: Begin, *, after: bool) -> None:
    step = rounds(quick=4, full=1)
    first = 1 + (len(name) + after) % step  # not the same sample everywhere
    for dies_at in range(first, LONGEST_LIFE, step):
        async with begin(dies_at) as life:
            try:
                has_died = await _lived(life.rig, [partial(act, life) for act in kind.acts], dies_at, after=after)
                await life.check(kind, has_died=has_died)
            except AssertionError as error:
                error.add_note(f"died at write {dies_at}")
                raise
            finally:
                await life.rig.stop()
        if not has_died:
            assert dies_at > 4, "a life has at least: lane taken, sent, submitted, and its end"
            return
    pytest.fail(f"a life took more than {LONGEST_LIFE} writes")


async def _lived(rig: LaneRig, acts: Iterable[Callable[[], Awaitable[None]]], dies_at: int, *, after: bool) -> bool:
    """One life, with a fresh start if it dies on the way; tells whether it did."""
    stores: list[DyingStore] = []

    def dying(store: Store) -> Store:
        stores.append(DyingStore(store, dies_at, after=after))
        return stores[-1]

    rig.wrap_store = dying
    await rig.start()
    rig.wrap_store = lambda store: store
    has_died = False
    for act in acts:
        if not has_died and not await is_done_before(act(), stores[0].died):
            has_died = True
            await rig.restart()
            await act()
        elif has_died:
            await act()
    return has_died
