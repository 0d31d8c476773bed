"""Relayers over HTTP: their records, how they are doing, what they own, in the shapes of the peer's client."""

from dataclasses import replace
from typing import Any

import pytest
from tests.asgi_client import Client
from tests.bodies import BODIES, RELAYERS, path_of
from tests.carry import carry
from tests.house import EVM, EVM_ADDRESS, House

from baton.chains.seam import Account
from baton.domain.network import RpcUrl
from baton.domain.policy import EvmPolicy
from baton.domain.status import Status

ACCOUNT = Account(next_slot=8, settled_slot=7, balance=2**100, depth=1)


def path(relayer_id: str, part: str = "") -> str:
    return f"/api/v1/relayers/{relayer_id}{part}"


async def test_relayers_are_listed_by_id(client: Client) -> None:
    reply = await client.get("/api/v1/relayers?per_page=2&page=2")
    assert [each["id"] for each in reply.data] == ["solana-local", "stellar-local"]
    assert reply.json["pagination"] == {"current_page": 2, "per_page": 2, "total_items": 4}


async def test_a_relayer_is_shown_with_the_keys_of_the_peer(client: Client) -> None:
    record = (await client.get(path("evm-local"))).data
    policies = record.pop("policies")
    assert record == {
        "id": "evm-local",
        "name": "EVM",
        "network": "local",
        "network_type": "evm",
        "paused": False,
        "signer_id": "evm-signer",
        "address": EVM_ADDRESS,
        "system_disabled": False,
    }
    assert policies["eip1559_pricing"] is True


async def test_what_is_set_is_shown_and_addresses_of_nodes_are_masked(house: House, client: Client) -> None:
    urls = (RpcUrl("https://user:secret@node.example/v3/secret?key=secret", 50),)
    policy = EvmPolicy(gas_price_cap=10**20, whitelist_receivers=(EVM_ADDRESS,))
    house.context.relayers.put(replace(EVM, custom_rpc_urls=urls, notification_ids=("*",), policy=policy))
    reply = await client.get(path("evm-local"))
    assert reply.data["custom_rpc_urls"] == [{"url": "https://node.example/***", "weight": 50}]
    assert b"secret" not in reply.body
    assert reply.data["notification_id"] == "*"
    assert reply.data["policies"]["gas_price_cap"] == 10**20
    assert reply.data["policies"]["whitelist_receivers"] == [EVM_ADDRESS]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"disabled_reason": "another chain"}, {"type": "RpcValidationFailed", "details": "another chain"}),
        ({"is_removed": True}, {"type": "Removed"}),
    ],
)
async def test_a_disabled_relayer_says_why(
    house: House, client: Client, changes: dict[str, Any], reason: dict[str, str]
) -> None:
    house.context.relayers.put(replace(EVM, **changes))
    house.live.found_account = ACCOUNT
    record = (await client.get(path("evm-local"))).data
    assert record["system_disabled"] is True
    assert reason.items() <= record["disabled_reason"].items()
    assert (await client.get(path("evm-local", "/status"))).data["system_disabled"] is True


@pytest.mark.parametrize("part", ["", "/status", "/balance"])
async def test_an_unknown_relayer_is_named_in_every_part(client: Client, part: str) -> None:
    reply = await client.get(path("nobody", part))
    assert (reply.status, reply.message) == (404, "Relayer with ID nobody not found")


async def test_the_status_of_an_evm_relayer_has_its_balance_and_nonce(house: House, client: Client) -> None:
    house.live.found_account = ACCOUNT
    assert (await client.get(path("evm-local", "/status"))).data == {
        "network_type": "evm",
        "balance": str(2**100),
        "nonce": "8",
        "pending_transactions_count": 0,
        "last_confirmed_transaction_timestamp": None,
        "paused": False,
        "system_disabled": False,
    }


async def test_other_families_have_their_own_number_or_none(house: House, client: Client) -> None:
    house.live.found_account = ACCOUNT
    stellar = (await client.get(path("stellar-local", "/status"))).data
    solana = (await client.get(path("solana-local", "/status"))).data
    assert (stellar["network_type"], stellar["sequence_number"]) == ("stellar", "7")
    assert solana["network_type"] == "solana"
    assert {"nonce", "sequence_number"} & set(solana) == set()
    assert "nonce" not in stellar


async def test_the_status_counts_what_is_not_in_a_block_yet(house: House, client: Client) -> None:
    house.live.found_account = ACCOUNT
    ids = [(await client.post(path_of("evm-local"), BODIES["evm-local"])).data["id"] for _ in range(5)]
    await carry(house, ids[0], Status.SENT)
    await carry(house, ids[1], Status.SENT, Status.SUBMITTED)
    await carry(house, ids[2], Status.SENT, Status.SUBMITTED, Status.MINED)
    house.clock.advance(60)
    await carry(house, ids[3], Status.SENT, Status.SUBMITTED, Status.MINED, Status.CONFIRMED)
    status = (await client.get(path("evm-local", "/status"))).data
    assert status["pending_transactions_count"] == 3
    assert status["last_confirmed_transaction_timestamp"] == "2030-01-01T00:01:00.000000+00:00"


async def test_the_last_confirmation_is_the_latest_whatever_the_order_of_acceptance(
    house: House, client: Client
) -> None:
    house.live.found_account = ACCOUNT
    ids = [(await client.post(path_of("evm-local"), BODIES["evm-local"])).data["id"] for _ in range(2)]
    for transaction_id in reversed(ids):
        house.clock.advance(60)
        await carry(house, transaction_id, Status.SENT, Status.SUBMITTED, Status.MINED, Status.CONFIRMED)
    status = (await client.get(path("evm-local", "/status"))).data
    assert status["last_confirmed_transaction_timestamp"] == "2030-01-01T00:02:00.000000+00:00"


@pytest.mark.parametrize(("relayer_id", "unit"), list(zip(RELAYERS, ["wei", "lamport", "stroop"], strict=True)))
async def test_a_balance_is_exact_and_has_its_unit(house: House, client: Client, relayer_id: str, unit: str) -> None:
    house.live.found_account = ACCOUNT
    assert (await client.get(path(relayer_id, "/balance"))).data == {"balance": 2**100, "unit": unit}


@pytest.mark.parametrize("part", ["/status", "/balance"])
async def test_without_a_node_there_is_no_balance_to_tell(client: Client, part: str) -> None:
    reply = await client.get(path("evm-local", part))
    assert (reply.status, reply.message) == (503, "Service Unavailable")
    assert "no node of 'local' has answered yet" in reply.error
