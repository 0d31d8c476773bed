"""A relayer's nodes are changed again and again under load: every payment arrives once, signed once, from one owner a time."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.faults.evm_judge import Books, judge_everything
from tests.faults.evm_rig import FaultRig
from tests.faults.proxy import FaultProxy
from tests.faults.rules import Latency, LoseResponse
from tests.faults.test_evm_fencing import WatchedStore, paying, until_in
from tests.rounds import rounds

from baton.chains.seam import Pen
from baton.devnet.anvil import Anvil


class CountingPen:
    """A signer that remembers what it signed."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self.public_key = pen.public_key
        self.signed: list[bytes] = []

    async def sign(self, payloads: list[bytes]) -> list[bytes]:
        self.signed += payloads
        return await self._pen.sign(payloads)


@pytest.fixture
async def moved(anvil: Anvil, tmp_path: Path) -> AsyncIterator[FaultRig]:
    """A lane that may go by either of two ways; the first one is the network's."""
    async with FaultProxy(anvil.url) as first, FaultProxy(anvil.url) as second:
        rig = FaultRig(anvil, [first], tmp_path / "data")
        rig.proxies = (first, second)
        rig.parts = replace(rig.parts, pen=CountingPen(rig.parts.pen))
        rig.wrap_store = WatchedStore
        yield rig
        await rig.stop()


@pytest.mark.torture
async def test_a_lane_that_moves_under_load_signs_and_pays_once(moved: FaultRig) -> None:
    """E1, N1, N3, M1: sent by whichever nodes it had at the time."""
    dice = random.Random(7)
    await moved.start()
    store, pen = moved.store, moved.parts.pen
    assert isinstance(store, WatchedStore)
    assert isinstance(pen, CountingPen)
    first, second = moved.proxies
    paid: dict[str, str] = {}
    moves = rounds(quick=6, full=60)
    async with moved.mining(), paying(moved, paid):
        await until_in(store.written, 1)
        for turn in range(moves):
            moved.set_nodes(*([] if turn % 2 else [second.url]))
            await until_in(store.written, turn + 2)
            await asyncio.sleep(dice.random() * 0.1)  # so that moves meet a lane at any of its steps
    records = await moved.settled(list(paid))
    assert {record["status"] for record in records} == {"confirmed"}
    assert store.epochs == list(range(1, moves + 2))
    assert store.refused == [], "no old lane wrote after its end"
    assert len(pen.signed) == len(set(pen.signed)) == len(Books.read(moved.folder).attempts)
    assert min(len(first.forwarded), len(second.forwarded)) > 0
    await judge_everything(moved, {one: [receiver] for one, receiver in paid.items()})


@pytest.mark.torture
async def test_moves_between_nodes_that_are_slow_and_lose_answers_double_nothing(moved: FaultRig) -> None:
    """E5, D6: what a node may have got is sent again as it is, by whichever nodes."""
    await moved.start()
    store = moved.store
    assert isinstance(store, WatchedStore)
    for proxy in moved.proxies:
        proxy.add(Latency(0.0, 0.05))
        proxy.add(LoseResponse(), "eth_sendRawTransaction", probability=0.3)
    paid: dict[str, str] = {}
    async with moved.mining(), paying(moved, paid):
        await until_in(store.written, 1)
        for turn in range(rounds(quick=4, full=40)):
            moved.set_nodes(*([] if turn % 2 else [moved.proxies[1].url]))
            await until_in(store.written, turn + 2)
    for proxy in moved.proxies:
        proxy.clear()
    records = await moved.settled(list(paid))
    assert {record["status"] for record in records} == {"confirmed"}
    await judge_everything(moved, {one: [receiver] for one, receiver in paid.items()})
