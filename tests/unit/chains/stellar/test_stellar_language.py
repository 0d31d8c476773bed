"""Addresses and records of the Stellar family, and its calm before any JSON."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import stellar_sdk as sdk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.chains.making import INTERFACE, an_attempt

from baton.chains.base import Draft
from baton.chains.stellar.language import StellarLanguage
from baton.chains.stellar.operations import SHAPES
from baton.domain.curve import Curve
from baton.domain.errors import Bug, Invalid
from baton.domain.network import Family
from baton.domain.policy import StellarPolicy
from baton.domain.relayer import Relayer
from baton.domain.status import Status
from baton.domain.transaction import Revision, State, View

Parse = Callable[..., Draft]
KEY = sdk.Keypair.from_raw_ed25519_seed(bytes([1]) * 32)
A = sdk.Keypair.from_raw_ed25519_seed(bytes([2]) * 32).public_key
C = sdk.StrKey.encode_contract(bytes([5]) * 32)
RELAYER = Relayer("r", "r", "local", Family.STELLAR, "s", KEY.public_key, StellarPolicy())
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
OWN = {"source_account", "sequence_number", "fee", "memo", "operations", "transaction_xdr", "transaction_result_xdr"}


def content(**changes: Any) -> dict[str, Any]:
    plain = {"network": "local", "source_account": KEY.public_key, "operations": [{"type": "restore_footprint"}]}
    return {**plain, "transaction_xdr": None, "memo": None, "fee_bump": False, "max_fee": 1_000_000, **changes}


def test_an_address_is_the_keys_strkey() -> None:
    language = StellarLanguage({})
    assert language.curve is Curve.ED25519
    assert language.address(KEY.raw_public_key()) == KEY.public_key


def test_a_key_of_another_length_is_our_own_bug() -> None:
    with pytest.raises(Bug):
        StellarLanguage({}).address(bytes(31))


def test_a_relayer_on_an_unknown_network_is_our_own_bug() -> None:
    with pytest.raises(Bug):
        StellarLanguage({}).parse({}, RELAYER, NOON)


def test_a_pending_record_has_every_key_and_null_for_what_is_unknown() -> None:
    view = View("t", "r", NOON, State(Status.PENDING), Revision(1, content()), None)
    record = StellarLanguage({}).record(view, RELAYER)
    assert set(record) == INTERFACE | OWN | {"is_canceled"}
    known = {key: value for key, value in record.items() if value is not None}
    assert known == {
        "id": "t",
        "relayer_id": "r",
        "status": "pending",
        "created_at": "2026-01-01T12:00:00.000000+00:00",
        "from": KEY.public_key,
        "source_account": KEY.public_key,
        "operations": [{"type": "restore_footprint"}],
        "is_canceled": False,
    }


def test_a_confirmed_record_shows_its_attempt() -> None:
    facts = {"fee": 100, "sequence_number": "77", "transaction_xdr": "AAAA"}
    outcome = {"transaction_result_xdr": "BBBB"}
    state = State(Status.CONFIRMED, sent_at=NOON, confirmed_at=NOON + timedelta(seconds=5), attempt_id="a")
    memo = {"type": "id", "value": 3}
    view = View(
        "t",
        "r",
        NOON,
        state,
        Revision(1, content(memo=memo)),
        an_attempt(facts=facts | {"source_account": A}, outcome=outcome),
    )
    record = StellarLanguage({}).record(view, RELAYER)
    assert {key: record[key] for key in facts | outcome} == facts | outcome
    assert (record["hash"], record["source_account"], record["memo"]) == ("ab" * 32, A, memo)
    assert record["confirmed_at"] == "2026-01-01T12:00:05.000000+00:00"


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=40),
    st.sampled_from([A, C, KEY.public_key, "local", "5", "AAAA", "00" * 32, "native", "\ud800", 2**300, math.nan]),
)
FIELD_NAMES = sorted({key for shape in SHAPES.values() for key in shape})
KEYS = st.sampled_from([*FIELD_NAMES, "type", "network", "operations", "memo", "code", "issuer", "vec", "map", "u128"])
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=4), inner, max_size=6),
    max_leaves=20,
)
ASSET = st.fixed_dictionaries({"type": st.sampled_from(["native", "credit4"]), "code": LEAVES, "issuer": LEAVES})


def nearly(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """An operation of a true type, with true field names and any values."""
    fields = dict.fromkeys(SHAPES[kind], LEAVES | ASSET | ANYTHING)
    return st.fixed_dictionaries({"type": st.just(kind), **fields})


NEARLY = st.fixed_dictionaries(
    {
        "network": st.just("local"),
        "operations": st.lists(st.sampled_from(sorted(SHAPES)).flatmap(nearly), min_size=1, max_size=2),
        "memo": st.none() | st.fixed_dictionaries({"type": st.sampled_from(["text", "id", "hash"]), "value": LEAVES}),
    }
)


@given(body=ANYTHING | NEARLY)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_a_draft_or_invalid(parse: Parse, body: Any) -> None:
    reason = ""
    try:
        assert parse(body).content["source_account"]
    except Invalid as error:
        reason = str(error)
    assert len(reason) < 1_000


SCVALS = st.recursive(
    st.just("void")
    | st.builds(lambda v: {"bool": v}, st.booleans())
    | st.builds(lambda v: {"i128": v}, st.integers(-(2**127), 2**127 - 1))
    | st.builds(lambda v: {"u256": str(v)}, st.integers(0, 2**256 - 1))
    | st.builds(lambda v: {"bytes": v.hex()}, st.binary(max_size=8))
    | st.builds(lambda v: {"string": v}, st.text(st.characters(codec="utf-8"), max_size=8))
    | st.sampled_from([{"address": A}, {"address": C}, {"symbol": "s"}, {"timepoint": 1}, {"u32": 7}]),
    lambda inner: (
        st.builds(lambda v: {"vec": v}, st.lists(inner, max_size=3))
        | st.builds(
            lambda pairs: {"map": [{"key": {"u32": i}, "val": val} for i, val in enumerate(pairs)]},
            st.lists(inner, max_size=3),
        )
        | st.builds(
            lambda key, val: {"map": [{"key": {"vec": [key]}, "val": val}, {"key": key, "val": val}]}, inner, inner
        )
    ),
    max_leaves=8,
)


@given(value=SCVALS)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_contract_value_can_be_built(parse: Parse, value: Any) -> None:
    call = {"type": "invoke_contract", "contract_address": C, "function_name": "f", "args": [value]}
    once = parse({"network": "local", "operations": [call]}).content
    assert parse({"network": "local", "operations": once["operations"]}).content == once
