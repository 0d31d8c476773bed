"""XDR of group C, made and signed by the official SDK."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import stellar_sdk as sdk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stellar_sdk import xdr as stellar_xdr

from baton.chains.base import Draft
from baton.domain.errors import Invalid

Parse = Callable[..., Draft]
PASSPHRASE = "Standalone Network ; February 2017"
KEY = sdk.Keypair.from_raw_ed25519_seed(bytes([1]) * 32)
STRANGER = sdk.Keypair.from_raw_ed25519_seed(bytes([2]) * 32)
C = sdk.StrKey.encode_contract(bytes([5]) * 32)
PAY = sdk.Payment(STRANGER.public_key, sdk.Asset.native(), "1")


def envelope(
    source: str = KEY.public_key,
    *operations: sdk.Operation,
    memo: sdk.Memo | None = None,
    until: int = 0,
    fee: int = 100,
    v1: bool = True,
) -> sdk.TransactionEnvelope:
    transaction = sdk.Transaction(
        source=sdk.MuxedAccount.from_account(source),
        sequence=5,
        fee=fee,
        operations=list(operations) or [PAY],
        memo=memo,
        preconditions=sdk.Preconditions(time_bounds=sdk.TimeBounds(0, until)),
        v1=v1,
    )
    return sdk.TransactionEnvelope(transaction, PASSPHRASE)


def signed(made: sdk.TransactionEnvelope) -> str:
    made.sign(STRANGER)
    return made.to_xdr()


def asking(text: Any, **changes: Any) -> dict[str, Any]:
    return {"network": "local", "transaction_xdr": text, **changes}


def refusal(parse: Parse, body: Any, **policy: Any) -> Invalid:
    with pytest.raises(Invalid) as caught:
        parse(body, **policy)
    return caught.value


@pytest.mark.parametrize("v1", [True, False])
def test_an_unsigned_transaction_of_the_relayer_is_taken(parse: Parse, v1: bool) -> None:
    text = envelope(v1=v1).to_xdr()
    draft = parse(asking(text))
    assert draft.content == {
        "network": "local",
        "source_account": KEY.public_key,
        "operations": None,
        "transaction_xdr": text,
        "memo": None,
        "fee_bump": False,
        "max_fee": 1_000_000,
    }
    assert draft.valid_until is None


def test_a_muxed_source_of_the_relayer_is_taken(parse: Parse) -> None:
    muxed = str(sdk.MuxedAccount(KEY.public_key, 9).account_muxed)
    assert parse(asking(envelope(muxed).to_xdr())).content["source_account"] == muxed


@pytest.mark.parametrize("v1", [True, False])
def test_a_strangers_signed_transaction_is_taken_for_a_fee_bump(parse: Parse, v1: bool) -> None:
    text = signed(envelope(STRANGER.public_key, v1=v1))
    content = parse(asking(text, fee_bump=True)).content
    assert (content["fee_bump"], content["source_account"]) == (True, STRANGER.public_key)


def test_a_strangers_unsigned_transaction_is_refused(parse: Parse) -> None:
    error = refusal(parse, asking(envelope(STRANGER.public_key).to_xdr()))
    assert error.field == "transaction_xdr"
    assert KEY.public_key in error.expected


def test_a_signed_transaction_without_fee_bump_is_refused_with_the_reason(parse: Parse) -> None:
    for flag in (None, False):
        error = refusal(parse, asking(signed(envelope()), fee_bump=flag))
        assert error.field == "transaction_xdr"
        assert "neither sign nor pay" in str(error)


def test_a_fee_bump_of_an_unsigned_transaction_is_refused(parse: Parse) -> None:
    assert refusal(parse, asking(envelope().to_xdr(), fee_bump=True)).field == "fee_bump"


def test_a_fee_bump_envelope_is_refused(parse: Parse) -> None:
    inner = envelope(STRANGER.public_key)
    inner.sign(STRANGER)
    outer = sdk.FeeBumpTransactionEnvelope(sdk.FeeBumpTransaction(KEY.public_key, 400, inner), PASSPHRASE)
    for flag in (True, False):
        assert "a fee bump" in str(refusal(parse, asking(outer.to_xdr(), fee_bump=flag)))


def test_the_fee_bump_must_be_affordable(parse: Parse) -> None:
    text = signed(envelope(STRANGER.public_key, PAY, PAY, fee=5_001))
    needed = 7_502  # 5,001 stroops for 2 operations, so one and a half times that for 3, rounded up
    assert parse(asking(text, fee_bump=True, max_fee=needed))
    error = refusal(parse, asking(text, fee_bump=True, max_fee=needed - 1))
    assert error.field == "max_fee"
    assert str(needed) in error.expected
    assert refusal(parse, asking(text, fee_bump=True), max_fee=needed - 1).field == "max_fee"


def test_a_source_account_must_agree_with_the_xdr(parse: Parse) -> None:
    text = signed(envelope(STRANGER.public_key))
    for agreed in (STRANGER.public_key, KEY.public_key):
        assert parse(asking(text, fee_bump=True, source_account=agreed))
    third = sdk.Keypair.from_raw_ed25519_seed(bytes([3]) * 32).public_key
    assert refusal(parse, asking(text, fee_bump=True, source_account=third)).field == "source_account"


def test_a_memo_beside_xdr_is_refused_unless_it_is_none(parse: Parse) -> None:
    text = envelope(memo=sdk.TextMemo("inside")).to_xdr()
    assert parse(asking(text, memo={"type": "none"}))
    assert refusal(parse, asking(text, memo={"type": "id", "value": 1})).field == "memo"


def test_the_earlier_end_is_the_validity(parse: Parse) -> None:
    end = datetime(2027, 1, 1, tzinfo=UTC)
    text = envelope(until=int(end.timestamp())).to_xdr()
    assert parse(asking(text)).valid_until == end
    assert parse(asking(text, valid_until="2030-01-01T00:00:00Z")).valid_until == end
    assert parse(asking(text, valid_until="2026-06-01T00:00:00Z")).valid_until == datetime(2026, 6, 1, tzinfo=UTC)
    assert parse(asking(envelope(until=2**64 - 1).to_xdr())).valid_until is None


def test_a_time_bound_that_is_over_is_refused(parse: Parse) -> None:
    assert "ended" in str(refusal(parse, asking(envelope(until=1_700_000_000).to_xdr())))


def invoke() -> sdk.Operation:
    builder = sdk.TransactionBuilder(sdk.Account(KEY.public_key, 1), PASSPHRASE)
    builder.append_invoke_contract_function_op(C, "f", [])
    return builder.operations[0]


def test_contract_operations_stand_alone_and_without_memo(parse: Parse) -> None:
    assert parse(asking(envelope(KEY.public_key, invoke()).to_xdr()))
    assert refusal(parse, asking(envelope(KEY.public_key, invoke(), PAY).to_xdr())).field == "transaction_xdr"
    noted = envelope(KEY.public_key, invoke(), memo=sdk.IdMemo(1)).to_xdr()
    assert refusal(parse, asking(noted)).field == "transaction_xdr"


def test_a_transaction_without_operations_is_refused(parse: Parse) -> None:
    made = envelope()
    made.transaction.operations = []
    assert "without operations" in str(refusal(parse, asking(made.to_xdr())))


@pytest.mark.parametrize("text", ["", "AAAA", "!", "AAAAAgAAAAA=", "é", "\ud800", "A" * 200_000, " ", "AAAAAg"])
def test_what_is_no_envelope_is_refused(parse: Parse, text: str) -> None:
    assert refusal(parse, asking(text)).field == "transaction_xdr"


def test_bytes_after_the_end_are_refused(parse: Parse) -> None:
    raw = base64.b64decode(envelope().to_xdr()) + bytes(4)
    assert refusal(parse, asking(base64.b64encode(raw).decode())).field == "transaction_xdr"


def test_xdr_nested_beyond_reason_is_refused(parse: Parse) -> None:
    void = stellar_xdr.SCVal(stellar_xdr.SCValType.SCV_VOID).to_xdr_bytes()
    builder = sdk.TransactionBuilder(sdk.Account(KEY.public_key, 1), PASSPHRASE)
    marker = sdk.scval.to_bytes(b"here it is")
    builder.append_invoke_contract_function_op(C, "f", [marker])
    raw = base64.b64decode(envelope(KEY.public_key, builder.operations[0]).to_xdr())
    nest = (stellar_xdr.SCValType.SCV_VEC.value.to_bytes(4, "big") + bytes([0, 0, 0, 1]) * 2) * 5_000
    bomb = raw.replace(marker.to_xdr_bytes(), nest + void)
    assert bomb != raw
    assert refusal(parse, asking(base64.b64encode(bomb).decode())).field == "transaction_xdr"


SEEDS = [
    base64.b64decode(envelope(KEY.public_key, invoke()).to_xdr()),
    base64.b64decode(
        envelope(
            KEY.public_key,
            sdk.ChangeTrust(sdk.Asset("USD", STRANGER.public_key)),
            sdk.SetOptions(home_domain="example.org", signer=sdk.Signer.ed25519_public_key(STRANGER.public_key, 1)),
            sdk.ManageData("name", b"value"),
            sdk.CreateClaimableBalance(sdk.Asset.native(), "1", [sdk.Claimant(STRANGER.public_key)]),
            sdk.LiquidityPoolDeposit("00" * 32, "1", "1", "1", "1"),
            sdk.RevokeSponsorship.revoke_account_sponsorship(STRANGER.public_key),
            sdk.ManageBuyOffer(sdk.Asset.native(), sdk.Asset("USD", STRANGER.public_key), "1", "1.5"),
            memo=sdk.TextMemo("memo"),
        ).to_xdr()
    ),
]


@given(data=st.data(), seed=st.sampled_from(SEEDS))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_broken_xdr_is_taken_or_refused_calmly(parse: Parse, data: st.DataObject, seed: bytes) -> None:
    raw = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.sampled_from([0, 1, 2, 5, 127, 128, 255]))
    kept = raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw
    outcome = "taken"
    try:
        parse(asking(base64.b64encode(kept).decode()), max_amount=10**15)
    except Invalid:
        outcome = "refused"
    assert outcome in ("taken", "refused")
