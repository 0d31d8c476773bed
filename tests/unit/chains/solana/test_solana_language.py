"""Addresses and records of the Solana family, and its calm before any JSON."""

import base64
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from solders.keypair import Keypair
from tests.unit.chains.making import INTERFACE, an_attempt

from baton.chains.base import Draft
from baton.chains.solana.language import SolanaLanguage
from baton.domain.curve import Curve
from baton.domain.errors import Bug, Invalid
from baton.domain.network import Family
from baton.domain.policy import SolanaPolicy
from baton.domain.relayer import Relayer
from baton.domain.status import Status
from baton.domain.transaction import Attempt, Revision, State, View

Parse = Callable[..., Draft]
KEY = Keypair.from_seed(bytes([1]) * 32)
RELAYER = Relayer("r", "r", "solana-local", Family.SOLANA, "s", str(KEY.pubkey()), SolanaPolicy())
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def content(**changes: Any) -> dict[str, Any]:
    spec = {"program_id": "1" * 32, "accounts": [], "data": ""}
    plain = {"instructions": [spec], "transaction": None, "fee_payer": str(KEY.pubkey()), "speed": None}
    return {**plain, "address_lookup_tables": [], **changes}


def attempt() -> Attempt:
    return an_attempt(hash="5sig", max_cost=5000, facts={"signature": "5sig", "transaction": "AQID"}, created_at=NOON)


def test_an_address_is_the_key_in_base58() -> None:
    language = SolanaLanguage()
    assert language.curve is Curve.ED25519
    assert language.address(bytes(KEY.pubkey())) == str(KEY.pubkey())
    assert language.address(bytes(32)) == "1" * 32


def test_a_key_of_another_length_is_our_own_bug() -> None:
    with pytest.raises(Bug):
        SolanaLanguage().address(bytes(33))


def test_a_pending_record_has_every_key_and_null_for_what_is_unknown() -> None:
    view = View("t", "r", NOON, State(Status.PENDING), Revision(1, content()), None)
    record = SolanaLanguage().record(view, RELAYER)
    assert set(record) == INTERFACE | {"transaction", "instructions", "is_canceled"}
    known = {key: value for key, value in record.items() if value is not None}
    assert known == {
        "id": "t",
        "relayer_id": "r",
        "status": "pending",
        "created_at": "2026-01-01T12:00:00.000000+00:00",
        "from": str(KEY.pubkey()),
        "instructions": content()["instructions"],
        "is_canceled": False,
    }


def test_a_confirmed_record_shows_its_attempt() -> None:
    later = NOON + timedelta(seconds=2)
    state = State(Status.CONFIRMED, sent_at=NOON, confirmed_at=later, attempt_id="a")
    view = View("t", "r", NOON, state, Revision(1, content(speed="fast")), attempt())
    record = SolanaLanguage().record(view, RELAYER)
    assert record["hash"] == record["signature"] == "5sig"
    assert record["transaction"] == "AQID"
    assert record["speed"] == {"level": "fast"}
    assert record["sent_at"] == "2026-01-01T12:00:00.000000+00:00"
    assert record["confirmed_at"] == "2026-01-01T12:00:02.000000+00:00"


def test_a_prebuilt_transaction_is_shown_before_it_is_signed() -> None:
    given = content(instructions=None, transaction="BBBB", fee_payer="payer")
    record = SolanaLanguage().record(View("t", "r", NOON, State(Status.PENDING), Revision(1, given), None), RELAYER)
    assert (record["transaction"], record["instructions"], record["from"]) == ("BBBB", None, "payer")


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=60),
    st.sampled_from(["1" * 32, str(KEY.pubkey()), "AA==", "", "2030-01-01T00:00:00Z", "\ud800", 2**200, math.nan]),
)
KEYS = st.sampled_from(
    ["instructions", "transaction", "program_id", "accounts", "data", "pubkey", "is_signer", "is_writable", "speed"]
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=6),
    max_leaves=25,
)
META = st.fixed_dictionaries({"pubkey": LEAVES, "is_signer": LEAVES, "is_writable": LEAVES})
CALL = st.fixed_dictionaries({"program_id": LEAVES, "accounts": st.lists(META, max_size=3) | LEAVES, "data": LEAVES})
NEARLY = st.fixed_dictionaries(
    {"instructions": st.lists(CALL, max_size=3) | LEAVES, "valid_until": LEAVES, "address_lookup_tables": ANYTHING}
)


@given(body=ANYTHING | NEARLY)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_a_draft_or_invalid(parse: Parse, body: Any) -> None:
    reason = ""
    try:
        assert parse(body).content["fee_payer"]
    except Invalid as error:
        reason = str(error)
    assert len(reason) < 600


@given(raw=st.binary(max_size=400))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_a_transaction_or_invalid(parse: Parse, raw: bytes) -> None:
    with pytest.raises(Invalid):  # random bytes never carry the relayer's key
        parse({"transaction": base64.b64encode(raw).decode()})
