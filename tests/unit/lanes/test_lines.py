"""Lines open with the first lane and close after the last; between, one watcher serves all of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import pytest

from baton.chains.seam import ChainReplaced, Tip
from baton.domain.errors import NodeUnavailable, WrongChain
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.transaction import Block
from baton.lanes.lines import Line, Lines, Nodes, OpenLine

NETWORK = Network("local", Family.EVM)
HERE, THERE = (Nodes(NETWORK, (RpcUrl(f"http://{name}.example"),)) for name in ("here", "there"))
PATIENCE_S = 20


class AChain:
    """Says what it is told to say: an identity or an outage at each question, then a tip or a replacement."""

    def __init__(self) -> None:
        self.identities: list[str | Exception] = []
        self.tips_told: asyncio.Queue[int | Exception] = asyncio.Queue()
        self.watchers = 0
        self.is_closed = False

    async def identity(self) -> str:
        found = self.identities.pop(0) if len(self.identities) > 1 else self.identities[0]
        if isinstance(found, Exception):
            raise found
        return found

    async def tips(self) -> AsyncIterator[Tip]:
        self.watchers += 1
        try:
            while True:
                told = await self.tips_told.get()
                if isinstance(told, Exception):
                    raise told
                yield Tip(Block(told, hex(told)))
        finally:
            self.watchers -= 1

    async def close(self) -> None:
        assert not self.watchers, "nobody watches a closed line"
        self.is_closed = True


class Opened:
    """Every line that was opened, in order."""

    def __init__(self) -> None:
        self.chains: list[AChain] = []
        self.nodes: list[Nodes] = []
        self.identities: list[str | Exception] = ["one"]

    def __call__(self, nodes: Nodes) -> Line:
        chain = AChain()
        chain.identities = list(self.identities)
        self.chains.append(chain)
        self.nodes.append(nodes)
        return Line(cast("Any", chain), cast("Any", None), chain.close)


@pytest.fixture
def opened() -> Opened:
    return Opened()


@pytest.fixture
async def lines(opened: Opened) -> AsyncIterator[Lines]:
    found = Lines(opened)
    yield found
    await found.close()


async def until(news: asyncio.Event, is_so: Callable[[], bool]) -> None:
    """As a lane waits: it looks at each piece of news."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():
            await news.wait()
            news.clear()


def identity_of(line: OpenLine) -> str | None:
    return None if line.spell is None else line.spell.identity


async def test_lanes_with_the_same_nodes_share_a_line_and_its_watcher(lines: Lines, opened: Opened) -> None:
    one, two = asyncio.Event(), asyncio.Event()
    with lines.joined(HERE, one) as first, lines.joined(Nodes(NETWORK, HERE.urls), two) as second:
        assert first is second
        await until(one, lambda: first.spell is not None)
        await until(two, lambda: second.spell is not None)
        assert [chain.watchers for chain in opened.chains] == [1]


async def test_a_line_lives_as_long_as_one_lane_uses_it(lines: Lines, opened: Opened) -> None:
    news = asyncio.Event()
    with lines.joined(HERE, news) as line:
        with lines.joined(HERE, asyncio.Event()):
            await until(news, lambda: line.spell is not None)
        await asyncio.sleep(0)
        assert line.spell is not None
        assert not opened.chains[0].is_closed
    await lines.close()
    assert opened.chains[0].is_closed
    assert opened.nodes == [HERE]


async def test_other_nodes_or_other_weights_are_another_line(lines: Lines, opened: Opened) -> None:
    heavier = Nodes(NETWORK, tuple(RpcUrl(url.url, 7) for url in HERE.urls))
    news = asyncio.Event()
    with lines.joined(HERE, news), lines.joined(THERE, news), lines.joined(heavier, news):
        assert opened.nodes == [HERE, THERE, heavier]


async def test_whoever_comes_while_a_line_closes_gets_a_new_one(lines: Lines, opened: Opened) -> None:
    news = asyncio.Event()
    with lines.joined(HERE, news) as old:
        await until(news, lambda: old.spell is not None)
    with lines.joined(HERE, news) as new:
        assert new is not old
        await lines.close()
        await until(news, lambda: new.spell is not None)
        assert [chain.is_closed for chain in opened.chains] == [True, False]


async def test_a_line_that_is_left_before_its_nodes_answered_is_closed_too(lines: Lines, opened: Opened) -> None:
    opened.identities = [NodeUnavailable("silent")]
    with lines.joined(HERE, asyncio.Event()):
        await asyncio.sleep(0)
    await lines.close()
    assert opened.chains[0].is_closed


async def test_nodes_that_come_back_begin_the_spell(lines: Lines, opened: Opened) -> None:
    opened.identities = [NodeUnavailable("silent"), "one"]
    news = asyncio.Event()
    with lines.joined(HERE, news) as line:
        await until(news, lambda: identity_of(line) == "one")


async def test_nodes_of_another_chain_are_told_until_they_are_mended(lines: Lines, opened: Opened) -> None:
    opened.identities = [WrongChain("serves 5"), WrongChain("serves 5"), NodeUnavailable("silent"), "one"]
    news = asyncio.Event()
    with lines.joined(HERE, news) as line:
        await until(news, lambda: line.stray == "serves 5")
        assert line.spell is None
        await until(news, lambda: line.stray is None)
        await until(news, lambda: identity_of(line) == "one")


async def test_a_replaced_chain_begins_another_spell(lines: Lines, opened: Opened) -> None:
    opened.identities = ["one", "two"]
    news = asyncio.Event()
    with lines.joined(HERE, news) as line:
        await until(news, lambda: identity_of(line) == "one")
        first = line.spell
        opened.chains[0].tips_told.put_nowait(ChainReplaced("another one"))
        await until(news, lambda: identity_of(line) == "two")
        assert line.spell is not first
        assert opened.chains[0].watchers == 1
