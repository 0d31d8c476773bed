"""A transaction beyond its record: by nonce, by hash, its attempts, its receipt, and why it is not final yet."""

import pytest
from tests.asgi_client import Client
from tests.bodies import BODIES, EVM_BODY, path_of
from tests.carry import FACTS, carry, told
from tests.house import House

from baton.commands.live import Funds, LaneHead, LaneNow, NextAction, Offer, Sight
from baton.domain.status import Status
from baton.domain.transaction import Fate

SUBMITTED = (Status.SENT, Status.SUBMITTED)
MINED = (*SUBMITTED, Status.MINED)
OUTCOME = {"gas_used": 21_000, "effective_gas_price": "7", "contract_address": None, "index": 3}


async def submitted(client: Client, relayer_id: str = "evm-local") -> str:
    return str((await client.post(path_of(relayer_id), BODIES[relayer_id])).data["id"])


async def test_a_transaction_is_found_by_its_nonce(house: House, client: Client) -> None:
    first, second = await submitted(client), await submitted(client)
    await carry(house, first, *SUBMITTED, number=7)
    await carry(house, second, *SUBMITTED, number=8)
    record = (await client.get(path_of("evm-local", "by-nonce/8"))).data
    assert (record["id"], record["nonce"]) == (second, 8)
    assert record == (await client.get(path_of("evm-local", second))).data


@pytest.mark.parametrize("nonce", ["9", str(2**63), "9" * 40])
async def test_a_nonce_that_nothing_holds_is_not_found(house: House, client: Client, nonce: str) -> None:
    await carry(house, await submitted(client), *SUBMITTED, number=7)
    reply = await client.get(path_of("evm-local", f"by-nonce/{nonce}"))
    assert (reply.status, reply.message) == (404, "Not found")
    assert f"no transaction with nonce {nonce}" in reply.error


@pytest.mark.parametrize("nonce", ["-1", "x", "1.0", "0x7", "%D9%A7", "9" * 41])
async def test_what_is_no_nonce_is_refused(client: Client, nonce: str) -> None:
    reply = await client.get(path_of("evm-local", f"by-nonce/{nonce}"))
    assert reply.status == 400


@pytest.mark.parametrize("relayer_id", ["solana-local", "stellar-local"])
async def test_only_evm_networks_have_nonces(client: Client, relayer_id: str) -> None:
    reply = await client.get(path_of(relayer_id, "by-nonce/0"))
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert "expected one on an EVM network" in reply.error


async def test_a_list_is_filtered_by_the_hash_of_any_version(house: House, client: Client) -> None:
    await submitted(client)
    wanted = await submitted(client)
    attempt = await carry(house, wanted, *SUBMITTED, number=7)
    await told(house, attempt, Fate.LAPSED)
    for spelled in (attempt.hash, attempt.hash.upper()):
        reply = await client.get(path_of("evm-local") + f"?hash={spelled}")
        assert [each["id"] for each in reply.data] == [wanted]
        assert reply.json["pagination"]["total_items"] == 1
    assert (await client.get(path_of("evm-local") + "?hash=0xabcd")).data == []
    assert (await client.get(path_of("solana-local") + f"?hash={attempt.hash}")).data == []


@pytest.mark.parametrize("text", ["", "0x-", "a" * 129, "%00"])
async def test_what_is_no_hash_is_refused(client: Client, text: str) -> None:
    assert (await client.get(path_of("evm-local") + f"?hash={text}")).status == 400


async def test_a_transaction_that_was_never_signed_has_no_attempts(client: Client) -> None:
    transaction_id = await submitted(client)
    assert (await client.get(path_of("evm-local", transaction_id) + "/attempts")).data == []


async def test_an_attempt_tells_its_fees_its_nonce_and_its_fate(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    attempt = await carry(house, transaction_id, *SUBMITTED, number=7)
    path = path_of("evm-local", transaction_id) + "/attempts"
    (record,) = (await client.get(path)).data
    assert record == {
        **FACTS,
        "id": attempt.id,
        "kind": "original",
        "revision": 1,
        "hash": attempt.hash,
        "nonce": 7,
        "max_cost": "1",
        "created_at": "2030-01-01T00:00:00.000000+00:00",
        "accepted_at": None,
        "fate": "open",
        "block_number": None,
        "block_hash": None,
    }
    house.clock.advance(2)
    await told(house, attempt, Fate.REVERTED, OUTCOME)
    (record,) = (await client.get(path)).data
    assert (record["fate"], record["block_number"], record["block_hash"]) == ("reverted", 12, "0xb10c")
    assert record["accepted_at"] == "2030-01-01T00:00:02.000000+00:00"


@pytest.mark.parametrize("part", ["attempts", "receipt", "explain"])
async def test_an_unknown_transaction_and_another_relayers_look_alike(client: Client, part: str) -> None:
    transaction_id = await submitted(client)
    for path in (path_of("evm-local", "unknown"), path_of("solana-local", transaction_id)):
        reply = await client.get(f"{path}/{part}")
        assert (reply.status, reply.message) == (404, "Not found")
    assert (await client.get(path_of("nobody", transaction_id) + f"/{part}")).message.startswith("Relayer with ID")


async def test_a_receipt_tells_block_gas_and_fee(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    attempt = await carry(house, transaction_id, *MINED, number=7)
    await told(house, attempt, Fate.INCLUDED, OUTCOME)
    house.live.found_logs = [{"address": "0x1", "topics": [], "data": "0x", "log_index": 0}]
    assert (await client.get(path_of("evm-local", transaction_id) + "/receipt")).data == {
        "transaction_id": transaction_id,
        "hash": attempt.hash,
        "kind": "original",
        "has_succeeded": True,
        "is_final": False,
        "block_number": 12,
        "block_hash": "0xb10c",
        "transaction_index": 3,
        "gas_used": 21_000,
        "effective_gas_price": "7",
        "fee_paid": "147000",
        "contract_address": None,
        "logs": house.live.found_logs,
    }


async def test_a_rollups_data_fee_is_part_of_what_was_paid(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    attempt = await carry(house, transaction_id, *MINED, number=7)
    await told(house, attempt, Fate.INCLUDED, {**OUTCOME, "l1_fee": "1000"})
    assert (await client.get(path_of("evm-local", transaction_id) + "/receipt")).data["fee_paid"] == "148000"


async def test_a_receipt_without_a_node_has_no_logs(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    attempt = await carry(house, transaction_id, *MINED, number=7)
    await told(house, attempt, Fate.REVERTED, OUTCOME)
    receipt = (await client.get(path_of("evm-local", transaction_id) + "/receipt")).data
    assert (receipt["logs"], receipt["has_succeeded"]) == (None, False)


async def test_what_is_in_no_block_has_no_receipt_and_says_where_it_stands(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    await carry(house, transaction_id, *SUBMITTED, number=7)
    reply = await client.get(path_of("evm-local", transaction_id) + "/receipt")
    assert (reply.status, reply.message) == (404, "Not found")
    assert "it is submitted, nothing of it is in a block yet" in reply.error


async def test_without_a_lane_the_explanation_still_has_what_is_stored(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    attempt = await carry(house, transaction_id, *SUBMITTED, number=7)
    told_now = (await client.get(path_of("evm-local", transaction_id) + "/explain")).data
    assert told_now["status"] == "submitted"
    assert "no node of 'local' has answered yet" in told_now["why"]
    assert (told_now["next_action"], told_now["lane"], told_now["funds"]) == (None, None, None)
    (shown,) = told_now["attempts"]
    assert (shown["id"], shown["shortfall"], shown["nodes"]) == (attempt.id, None, None)


async def test_an_explanation_carries_what_the_lane_sees(house: House, client: Client) -> None:
    transaction_id = await submitted(client)
    attempt = await carry(house, transaction_id, *SUBMITTED, number=7)
    house.live.found_sight = Sight(
        why="it waits",
        next_action=NextAction("offer it dearer", "2030-01-01T00:00:03.000000+00:00", 3),
        lane=LaneNow(12, 2, 16, 5, 0, False, LaneHead(5, "another", "submitted", None, "0x05")),
        funds=Funds("10", "3", "1", "6", True),
        market={"base_fee": "9"},
        cap="100",
        offers=(Offer(attempt.id, attempt.hash, "offers 7", {"http://127.0.0.1:8545": True}),),
    )
    told_now = (await client.get(path_of("evm-local", transaction_id) + "/explain")).data
    assert told_now["next_action"]["in_blocks"] == 3
    assert told_now["lane"]["head"] == {
        "slot": 5,
        "transaction_id": "another",
        "status": "submitted",
        "status_reason": None,
        "hash": "0x05",
    }
    assert (told_now["cap"], told_now["market"], told_now["funds"]["available"]) == ("100", {"base_fee": "9"}, "6")
    assert told_now["attempts"][0]["shortfall"] == "offers 7"
    assert told_now["attempts"][0]["nodes"] == {"http://127.0.0.1:8545": True}


async def test_what_is_final_awaits_nothing(client: Client) -> None:
    transaction_id = str((await client.post(path_of("evm-local"), EVM_BODY)).data["id"])
    await client.delete(path_of("evm-local", transaction_id))
    told_now = (await client.get(path_of("evm-local", transaction_id) + "/explain")).data
    assert told_now["why"] == "it is final: canceled, canceled before anything was signed"
    assert told_now["next_action"] is None
