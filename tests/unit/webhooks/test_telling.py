"""Everything together on a real clock: from the commit of an event to the receiver, through the feed, leases and sockets."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp import web
from standardwebhooks.webhooks import Webhook
from tests.fakes import FakeClock
from tests.house import EVM, language_of
from tests.unit.webhooks.receivers import receiving, status

from baton.commands import transactions
from baton.commands.context import Context
from baton.commands.registry import Relayers
from baton.config.environment import LOCAL_RANGES
from baton.domain.clock import SystemClock
from baton.domain.delivery import Delivery, DeliveryStatus
from baton.domain.notification import Notification
from baton.storage.changes import CreateNotification, Replay
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore
from baton.webhooks.retention import forget_once
from baton.webhooks.schedule import Schedule
from baton.webhooks.telling import Probe, TellingSettings, telling

WHSEC = "whsec_" + base64.b64encode(bytes(range(24))).decode()
QUICK = Schedule(steps_s=(0.05, 0.1, 0.2, 0.4, 1.0, 30.0), rest_s=0.05, rest_max_s=0.1)


@dataclass
class Hook:
    """A receiver that verifies with the standardwebhooks package and answers what it is told to, one after the other."""

    answers: list[int] = field(default_factory=list)
    events: list[dict[str, object]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self, request: web.Request) -> web.Response:
        self.events.append(Webhook(WHSEC).verify(await request.read(), dict(request.headers)))
        self.news.set()
        return web.Response(status=self.answers.pop(0) if self.answers else 200)

    async def until(self, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.events) < count:
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def hooked(hook: Hook) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_post("/hook", hook.receive)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    await runner.cleanup()


@dataclass
class Room:
    context: Context
    store: SqliteStore
    probe: Probe

    async def notify(self, name: str, url: str) -> None:
        await self.store.write(CreateNotification(Notification(name, url, self.context.clock.now(), WHSEC)))

    async def submit(self) -> str:
        return (await transactions.submit(self.context, "evm-local", {"value": 1, "to": "0x" + "11" * 20})).view.id

    async def deliveries(self, name: str) -> list[Delivery]:
        async with self.store.read() as snapshot:
            return list((await snapshot.deliveries.page(name, 1, 1000)).items)

    async def until_all(self, name: str, wanted: DeliveryStatus) -> None:
        async with asyncio.timeout(20):
            while {one.status for one in await self.deliveries(name)} != {wanted}:
                await asyncio.sleep(0.02)


@asynccontextmanager
async def room(folder: Path, allowed: object = LOCAL_RANGES) -> AsyncIterator[Room]:
    store = await SqliteStore.open(folder, Cipher(bytes(32)))
    relayers = Relayers(language_of, [replace(EVM, notification_ids=("*",))])
    clock = SystemClock()
    settings = TellingSettings(allowed, schedule=QUICK)  # type: ignore[arg-type]
    async with telling(store, relayers, clock, "node", settings) as probe:
        yield Room(Context(store, relayers, clock), store, probe)
    await store.close()


async def test_a_submitted_transaction_is_heard_of(tmp_path: Path) -> None:
    hook = Hook()
    async with hooked(hook) as url, room(tmp_path) as made:
        await made.notify("n", url)
        transaction_id = await made.submit()
        await hook.until(1)
        payload = hook.events[0]["payload"]
        assert isinstance(payload, dict)
        assert (payload["id"], payload["status"], hook.events[0]["sequence"]) == (transaction_id, "pending", 1)
        await made.until_all("n", DeliveryStatus.DELIVERED)


async def test_a_failure_is_tried_again_with_the_same_id(tmp_path: Path) -> None:
    hook = Hook(answers=[500, 429, 301, 200])
    async with hooked(hook) as url, room(tmp_path) as made:
        await made.notify("n", url)
        await made.submit()
        await hook.until(4)
        await made.until_all("n", DeliveryStatus.DELIVERED)
        (delivery,) = await made.deliveries("n")
        async with made.store.read() as snapshot:
            tries = await snapshot.deliveries.tries(delivery.id)
    assert [one.said.status_code for one in tries] == [500, 429, 301, 200]
    assert len({json.dumps(event) for event in hook.events}) == 1


async def test_a_receiver_that_hangs_holds_up_nobody_else(tmp_path: Path) -> None:
    async def hang(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    hook = Hook()
    async with hooked(hook) as url, receiving(hang) as (dead, _), room(tmp_path) as made:
        await made.notify("dead", dead)
        await made.notify("n", url)
        for count in range(1, 11):
            await made.submit()
            await asyncio.wait_for(hook.until(count), 5)
        assert {one.status for one in await made.deliveries("dead")} == {DeliveryStatus.PENDING}


async def test_what_was_not_told_before_a_stop_is_told_after_the_next_start(tmp_path: Path) -> None:
    hook = Hook(answers=[503])
    async with hooked(hook) as url:
        async with room(tmp_path) as made:
            await made.notify("n", url)
            await made.submit()
            await hook.until(1)
        async with room(tmp_path) as made:
            await hook.until(2)
            await made.until_all("n", DeliveryStatus.DELIVERED)


async def test_a_forbidden_receiver_is_visible_with_the_reason(tmp_path: Path) -> None:
    async with receiving(status(200)) as (url, heads), room(tmp_path, allowed=()) as made:
        await made.notify("n", url)
        await made.submit()
        async with asyncio.timeout(10):
            while not [one for one in await made.deliveries("n") if one.tries]:
                await asyncio.sleep(0.02)
        (delivery,) = await made.deliveries("n")
        assert delivery.reason is not None
        assert delivery.reason.startswith("blocked address 127.0.0.1: loopback")
        assert heads == []


async def test_a_replay_goes_out_at_once(tmp_path: Path) -> None:
    hook = Hook()
    async with hooked(hook) as url, room(tmp_path) as made:
        await made.notify("n", url)
        await made.submit()
        await hook.until(1)
        await made.until_all("n", DeliveryStatus.DELIVERED)
        (delivery,) = await made.deliveries("n")
        await made.store.write(Replay("n", delivery.id, "again", made.context.clock.now()))
        await hook.until(2)
        assert hook.events[0] == hook.events[1]


async def test_a_test_event_is_signed_like_any_other(tmp_path: Path) -> None:
    hook = Hook(answers=[418])
    async with hooked(hook) as url, room(tmp_path) as made:
        said = await made.probe(Notification("n", url, made.context.clock.now(), WHSEC))
    assert (said.status_code, said.error) == (418, "HTTP 418")
    assert hook.events[0]["event"] == "notification_test"


@pytest.mark.parametrize(("days", "left"), [(0.0, 1), (1.0, 1), (30.0, 1)])
async def test_retention_forgets_only_what_is_old(tmp_path: Path, days: float, left: int) -> None:
    hook = Hook()
    async with hooked(hook) as url, room(tmp_path) as made:
        await made.notify("n", url)
        await made.submit()
        await hook.until(1)
        await made.until_all("n", DeliveryStatus.DELIVERED)
        clock = FakeClock(made.context.clock.now() + timedelta(minutes=1))
        await forget_once(made.store, clock, days, days)
        assert len(await made.deliveries("n")) == left
        clock.advance(31 * 86_400)
        await forget_once(made.store, clock, days, days)
        async with made.store.read() as snapshot:
            events = await snapshot.feed.after(0, 10)
        assert (len(await made.deliveries("n")), len(events)) == ((left, 1) if days == 0 else (0, 0))
