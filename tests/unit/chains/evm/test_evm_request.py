"""A request of group A is read to the letter of the rules, or refused naming the field."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.chains.base import Draft, Language
from baton.chains.evm.ask import Ask
from baton.chains.evm.language import EvmLanguage
from baton.domain.errors import Invalid
from baton.domain.network import Family, Network
from baton.domain.policy import EvmPolicy, Speed
from baton.domain.relayer import Relayer

NOW = datetime(2030, 1, 1, tzinfo=UTC)
OWN = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
TO = "0x5e87fD270D40C47266B7E3c822f4a9d21043012D"
ZERO = "0x" + "0" * 40
NETWORK = Network("local", Family.EVM, chain_id=31_337)
RELAYER = Relayer("r", "R", "local", Family.EVM, "s", OWN, EvmPolicy())
LANGUAGE: Language = EvmLanguage(NETWORK)
SIGNED = {"chain_id": 31_337, "address": TO, "nonce": 0, "y_parity": 1, "r": "0x1", "s": "2"}


def parse(policy: EvmPolicy | None = None, /, **body: Any) -> Draft:
    relayer = RELAYER if policy is None else replace(RELAYER, policy=policy)
    return LANGUAGE.parse(body, relayer, NOW)


def refusal(policy: EvmPolicy | None = None, /, **body: Any) -> Invalid:
    with pytest.raises(Invalid) as caught:
        parse(policy, **body)
    return caught.value


def test_the_least_request_is_a_value_and_a_receiver() -> None:
    assert parse(value=0, to=TO) == Draft({"value": "0", "to": TO}, None)


def test_to_and_data_stay_as_the_client_wrote_them() -> None:
    content = parse(value=1, to=TO, data="0xAbCd").content
    assert content["to"] == TO
    assert content["data"] == "0xAbCd"


@pytest.mark.parametrize("top", [2**128 - 1, str(2**128 - 1), hex(2**128 - 1)])
def test_a_value_is_exact_up_to_u128(top: Any) -> None:
    assert parse(value=top, to=TO).content["value"] == str(2**128 - 1)


@pytest.mark.parametrize(
    "literal",
    [
        "null",
        "true",
        "1.0",
        "1e3",
        "-1",
        '""',
        '"0x"',
        '"1_000"',
        '"1e3"',
        '" 1"',
        '"-1"',
        "[]",
        "{}",
        str(2**128),
        f'"{2**128}"',
        f'"{hex(2**128)}"',
    ],
)
def test_a_value_that_is_no_u128_is_refused(literal: str) -> None:
    assert refusal(value=msgspec.json.decode(literal), to=TO).field == "value"


def test_a_missing_value_is_refused() -> None:
    assert refusal(to=TO).field == "value"


@pytest.mark.parametrize("body", [None, [], "x", 7, True])
def test_a_body_that_is_no_object_is_refused(body: Any) -> None:
    with pytest.raises(Invalid, match="a JSON object"):
        LANGUAGE.parse(body, RELAYER, NOW)


@pytest.mark.parametrize(
    "to", ["", "0x", TO[2:], TO + "0", TO[:-1], "0X" + TO[2:], TO[:-1] + "g", f" {TO}", f"{TO}\n", 5]
)
def test_a_receiver_of_another_form_is_refused(to: Any) -> None:
    assert refusal(value=0, to=to).field == "to"


@pytest.mark.parametrize("data", ["", "abcd", "0xabc", "0xgg", "0x ab", "0Xab", "0xab\n0", 5, []])
def test_data_of_another_form_is_refused(data: Any) -> None:
    assert refusal(value=0, to=TO, data=data).field == "data"


def test_null_equals_absence_for_every_optional_field() -> None:
    names = ("to", "gas_limit", "gas_price", "max_fee_per_gas", "max_priority_fee_per_gas", "speed", "valid_until")
    nothing = dict.fromkeys((*names, "access_list", "authorization_list"))
    assert parse(value=0, **{**nothing, "data": "0x00"}) == parse(value=0, data="0x00")


def test_unknown_keys_and_those_of_other_families_are_ignored() -> None:
    assert parse(value=0, to=TO, network=5, instructions=True, nonce=-1, nonsense={}) == parse(value=0, to=TO)


@pytest.mark.parametrize("limit", [True, 21_000.0, "21000", -1, 2**63])
def test_a_gas_limit_that_is_no_int64_is_refused(limit: Any) -> None:
    assert refusal(value=0, to=TO, gas_limit=limit).field == "gas_limit"


ACCESS: list[dict[str, Any]] = [{"address": TO, "storage_keys": ["0x" + "11" * 32, "0x" + "22" * 32]}, {"address": TO}]


@pytest.mark.parametrize(
    ("body", "gas"),
    [
        ({"to": TO}, 21_000),
        ({"to": TO, "data": "0x00ff"}, 21_020),
        ({}, 53_000),
        ({"data": "0x" + "01" * 33}, 53_000 + 33 * 16 + 2 * 2),
        ({"to": TO, "access_list": ACCESS}, 21_000 + 2 * 2_400 + 2 * 1_900),
        ({"to": TO, "authorization_list": [SIGNED, SIGNED]}, 21_000 + 2 * 25_000),
    ],
)
def test_a_gas_limit_below_the_intrinsic_gas_is_refused(body: dict[str, Any], gas: int) -> None:
    assert parse(value=0, gas_limit=gas, **body).content["gas_limit"] == gas
    error = refusal(value=0, gas_limit=gas - 1, **body)
    assert error.field == "gas_limit"
    assert str(gas) in error.expected


@pytest.mark.parametrize("price", ["gas_price", "max_fee_per_gas", "max_priority_fee_per_gas"])
def test_prices_are_exact_u128_in_number_or_decimal_text(price: str) -> None:
    for top in (2**128 - 1, str(2**128 - 1)):
        assert parse(value=0, to=TO, **{price: top}).content[price] == str(2**128 - 1)
    assert parse(value=0, to=TO, **{price: 0}).content[price] == "0"
    refused: list[Any] = [True, 1.0, -1, "", "0x1", "1e9", 2**128, []]
    for bad in refused:
        assert refusal(value=0, to=TO, **{price: bad}).field == price


@pytest.mark.parametrize(
    "prices",
    [
        {"gas_price": 1, "speed": "fast"},
        {"gas_price": 1, "max_fee_per_gas": 1},
        {"gas_price": 1, "max_priority_fee_per_gas": 1},
        {"speed": "fast", "max_fee_per_gas": 1},
        {"speed": "fast", "max_priority_fee_per_gas": 0},
    ],
)
def test_more_than_one_kind_of_pricing_is_refused(prices: dict[str, Any]) -> None:
    error = refusal(value=0, to=TO, **prices)
    assert error.field in prices
    assert all(name in error.found for name in prices)


def test_a_priority_above_the_maximum_is_refused() -> None:
    assert refusal(value=0, to=TO, max_fee_per_gas=1, max_priority_fee_per_gas=2).field == "max_priority_fee_per_gas"
    assert parse(value=0, to=TO, max_fee_per_gas=2, max_priority_fee_per_gas=2)


def test_speed_is_one_of_four_words() -> None:
    for speed in Speed:
        assert parse(value=0, to=TO, speed=speed.value).content["speed"] == speed.value
    for bad in ("slow", "FAST", "", 1, {"level": "fast"}):
        assert refusal(value=0, to=TO, speed=bad).field == "speed"


def test_valid_until_needs_an_offset_and_the_future() -> None:
    assert parse(value=0, to=TO, valid_until="2030-01-01T01:30:00+01:00").valid_until == datetime(
        2030, 1, 1, 0, 30, tzinfo=UTC
    )
    for bad in ("2030-01-01T00:00:00Z", "2029-01-01T00:00:00Z", "2031-01-01T00:00:00", "tomorrow", 1, ""):
        assert refusal(value=0, to=TO, valid_until=bad).field == "valid_until"


@pytest.mark.parametrize("data", [None, "0x"])
def test_money_is_never_sent_to_an_empty_contract(data: Any) -> None:
    assert refusal(value=1, data=data).field == "to"
    assert parse(value=0, data=data).content["value"] == "0"
    assert parse(value=1, data="0x00").content["value"] == "1"


def test_access_lists_are_read_in_both_spellings() -> None:
    camel = [{"address": TO, "storageKeys": ACCESS[0]["storage_keys"]}, {"address": TO, "storageKeys": None}]
    assert parse(value=0, to=TO, access_list=ACCESS) == parse(value=0, to=TO, access_list=camel)
    assert parse(value=0, to=TO, access_list=[]) == parse(value=0, to=TO)


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        (5, "access_list[1]"),
        ({}, "access_list[1].address"),
        ({"address": "0x1"}, "access_list[1].address"),
        ({"address": TO, "storage_keys": 5}, "access_list[1].storage_keys"),
        ({"address": TO, "storageKeys": ["0x" + "11" * 32, "0x1"]}, "access_list[1].storageKeys[1]"),
    ],
)
def test_a_bad_access_list_names_its_place(entry: Any, path: str) -> None:
    assert refusal(value=0, to=TO, access_list=[{"address": TO}, entry]).field == path


def test_authorizations_are_read_in_both_spellings() -> None:
    camel = {"chainId": 31_337, "address": TO, "nonce": "0x0", "yParity": 1, "r": 1, "s": 2}
    ours = parse(value=0, to=TO, authorization_list=[SIGNED])
    assert ours == parse(value=0, to=TO, authorization_list=[camel])
    assert parse(value=0, to=TO, authorization_list=[SIGNED | {"chain_id": 0}]) != ours


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"chain_id": 1}, "authorization_list[0].chain_id"),
        ({"chain_id": None}, "authorization_list[0].chain_id"),
        ({"address": None}, "authorization_list[0].address"),
        ({"nonce": 2**64 - 1}, "authorization_list[0].nonce"),
        ({"y_parity": 2}, "authorization_list[0].y_parity"),
        ({"y_parity": True}, "authorization_list[0].y_parity"),
        ({"r": 2**256}, "authorization_list[0].r"),
        ({"s": 2**255}, "authorization_list[0].s"),
    ],
)
def test_a_bad_authorization_names_its_place(change: dict[str, Any], path: str) -> None:
    assert refusal(value=0, to=TO, authorization_list=[SIGNED | change]).field == path


def test_authorizations_need_a_receiver_and_dynamic_fees() -> None:
    assert refusal(value=0, authorization_list=[SIGNED]).field == "to"
    assert refusal(value=0, to=TO, gas_price=1, authorization_list=[SIGNED]).field == "gas_price"


def test_a_whitelist_knows_its_members_and_the_relayer_itself() -> None:
    policy = EvmPolicy(whitelist_receivers=(TO.lower(),))
    assert parse(policy, value=0, to=TO)
    assert parse(policy, value=0, to="0x" + OWN[2:].upper())
    assert refusal(policy, value=0, to=ZERO).field == "to"
    assert refusal(policy, value=0, data="0x00").field == "to"
    assert refusal(EvmPolicy(whitelist_receivers=()), value=0, to=TO).field == "to"


@pytest.mark.parametrize("price", ["gas_price", "max_fee_per_gas", "max_priority_fee_per_gas"])
def test_an_explicit_price_over_the_cap_is_refused(price: str) -> None:
    policy = EvmPolicy(gas_price_cap=100)
    assert parse(policy, value=0, to=TO, **{price: 100})
    assert refusal(policy, value=0, to=TO, **{price: 101}).field == price


def test_a_value_over_the_limit_of_one_transaction_is_refused() -> None:
    assert parse(EvmPolicy(max_value=5), value=5, to=TO)
    assert refusal(EvmPolicy(max_value=5), value=6, to=TO).field == "value"


def test_a_fee_over_the_limit_is_refused_when_it_can_be_told() -> None:
    policy = EvmPolicy(max_fee=21_000)
    assert parse(policy, value=0, to=TO, gas_limit=21_000, gas_price=1)
    assert parse(policy, value=0, to=TO, gas_price=2)
    assert refusal(policy, value=0, to=TO, gas_limit=21_000, gas_price=2).field == "gas_price"
    assert refusal(policy, value=0, to=TO, gas_limit=21_001, max_fee_per_gas=1).field == "max_fee_per_gas"


def test_a_relayer_that_does_not_estimate_wants_a_gas_limit() -> None:
    policy = EvmPolicy(gas_limit_estimation=False)
    assert parse(policy, value=0, to=TO, gas_limit=21_000)
    assert refusal(policy, value=0, to=TO).field == "gas_limit"


def test_content_reads_back_into_what_was_asked() -> None:
    draft = parse(value=7, to=TO, data="0x01", max_fee_per_gas=9, access_list=ACCESS, authorization_list=[SIGNED])
    stored = msgspec.json.decode(msgspec.json.encode(draft.content))
    ask = Ask.of(stored)
    assert ask.content() == draft.content
    assert (ask.value, ask.prices) == (7, {"max_fee_per_gas": 9})
    assert ask.to_bytes == bytes.fromhex(TO[2:])
    assert ask.authorizations[0].s == 2
    assert Ask.of(parse(value=0, to=TO, speed="safeLow").content) == Ask(0, TO, speed=Speed.SAFE_LOW)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=50)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=10), inner, max_size=3)),
    max_leaves=6,
)
names = st.sampled_from(
    ["value", "to", "data", "gas_limit", "gas_price", "speed", "valid_until", "access_list", "authorization_list"]
)


@given(st.one_of(json_values, st.dictionaries(names, json_values, max_size=9)))
@settings(max_examples=100)
def test_no_body_makes_anything_but_a_draft_or_a_refusal(body: Any) -> None:
    try:
        draft = LANGUAGE.parse(body, RELAYER, NOW)
    except Invalid as error:
        told = str(error)
    else:
        told = ""
        msgspec.json.encode(draft.content)
    assert len(told) < 400
