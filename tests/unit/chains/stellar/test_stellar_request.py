"""Group C: the path and reason of every refusal, the network rule, and what a draft holds."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import stellar_sdk as sdk

from baton.chains.base import Draft
from baton.domain.errors import Invalid
from baton.domain.network import Family, Network

Parse = Callable[..., Draft]
RELAYER = sdk.Keypair.from_raw_ed25519_seed(bytes([1]) * 32).public_key
A = sdk.Keypair.from_raw_ed25519_seed(bytes([2]) * 32).public_key
M = str(sdk.MuxedAccount(A, 77).account_muxed)
C = sdk.StrKey.encode_contract(bytes([5]) * 32)
NATIVE = {"type": "native"}
USD = {"type": "credit4", "code": "USD", "issuer": A}
PUBLIC = Network("mainnet", Family.STELLAR, passphrase="Public Global Stellar Network ; September 2015")
TESTNET = Network("st", Family.STELLAR, passphrase="Test SDF Network ; September 2015", is_testnet=True)


def payment(**changes: Any) -> dict[str, Any]:
    return {"type": "payment", "destination": A, "asset": NATIVE, "amount": "10", **changes}


def invoke(**changes: Any) -> dict[str, Any]:
    return {"type": "invoke_contract", "contract_address": C, "function_name": "f", "args": [], **changes}


def asking(*operations: Any, **changes: Any) -> dict[str, Any]:
    return {"network": "local", "operations": list(operations), **changes}


def refusal(parse: Parse, body: Any, network: Network | None = None) -> Invalid:
    with pytest.raises(Invalid) as caught:
        parse(body, **({"network": network} if network else {}))
    return caught.value


def test_a_payment_is_drafted_with_its_defaults(parse: Parse) -> None:
    draft = parse(asking(payment(amount=10), valid_until="2030-01-01T00:00:00+01:00"))
    assert draft.content == {
        "network": "local",
        "source_account": RELAYER,
        "operations": [payment(amount="10")],
        "transaction_xdr": None,
        "memo": None,
        "fee_bump": False,
        "max_fee": 1_000_000,
    }
    assert draft.valid_until == datetime(2029, 12, 31, 23, tzinfo=UTC)


def test_null_is_absence_and_foreign_keys_are_ignored(parse: Parse) -> None:
    nothing = dict.fromkeys(["source_account", "transaction_xdr", "memo", "fee_bump", "max_fee", "valid_until"])
    assert parse(asking(payment(extra=1), value=-1, instructions=7, **nothing)) == parse(asking(payment()))


def test_a_source_account_and_a_fee_are_kept(parse: Parse) -> None:
    content = parse(asking(payment(), source_account=M, max_fee=2**63 - 1, fee_bump=False)).content
    assert (content["source_account"], content["max_fee"]) == (M, 2**63 - 1)


def test_a_hundred_operations_are_the_most(parse: Parse) -> None:
    assert len(parse(asking(*[payment()] * 100)).content["operations"]) == 100
    assert refusal(parse, asking(*[payment()] * 101)).field == "operations"


@pytest.mark.parametrize(
    "name", ["mainnet", "public", "pubnet", "stellar-mainnet", "stellar:pubnet", PUBLIC.passphrase]
)
def test_the_public_network_has_several_names(parse: Parse, name: str) -> None:
    assert parse(asking(payment(), network=name), PUBLIC).content["network"] == name


@pytest.mark.parametrize("name", ["st", "testnet", TESTNET.passphrase])
def test_a_network_may_be_named_by_id_alias_or_passphrase(parse: Parse, name: str) -> None:
    assert parse(asking(payment(), network=name), TESTNET)


@pytest.mark.parametrize("name", ["testnet", "MAINNET", "", " mainnet", None, 7, ["mainnet"], "local"])
def test_another_networks_name_is_refused(parse: Parse, name: Any) -> None:
    assert refusal(parse, asking(payment(), network=name), PUBLIC).field == "network"


def test_a_local_network_takes_any_text_but_none(parse: Parse) -> None:
    assert parse(asking(payment(), network="whatever"))
    for name in ("", None, 7):
        assert refusal(parse, asking(payment(), network=name)).field == "network"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (None, "body"),
        ([], "body"),
        ({}, "network"),
        ({"network": "local"}, "operations"),
        ({"network": "local", "operations": []}, "operations"),
        ({"network": "local", "operations": {}}, "operations"),
        ({"network": "local", "operations": [payment()], "transaction_xdr": "AAAA"}, "operations"),
        ({"network": "local", "transaction_xdr": 7}, "transaction_xdr"),
        (asking(payment(), source_account="G"), "source_account"),
        (asking(payment(), source_account=C), "source_account"),
        (asking(payment(), source_account=""), "source_account"),
        (asking(payment(), fee_bump=True), "fee_bump"),
        (asking(payment(), fee_bump="true"), "fee_bump"),
        (asking(payment(), max_fee=0), "max_fee"),
        (asking(payment(), max_fee=-1), "max_fee"),
        (asking(payment(), max_fee=2**63), "max_fee"),
        (asking(payment(), max_fee=True), "max_fee"),
        (asking(payment(), max_fee=1.0), "max_fee"),
        (asking(payment(), valid_until="2020-01-01T00:00:00Z"), "valid_until"),
        (asking(payment(), valid_until=1900000000), "valid_until"),
        (asking(payment(), memo="hello"), "memo"),
        (asking(payment(), memo={}), "memo.type"),
        (asking(payment(), memo={"type": "TEXT", "value": "x"}), "memo.type"),
        (asking(payment(), memo={"type": "text"}), "memo.value"),
        (asking(payment(), memo={"type": "text", "value": 5}), "memo.value"),
        (asking(payment(), memo={"type": "text", "value": "x" * 29}), "memo.value"),
        (asking(payment(), memo={"type": "text", "value": "é" * 15}), "memo.value"),
        (asking(payment(), memo={"type": "text", "value": "\ud800"}), "memo.value"),
        (asking(payment(), memo={"type": "id"}), "memo.value"),
        (asking(payment(), memo={"type": "id", "value": -1}), "memo.value"),
        (asking(payment(), memo={"type": "id", "value": 2**63}), "memo.value"),
        (asking(payment(), memo={"type": "id", "value": True}), "memo.value"),
        (asking(payment(), memo={"type": "id", "value": 1.5}), "memo.value"),
        (asking(payment(), memo={"type": "hash", "value": [0] * 31}), "memo.value"),
        (asking(payment(), memo={"type": "hash", "value": [0] * 31 + [256]}), "memo.value[31]"),
        (asking(payment(), memo={"type": "return", "value": [-1] + [0] * 31}), "memo.value[0]"),
        (asking(payment(), memo={"type": "return", "value": [True] * 32}), "memo.value[0]"),
        (asking(payment(), memo={"type": "return", "value": "0x" + "00" * 31}), "memo.value"),
        (asking(payment(), memo={"type": "hash", "value": "00" * 31}), "memo.value"),
        (asking(7), "operations[0]"),
        (asking({}), "operations[0].type"),
        (asking(payment(), {"type": "mint"}), "operations[1].type"),
        (asking(payment(type=["payment"])), "operations[0].type"),
        (asking(invoke(), payment()), "operations"),
        (asking(invoke(), invoke()), "operations"),
        (asking(invoke(), memo={"type": "id", "value": 1}), "memo"),
        (asking({"type": "restore_footprint"}, memo={"type": "text", "value": ""}), "memo"),
    ],
)
def test_a_bad_field_is_refused_by_its_path(parse: Parse, body: Any, path: str) -> None:
    assert refusal(parse, body).field == path


def test_a_contract_call_may_have_the_memo_none(parse: Parse) -> None:
    assert parse(asking(invoke(), memo={"type": "none"})).content["memo"] == {"type": "none"}


def op(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


OFFER = {"selling": NATIVE, "buying": USD, "amount": 1, "price": "1"}
SEND = {"send_asset": NATIVE, "send_amount": 1, "destination": A, "dest_asset": USD, "dest_min": 1}
CLAIMABLE = {"asset": NATIVE, "amount": 1, "claimants": [{"destination": A}]}
UNCONDITIONAL = {"type": "unconditional"}


def nested(depth: int) -> dict[str, Any]:
    return UNCONDITIONAL if depth == 1 else {"type": "not", "predicate": nested(depth - 1)}


def deep(depth: int) -> dict[str, Any]:
    return {"u32": 1} if depth == 1 else {"vec": [deep(depth - 1)]}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (payment(destination=None), "destination"),
        (payment(destination="GBAD"), "destination"),
        (payment(destination=A.lower()), "destination"),
        (payment(destination=A[:-1] + ("A" if A[-1] != "A" else "B")), "destination"),
        (payment(destination=C), "destination"),
        (payment(amount=None), "amount"),
        (payment(amount=0), "amount"),
        (payment(amount=-1), "amount"),
        (payment(amount="1.5"), "amount"),
        (payment(amount=1.0), "amount"),
        (payment(amount="1e3"), "amount"),
        (payment(amount=True), "amount"),
        (payment(amount=2**63), "amount"),
        (payment(asset=None), "asset"),
        (payment(asset="native"), "asset"),
        (payment(asset={}), "asset.type"),
        (payment(asset={"type": "credit8"}), "asset.type"),
        (payment(asset={**USD, "code": "LONGER"}), "asset.code"),
        (payment(asset={**USD, "code": ""}), "asset.code"),
        (payment(asset={**USD, "code": "U$D"}), "asset.code"),
        (payment(asset={**USD, "code": "ÜSD"}), "asset.code"),
        (payment(asset={**USD, "code": None}), "asset.code"),
        (payment(asset={**USD, "type": "credit12"}), "asset.code"),
        (payment(asset={**USD, "type": "credit_alphanum12", "code": "X" * 13}), "asset.code"),
        (payment(asset={**USD, "issuer": M}), "asset.issuer"),
        (payment(asset={**USD, "issuer": None}), "asset.issuer"),
        (payment(source_account="x"), "source_account"),
        (op("create_account", destination=M, starting_balance=1), "destination"),
        (op("create_account", destination=A, starting_balance=-1), "starting_balance"),
        (op("create_account", destination=A), "starting_balance"),
        (op("change_trust", asset=NATIVE), "asset.type"),
        (op("change_trust", asset=USD, limit=-1), "limit"),
        (op("manage_data", name=""), "name"),
        (op("manage_data", name="x" * 65), "name"),
        (op("manage_data", name="é"), "name"),
        (op("manage_data", name="n", value="not base64"), "value"),
        (op("manage_data", name="n", value="AA" * 64), "value"),
        (op("set_options", set_flags=16), "set_flags"),
        (op("set_options", set_flags=3, clear_flags=1), "clear_flags"),
        (op("set_options", master_weight=256), "master_weight"),
        (op("set_options", low_threshold=-1), "low_threshold"),
        (op("set_options", home_domain="x" * 33), "home_domain"),
        (op("set_options", inflation_dest=M), "inflation_dest"),
        (op("set_options", signer={"key": M, "weight": 1}), "signer.key"),
        (op("set_options", signer={"key": A}), "signer.weight"),
        (op("set_options", signer={"key": A, "weight": 256}), "signer.weight"),
        (op("account_merge"), "destination"),
        (op("bump_sequence", bump_to=-1), "bump_to"),
        (op("bump_sequence", bump_to=2**63), "bump_to"),
        (op("path_payment_strict_send", **{**SEND, "send_amount": 0}), "send_amount"),
        (op("path_payment_strict_send", **{**SEND, "dest_min": 0}), "dest_min"),
        (op("path_payment_strict_send", **SEND, path=[NATIVE] * 6), "path"),
        (op("path_payment_strict_send", **SEND, path=[NATIVE, {}]), "path[1].type"),
        (op("path_payment_strict_receive", **SEND), "send_max"),
        (op("manage_sell_offer", **{**OFFER, "buying": NATIVE}), "buying"),
        (op("manage_sell_offer", **{**OFFER, "amount": 0}), "amount"),
        (op("manage_sell_offer", **{**OFFER, "price": "0"}), "price"),
        (op("manage_sell_offer", **{**OFFER, "price": "-1"}), "price"),
        (op("manage_sell_offer", **{**OFFER, "price": "1e5"}), "price"),
        (op("manage_sell_offer", **{**OFFER, "price": "NaN"}), "price"),
        (op("manage_sell_offer", **{**OFFER, "price": "9" * 30}), "price"),
        (op("manage_sell_offer", **{**OFFER, "price": "0." + "0" * 20 + "1"}), "price"),
        (op("manage_sell_offer", **{**OFFER, "price": 1.5}), "price"),
        (op("manage_sell_offer", **{**OFFER, "price": {"n": 0, "d": 1}}), "price.n"),
        (op("manage_sell_offer", **{**OFFER, "price": {"n": 1, "d": 2**31}}), "price.d"),
        (op("manage_sell_offer", **OFFER, offer_id=-1), "offer_id"),
        (op("manage_buy_offer", **OFFER), "buy_amount"),
        (op("create_claimable_balance", **{**CLAIMABLE, "claimants": []}), "claimants"),
        (op("create_claimable_balance", **{**CLAIMABLE, "claimants": [{"destination": A}] * 2}), "claimants"),
        (op("create_claimable_balance", **{**CLAIMABLE, "claimants": [{"destination": M}]}), "claimants[0].destination"),
        (
            op("create_claimable_balance", **{**CLAIMABLE, "claimants": [{"destination": A, "predicate": nested(5)}]}),
            "claimants[0].predicate.predicate.predicate.predicate.predicate",
        ),
        (
            op(
                "create_claimable_balance",
                **{**CLAIMABLE, "claimants": [{"destination": A, "predicate": {"type": "and", "predicates": []}}]},
            ),
            "claimants[0].predicate.predicates",
        ),
        (op("claim_claimable_balance", balance_id="ab" * 32), "balance_id"),
        (op("claim_claimable_balance", balance_id="01000000" + "ab" * 32), "balance_id"),
        (op("claim_claimable_balance", balance_id="00000000" + "zz" * 32), "balance_id"),
        (op("clawback", asset=NATIVE, **{"from": A}, amount=1), "asset.type"),
        (op("clawback", asset=USD, amount=1), "from"),
        (op("set_trust_line_flags", trustor=A, asset=USD, set_flags=3), "set_flags"),
        (op("set_trust_line_flags", trustor=A, asset=USD, set_flags=4), "set_flags"),
        (op("set_trust_line_flags", trustor=A, asset=USD, set_flags=1, clear_flags=1), "clear_flags"),
        (op("set_trust_line_flags", trustor=A, asset=USD, clear_flags=8), "clear_flags"),
        (op("begin_sponsoring_future_reserves", sponsored_id=M), "sponsored_id"),
        (invoke(contract_address=A), "contract_address"),
        (invoke(function_name=""), "function_name"),
        (invoke(function_name="x" * 33), "function_name"),
        (invoke(function_name="a-b"), "function_name"),
        (invoke(args={}), "args"),
        (invoke(args=[None]), "args[0]"),
        (invoke(args=[{"u8": 1}]), "args[0]"),
        (invoke(args=[{"u32": 1, "u64": 1}]), "args[0]"),
        (invoke(args=[{"u32": 2**32}]), "args[0].u32"),
        (invoke(args=[{"u64": "-1"}]), "args[0].u64"),
        (invoke(args=[{"i128": {"hi": 0}}]), "args[0].i128.lo"),
        (invoke(args=[{"u128": {"hi": -1, "lo": 0}}]), "args[0].u128.hi"),
        (invoke(args=[{"bool": 1}]), "args[0].bool"),
        (invoke(args=[{"bytes": "0"}]), "args[0].bytes"),
        (invoke(args=[{"string": "\udc00"}]), "args[0].string"),
        (invoke(args=[{"symbol": "a b"}]), "args[0].symbol"),
        (invoke(args=[{"address": "x"}]), "args[0].address"),
        (invoke(args=[{"vec": None}]), "args[0].vec"),
        (invoke(args=[{"map": [{"key": "void"}]}]), "args[0].map[0].val"),
        (invoke(args=[{"map": [{"key": {"u64": 1}, "val": "void"}, {"key": {"u64": "1"}, "val": "void"}]}]), "args[0].map[1].key"),
        (invoke(args=[deep(17)]), "args[0]" + ".vec[0]" * 16),
        (invoke(auth={}), "auth.type"),
        (invoke(auth={"type": "addresses", "signers": [A]}), "auth.type"),
        (invoke(auth={"type": "xdr"}), "auth.entries"),
        (invoke(auth={"type": "xdr", "entries": []}), "auth.entries"),
        (invoke(auth={"type": "xdr", "entries": ["AAAA"]}), "auth.entries[0]"),
        (op("create_contract", source={"from": "address", "address": M}, wasm_hash="00" * 32), "source.address"),
        (op("create_contract", source={"from": "contract", "contract": A}, wasm_hash="00" * 32), "source.contract"),
        (op("create_contract", source={}, wasm_hash="00" * 32), "source.from"),
        (op("create_contract", source={"from": "address", "address": A}, wasm_hash="00"), "wasm_hash"),
        (op("create_contract", source={"from": "address", "address": A}, wasm_hash="00" * 32, salt="x"), "salt"),
        (op("upload_wasm"), "wasm"),
        (op("upload_wasm", wasm={}), "wasm"),
        (op("upload_wasm", wasm={"hex": "00", "base64": "AA=="}), "wasm"),
        (op("upload_wasm", wasm={"hex": ""}), "wasm.hex"),
        (op("upload_wasm", wasm={"hex": "0x00"}), "wasm.hex"),
        (op("upload_wasm", wasm={"base64": "AA"}), "wasm.base64"),
        (op("upload_wasm", wasm={"hex": "00" * 131_073}), "wasm.hex"),
        (op("extend_footprint_ttl", extend_to=0), "extend_to"),
        (op("extend_footprint_ttl", extend_to=2**32), "extend_to"),
        (op("restore_footprint", ledger_keys=["AAAA"]), "ledger_keys[0]"),
        (op("restore_footprint", ledger_keys=["AAAAAAAAAAA" + "A" * 41]), "ledger_keys[0]"),
    ],
)  # fmt: skip
def test_a_bad_field_of_an_operation_is_refused_by_its_path(parse: Parse, spec: Any, path: str) -> None:
    error = refusal(parse, asking(spec))
    assert error.field == f"operations[0].{path}"
    assert len(str(error)) < 700


def test_predicates_and_values_may_be_as_deep_as_their_limits(parse: Parse) -> None:
    claimants = [{"destination": A, "predicate": nested(4)}]
    assert parse(asking(op("create_claimable_balance", **{**CLAIMABLE, "claimants": claimants})))
    assert parse(asking(invoke(args=[deep(16)])))


def test_an_absent_field_and_a_null_field_are_told_apart_in_words(parse: Parse) -> None:
    assert "found nothing, expected an account address" in str(refusal(parse, asking({"type": "account_merge"})))
    assert "found null, expected" in str(refusal(parse, asking(payment(destination=None))))


def test_operations_too_large_for_any_ledger_are_refused(parse: Parse) -> None:
    big = {"vec": [{"bytes": "00" * 20_000}] * 8}
    assert refusal(parse, asking(invoke(args=[big]))).field == "operations[0]"
