"""When a blockhash that came with a transaction counts as dead."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0

from baton.chains.rpc import Answer, Call, Result
from baton.chains.solana.heads import Heads
from baton.chains.solana.lifetimes import Life, Lifetimes
from baton.chains.solana.message import UNSIGNED, serialized
from baton.chains.solana.node import Head, SolanaNode
from baton.chains.solana.plan import Prebuilt

HASH = Hash.new_unique()
MESSAGE = MessageV0.try_compile(Keypair.from_seed(bytes([1]) * 32).pubkey(), [], [], HASH)
PLAN = Prebuilt(MESSAGE, serialized(MESSAGE), (UNSIGNED, UNSIGNED), 0, 0, None)


@dataclass(slots=True)
class FakeNode:
    needed: int = 1
    heights: tuple[int, ...] = (0,)
    is_valid: Any = False

    async def ask_everyone(self, calls: Sequence[Call]) -> list[tuple[int, list[Answer]]]:
        valid = Result({"context": {"slot": 1}, "value": self.is_valid})
        return [(place, [Result(height), *[valid] * (len(calls) - 1)]) for place, height in enumerate(self.heights)]


@dataclass(slots=True)
class FakeHeads:
    head: Head | None = None


@pytest.fixture
def node() -> FakeNode:
    return FakeNode()


@pytest.fixture
def heads() -> FakeHeads:
    return FakeHeads(Head(100, 100))


@pytest.fixture
def lifetimes(node: FakeNode, heads: FakeHeads) -> Lifetimes:
    return Lifetimes(cast("SolanaNode", node), cast("Heads", heads))


async def life(lifetimes: Lifetimes) -> Life:
    return (await lifetimes.of([PLAN]))[str(HASH)]


async def test_unknown_is_a_doubt_until_the_height_of_the_doubt_is_finalized(
    lifetimes: Lifetimes, node: FakeNode, heads: FakeHeads
) -> None:
    node.heights = (80,)
    assert await life(lifetimes) is Life.DOUBTFUL
    node.heights, heads.head = (99,), Head(140, 140)
    assert await life(lifetimes) is Life.DOUBTFUL
    node.heights = (100,)
    assert await life(lifetimes) is Life.DEAD


async def test_a_node_that_knows_it_outweighs_those_that_do_not(lifetimes: Lifetimes, node: FakeNode) -> None:
    node.heights, node.is_valid = (200, 200), True
    assert await life(lifetimes) is Life.ALIVE


async def test_one_node_s_word_is_not_enough_where_two_are_needed(lifetimes: Lifetimes, node: FakeNode) -> None:
    node.needed, node.heights = 2, (200, 50)
    assert await life(lifetimes) is Life.DOUBTFUL
    node.heights = (200, 200)
    assert await life(lifetimes) is Life.DEAD


async def test_a_head_that_a_node_made_up_does_not_keep_it_in_doubt_for_ever(
    lifetimes: Lifetimes, node: FakeNode, heads: FakeHeads
) -> None:
    heads.head, node.heights = Head(10**12, 10**12), (100,)
    assert await life(lifetimes) is Life.DOUBTFUL
    heads.head = Head(110, 110)
    assert await life(lifetimes) is Life.DOUBTFUL
    node.heights = (110,)
    assert await life(lifetimes) is Life.DEAD


async def test_before_a_head_is_known_nothing_is_dead(lifetimes: Lifetimes, heads: FakeHeads, node: FakeNode) -> None:
    heads.head, node.heights = None, (10**6,)
    assert await life(lifetimes) is Life.DOUBTFUL
