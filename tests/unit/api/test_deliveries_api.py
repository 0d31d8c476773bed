"""Deliveries, replay, test events and the feed over HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

import pytest
from tests.asgi_client import BEARER, Client
from tests.house import EVM, House

from baton.api.asgi import Api
from baton.api.auth import Keys
from baton.api.build import build_api
from baton.api.limits import Limits
from baton.commands import feed
from baton.domain.delivery import DeliveryStatus, Said
from baton.domain.notification import Health, Notification
from baton.storage.changes import Fence, Owned, RecordTries, TakeLane, TryOutcome
from baton.webhooks.feed import Feed

SEND = "/api/v1/relayers/evm-local/transactions"
LIST = "/api/v1/notifications/hook/deliveries"
BODY = {"value": 5, "to": "0x" + "11" * 20}


class Desk:
    """A house with one notification that hears of everything, and hands that publish and deliver."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.client = house.client
        self.feed = Feed(house.store, house.context.relayers, house.clock, "node", lambda _: None)

    async def owned(self, lane: str) -> Fence:
        outcome = await self.house.store.write(TakeLane(lane, "node", self.house.clock.now()))
        assert isinstance(outcome, Owned)
        return Fence(lane, outcome.epoch)

    async def submit(self, count: int = 1) -> None:
        for _ in range(count):
            assert (await self.client.post(SEND, BODY)).status == 200
        await self.feed.publish(await self.owned("feed"))

    async def tried(self, delivery_id: str, said: Said, health: Health | None = None) -> None:
        status = DeliveryStatus.DELIVERED if said.is_taken else DeliveryStatus.PENDING
        fence = await self.owned("notification/hook")
        outcome = TryOutcome(delivery_id, said, status, None if said.is_taken else said.at)
        now = self.house.clock.now()
        await self.house.store.write(RecordTries(fence, "hook", now, health or Health(), 1, (outcome,)))


@pytest.fixture
async def desk(house: House) -> Desk:
    house.context.relayers.put(replace(EVM, notification_ids=("*",)))
    await house.client.post("/api/v1/notifications", {"id": "hook", "url": "https://example.com"})
    return Desk(house)


@pytest.mark.parametrize("query", ["", "?page=x", "?status=lost"])
async def test_an_unknown_notification_comes_before_a_wrong_query(desk: Desk, query: str) -> None:
    reply = await desk.client.get("/api/v1/notifications/nobody/deliveries" + query)
    assert (reply.status, reply.message) == (404, "Notification not found")


async def test_deliveries_are_listed_newest_first_with_every_attempt(desk: Desk) -> None:
    await desk.submit(3)
    reply = await desk.client.get(LIST + "?per_page=2")
    assert reply.json["pagination"] == {"current_page": 1, "per_page": 2, "total_items": 3}
    assert [each["position"] for each in reply.data] == [3, 2]
    now = desk.house.clock.now()
    await desk.tried(reply.data[0]["id"], Said(now, 12, 500, "HTTP 500", "oops"))
    await desk.tried(reply.data[0]["id"], Said(now, 7, 200))
    (shown,) = (await desk.client.get(LIST + "?status=delivered")).data
    assert [(one["number"], one["status_code"], one["error"], one["response"]) for one in shown["attempts"]] == [
        (1, 500, "HTTP 500", "oops"),
        (2, 200, None, ""),
    ]
    assert (shown["event"], shown["sequence"], shown["status"]) == ("transaction_update", 1, "delivered")
    assert (await desk.client.get(LIST + "?status=pending")).json["pagination"]["total_items"] == 2
    assert (await desk.client.get(LIST + "?status=failed")).data == []


async def test_a_wrong_status_and_an_unknown_notification_are_refused(desk: Desk) -> None:
    wrong = await desk.client.get(LIST + "?status=lost")
    assert (wrong.status, wrong.message) == (400, "Bad Request")
    for reply in (
        await desk.client.get("/api/v1/notifications/nobody/deliveries"),
        await desk.client.post("/api/v1/notifications/nobody/test", b""),
        await desk.client.post("/api/v1/notifications/nobody/deliveries/x/replay", b""),
    ):
        assert (reply.status, reply.message) == (404, "Notification not found")


async def test_a_replay_is_a_new_delivery_of_the_same_event(desk: Desk) -> None:
    await desk.submit()
    (old,) = (await desk.client.get(LIST)).data
    reply = await desk.client.post(f"{LIST}/{old['id']}/replay", b"")
    assert reply.status == 200
    assert reply.data["replay_of"] == old["id"]
    assert reply.data["event_id"] == old["event_id"]
    assert reply.data["id"] != old["id"]
    assert reply.data["status"] == "pending"
    missing = await desk.client.post(f"{LIST}/nothing/replay", b"")
    assert (missing.status, missing.message) == (404, "Not found")


async def test_a_disabled_receiver_is_visible_in_its_deliveries(desk: Desk) -> None:
    await desk.submit(2)
    first, _ = (await desk.client.get(LIST)).data
    gone = Health(1, desk.house.clock.now(), None, "the receiver answered 410 Gone")
    await desk.tried(first["id"], Said(desk.house.clock.now(), 3, 410, "HTTP 410"), gone)
    shown = (await desk.client.get(LIST)).data
    assert [(one["reason"], one["next_attempt_at"]) for one in shown] == [(gone.disabled_reason, None)] * 2
    assert (await desk.client.patch("/api/v1/notifications/hook", {})).status == 200
    shown = (await desk.client.get(LIST)).data
    assert all(one["next_attempt_at"] is not None for one in shown)


async def test_a_test_event_is_answered_with_what_the_receiver_said(desk: Desk) -> None:
    assert (await desk.client.post("/api/v1/notifications/hook/test", b"")).status == 503  # nothing is delivered here

    async def probe(notification: Notification) -> Said:
        assert notification.id == "hook"
        return Said(desk.house.clock.now(), 42, 503, "HTTP 503", "later")

    context = replace(desk.house.context, probe=probe)
    client = Client(build_api(context, Keys(BEARER[1].removeprefix("Bearer ")), Limits(), ()))
    reply = await client.post("/api/v1/notifications/hook/test", b"")
    assert reply.data == {
        "delivered": False, "status_code": 503, "took_ms": 42, "error": "HTTP 503", "response": "later",
    }  # fmt: skip


async def test_the_feed_is_read_by_cursor_without_a_gap(desk: Desk) -> None:
    await desk.submit(5)
    cursor, seen = "", []
    while True:
        page = (await desk.client.get(f"/api/v1/events?limit=2{cursor}")).data
        if not page["events"]:
            break
        seen += page["events"]
        cursor = f"&after={page['cursor']}"
    assert [event["position"] for event in seen] == [1, 2, 3, 4, 5]
    assert {event["event"] for event in seen} == {"transaction_update"}
    assert seen[0]["payload"]["payload_type"] == "transaction"
    assert seen[0]["payload"]["status"] == "pending"
    assert (await desk.client.get("/api/v1/events?after=now")).data == {"events": [], "cursor": 5}


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "after=6", "limit=0", "limit=1001", "wait=61", "wait=-1", "wait=x"]
)
async def test_a_wrong_question_to_the_feed_is_refused(desk: Desk, query: str) -> None:
    await desk.submit(5)
    reply = await desk.client.get(f"/api/v1/events?{query}")
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert reply.error.startswith(query.partition("=")[0])


async def test_who_waits_is_answered_when_something_comes(desk: Desk) -> None:
    waiting = asyncio.create_task(desk.client.get("/api/v1/events?after=0&wait=60"))
    await asyncio.sleep(0)
    await desk.submit()
    reply = await asyncio.wait_for(waiting, 10)
    assert [event["position"] for event in reply.data["events"]] == [1]


async def test_who_waits_is_answered_when_the_service_stops(desk: Desk) -> None:
    waiting = asyncio.create_task(desk.client.get("/api/v1/events?after=0&wait=60"))
    await asyncio.sleep(0)
    desk.house.context.stopping.set()
    assert (await asyncio.wait_for(waiting, 10)).data == {"events": [], "cursor": 0}


async def streamed(api: Api, *headers: tuple[str, str]) -> AsyncIterator[bytes]:
    """The parts of a stream as they come; ends it by leaving."""
    parts: asyncio.Queue[dict[str, object]] = asyncio.Queue()
    left = asyncio.Event()

    async def receive() -> dict[str, object]:
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        await parts.put(message)

    wanted = [(name.encode(), value.encode()) for name, value in (BEARER, ("accept", "text/event-stream"), *headers)]
    scope = {
        "type": "http", "method": "GET", "path": "/api/v1/events", "raw_path": b"/api/v1/events",
        "query_string": b"", "headers": wanted,
    }  # fmt: skip
    task = asyncio.create_task(api(scope, receive, send))
    try:
        start = await asyncio.wait_for(parts.get(), 10)
        assert start["status"] == 200
        while True:
            part = await asyncio.wait_for(parts.get(), 10)
            if part["body"]:
                assert isinstance(part["body"], bytes)
                yield part["body"]
            if not part.get("more_body"):
                return
    finally:
        left.set()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_the_feed_comes_as_server_sent_events_too(desk: Desk) -> None:
    await desk.submit(2)
    stream = streamed(desk.house.api, ("last-event-id", "1"))
    first = await anext(stream)
    assert first.startswith(b": the feed of Baton\n\nid: 2\nevent: transaction_update\ndata: {")
    await desk.submit()
    then = await anext(stream)
    assert then.startswith(b"id: 3\n")
    data = then.partition(b"data: ")[2].strip()
    assert json.loads(data)["position"] == 3
    await stream.aclose()  # type: ignore[attr-defined]


async def test_a_stream_ends_when_the_store_cannot_be_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a crash: whoever comes back with the cursor is answered 503, and later the rest."""
    monkeypatch.setattr(feed, "BEAT_S", 0.01)
    await desk.submit()
    stream = streamed(desk.house.api)
    assert b"\nid: 1\n" in await anext(stream)
    desk.house.store.is_down = True
    assert [part async for part in stream] == []
    assert (await desk.client.get("/api/v1/events?after=1")).status == 503


async def test_a_rotated_key_is_never_shown_and_both_sign_for_a_while(desk: Desk) -> None:
    for key in ("first-secret", "second-secret"):
        reply = await desk.client.patch("/api/v1/notifications/hook", {"signing_key": key})
        assert b"secret" not in reply.body
    async with desk.house.store.read() as snapshot:
        stored = await snapshot.notifications.one("hook")
    assert stored is not None
    assert stored.keys_at(desk.house.clock.now()) == ["second-secret", "first-secret"]
    await desk.client.patch("/api/v1/notifications/hook", {"signing_key": ""})
    async with desk.house.store.read() as snapshot:
        stored = await snapshot.notifications.one("hook")
    assert stored is not None
    assert stored.keys_at(desk.house.clock.now()) == []
    assert stored.previous_key is None
