"""Every operation type and memo kind: accepted, and the same XDR as the official SDK makes by itself."""

from collections.abc import Callable
from typing import Any

import pytest
import stellar_sdk as sdk
from stellar_sdk import scval
from stellar_sdk import xdr as stellar_xdr

from baton.chains.base import Draft
from baton.chains.stellar import build, build_soroban
from baton.chains.stellar.operations import SHAPES

Parse = Callable[..., Draft]
A = sdk.Keypair.from_raw_ed25519_seed(bytes([2]) * 32).public_key
B = sdk.Keypair.from_raw_ed25519_seed(bytes([3]) * 32).public_key
M = str(sdk.MuxedAccount(A, 77).account_muxed)
C = sdk.StrKey.encode_contract(bytes([5]) * 32)
USD, LONG = sdk.Asset("USD", A), sdk.Asset("LONGCODE", B)
USD_SPEC = {"type": "credit4", "code": "USD", "issuer": A}
LONG_SPEC = {"type": "credit_alphanum12", "code": "LONGCODE", "issuer": B}
NATIVE = {"type": "native"}
BALANCE = "00000000" + "ab" * 32
BALANCE_STRKEY = sdk.StrKey.encode_claimable_balance(b"\x00" + bytes([0xAB]) * 32)
PAYLOAD_KEY = sdk.SignerKey.ed25519_signed_payload(sdk.SignedPayloadSigner(A, bytes([1, 2, 3]))).encoded_signer_key
ENTRY = stellar_xdr.SorobanAuthorizationEntry(
    credentials=stellar_xdr.SorobanCredentials(stellar_xdr.SorobanCredentialsType.SOROBAN_CREDENTIALS_SOURCE_ACCOUNT),
    root_invocation=stellar_xdr.SorobanAuthorizedInvocation(
        function=stellar_xdr.SorobanAuthorizedFunction(
            stellar_xdr.SorobanAuthorizedFunctionType.SOROBAN_AUTHORIZED_FUNCTION_TYPE_CONTRACT_FN,
            contract_fn=stellar_xdr.InvokeContractArgs(
                sdk.Address(C).to_xdr_sc_address(), stellar_xdr.SCSymbol(b"hi"), []
            ),
        ),
        sub_invocations=[],
    ),
)
DATA_KEY = stellar_xdr.LedgerKey(
    stellar_xdr.LedgerEntryType.CONTRACT_CODE,
    contract_code=stellar_xdr.LedgerKeyContractCode(stellar_xdr.Hash(bytes(32))),
)


def made(append: Callable[[sdk.TransactionBuilder], object]) -> sdk.Operation:
    """An operation as the SDK's own builder appends it."""
    builder = sdk.TransactionBuilder(sdk.Account(A, 1), "x", base_fee=100)
    append(builder)
    return builder.operations[0]


CASES: list[tuple[dict[str, Any], sdk.Operation]] = [
    ({"type": "payment", "destination": B, "asset": NATIVE, "amount": 10_000_001}, sdk.Payment(B, sdk.Asset.native(), "1.0000001")),
    ({"type": "payment", "destination": M, "asset": USD_SPEC, "amount": "9223372036854775807"}, sdk.Payment(M, USD, "922337203685.4775807")),
    ({"type": "payment", "destination": B, "asset": LONG_SPEC, "amount": 1, "source_account": M}, sdk.Payment(B, LONG, "0.0000001", M)),
    ({"type": "create_account", "destination": B, "starting_balance": 0}, sdk.CreateAccount(B, "0")),
    ({"type": "change_trust", "asset": USD_SPEC}, sdk.ChangeTrust(USD)),
    ({"type": "change_trust", "asset": USD_SPEC, "limit": "0", "source_account": B}, sdk.ChangeTrust(USD, "0", B)),
    ({"type": "manage_data", "name": "a name", "value": "AAEC"}, sdk.ManageData("a name", b"\x00\x01\x02")),
    ({"type": "manage_data", "name": "n"}, sdk.ManageData("n", None)),
    ({"type": "manage_data", "name": "n", "value": ""}, sdk.ManageData("n", b"")),
    ({"type": "set_options"}, sdk.SetOptions()),
    (
        {
            "type": "set_options", "inflation_dest": A, "clear_flags": 1, "set_flags": 6, "master_weight": 0,
            "low_threshold": 1, "med_threshold": 2, "high_threshold": 255, "home_domain": "example.org",
            "signer": {"key": B, "weight": 3},
        },
        sdk.SetOptions(A, sdk.AuthorizationFlag(1), sdk.AuthorizationFlag(6), 0, 1, 2, 255, sdk.Signer.ed25519_public_key(B, 3), "example.org"),
    ),
    ({"type": "set_options", "home_domain": "", "set_flags": 0}, sdk.SetOptions(home_domain="", set_flags=sdk.AuthorizationFlag(0))),
    (
        {"type": "set_options", "signer": {"key": sdk.StrKey.encode_sha256_hash(bytes([4]) * 32), "weight": 255}},
        sdk.SetOptions(signer=sdk.Signer.sha256_hash(bytes([4]) * 32, 255)),
    ),
    (
        {"type": "set_options", "signer": {"key": sdk.StrKey.encode_pre_auth_tx(bytes([4]) * 32), "weight": 0}},
        sdk.SetOptions(signer=sdk.Signer.pre_auth_tx(bytes([4]) * 32, 0)),
    ),
    (
        {"type": "set_options", "signer": {"key": PAYLOAD_KEY, "weight": 1}},
        sdk.SetOptions(signer=sdk.Signer(sdk.SignerKey.from_encoded_signer_key(PAYLOAD_KEY), 1)),
    ),
    ({"type": "account_merge", "destination": M}, sdk.AccountMerge(M)),
    ({"type": "bump_sequence", "bump_to": "9223372036854775807"}, sdk.BumpSequence(2**63 - 1)),
    (
        {
            "type": "path_payment_strict_send", "send_asset": NATIVE, "send_amount": 5, "destination": B,
            "dest_asset": USD_SPEC, "dest_min": 6, "path": [LONG_SPEC, NATIVE],
        },
        sdk.PathPaymentStrictSend(B, sdk.Asset.native(), "0.0000005", USD, "0.0000006", [LONG, sdk.Asset.native()]),
    ),
    (
        {
            "type": "path_payment_strict_receive", "send_asset": USD_SPEC, "send_max": 5, "destination": M,
            "dest_asset": NATIVE, "dest_amount": 6,
        },
        sdk.PathPaymentStrictReceive(M, USD, "0.0000005", sdk.Asset.native(), "0.0000006", []),
    ),
    (
        {"type": "manage_sell_offer", "selling": NATIVE, "buying": USD_SPEC, "amount": 7, "price": {"n": 3, "d": "2"}},
        sdk.ManageSellOffer(sdk.Asset.native(), USD, "0.0000007", sdk.Price(3, 2)),
    ),
    (
        {"type": "manage_sell_offer", "selling": USD_SPEC, "buying": NATIVE, "amount": 0, "price": "0.125", "offer_id": 9},
        sdk.ManageSellOffer(USD, sdk.Asset.native(), "0", "0.125", 9),
    ),
    (
        {"type": "manage_buy_offer", "selling": NATIVE, "buying": USD_SPEC, "buy_amount": 7, "price": "1.25"},
        sdk.ManageBuyOffer(sdk.Asset.native(), USD, "0.0000007", "1.25"),
    ),
    (
        {"type": "create_claimable_balance", "asset": USD_SPEC, "amount": 1, "claimants": [{"destination": A}]},
        sdk.CreateClaimableBalance(USD, "0.0000001", [sdk.Claimant(A)]),
    ),
    (
        {
            "type": "create_claimable_balance", "asset": NATIVE, "amount": 1,
            "claimants": [{"destination": A, "predicate": {"type": "or", "predicates": [
                {"type": "and", "predicates": [{"type": "before_relative_time", "seconds": 60}, {"type": "unconditional"}]},
                {"type": "not", "predicate": {"type": "before_absolute_time", "abs_before": "1900000000"}},
            ]}}],
        },
        sdk.CreateClaimableBalance(sdk.Asset.native(), "0.0000001", [sdk.Claimant(A, sdk.ClaimPredicate.predicate_or(
            sdk.ClaimPredicate.predicate_and(
                sdk.ClaimPredicate.predicate_before_relative_time(60), sdk.ClaimPredicate.predicate_unconditional()
            ),
            sdk.ClaimPredicate.predicate_not(sdk.ClaimPredicate.predicate_before_absolute_time(1900000000)),
        ))]),
    ),
    ({"type": "claim_claimable_balance", "balance_id": BALANCE.upper()}, sdk.ClaimClaimableBalance(BALANCE)),
    ({"type": "claim_claimable_balance", "balance_id": BALANCE_STRKEY}, sdk.ClaimClaimableBalance(BALANCE)),
    ({"type": "clawback", "asset": USD_SPEC, "from": M, "amount": 4}, sdk.Clawback(USD, M, "0.0000004")),
    (
        {"type": "set_trust_line_flags", "trustor": B, "asset": USD_SPEC, "set_flags": 1, "clear_flags": 6},
        sdk.SetTrustLineFlags(B, USD, sdk.TrustLineFlags(6), sdk.TrustLineFlags(1)),
    ),
    ({"type": "set_trust_line_flags", "trustor": B, "asset": USD_SPEC}, sdk.SetTrustLineFlags(B, USD)),
    ({"type": "begin_sponsoring_future_reserves", "sponsored_id": B}, sdk.BeginSponsoringFutureReserves(B)),
    ({"type": "end_sponsoring_future_reserves", "source_account": B}, sdk.EndSponsoringFutureReserves(B)),
    (
        {"type": "invoke_contract", "contract_address": C, "function_name": "transfer", "args": [{"u32": 1}, "void"]},
        made(lambda b: b.append_invoke_contract_function_op(C, "transfer", [scval.to_uint32(1), scval.to_void()])),
    ),
    (
        {
            "type": "invoke_contract", "contract_address": C, "function_name": "hi", "source_account": B,
            "auth": {"type": "xdr", "entries": [ENTRY.to_xdr()]},
        },
        made(lambda b: b.append_invoke_contract_function_op(C, "hi", [], [ENTRY], B)),
    ),
    (
        {
            "type": "create_contract", "source": {"from": "address", "address": A}, "wasm_hash": "AB" * 32,
            "salt": "01" * 32, "constructor_args": [{"bool": True}], "auth": {"type": "none"},
        },
        made(lambda b: b.append_create_contract_op("ab" * 32, A, [scval.to_bool(True)], bytes([1]) * 32)),
    ),
    (
        {"type": "create_contract", "source": {"from": "contract", "contract": C}, "wasm_hash": "ab" * 32, "auth": None},
        made(lambda b: b.append_create_contract_op("ab" * 32, C, None, bytes(32))),
    ),
    (
        {"type": "upload_wasm", "wasm": {"type": "hex", "hex": "0061736D"}, "auth": {"type": "source_account"}},
        made(lambda b: b.append_upload_contract_wasm_op(b"\x00asm")),
    ),
    ({"type": "upload_wasm", "wasm": {"base64": "AGFzbQ=="}}, made(lambda b: b.append_upload_contract_wasm_op(b"\x00asm"))),
    ({"type": "extend_footprint_ttl", "extend_to": 2**32 - 1}, sdk.ExtendFootprintTTL(2**32 - 1)),
    ({"type": "restore_footprint", "ledger_keys": [DATA_KEY.to_xdr()], "source_account": M}, sdk.RestoreFootprint(M)),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "expected"), CASES, ids=lambda each: each["type"] if isinstance(each, dict) else "")
def test_an_accepted_operation_is_the_sdks(parse: Parse, spec: dict[str, Any], expected: sdk.Operation) -> None:
    content = parse({"network": "local", "operations": [spec]}).content
    built = build.operation(content["operations"][0])
    assert built.to_xdr_object().to_xdr() == expected.to_xdr_object().to_xdr()


def test_every_type_has_its_case() -> None:
    assert {spec["type"] for spec, _ in CASES} == set(SHAPES)


@pytest.mark.parametrize("spec", [spec for spec, _ in CASES], ids=lambda each: each["type"])
def test_the_canonical_form_is_its_own_canonical_form(parse: Parse, spec: dict[str, Any]) -> None:
    once = parse({"network": "local", "operations": [spec]}).content
    assert parse({"network": "local", "operations": once["operations"]}).content == once


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (None, sdk.NoneMemo()),
        ({"type": "none"}, sdk.NoneMemo()),
        ({"type": "text", "value": "é" * 14}, sdk.TextMemo("é" * 14)),
        ({"type": "id", "value": "9223372036854775807"}, sdk.IdMemo(2**63 - 1)),
        ({"type": "hash", "value": list(range(32))}, sdk.HashMemo(bytes(range(32)))),
        ({"type": "hash", "value": "AB" * 32}, sdk.HashMemo("ab" * 32)),
        ({"type": "return", "value": [255] * 32}, sdk.ReturnHashMemo(bytes([255]) * 32)),
    ],
)
def test_an_accepted_memo_is_the_sdks(parse: Parse, spec: Any, expected: sdk.Memo) -> None:
    payment = {"type": "payment", "destination": B, "asset": NATIVE, "amount": 1}
    content = parse({"network": "local", "operations": [payment], "memo": spec}).content
    assert build.memo(content["memo"]).to_xdr_object() == expected.to_xdr_object()


VALUES: list[tuple[Any, stellar_xdr.SCVal]] = [
    ("void", scval.to_void()),
    ({"void": None}, scval.to_void()),
    ({"bool": False}, scval.to_bool(False)),
    ({"u32": 2**32 - 1}, scval.to_uint32(2**32 - 1)),
    ({"i32": -(2**31)}, scval.to_int32(-(2**31))),
    ({"u64": "18446744073709551615"}, scval.to_uint64(2**64 - 1)),
    ({"i64": -5}, scval.to_int64(-5)),
    ({"timepoint": "7"}, scval.to_timepoint(7)),
    ({"duration": 7}, scval.to_duration(7)),
    ({"u128": str(2**128 - 1)}, scval.to_uint128(2**128 - 1)),
    ({"u128": {"hi": 1, "lo": "2"}}, scval.to_uint128((1 << 64) + 2)),
    ({"i128": {"hi": "-1", "lo": 2**64 - 1}}, scval.to_int128(-1)),
    ({"i128": {"hi": "0", "lo": "5"}}, scval.to_int128(5)),
    ({"u256": {"hi_hi": 1, "hi_lo": 0, "lo_hi": 0, "lo_lo": 9}}, scval.to_uint256((1 << 192) + 9)),
    ({"i256": {"hi_hi": -(2**63), "hi_lo": 0, "lo_hi": 0, "lo_lo": 0}}, scval.to_int256(-(2**255))),
    ({"i256": -3}, scval.to_int256(-3)),
    ({"bytes": "00FF"}, scval.to_bytes(b"\x00\xff")),
    ({"string": "é"}, scval.to_string("é")),
    ({"symbol": "transfer"}, scval.to_symbol("transfer")),
    ({"address": A}, scval.to_address(A)),
    ({"address": C}, scval.to_address(C)),
    ({"vec": [{"u32": 1}, {"vec": []}]}, scval.to_vec([scval.to_uint32(1), scval.to_vec([])])),
    (
        {"map": [{"key": {"symbol": "b"}, "val": "void"}, {"key": {"symbol": "a"}, "val": {"u32": 1}}]},
        scval.to_map({scval.to_symbol("a"): scval.to_uint32(1), scval.to_symbol("b"): scval.to_void()}),
    ),
]


def test_a_map_may_have_vectors_as_keys_and_is_sorted(parse: Parse) -> None:
    def key(name: str) -> dict[str, Any]:
        return {"vec": [{"symbol": name}]}

    entries = [{"key": key("b"), "val": {"u32": 2}}, {"key": key("a"), "val": {"u32": 1}}]
    built = build_soroban.scval({"map": entries})
    assert built.map is not None
    assert [scval.to_native(entry.val) for entry in built.map.sc_map] == [1, 2]
    call = {"type": "invoke_contract", "contract_address": C, "function_name": "f", "args": [{"map": entries}]}
    assert parse({"network": "local", "operations": [call]})


@pytest.mark.parametrize(("spec", "expected"), VALUES)
def test_an_accepted_contract_value_is_the_sdks(parse: Parse, spec: Any, expected: stellar_xdr.SCVal) -> None:
    call = {"type": "invoke_contract", "contract_address": C, "function_name": "f", "args": [spec]}
    content = parse({"network": "local", "operations": [call]}).content
    built = build.operation(content["operations"][0])
    assert isinstance(built, sdk.InvokeHostFunction)
    assert built.host_function.invoke_contract is not None
    assert built.host_function.invoke_contract.args == [expected]
