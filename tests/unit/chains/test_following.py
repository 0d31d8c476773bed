"""Followers of a head: woken early, patient with nodes that lag, never led to another chain."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from baton.chains import following
from baton.chains.following import PATIENCE_POLLS, Bearings, Pace
from baton.chains.seam import ChainReplaced
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json

AN_HOUR_MS = 3_600_000


async def _same() -> str:
    return "chain"


async def test_a_pause_ends_when_the_subscription_hears_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "SLOWEST_POLL_S", 3600.0)

    async def hears_once() -> AsyncIterator[Json]:
        yield {}
        await asyncio.Event().wait()

    async with asyncio.timeout(20), Pace(AN_HOUR_MS, 1, hears_once) as pace:
        await pace.pause()


async def test_a_subscription_that_is_lost_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "SLOWEST_POLL_S", 0.01)
    tries = 0

    async def fails_twice() -> AsyncIterator[Json]:
        nonlocal tries
        tries += 1
        if tries <= 2:
            raise NodeUnavailable("gone")
        yield {}
        await asyncio.Event().wait()

    async with asyncio.timeout(20), Pace(AN_HOUR_MS, 1, fails_twice) as pace:
        while tries < 3:
            await pace.pause()


async def test_without_a_subscription_a_pause_is_a_part_of_the_block_time() -> None:
    async with asyncio.timeout(20), Pace(100, 10) as pace:
        await pace.pause()


async def test_another_identity_than_the_first_is_another_chain() -> None:
    told = iter(["one", "one", "other"])

    async def identity() -> str:
        return next(told)

    bearings = Bearings(identity)
    await bearings.check()
    await bearings.check()
    with pytest.raises(ChainReplaced, match="serve other, expected one"):
        await bearings.check()


def test_a_head_that_nobody_else_knows_for_long_was_made_up() -> None:
    bearings = Bearings(_same)
    told = [bearings.is_made_up(known=100, told=7) for _ in range(PATIENCE_POLLS)]
    assert told == [False] * (PATIENCE_POLLS - 1) + [True]
    assert not bearings.is_made_up(known=7, told=6), "the patience starts anew"


def test_one_word_for_the_known_head_starts_the_patience_anew() -> None:
    bearings = Bearings(_same)
    for _ in range(PATIENCE_POLLS - 1):
        assert not bearings.is_made_up(known=100, told=7)
    assert not bearings.is_made_up(known=100, told=100)
    assert not bearings.is_made_up(known=100, told=7)
