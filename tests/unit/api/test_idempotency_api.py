"""The Idempotency-Key header: one transaction, however often a request is sent."""

import asyncio
from dataclasses import replace

import pytest
from tests.asgi_client import Client
from tests.bodies import EVM_BODY, path_of
from tests.house import EVM, House

from baton.storage.changes import Full

SEND = path_of("evm-local")
KEY = ("idempotency-key", "order-4711")


async def test_the_same_key_and_body_give_the_same_transaction(client: Client) -> None:
    first, second = await client.post(SEND, EVM_BODY, KEY), await client.post(SEND, EVM_BODY, KEY)
    assert first.data == second.data
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert (await client.get(SEND)).json["pagination"]["total_items"] == 1


async def test_a_replay_shows_the_record_as_it_is_now(client: Client) -> None:
    made = (await client.post(SEND, EVM_BODY, KEY)).data
    await client.delete(path_of("evm-local", made["id"]))
    assert (await client.post(SEND, EVM_BODY, KEY)).data["status"] == "canceled"


async def test_the_spelling_of_a_body_does_not_count(client: Client) -> None:
    first = await client.post(SEND, b'{"value": 5, "to": "0x1111111111111111111111111111111111111111"}', KEY)
    second = await client.post(SEND, b'{"to":"0x11111111\\u00311111111111111111111111111111111","value":5 }', KEY)
    assert second.data["id"] == first.data["id"]


@pytest.mark.parametrize("body", [{**EVM_BODY, "value": 6}, {**EVM_BODY, "value": "5"}, {"value": -1}, []])
async def test_another_body_is_refused_with_422(client: Client, body: object) -> None:
    await client.post(SEND, EVM_BODY, KEY)
    reply = await client.post(SEND, body, KEY)
    assert (reply.status, reply.message) == (422, "Unprocessable Entity")


async def test_concurrent_equals_get_one_transaction(client: Client) -> None:
    replies = await asyncio.gather(*(client.post(SEND, EVM_BODY, KEY) for _ in range(20)))
    assert len({reply.data["id"] for reply in replies}) == 1
    assert sum("idempotent-replayed" in reply.headers for reply in replies) == 19


async def test_relayers_have_keys_of_their_own(house: House, client: Client) -> None:
    house.context.relayers.put(replace(EVM, id="another"))
    first, second = await client.post(SEND, EVM_BODY, KEY), await client.post(path_of("another"), EVM_BODY, KEY)
    assert first.data["id"] != second.data["id"]


async def test_a_known_key_is_answered_before_paused_and_queue_checks(house: House, client: Client) -> None:
    made = (await client.post(SEND, EVM_BODY, KEY)).data
    house.context.relayers.put(replace(EVM, is_paused=True))
    assert (await client.post(SEND, EVM_BODY, KEY)).data["id"] == made["id"]
    assert (await client.post(SEND, {"value": 1}, KEY)).status == 422
    assert (await client.post(SEND, EVM_BODY, ("idempotency-key", "new"))).status == 403


async def test_a_refused_request_stores_no_key(client: Client) -> None:
    assert (await client.post(SEND, {"value": -1}, KEY)).status == 400
    assert (await client.post(SEND, EVM_BODY, KEY)).status == 200


async def test_a_full_queue_stores_no_key(house: House, client: Client) -> None:
    house.store.answers = [Full(7)]
    assert (await client.post(SEND, EVM_BODY, KEY)).status == 429
    assert "idempotent-replayed" not in (await client.post(SEND, EVM_BODY, KEY)).headers


@pytest.mark.parametrize("key", ["", "two words", "a" * 256, "é", "tab\tbed"])
async def test_a_key_that_is_no_key_is_refused(client: Client, key: str) -> None:
    reply = await client.post(SEND, EVM_BODY, ("idempotency-key", key))
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert "Idempotency-Key" in reply.error


async def test_the_longest_key_is_taken_and_two_keys_are_not(client: Client) -> None:
    assert (await client.post(SEND, EVM_BODY, ("idempotency-key", "~" * 255))).status == 200
    assert (await client.post(SEND, EVM_BODY, KEY, KEY)).status == 400
