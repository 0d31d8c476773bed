"""Sections 2.3 and 4.4 to 4.6 of the interface: notifications."""

import re
from dataclasses import replace
from typing import Any

import pytest
from tests.asgi_client import Client
from tests.house import EVM, House

from baton.storage.changes import Stale

ALL = "/api/v1/notifications"
URL = "https://example.com/hooks"
KEY = "canary-signing-key-4711"


async def make(client: Client, **fields: Any) -> dict[str, Any]:
    reply = await client.post(ALL, {"url": URL, **fields})
    assert reply.status == 201, reply.body
    return dict(reply.data)


async def stored_key(house: House, notification_id: str) -> str | None:
    async with house.store.read() as snapshot:
        stored = await snapshot.notifications.one(notification_id)
    assert stored is not None
    return stored.signing_key


async def test_a_notification_is_created(client: Client) -> None:
    """interface §2.3, §4.4: `data` = one notification record with `id`, `type`, `url`, `has_signing_key`."""
    made = await make(client, id="orders", type="webhook", signing_key=KEY)
    assert made == {"id": "orders", "type": "webhook", "url": URL, "has_signing_key": True}


async def test_only_the_url_is_required(client: Client) -> None:
    """interface §4.4: `id`, `type` and `signing_key` are optional; a UUID is given where the id is omitted."""
    made = await make(client)
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", made["id"])
    assert (made["type"], made["has_signing_key"]) == ("webhook", False)
    nulls = await make(client, id=None, type=None, signing_key=None)
    assert nulls["id"] != made["id"]


async def test_the_signing_key_is_never_returned(house: House, client: Client) -> None:
    """interface §2.3, §6: the record exposes only `has_signing_key`; the key itself is never returned."""
    made = await make(client, signing_key=KEY)
    one = f"{ALL}/{made['id']}"
    replies = [
        await client.get(ALL),
        await client.get(one),
        await client.patch(one, {"signing_key": KEY + "2"}),
        await client.patch(one, {"signing_key": KEY, "wrong": KEY}),
        await client.post(ALL, {"url": URL, "signing_key": [KEY]}),
        await client.post(ALL, {"url": URL, "signing_key": KEY * 100}),
        await client.post(ALL, {"url": URL, "signing_key": {"key": KEY}}),
    ]
    assert all(KEY not in reply.body.decode() for reply in replies)
    assert await stored_key(house, made["id"]) == KEY + "2"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"url": None}, "url"),
        ({"url": ""}, "url"),
        ({"url": 5}, "url"),
        ({"url": "example.com"}, "url"),
        ({"url": "/relative"}, "url"),
        ({"url": "ftp://example.com"}, "url"),
        ({"url": "http://"}, "url"),
        ({"url": "http:///path"}, "url"),
        ({"url": "http://a b"}, "url"),
        ({"url": "http://a\tb"}, "url"),
        ({"url": "http://[::1"}, "url"),
        ({"url": "http://host:99999"}, "url"),
        ({"url": "http://host:port"}, "url"),
        ({"url": "http://" + "a" * 2042}, "url"),
        ({"id": ""}, "id"),
        ({"id": "a" * 37}, "id"),
        ({"id": "a b"}, "id"),
        ({"id": "a/b"}, "id"),
        ({"id": "ä"}, "id"),
        ({"id": "orders\n"}, "id"),
        ({"id": 5}, "id"),
        ({"type": "email"}, "type"),
        ({"type": 5}, "type"),
        ({"signing_key": 5}, "signing_key"),
        ({"signing_key": "a" * 513}, "signing_key"),
        ({"extra": 1}, "extra"),
    ],
)
async def test_a_field_that_is_not_as_it_must_be_is_refused(client: Client, fields: dict[str, Any], named: str) -> None:
    """interface §4.4, §7: `Bad Request`; `url` is a required string, `type` only `webhook`."""
    reply = await client.post(ALL, {"url": URL, **fields})
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert reply.error.startswith(f"{named}: found "), reply.error
    assert (await client.get(ALL)).data == []


async def test_a_missing_url_is_refused(client: Client) -> None:
    """interface §4.4: `url` is required."""
    reply = await client.post(ALL, {"id": "orders"})
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert reply.error.startswith("url: found nothing, expected an absolute http or https URL")


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:9000/x?y=1#z", "https://user:pw@host", "HTTPS://Host/", "http://[::1]:80", "http://ä.de/ß"],
)
async def test_an_absolute_url_is_kept_as_it_was_given(client: Client, url: str) -> None:
    """interface §2.3: `url` is the target address."""
    assert (await make(client, url=url))["url"] == url


async def test_the_longest_fields_are_taken(client: Client) -> None:
    made = await make(client, id="a" * 36, url="http://" + "a" * 2041, signing_key="k" * 512)
    assert len(made["url"]) == 2048


async def test_an_id_that_is_taken_is_a_conflict(client: Client) -> None:
    """interface §4.4, §7: `Notification with this ID already exists`."""
    await make(client, id="orders")
    reply = await client.post(ALL, {"url": "http://other", "id": "orders"})
    assert (reply.status, reply.message) == (409, "Notification with this ID already exists")
    assert (await client.get(f"{ALL}/orders")).data["url"] == URL


async def test_a_notification_is_updated(client: Client) -> None:
    """interface §4.5: `type` and `url` are optional; `data` = one notification record."""
    await make(client, id="orders")
    reply = await client.patch(f"{ALL}/orders", {"url": "http://other", "type": "webhook"})
    assert reply.status == 200
    assert reply.data == {"id": "orders", "type": "webhook", "url": "http://other", "has_signing_key": False}
    assert (await client.get(f"{ALL}/orders")).data == reply.data


@pytest.mark.parametrize("patch", [{}, {"signing_key": None}, {"url": None, "type": None}, {"url": "http://other"}])
async def test_an_absent_or_null_signing_key_is_left_unchanged(
    house: House, client: Client, patch: dict[str, Any]
) -> None:
    """interface §4.5 rule 1: absent or null leaves the stored signing key unchanged."""
    await make(client, id="orders", signing_key=KEY)
    reply = await client.patch(f"{ALL}/orders", patch)
    assert reply.data["has_signing_key"] is True
    assert reply.data["url"] == (patch.get("url") or URL)
    assert await stored_key(house, "orders") == KEY


async def test_an_empty_signing_key_removes_the_stored_one(house: House, client: Client) -> None:
    """interface §4.5 rule 2: the empty string removes the stored signing key."""
    await make(client, id="orders", signing_key=KEY)
    assert (await client.patch(f"{ALL}/orders", {"signing_key": ""})).data["has_signing_key"] is False
    assert await stored_key(house, "orders") is None


async def test_another_signing_key_is_set(house: House, client: Client) -> None:
    """interface §4.5 rule 3: a non-empty string is set as the signing key."""
    await make(client, id="orders")
    assert (await client.patch(f"{ALL}/orders", {"signing_key": KEY})).data["has_signing_key"] is True
    assert await stored_key(house, "orders") == KEY
    await client.patch(f"{ALL}/orders", {"signing_key": "another"})
    assert await stored_key(house, "orders") == "another"


async def test_an_empty_signing_key_at_creation_is_none(client: Client) -> None:
    """interface §6: the signing key is optional."""
    assert (await make(client, signing_key=""))["has_signing_key"] is False


@pytest.mark.parametrize(
    "patch",
    [{"url": ""}, {"url": "ftp://x"}, {"type": "email"}, {"signing_key": 5}, {"id": "other"}, {"extra": 1}, [], "x"],
)
async def test_a_wrong_update_is_refused_and_changes_nothing(client: Client, patch: Any) -> None:
    """interface §4.5, §7: `Bad Request`; `type` only `webhook`."""
    before = await make(client, id="orders")
    reply = await client.patch(f"{ALL}/orders", patch)
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert (await client.get(f"{ALL}/orders")).data == before


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_an_unknown_notification_is_not_found(client: Client, method: str) -> None:
    """interface §4.5, §7: `Notification not found`."""
    for body in ({}, {"extra": 1}):
        reply = await client.send_json(method, f"{ALL}/nobody", body)
        assert (reply.status, reply.message) == (404, "Notification not found")


async def test_notifications_are_listed_page_by_page(house: House, client: Client) -> None:
    """interface §4.6: `data` = array of notification records and `pagination` is filled; 10 to a page, from page 1."""
    for number in range(12):
        await make(client, id=f"n{number}")
        house.clock.advance(1)
    first, second = await client.get(ALL), await client.get(f"{ALL}?page=2")
    assert [record["id"] for record in first.data + second.data] == [f"n{number}" for number in range(11, -1, -1)]
    assert first.json["pagination"] == {"current_page": 1, "per_page": 10, "total_items": 12}
    assert second.json["pagination"] == {"current_page": 2, "per_page": 10, "total_items": 12}
    assert set(first.data[0]) == {"id", "type", "url", "has_signing_key"}


@pytest.mark.parametrize(
    ("query", "count", "used"),
    [("page=0&per_page=2", 2, 2), ("per_page=0", 0, 0), ("page=9", 0, 10), ("per_page=5000", 3, 1000)],
)
async def test_a_page_of_notifications_obeys_the_same_rules(client: Client, query: str, count: int, used: int) -> None:
    """interface §4.6, §8: `page` starts at 1 and may be 0; `per_page` is >= 0."""
    for _ in range(3):
        await make(client)
    reply = await client.get(f"{ALL}?{query}")
    assert len(reply.data) == count
    assert (reply.json["pagination"]["per_page"], reply.json["pagination"]["total_items"]) == (used, 3)


async def test_a_deleted_notification_is_gone(client: Client) -> None:
    await make(client, id="orders")
    assert (await client.delete(f"{ALL}/orders")).data is None
    assert (await client.delete(f"{ALL}/orders")).status == 404
    assert (await client.get(ALL)).data == []


async def test_a_notification_that_a_relayer_names_is_not_deleted(house: House, client: Client) -> None:
    await make(client, id="orders")
    house.context.relayers.put(replace(EVM, notification_ids=("orders",)))
    reply = await client.delete(f"{ALL}/orders")
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert "evm-local" in reply.error
    assert (await client.get(f"{ALL}/orders")).status == 200


async def test_another_update_in_between_starts_over(house: House, client: Client) -> None:
    await make(client, id="orders")
    house.store.answers = [Stale(), Stale()]
    assert (await client.patch(f"{ALL}/orders", {"url": "http://other"})).data["url"] == "http://other"
    house.store.answers = [Stale()] * 5
    assert (await client.patch(f"{ALL}/orders", {"url": URL})).status == 503
