"""Instructions of group B: what is taken, and the path and reason of what is refused."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.transaction import VersionedTransaction

from baton.chains.base import Draft
from baton.chains.solana.build import compute_budget, instruction
from baton.domain.errors import Invalid

Parse = Callable[..., Draft]
SYSTEM = "1" * 32
OTHER = str(Keypair.from_seed(bytes([9]) * 32).pubkey())
RELAYER = str(Keypair.from_seed(bytes([1]) * 32).pubkey())
TRANSFER = base64.b64encode((2).to_bytes(4, "little") + (5).to_bytes(8, "little")).decode()


def meta(pubkey: Any = OTHER, is_signer: Any = False, is_writable: Any = True) -> dict[str, Any]:
    return {"pubkey": pubkey, "is_signer": is_signer, "is_writable": is_writable}


def call(**changes: Any) -> dict[str, Any]:
    given = {"program_id": SYSTEM, "accounts": [meta(RELAYER, True), meta()], "data": TRANSFER}
    return {**given, **changes}


def numbered(n: int) -> str:
    return str(Keypair.from_seed(n.to_bytes(32, "little")).pubkey())


def refusal(parse: Parse, body: Any, **policy: Any) -> Invalid:
    with pytest.raises(Invalid) as caught:
        parse(body, **policy)
    return caught.value


def test_a_transfer_by_the_system_program_is_taken_as_it_is(parse: Parse) -> None:
    draft = parse({"instructions": [call()], "valid_until": "2030-01-01T00:00:00Z"})
    assert draft.content == {
        "instructions": [call()],
        "transaction": None,
        "fee_payer": RELAYER,
        "speed": None,
        "address_lookup_tables": [],
    }
    assert draft.valid_until == datetime(2030, 1, 1, tzinfo=UTC)


def test_empty_accounts_and_empty_data_are_legal(parse: Parse) -> None:
    assert parse({"instructions": [call(accounts=[], data="")]}).content["instructions"][0]["data"] == ""


def test_unknown_keys_and_keys_of_other_groups_are_ignored(parse: Parse) -> None:
    body = {"instructions": [call(nonsense=1)], "value": -1, "network": 7, "gas_limit": "x", "speed": "warp"}
    draft = parse(body)
    assert draft.content["instructions"] == [call()]
    assert draft.content["speed"] is None


def test_a_known_speed_is_kept(parse: Parse) -> None:
    assert parse({"instructions": [call()], "speed": "safeLow"}).content["speed"] == "safeLow"


def test_null_is_absence(parse: Parse) -> None:
    body = {"instructions": [call()], "transaction": None, "valid_until": None, "address_lookup_tables": None}
    assert parse(body).valid_until is None


def test_lookup_tables_are_kept_once_each(parse: Parse) -> None:
    draft = parse({"instructions": [call()], "address_lookup_tables": [OTHER, OTHER, SYSTEM]})
    assert draft.content["address_lookup_tables"] == [OTHER, SYSTEM]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (None, "body"),
        ([], "body"),
        ({}, "instructions"),
        ({"instructions": None, "transaction": None}, "instructions"),
        ({"instructions": [call()], "transaction": "AA=="}, "instructions"),
        ({"instructions": [], "transaction": "AA=="}, "instructions"),
        ({"instructions": []}, "instructions"),
        ({"instructions": [call()] * 65}, "instructions"),
        ({"instructions": {}}, "instructions"),
        ({"instructions": "x"}, "instructions"),
        ({"instructions": [7]}, "instructions[0]"),
        ({"instructions": [call(), None]}, "instructions[1]"),
        ({"instructions": [call(program_id=None)]}, "instructions[0].program_id"),
        ({"instructions": [call(program_id="")]}, "instructions[0].program_id"),
        ({"instructions": [call(program_id="0" * 32)]}, "instructions[0].program_id"),
        ({"instructions": [call(program_id="1" * 31)]}, "instructions[0].program_id"),
        ({"instructions": [call(program_id="z" * 44)]}, "instructions[0].program_id"),
        ({"instructions": [call(program_id=f" {OTHER}")]}, "instructions[0].program_id"),
        ({"instructions": [call(program_id="é" * 40)]}, "instructions[0].program_id"),
        ({"instructions": [call(program_id=RELAYER)]}, "instructions[0].program_id"),
        ({"instructions": [call(accounts=None)]}, "instructions[0].accounts"),
        ({"instructions": [call(accounts={})]}, "instructions[0].accounts"),
        ({"instructions": [call(accounts=[meta()] * 65)]}, "instructions[0].accounts"),
        ({"instructions": [call(accounts=["x"])]}, "instructions[0].accounts[0]"),
        ({"instructions": [call(accounts=[meta(), meta("no")])]}, "instructions[0].accounts[1].pubkey"),
        ({"instructions": [call(accounts=[{"pubkey": OTHER}])]}, "instructions[0].accounts[0].is_signer"),
        ({"instructions": [call(accounts=[meta(is_signer=1)])]}, "instructions[0].accounts[0].is_signer"),
        ({"instructions": [call(accounts=[meta(is_signer=True)])]}, "instructions[0].accounts[0].is_signer"),
        ({"instructions": [call(accounts=[meta(is_writable="true")])]}, "instructions[0].accounts[0].is_writable"),
        ({"instructions": [call(data=None)]}, "instructions[0].data"),
        ({"instructions": [call(data=1)]}, "instructions[0].data"),
        ({"instructions": [call(data="AA")]}, "instructions[0].data"),
        ({"instructions": [call(data="AB==")]}, "instructions[0].data"),
        ({"instructions": [call(data="AA==\n")]}, "instructions[0].data"),
        ({"instructions": [call(data="A-_=")]}, "instructions[0].data"),
        ({"instructions": [call(data="\ud800")]}, "instructions[0].data"),
        ({"instructions": [call(data=base64.b64encode(bytes(1233)).decode())]}, "instructions[0].data"),
        ({"instructions": [call(data=base64.b64encode(bytes(1232)).decode())]}, "instructions"),
        ({"instructions": [call()], "valid_until": "tomorrow"}, "valid_until"),
        ({"instructions": [call()], "valid_until": "2025-12-31T23:59:59Z"}, "valid_until"),
        ({"instructions": [call()], "valid_until": "2026-01-01T00:00:00Z"}, "valid_until"),
        ({"instructions": [call()], "address_lookup_tables": "x"}, "address_lookup_tables"),
        ({"instructions": [call()], "address_lookup_tables": [OTHER] * 17}, "address_lookup_tables"),
        ({"instructions": [call()], "address_lookup_tables": ["x"]}, "address_lookup_tables[0]"),
    ],
)
def test_a_bad_field_is_refused_by_its_path(parse: Parse, body: Any, path: str) -> None:
    assert refusal(parse, body).field == path


def test_the_refusal_of_a_foreign_signer_names_both_addresses(parse: Parse) -> None:
    error = refusal(parse, {"instructions": [call(accounts=[meta(is_signer=True)])]})
    assert OTHER in str(error)
    assert RELAYER in str(error)


def test_more_than_64_different_accounts_are_refused(parse: Parse) -> None:
    first = call(accounts=[meta(numbered(n)) for n in range(1, 33)], data="")
    second = call(accounts=[meta(numbered(n)) for n in range(33, 64)], data="")
    tables = {"address_lookup_tables": [OTHER]}
    assert "65 different accounts" in str(refusal(parse, {"instructions": [first, second], **tables}))
    second["accounts"].pop()
    assert parse({"instructions": [first, second], **tables}).content["instructions"] == [first, second]


@pytest.mark.parametrize("spare", [0, 1])
def test_the_largest_transaction_fits_to_the_byte(parse: Parse, key: Keypair, spare: int) -> None:
    def signed_size(data: bytes) -> int:
        spec = call(data=base64.b64encode(data).decode())
        whole = [*compute_budget([spec], 200_000, 1), instruction(spec)]
        message = MessageV0.try_compile(key.pubkey(), whole, [], Hash.default())
        return len(bytes(VersionedTransaction(message, [key])))

    room = 1232 - signed_size(bytes(200)) + 200
    assert signed_size(bytes(room)) == 1232
    body = {"instructions": [call(data=base64.b64encode(bytes(room + spare)).decode())]}
    if spare:
        assert "1233 bytes" in str(refusal(parse, body))
    else:
        assert parse(body).content["fee_payer"] == RELAYER


def test_a_client_may_bring_its_own_compute_budget() -> None:
    limit = {"program_id": "ComputeBudget111111111111111111111111111111", "accounts": [], "data": "AkANAwA="}
    assert len(compute_budget([limit], 1, 1)) == 1
    assert len(compute_budget([call()], 1, 1)) == 2


def test_with_lookup_tables_only_what_could_never_fit_is_refused(parse: Parse) -> None:
    many = call(accounts=[meta(numbered(n)) for n in range(1, 41)], data="")
    assert refusal(parse, {"instructions": [many]}).field == "instructions"
    assert parse({"instructions": [many], "address_lookup_tables": [OTHER]}).content["instructions"] == [many]
