"""PATCH of a relayer: a merge patch, in force at once, kept, and told."""

from typing import Any

import pytest
from tests.asgi_client import Client
from tests.house import EVM, House

from baton.commands.relayer_update import merged, set_disabled
from baton.domain.events import RelayerEvent
from baton.storage.changes import Done, Fence, Owned, Publish, SaveRelayer, TakeLane

PATH = "/api/v1/relayers/evm-local"
ENTRY: dict[str, Any] = {
    "id": "evm-local",
    "name": "EVM",
    "network": "local",
    "network_type": "evm",
    "signer_id": "evm-signer",
    "policies": {"max_value": 100, "min_balance": 7},
}


@pytest.fixture
async def seeded(house: House) -> House:
    content = {"relayer": ENTRY, "address": EVM.address}
    saved = SaveRelayer("evm-local", house.clock.now(), 0, "file", "hash", content)
    assert await house.store.write(saved) == Done()
    return house


async def told(house: House) -> list[Any]:
    """The payloads of every relayer event, oldest first."""
    outcome = await house.store.write(TakeLane("feed", "node", house.clock.now()))
    assert isinstance(outcome, Owned)
    async with house.store.read() as snapshot:
        waiting = [ordinal for ordinal, _ in await snapshot.feed.unpublished(100)]
    fence = Fence("feed", outcome.epoch)
    await house.store.write(Publish(fence, house.clock.now(), tuple(waiting), ((),) * len(waiting)))
    async with house.store.read() as snapshot:
        events = [one.event for one in await snapshot.feed.after(0, 100)]
    return [event.payload for event in events if isinstance(event, RelayerEvent)]


async def test_a_policy_of_the_peer_that_has_no_effect_here_is_said_so(seeded: House) -> None:
    """interface §2.1: `metadata` has `logs`, objects with `level` and `message`."""
    reply = await seeded.client.patch(PATH, {"policies": {"private_transactions": True, "max_value": 5}})
    assert reply.status == 200
    assert reply.data["policies"]["max_value"] == 5
    (log,) = reply.json["metadata"]["logs"]
    assert log["level"] == "warn"
    assert log["message"].startswith("policies.private_transactions: not served by this version: it would ")


@pytest.mark.parametrize("patch", [{}, {"policies": None}, {"policies": {"private_transactions": None}}, {"name": "a"}])
async def test_what_is_done_as_asked_needs_no_warning(seeded: House, patch: dict[str, Any]) -> None:
    assert "metadata" not in (await seeded.client.patch(PATH, patch)).json


async def test_a_paused_relayer_refuses_at_once_and_tells_of_it(seeded: House) -> None:
    reply = await seeded.client.patch(PATH, {"paused": True})
    assert reply.status == 200
    assert reply.data["paused"] is True
    send = f"{PATH}/transactions"
    body = {"value": 1, "to": "0x" + "11" * 20}
    assert (await seeded.client.post(send, body)).status == 403
    assert (await seeded.client.patch(PATH, {"paused": False})).data["paused"] is False
    assert (await seeded.client.post(send, body)).status == 200
    paused, enabled = await told(seeded)
    assert (paused["payload_type"], enabled["payload_type"]) == ("relayer_paused", "relayer_enabled")
    assert paused["relayer"]["id"] == "evm-local"
    assert (paused["relayer"]["paused"], enabled["relayer"]["paused"]) == (True, False)
    feed = (await seeded.client.get("/api/v1/events")).data["events"]
    assert [event["event"] for event in feed if event["event"] == "relayer_state_update"] == [
        "relayer_state_update"
    ] * 2


async def test_policies_merge_and_null_removes(seeded: House) -> None:
    reply = await seeded.client.patch(PATH, {"policies": {"gas_price_cap": 50, "max_value": None}})
    assert reply.status == 200, reply.body
    assert reply.data["policies"]["gas_price_cap"] == 50
    assert reply.data["policies"]["min_balance"] == 7
    assert "max_value" not in reply.data["policies"]
    async with seeded.store.read() as snapshot:
        (stored,) = await snapshot.relayers.all()
    assert stored.entry["relayer"]["policies"] == {"min_balance": 7, "gas_price_cap": 50}
    assert stored.version == 2


@pytest.mark.parametrize(
    ("wanted", "shown"), [("*", "*"), ("hook", "hook"), (["hook", "other"], ["hook", "other"]), (None, None)]
)
async def test_who_hears_is_changed_at_run_time(seeded: House, wanted: Any, shown: Any) -> None:
    for name in ("hook", "other"):
        await seeded.client.post("/api/v1/notifications", {"id": name, "url": "https://example.com"})
    reply = await seeded.client.patch(PATH, {"notification_id": wanted})
    assert reply.data.get("notification_id") == shown


async def test_the_answer_masks_what_follows_a_nodes_host(seeded: House) -> None:
    urls = ["https://node.example/v2/secret-key", {"url": "https://other.example", "weight": 3}]
    reply = await seeded.client.patch(PATH, {"custom_rpc_urls": urls})
    assert reply.data["custom_rpc_urls"] == [
        {"url": "https://node.example/***", "weight": 100},
        {"url": "https://other.example/***", "weight": 3},
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"network": "mainnet"}, "network"),
        ({"paused": "yes"}, "paused"),
        ({"paused": None}, "paused"),
        ({"name": None}, "name"),
        ({"name": ""}, "name"),
        ({"policies": {"nonsense": 1}}, "policies.nonsense"),
        ({"policies": {"max_value": -1}}, "policies.max_value"),
        ({"notification_id": "nobody"}, "notification_id"),
        ({"notification_id": 5}, "notification_id"),
        ({"custom_rpc_urls": ["file:///etc/passwd"]}, "custom_rpc_urls[0]"),
        ([], "body"),
    ],
)
async def test_a_wrong_patch_is_refused_and_changes_nothing(seeded: House, body: Any, field: str) -> None:
    before = (await seeded.client.get(PATH)).data
    reply = await seeded.client.patch(PATH, body)
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert reply.error.startswith(field), reply.error
    assert (await seeded.client.get(PATH)).data == before
    assert await told(seeded) == []


async def test_an_empty_patch_changes_nothing(seeded: House) -> None:
    assert (await seeded.client.patch(PATH, {})).status == 200
    async with seeded.store.read() as snapshot:
        (stored,) = await snapshot.relayers.all()
    assert stored.version == 1


async def test_an_unknown_relayer_is_not_found(client: Client) -> None:
    reply = await client.patch("/api/v1/relayers/nobody", {"paused": True})
    assert (reply.status, reply.message) == (404, "Relayer with ID nobody not found")


async def test_what_we_switch_off_is_told_with_the_reason_and_heals(seeded: House) -> None:
    await set_disabled(seeded.context, "evm-local", "the nodes serve another chain")
    await set_disabled(seeded.context, "evm-local", "the nodes serve another chain")
    shown = (await seeded.client.get(PATH)).data
    assert (shown["system_disabled"], shown["disabled_reason"]["details"]) == (True, "the nodes serve another chain")
    await set_disabled(seeded.context, "evm-local", None)
    assert (await seeded.client.get(PATH)).data["system_disabled"] is False
    off, on = await told(seeded)
    assert (off["payload_type"], off["disable_reason"]) == ("relayer_disabled", "the nodes serve another chain")
    assert on["payload_type"] == "relayer_enabled"


def test_merging_follows_rfc_7396() -> None:
    assert merged({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": None, "e": {"f": 1}}, "d": [1]}) == {
        "a": {"c": 2, "e": {"f": 1}},
        "d": [1],
    }
