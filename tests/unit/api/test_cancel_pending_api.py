"""Canceling everything that is not in a block yet; and prices of a replacement that could never displace anything."""

from typing import Any

import pytest
from tests.asgi_client import Client
from tests.bodies import BODIES, RELAYERS, TO, path_of
from tests.carry import carry, told
from tests.house import House

from baton.domain.status import Status
from baton.domain.transaction import Fate
from baton.storage.changes import Stale

DYNAMIC = {"gas_limit": 21_000, "max_fee_per_gas": "100", "max_priority_fee_per_gas": "11"}


async def submitted(client: Client, relayer_id: str = "evm-local") -> str:
    return str((await client.post(path_of(relayer_id), BODIES[relayer_id])).data["id"])


def pending(relayer_id: str = "evm-local") -> str:
    return path_of(relayer_id, "pending")


async def test_with_nothing_pending_nothing_is_canceled(client: Client) -> None:
    assert (await client.delete(pending())).data == {
        "queued_for_cancellation_transaction_ids": [],
        "failed_to_queue_transaction_ids": [],
        "total_processed": 0,
    }


@pytest.mark.parametrize("relayer_id", RELAYERS)
async def test_what_is_not_signed_is_canceled_at_once(client: Client, relayer_id: str) -> None:
    ids = [await submitted(client, relayer_id) for _ in range(3)]
    other = await submitted(client, next(each for each in RELAYERS if each != relayer_id))
    done = (await client.delete(pending(relayer_id))).data
    assert done["queued_for_cancellation_transaction_ids"] == ids
    assert done["total_processed"] == 3
    listed = (await client.get(path_of(relayer_id))).data
    assert {each["status"] for each in listed} == {"canceled"}
    assert (await client.get(path_of(relayer_id, other))).status == 404


async def test_what_may_be_on_its_way_gets_an_intent_and_what_landed_is_left_alone(
    house: House, client: Client
) -> None:
    sent, shown, mined, final = [await submitted(client) for _ in range(4)]
    await carry(house, sent, Status.SENT)
    await carry(house, shown, Status.SENT, Status.SUBMITTED)
    await carry(house, mined, Status.SENT, Status.SUBMITTED, Status.MINED)
    await carry(house, final, Status.SENT, Status.SUBMITTED, Status.MINED, Status.CONFIRMED)
    done = (await client.delete(pending())).data
    assert done["queued_for_cancellation_transaction_ids"] == [sent, shown]
    assert (done["failed_to_queue_transaction_ids"], done["total_processed"]) == ([], 2)
    records = {each["id"]: each for each in (await client.get(path_of("evm-local"))).data}
    assert [records[each]["is_canceled"] for each in (sent, shown, mined, final)] == [True, True, False, False]
    assert (records[sent]["status"], records[shown]["status"]) == ("sent", "submitted")
    again = (await client.delete(pending())).data
    assert again == done


async def test_one_that_moved_meanwhile_is_looked_at_again(house: House, client: Client) -> None:
    first, second = await submitted(client), await submitted(client)
    house.store.answers = [Stale()]
    done = (await client.delete(pending())).data
    assert done["queued_for_cancellation_transaction_ids"] == [first, second]
    assert (await client.get(path_of("evm-local", first))).data["status"] == "canceled"


async def test_one_that_keeps_moving_is_told_as_failed(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    house.store.answers = [Stale()] * 6  # to the write with the others, and to five tries of it alone
    done = (await client.delete(pending())).data
    assert done["queued_for_cancellation_transaction_ids"] == []
    assert done["failed_to_queue_transaction_ids"] == [transaction_id]
    assert done["total_processed"] == 1


async def test_canceling_all_works_while_the_relayer_is_paused_and_names_an_unknown_one(client: Client) -> None:
    assert (await client.delete(pending("paused"))).status == 200
    assert (await client.delete(pending("nobody"))).message == "Relayer with ID nobody not found"


async def test_the_word_pending_is_no_transaction(client: Client) -> None:
    assert (await client.get(pending())).status == 405


@pytest.mark.parametrize(
    ("facts", "prices", "least"),
    [
        ({"gas_limit": 21_000, "gas_price": "100"}, {"gas_price": 109}, "gas_price: found 109, expected at least 110"),
        (DYNAMIC, {"max_fee_per_gas": 109, "max_priority_fee_per_gas": 13}, "max_fee_per_gas: found 109"),
        (DYNAMIC, {"max_fee_per_gas": 110, "max_priority_fee_per_gas": 12}, "expected at least 13"),
        (DYNAMIC, {"gas_price": 109}, "expected at least 110"),
    ],
)
async def test_a_price_that_displaces_nothing_is_refused_with_the_least_that_would(
    house: House, client: Client, facts: dict[str, Any], prices: dict[str, int], least: str
) -> None:
    """interface §4.2, §7: `Bad Request`; `error` names the least acceptable price."""
    transaction_id = await submitted(client)
    await carry(house, transaction_id, Status.SENT, Status.SUBMITTED, facts=facts)
    path = path_of("evm-local", transaction_id)
    reply = await client.put(path, {"value": 1, "to": TO, **prices})
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert least in reply.error
    assert (await client.get(path)).data["value"] == "5"


@pytest.mark.parametrize("prices", [{"gas_price": 110}, {"max_fee_per_gas": 110, "max_priority_fee_per_gas": 13}, {}])
async def test_a_price_a_tenth_above_the_last_is_taken(house: House, client: Client, prices: dict[str, int]) -> None:
    transaction_id = await submitted(client)
    await carry(house, transaction_id, Status.SENT, Status.SUBMITTED, facts=DYNAMIC)
    assert (await client.put(path_of("evm-local", transaction_id), {"value": 1, "to": TO, **prices})).status == 200


async def test_a_version_that_can_never_land_sets_no_price(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    attempt = await carry(house, transaction_id, Status.SENT, Status.SUBMITTED, facts=DYNAMIC)
    await told(house, attempt, Fate.LAPSED)
    reply = await client.put(path_of("evm-local", transaction_id), {"value": 1, "to": TO, "gas_price": 1})
    assert reply.status == 200


async def test_while_nothing_is_signed_any_price_is_taken(client: Client) -> None:
    path = path_of("evm-local", await submitted(client))
    assert (await client.put(path, {"value": 1, "to": TO, "gas_price": 100})).status == 200
    assert (await client.put(path, {"value": 1, "to": TO, "gas_price": 1})).status == 200
