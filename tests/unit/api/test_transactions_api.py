"""Sections 2.2 and 4.1 of the interface: sending a transaction, and the record that answers."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.asgi_client import Client
from tests.bodies import BODIES, EVM_BODY, PAYMENT, RELAYERS, SOLANA_BODY, STELLAR_BODY, TO, path_of
from tests.house import EVM_ADDRESS
from tests.unit.chains.making import INTERFACE

SEND = path_of("evm-local")


async def check_refused(client: Client, relayer_id: str, body: Any, field: str) -> None:
    reply = await client.post(path_of(relayer_id), body)
    assert (reply.status, reply.message) == (400, "Bad Request"), reply.body
    assert reply.error.startswith(field), reply.error


@pytest.mark.parametrize("relayer_id", RELAYERS)
async def test_a_submitted_transaction_is_answered_with_its_record(client: Client, relayer_id: str) -> None:
    """interface §4.1: success is the envelope with `data` = one transaction record."""
    reply = await client.post(path_of(relayer_id), BODIES[relayer_id])
    assert reply.status == 200, reply.body
    assert reply.data["relayer_id"] == relayer_id
    assert reply.data["status"] == "pending"


@pytest.mark.parametrize("relayer_id", RELAYERS)
async def test_a_record_has_every_key_of_the_interface(client: Client, relayer_id: str) -> None:
    """interface §2.2: the fields of a transaction record; what is not known yet is null."""
    record = (await client.post(path_of(relayer_id), BODIES[relayer_id])).data
    assert [key for key in INTERFACE if key not in record] == []
    for key in ("status_reason", "sent_at", "confirmed_at", "hash", "nonce", "signature"):
        assert record[key] is None
    assert isinstance(record["id"], str)
    assert isinstance(record["from"], str)


async def test_the_fields_of_a_record_have_the_types_of_the_interface(client: Client) -> None:
    """interface §2.2: amounts are decimal text, `gas_limit` is an integer, `speed` is an object."""
    body = {"value": 2**128 - 1, "to": TO, "data": "0xabcd", "gas_limit": 100_000, "gas_price": 2**70}
    record = (await client.post(SEND, body)).data
    assert record["value"] == str(2**128 - 1)
    assert record["gas_limit"] == 100_000
    assert record["gas_price"] == str(2**70)
    assert record["from"] == EVM_ADDRESS
    assert record["to"] == TO
    assert record["data"] == "0xabcd"
    assert record["max_fee_per_gas"] is None
    fast = (await client.post(SEND, {**EVM_BODY, "speed": "fast"})).data
    assert fast["speed"] == {"level": "fast"}
    pair = (await client.post(SEND, {**EVM_BODY, "max_fee_per_gas": 7, "max_priority_fee_per_gas": 3})).data
    assert (pair["max_fee_per_gas"], pair["max_priority_fee_per_gas"]) == ("7", "3")


async def test_a_timestamp_is_rfc_3339_in_utc_with_microseconds(client: Client) -> None:
    """interface §2.2: `created_at` is a string (timestamp)."""
    created_at = (await client.post(SEND, EVM_BODY)).data["created_at"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", created_at)
    assert datetime.fromisoformat(created_at).utcoffset() == timedelta(0)


async def test_each_transaction_has_an_id_of_its_own(client: Client) -> None:
    """interface §2.2: `id` identifies a transaction."""
    ids = {(await client.post(SEND, EVM_BODY)).data["id"] for _ in range(20)}
    assert len(ids) == 20


async def test_the_relayer_in_the_path_may_be_percent_encoded(client: Client) -> None:
    """interface §4.1: `relayer_id` is a string in the path."""
    reply = await client.post("/api/v1/relayers/evm%2Dlocal/transactions", EVM_BODY)
    assert reply.data["relayer_id"] == "evm-local"


async def test_an_unknown_relayer_is_named_in_the_message(client: Client) -> None:
    """interface §4.1, §7: `Relayer with ID <relayer_id> not found`."""
    reply = await client.post(path_of("nobody"), EVM_BODY)
    assert (reply.status, reply.message) == (404, "Relayer with ID nobody not found")
    odd = await client.post("/api/v1/relayers/a%20b%2Fc%22%0a/transactions", EVM_BODY)
    assert odd.message == 'Relayer with ID a b/c"\n not found'


REFUSED_A: list[tuple[dict[str, Any], str]] = [
    ({"to": TO}, "value"),
    ({"value": None, "to": TO}, "value"),
    ({"value": -1, "to": TO}, "value"),
    ({"value": 2**128, "to": TO}, "value"),
    ({"value": True, "to": TO}, "value"),
    ({"value": 1.0, "to": TO}, "value"),
    ({"value": "", "to": TO}, "value"),
    ({"value": "1_000", "to": TO}, "value"),
    ({"value": "١٢", "to": TO}, "value"),
    ({**EVM_BODY, "to": "0x12"}, "to"),
    ({**EVM_BODY, "to": 5}, "to"),
    ({**EVM_BODY, "data": "0xabc"}, "data"),
    ({**EVM_BODY, "data": "abcd"}, "data"),
    ({**EVM_BODY, "gas_limit": -1}, "gas_limit"),
    ({**EVM_BODY, "gas_limit": 2**63}, "gas_limit"),
    ({**EVM_BODY, "gas_limit": 20_999}, "gas_limit"),
    ({**EVM_BODY, "gas_limit": True}, "gas_limit"),
    ({**EVM_BODY, "gas_price": -1}, "gas_price"),
    ({**EVM_BODY, "max_fee_per_gas": -1}, "max_fee_per_gas"),
    ({**EVM_BODY, "max_priority_fee_per_gas": -1}, "max_priority_fee_per_gas"),
    ({**EVM_BODY, "max_fee_per_gas": 1, "max_priority_fee_per_gas": 2}, "max_priority_fee_per_gas"),
    ({**EVM_BODY, "gas_price": 1, "speed": "fast"}, "gas_price"),
    ({**EVM_BODY, "speed": "slow"}, "speed"),
    ({**EVM_BODY, "speed": 1}, "speed"),
    ({**EVM_BODY, "valid_until": "tomorrow"}, "valid_until"),
    ({**EVM_BODY, "valid_until": "2029-12-31T00:00:00Z"}, "valid_until"),
    ({"value": 1}, "to"),
]


@pytest.mark.parametrize(("body", "field"), REFUSED_A)
async def test_a_field_of_group_a_that_is_not_as_it_must_be_is_refused(
    client: Client, body: dict[str, Any], field: str
) -> None:
    """interface §4.1 group A, §7 `Bad Request`, §8: `value` is required and u128; prices and gas limit are >= 0."""
    await check_refused(client, "evm-local", body, field)


@pytest.mark.parametrize(
    "body",
    [
        {"value": 0},
        {"value": 2**128 - 1, "to": TO},
        {"value": "340282366920938463463374607431768211455", "to": TO},
        {"value": "0xff", "to": TO},
        {**EVM_BODY, "data": None, "gas_limit": None, "speed": None, "valid_until": None},
        {**EVM_BODY, "gas_limit": 2**63 - 1},
        {**EVM_BODY, "gas_price": 0},
        {**EVM_BODY, "max_fee_per_gas": 0},
        {**EVM_BODY, "valid_until": "2031-01-01T00:00:00+02:00"},
        {**EVM_BODY, "network": "other", "instructions": "ignored", "unknown": {"a": 1}},
        *({**EVM_BODY, "speed": speed} for speed in ("fastest", "fast", "average", "safeLow")),
    ],
)
async def test_a_body_of_group_a_is_taken(client: Client, body: dict[str, Any]) -> None:
    """interface §4.1 group A, §8: every field but `value` is optional; keys of other groups are ignored."""
    reply = await client.post(SEND, body)
    assert reply.status == 200, reply.body


async def test_a_value_of_128_bits_is_kept_exactly(client: Client) -> None:
    """interface §4.1 group A, §8: `value` is u128; no digit is lost on the way."""
    for value in (0, 2**53 + 1, 2**64 - 1, 2**64, 2**128 - 1):
        assert (await client.post(SEND, {"value": value, "to": TO})).data["value"] == str(value)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "instructions"),
        ({**SOLANA_BODY, "transaction": "AAAA"}, "instructions"),
        ({"instructions": None, "transaction": None}, "instructions"),
        ({"instructions": []}, "instructions"),
        ({"instructions": "x"}, "instructions"),
        ({"instructions": [{"program_id": "0"}]}, "instructions[0].program_id"),
        ({"transaction": "not base64"}, "transaction"),
        ({"transaction": 5}, "transaction"),
        ({**SOLANA_BODY, "valid_until": 5}, "valid_until"),
        ({**SOLANA_BODY, "valid_until": "2029-12-31T00:00:00Z"}, "valid_until"),
    ],
)
async def test_a_field_of_group_b_that_is_not_as_it_must_be_is_refused(
    client: Client, body: dict[str, Any], field: str
) -> None:
    """interface §4.1 group B: `instructions` and `transaction` exclude each other; `valid_until` is RFC 3339."""
    await check_refused(client, "solana-local", body, field)


async def test_a_body_of_group_b_is_taken_with_its_optional_fields(client: Client) -> None:
    """interface §4.1 group B: `valid_until` and null for what is absent."""
    body = {**SOLANA_BODY, "transaction": None, "valid_until": "2031-01-01T00:00:00Z"}
    record = (await client.post(path_of("solana-local"), body)).data
    assert record["instructions"] == SOLANA_BODY["instructions"]
    assert record["transaction"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"operations": [PAYMENT]}, "network"),
        ({**STELLAR_BODY, "network": None}, "network"),
        ({"network": "testnet"}, "operations"),
        ({**STELLAR_BODY, "transaction_xdr": "AAAA"}, "operations"),
        ({**STELLAR_BODY, "operations": []}, "operations"),
        ({**STELLAR_BODY, "source_account": 5}, "source_account"),
        ({**STELLAR_BODY, "fee_bump": True}, "fee_bump"),
        ({**STELLAR_BODY, "fee_bump": "yes"}, "fee_bump"),
        ({**STELLAR_BODY, "max_fee": -1}, "max_fee"),
        ({**STELLAR_BODY, "max_fee": 2**63}, "max_fee"),
        ({**STELLAR_BODY, "memo": {"type": "song"}}, "memo.type"),
        ({**STELLAR_BODY, "memo": {"type": "text", "value": 5}}, "memo.value"),
        ({**STELLAR_BODY, "memo": {"type": "text", "value": "a" * 29}}, "memo.value"),
        ({**STELLAR_BODY, "memo": {"type": "id", "value": -1}}, "memo.value"),
        ({**STELLAR_BODY, "memo": {"type": "id", "value": 2**63}}, "memo.value"),
        ({**STELLAR_BODY, "memo": {"type": "hash", "value": [1, 2]}}, "memo.value"),
        ({**STELLAR_BODY, "memo": {"type": "return", "value": [256] * 32}}, "memo.value[0]"),
        ({"network": "testnet", "transaction_xdr": "not base64"}, "transaction_xdr"),
        ({**STELLAR_BODY, "valid_until": "never"}, "valid_until"),
    ],
)
async def test_a_field_of_group_c_that_is_not_as_it_must_be_is_refused(
    client: Client, body: dict[str, Any], field: str
) -> None:
    """interface §4.1 group C, §8: `network` is required; `operations` and `transaction_xdr` exclude each other;
    `fee_bump` only with a signed `transaction_xdr`; `max_fee` is int64; memo ids are int64 >= 0."""
    await check_refused(client, "stellar-local", body, field)


@pytest.mark.parametrize(
    "memo",
    [
        {"type": "none"},
        {"type": "text", "value": "order 4711"},
        {"type": "id", "value": 0},
        {"type": "id", "value": 2**63 - 1},
        {"type": "hash", "value": list(range(32))},
        {"type": "return", "value": [255] * 32},
        None,
    ],
)
async def test_every_kind_of_memo_is_taken(client: Client, memo: Any) -> None:
    """interface §4.1 MemoSpec, §8: `none`, `text`, `id` (int64 >= 0), `hash`, `return`; null is none."""
    reply = await client.post(path_of("stellar-local"), {**STELLAR_BODY, "memo": memo})
    assert reply.data["memo"] == memo


async def test_the_default_max_fee_is_a_million_stroops(client: Client, house: Any) -> None:
    """interface §4.1 group C, §8: `max_fee` defaults to 1000000 stroops."""
    await client.post(path_of("stellar-local"), STELLAR_BODY)
    assert house.store.written[-1].revision.content["max_fee"] == 1_000_000


async def test_the_relayers_network_decides_which_group_is_read(client: Client) -> None:
    """interface §4.1: three groups of fields; a body of another group is refused by its missing fields."""
    await check_refused(client, "evm-local", SOLANA_BODY, "value")
    await check_refused(client, "solana-local", EVM_BODY, "instructions")
    await check_refused(client, "stellar-local", EVM_BODY, "network")


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"5", b"null", b"true"])
async def test_a_body_that_is_no_object_is_refused(client: Client, body: bytes) -> None:
    """interface §4.1: the request body is a JSON object."""
    reply = await client.post(SEND, body)
    assert (reply.status, reply.message) == (400, "Bad Request")
    assert "a JSON object" in reply.error


@pytest.mark.parametrize(
    "media", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.x+json"]
)
async def test_json_is_taken_by_its_media_type(client: Client, media: str) -> None:
    """interface §4: request bodies are JSON (`Content-Type: application/json`)."""
    assert (await client.send("POST", SEND, (b'{"value": 0}',), [("content-type", media)])).status == 200


@pytest.mark.parametrize(
    "media", ["text/json", "application/x-www-form-urlencoded", "application/json; charset=latin1", "json", "a/json,b"]
)
async def test_another_media_type_is_refused(client: Client, media: str) -> None:
    """interface §4: request bodies are JSON (`Content-Type: application/json`)."""
    reply = await client.send("POST", SEND, (b'{"value": 0}',), [("content-type", media)])
    assert (reply.status, reply.message) == (415, "Unsupported Media Type")


async def test_an_encoded_body_is_refused(client: Client) -> None:
    reply = await client.post(SEND, EVM_BODY, ("content-encoding", "gzip"))
    assert reply.status == 415
