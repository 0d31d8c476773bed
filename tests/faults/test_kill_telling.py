"""kill -9 during delivery (W1 to W4): no event is missing at the receiver, order is kept, duplicates have the same id.

The judges: the receiver's own log, and the database read by another tool.
"""

import asyncio
import base64
import json
import os
import random
import signal
import sqlite3
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web
from standardwebhooks.webhooks import Webhook
from tests.faults.telling import EVENTS, KEY
from tests.rounds import rounds

ROOT = Path(__file__).parents[2]
PER_ROUND = 40


@dataclass
class Receiver:
    """Refuses one in ten and forgets to answer one in a hundred; writes down everything that it was sent."""

    dice: random.Random = field(default_factory=lambda: random.Random(5))
    came: list[tuple[str, str, int, bytes]] = field(default_factory=list)  # id, transaction, number, body
    taken: set[str] = field(default_factory=set)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self, request: web.Request) -> web.Response:
        body = await request.read()
        wrapped = Webhook("whsec_" + base64.b64encode(KEY.encode()).decode())
        event = wrapped.verify(body, dict(request.headers))
        assert event["id"] == request.headers["webhook-id"]
        self.came.append((event["id"], event["payload"]["id"], event["sequence"], body))
        self.news.set()
        luck = self.dice.random()
        if luck < 0.1:
            return web.Response(status=500)
        self.taken.add(event["id"])
        if luck < 0.11:
            assert request.transport is not None
            request.transport.close()
        return web.Response(status=200)

    async def until(self, count: int) -> None:
        """Until so many posts came."""
        while len(self.came) < count:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 30)


@asynccontextmanager
async def receiving() -> AsyncIterator[tuple[Receiver, str]]:
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/", receiver.receive)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield receiver, f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def child(folder: Path, url: str, transactions: int) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.faults.telling", str(folder), url, str(transactions),
        cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        assert await asyncio.wait_for(process.stdout.readline(), 60) == b"up\n"
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.wait()


def stored_events(folder: Path) -> dict[str, tuple[str, int]]:
    """Every event of the database: id → transaction and number. Read by another tool."""
    connection = sqlite3.connect(f"file:{folder / 'baton.db'}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT id, transaction_id, number FROM events")
        return {row[0]: (row[1], row[2]) for row in rows}
    finally:
        connection.close()


@pytest.mark.torture
async def test_a_killed_process_misses_no_event_and_keeps_the_order(tmp_path: Path) -> None:
    dice = random.Random(7)
    async with receiving() as (receiver, url):
        for _ in range(rounds(quick=3, full=50)):
            async with child(tmp_path, url, PER_ROUND):
                await receiver.until(len(receiver.came) + dice.randint(1, PER_ROUND * EVENTS))
        async with child(tmp_path, url, 0):
            async with asyncio.timeout(60):
                while not stored_events(tmp_path).keys() <= receiver.taken:
                    receiver.news.clear()
                    await receiver.news.wait()
        stored = stored_events(tmp_path)
    assert len(stored) > PER_ROUND
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    bodies: defaultdict[str, set[bytes]] = defaultdict(set)
    for event_id, transaction_id, number, body in receiver.came:
        assert stored[event_id] == (transaction_id, number), "an event that was never stored, or an id that moved"
        numbers[transaction_id].append(number)
        bodies[event_id].add(body)
    assert {name: arrived for name, arrived in numbers.items() if arrived != sorted(arrived)} == {}, "out of order"
    assert all(len(versions) == 1 for versions in bodies.values()), "a retry with another body"
    assert json.loads(receiver.came[0][3])["event"] == "transaction_update"
