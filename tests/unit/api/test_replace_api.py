"""Section 4.2 of the interface: replacing a transaction; and looking at one, and canceling it."""

from dataclasses import replace
from typing import Any

import pytest
from tests.asgi_client import Client
from tests.bodies import BODIES, EVM_BODY, RELAYERS, SOLANA_BODY, STELLAR_BODY, TO, path_of
from tests.carry import carry
from tests.house import EVM, House

from baton.domain.status import Status
from baton.domain.transaction import IntentKind
from baton.storage.changes import Stale

OTHER_BODIES: dict[str, dict[str, Any]] = {
    "evm-local": {"value": 9, "to": TO, "speed": "fastest"},
    "solana-local": {"instructions": [{**SOLANA_BODY["instructions"][0], "data": "AgAAAAIAAAAAAAAA"}]},
    "stellar-local": {**STELLAR_BODY, "memo": {"type": "text", "value": "another"}},
}


async def submitted(client: Client, relayer_id: str = "evm-local") -> str:
    return str((await client.post(path_of(relayer_id), BODIES[relayer_id])).data["id"])


@pytest.mark.parametrize("relayer_id", RELAYERS)
async def test_a_pending_transaction_is_replaced_at_once(client: Client, relayer_id: str) -> None:
    """interface §4.2: `data` = one transaction record; the same id with the new content."""
    before = (await client.post(path_of(relayer_id), BODIES[relayer_id])).data
    path = path_of(relayer_id, before["id"])
    reply = await client.put(path, OTHER_BODIES[relayer_id])
    assert reply.status == 200, reply.body
    kept = {"id", "relayer_id", "created_at", "status", "from"}
    assert {key: reply.data[key] for key in kept} == {key: before[key] for key in kept}
    assert reply.data != before
    assert (await client.get(path)).data == reply.data


async def test_a_replacement_replaces_the_whole_body(client: Client) -> None:
    """interface §4.2: the request body has the same fields and groups as in 4.1."""
    made = (await client.post(path_of("evm-local"), {**EVM_BODY, "data": "0xabcd", "gas_price": 7})).data
    record = (await client.put(path_of("evm-local", made["id"]), {"value": 9, "to": TO, "speed": "fast"})).data
    assert (record["value"], record["data"], record["gas_price"]) == ("9", None, None)
    assert record["speed"] == {"level": "fast"}


async def test_a_replacement_is_validated_as_a_submission(client: Client) -> None:
    """interface §4.2, §7: `Bad Request`."""
    path = path_of("evm-local", await submitted(client))
    refused: list[object] = [{}, {"value": -1}, {"value": 2**128, "to": TO}, [], {"value": 1, "to": "0x1"}]
    for body in refused:
        reply = await client.put(path, body)
        assert (reply.status, reply.message) == (400, "Bad Request")
    assert (await client.get(path)).data["value"] == "5"


@pytest.mark.parametrize(
    ("relayer_id", "known_id"), [("nobody", True), ("evm-local", False), ("solana-local", True), ("nobody", False)]
)
async def test_an_unknown_relayer_or_transaction_is_not_found(client: Client, relayer_id: str, known_id: bool) -> None:
    """interface §4.2, §7: `Not found`; another relayer's transaction answers alike."""
    transaction_id = await submitted(client) if known_id else "unknown"
    reply = await client.put(path_of(relayer_id, transaction_id), EVM_BODY)
    assert (reply.status, reply.message) == (404, "Not found")


async def test_what_is_not_found_comes_before_a_wrong_field(client: Client) -> None:
    assert (await client.put(path_of("evm-local", "unknown"), {"value": -1})).status == 404


@pytest.mark.parametrize("statuses", [(Status.SENT,), (Status.SENT, Status.SUBMITTED)])
async def test_what_may_be_on_its_way_is_replaced_by_an_intent(
    house: House, client: Client, statuses: tuple[Status, ...]
) -> None:
    """interface §4.2: the record shows the new content; the lane carries it out."""
    transaction_id = await submitted(client)
    await carry(house, transaction_id, *statuses)
    record = (await client.put(path_of("evm-local", transaction_id), {"value": 9, "to": TO})).data
    assert (record["status"], record["value"]) == (str(statuses[-1]), "9")
    assert record["hash"].startswith("0x")
    assert (await client.get(path_of("evm-local", transaction_id))).data == record
    async with house.store.read() as snapshot:
        stored = await snapshot.transactions.transaction("evm-local", transaction_id)
    assert stored is not None
    assert stored.intent is not None
    assert (stored.intent.kind, stored.intent.revision, stored.state.revision) == (IntentKind.REPLACE, 2, 2)


FINISHED = [
    (Status.CANCELED,),
    (Status.FAILED,),
    (Status.EXPIRED,),
    (Status.SENT, Status.MINED),
    (Status.SENT, Status.MINED, Status.CONFIRMED),
]


@pytest.mark.parametrize("statuses", FINISHED)
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_what_is_in_a_block_or_final_can_no_longer_be_changed(
    house: House, client: Client, method: str, statuses: tuple[Status, ...]
) -> None:
    """interface §3, §4.2: `Bad Request` with the current status in `error`; `canceled` is one of the statuses."""
    transaction_id = await submitted(client)
    await carry(house, transaction_id, *statuses)
    reply = await client.send_json(method, path_of("evm-local", transaction_id), EVM_BODY)
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert str(statuses[-1]) in reply.error


async def test_a_pending_transaction_is_canceled_at_once(client: Client) -> None:
    """interface §3: `canceled` is a value of the status."""
    path = path_of("evm-local", await submitted(client))
    reply = await client.delete(path)
    assert reply.status == 200
    assert (reply.data["status"], reply.data["is_canceled"]) == ("canceled", True)
    assert reply.data["status_reason"] == "canceled before anything was signed"
    assert (await client.get(path)).data == reply.data


async def test_a_cancel_of_what_may_be_on_its_way_is_an_intent(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    await carry(house, transaction_id, Status.SENT)
    path = path_of("evm-local", transaction_id)
    first, second = await client.delete(path), await client.delete(path)
    assert (first.data["status"], first.data["is_canceled"]) == ("sent", True)
    assert second.data == first.data
    async with house.store.read() as snapshot:
        stored = await snapshot.transactions.transaction("evm-local", transaction_id)
    assert stored is not None
    assert stored.intent is not None
    assert stored.intent.kind is IntentKind.CANCEL
    assert (await client.put(path, EVM_BODY)).status == 400


async def test_another_change_in_between_starts_the_amendment_over(house: House, client: Client) -> None:
    path = path_of("evm-local", await submitted(client))
    house.store.answers = [Stale(), Stale()]
    assert (await client.put(path, {"value": 9, "to": TO})).data["value"] == "9"


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_a_transaction_that_never_rests_is_answered_503(house: House, client: Client, method: str) -> None:
    path = path_of("evm-local", await submitted(client))
    house.store.answers = [Stale()] * 5
    reply = await client.send_json(method, path, EVM_BODY)
    assert (reply.status, reply.message) == (503, "Service Unavailable")
    assert (await client.get(path)).data["status"] == "pending"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_an_unknown_relayer_is_named_when_one_looks_or_cancels(client: Client, method: str) -> None:
    reply = await client.send(method, path_of("nobody", "some-id"))
    assert (reply.status, reply.message) == (404, "Relayer with ID nobody not found")
    assert (await client.send(method, path_of("evm-local", "some-id"))).message == "Not found"
    assert (await client.send(method, path_of("solana-local", await submitted(client)))).message == "Not found"


async def test_a_paused_relayer_takes_no_replacement_but_a_cancel(house: House, client: Client) -> None:
    path = path_of("evm-local", await submitted(client))
    house.context.relayers.put(replace(EVM, is_paused=True))
    reply = await client.put(path, EVM_BODY)
    assert (reply.status, reply.message) == (403, "Forbidden")
    assert "paused" in reply.error
    assert (await client.get(path)).status == 200
    assert (await client.delete(path)).data["status"] == "canceled"
