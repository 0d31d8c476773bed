"""Policies: read per family, shown under the same keys, wrong values named by their place."""

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.config import Findings, parse_policy, show_policy
from baton.config.policies import TABLES
from baton.domain.network import Family
from baton.domain.policy import EvmPolicy, SolanaPolicy, Speed, StellarPolicy

KEY = "11111111111111111111111111111111"
ISSUER = "G" + "A" * 55


def parse(family: Family, value: Any) -> tuple[Any, Findings]:
    findings = Findings()
    return parse_policy(family, value, "policies", findings), findings


def test_an_empty_policy_has_the_defaults() -> None:
    assert parse(Family.EVM, {})[0] == EvmPolicy()
    assert parse(Family.SOLANA, {})[0] == SolanaPolicy()
    assert parse(Family.STELLAR, {})[0] == StellarPolicy()


@pytest.mark.parametrize("family", list(Family))
def test_the_table_of_a_family_fills_every_field_of_its_policy_once(family: Family) -> None:
    table = TABLES[family]
    filled = sorted(key.field for key in table.keys.values())
    assert filled == sorted(item.name for item in fields(table.make()))
    assert all(key.doc for key in table.keys.values())


def test_evm_keys_are_read() -> None:
    policy, findings = parse(
        Family.EVM,
        {
            "min_balance": "340282366920938463463374607431768211455",
            "gas_price_cap": 10**20,
            "whitelist_receivers": ["0x" + "Ab" * 20],
            "eip1559_pricing": False,
            "default_speed": "safeLow",
            "confirmations": 3,
        },
    )
    assert findings == Findings()
    assert policy == EvmPolicy(
        min_balance=2**128 - 1,
        gas_price_cap=10**20,
        whitelist_receivers=("0x" + "ab" * 20,),
        eip1559_pricing=False,
        default_speed=Speed.SAFE_LOW,
        confirmations=3,
    )


def test_solana_keys_are_read_under_the_names_of_the_peer() -> None:
    policy, findings = parse(Family.SOLANA, {"disallowed_accounts": [KEY], "allowed_programs": [KEY]})
    assert findings == Findings()
    assert policy == SolanaPolicy(denied_accounts=(KEY,), allowed_programs=(KEY,))


def test_stellar_keys_are_read() -> None:
    policy, findings = parse(Family.STELLAR, {"allowed_assets": ["native", f"USD:{ISSUER}"], "max_fee": 200})
    assert findings == Findings()
    assert policy == StellarPolicy(allowed_assets=("native", f"USD:{ISSUER}"), max_fee=200)


def test_null_is_absence() -> None:
    policy, findings = parse(Family.EVM, {"gas_price_cap": None, "min_balance": None, "default_speed": None})
    assert (policy, findings) == (EvmPolicy(), Findings())


@pytest.mark.parametrize(
    ("family", "key", "value"),
    [
        (Family.EVM, "gas_price_cap", True),
        (Family.EVM, "gas_price_cap", 1.0),
        (Family.EVM, "gas_price_cap", -1),
        (Family.EVM, "gas_price_cap", 2**128),
        (Family.EVM, "gas_price_cap", "0x10"),
        (Family.EVM, "gas_price_cap", ""),
        (Family.EVM, "gas_price_cap", "9" * 40),
        (Family.EVM, "eip1559_pricing", 1),
        (Family.EVM, "confirmations", 0),
        (Family.EVM, "default_speed", "warp"),
        (Family.EVM, "default_speed", []),
        (Family.EVM, "whitelist_receivers", "0x" + "ab" * 20),
        (Family.SOLANA, "max_tx_data_size", 1233),
        (Family.SOLANA, "max_instructions", 0),
        (Family.STELLAR, "max_fee", 99),
        (Family.STELLAR, "fee_payment_strategy", "nobody"),
    ],
)
def test_a_wrong_value_is_named_by_its_place(family: Family, key: str, value: object) -> None:
    _, findings = parse(family, {key: value})
    assert len(findings.mistakes) == 1
    assert findings.mistakes[0].startswith(f"policies.{key}: found ")


def test_each_wrong_item_of_a_list_is_a_mistake_of_its_own() -> None:
    _, findings = parse(Family.EVM, {"whitelist_receivers": ["0x12", "0x" + "ab" * 20, 5, "0x" + "ab" * 20 + "\n"]})
    assert [mistake.split(":")[0] for mistake in findings.mistakes] == [
        "policies.whitelist_receivers[0]",
        "policies.whitelist_receivers[2]",
        "policies.whitelist_receivers[3]",
    ]


def test_a_mistyped_key_is_a_mistake_that_names_the_right_one() -> None:
    _, findings = parse(Family.EVM, {"gas_price_capp": 1})
    assert "did you mean" in findings.mistakes[0]
    assert "'gas_price_cap'" in findings.mistakes[0]


@pytest.mark.parametrize(
    ("family", "key"), [(family, key) for family, table in TABLES.items() for key in table.unserved]
)
def test_a_key_of_the_peer_that_we_do_not_serve_is_a_warning(family: Family, key: str) -> None:
    policy, findings = parse(family, {key: "anything"})
    assert findings.mistakes == []
    assert findings.warnings == [f"policies.{key}: not served by this version: {TABLES[family].unserved[key]}"]
    assert policy == TABLES[family].make()


def test_fees_paid_by_the_user_are_a_warning_and_by_the_relayer_are_not() -> None:
    assert parse(Family.STELLAR, {"fee_payment_strategy": "relayer"})[1] == Findings()
    assert len(parse(Family.STELLAR, {"fee_payment_strategy": "user"})[1].warnings) == 1


def test_allowed_and_disallowed_accounts_exclude_each_other() -> None:
    _, findings = parse(Family.SOLANA, {"allowed_accounts": [KEY], "disallowed_accounts": [KEY]})
    assert len(findings.mistakes) == 1


amounts = st.integers(0, 2**128 - 1)
addresses = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())


@settings(max_examples=60, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "min_balance": amounts,
            "gas_price_cap": amounts,
            "max_value": amounts,
            "whitelist_receivers": st.lists(addresses, max_size=3),
            "send_reverting": st.booleans(),
            "default_speed": st.sampled_from(list(Speed)).map(str),
            "confirmations": st.integers(1, 10_000),
        },
    )
)
def test_what_is_shown_reads_back_as_the_same_policy(value: dict[str, Any]) -> None:
    policy, findings = parse(Family.EVM, value)
    assert findings == Findings()
    shown = show_policy(policy)
    assert shown | value == shown
    assert parse(Family.EVM, shown)[0] == policy


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(Family),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda i: st.lists(i) | st.dictionaries(st.sampled_from(sorted(TABLES[Family.EVM].keys)), i),
        max_leaves=8,
    ),
)
def test_no_value_whatever_breaks_the_reading(family: Family, value: Any) -> None:
    parse(family, value)
