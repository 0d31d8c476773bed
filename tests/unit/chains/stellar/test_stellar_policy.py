"""What a policy says about one Stellar transaction, as operations and as XDR."""

from collections.abc import Callable
from typing import Any

import pytest
import stellar_sdk as sdk

from baton.chains.base import Draft
from baton.chains.stellar import build
from baton.domain.errors import Invalid

Parse = Callable[..., Draft]
KEY = sdk.Keypair.from_raw_ed25519_seed(bytes([1]) * 32)
A = sdk.Keypair.from_raw_ed25519_seed(bytes([2]) * 32)
B = sdk.Keypair.from_raw_ed25519_seed(bytes([3]) * 32).public_key
M = str(sdk.MuxedAccount(A.public_key, 5).account_muxed)
C = sdk.StrKey.encode_contract(bytes([5]) * 32)
NATIVE = {"type": "native"}
USD = {"type": "credit4", "code": "USD", "issuer": B}
USD_LABEL = f"USD:{B}"
PASSPHRASE = "Standalone Network ; February 2017"


def as_operations(parse: Parse, *specs: dict[str, Any]) -> dict[str, Any]:
    return {"network": "local", "operations": list(specs)}


def as_xdr(parse: Parse, *specs: dict[str, Any]) -> dict[str, Any]:
    content = parse({"network": "local", "operations": list(specs)}).content
    operations = [build.operation(spec) for spec in content["operations"]]
    transaction = sdk.Transaction(KEY.public_key, 5, 100, operations, v1=True)
    return {"network": "local", "transaction_xdr": sdk.TransactionEnvelope(transaction, PASSPHRASE).to_xdr()}


SPELLINGS = pytest.mark.parametrize("spell", [as_operations, as_xdr])
Spell = Callable[..., dict[str, Any]]


def pay(amount: int = 10, **changes: Any) -> dict[str, Any]:
    return {"type": "payment", "destination": M, "asset": NATIVE, "amount": amount, **changes}


OFFER = {"selling": USD, "buying": NATIVE, "price": {"n": 3, "d": 2}}
PATH = {"send_asset": USD, "destination": A.public_key, "dest_asset": NATIVE}
CLAIM = {
    "type": "create_claimable_balance",
    "asset": NATIVE,
    "amount": 10,
    "claimants": [{"destination": A.public_key}],
}
MERGE = {"type": "account_merge", "destination": A.public_key}
CREATE = {"type": "create_account", "destination": A.public_key, "starting_balance": 10}
INVOKE = {"type": "invoke_contract", "contract_address": C, "function_name": "f"}
UPLOAD = {"type": "upload_wasm", "wasm": {"hex": "00"}}
DEPLOY = {"type": "create_contract", "source": {"from": "address", "address": B}, "wasm_hash": "00" * 32}


@SPELLINGS
@pytest.mark.parametrize(
    ("spec", "policy"),
    [
        (pay(), {"allowed_operations": ("create_account",)}),
        (INVOKE, {"allowed_operations": ("create_contract", "upload_wasm")}),
        (UPLOAD, {"allowed_operations": ("invoke_contract", "create_contract")}),
        (DEPLOY, {"allowed_operations": ("invoke_contract", "upload_wasm")}),
        (pay(), {"allowed_destinations": (B,)}),
        (CREATE, {"allowed_destinations": (B,)}),
        (MERGE, {"allowed_destinations": ()}),
        (CLAIM, {"allowed_destinations": (B,)}),
        (pay(), {"allowed_assets": (USD_LABEL,)}),
        (pay(asset=USD), {"allowed_assets": ("native",)}),
        (CREATE, {"allowed_assets": (USD_LABEL,)}),
        (MERGE, {"allowed_assets": (USD_LABEL,)}),
        ({"type": "change_trust", "asset": USD}, {"allowed_assets": ("native",)}),
        (INVOKE, {"allowed_contracts": ()}),
        (pay(), {"max_amount": 9}),
        (CREATE, {"max_amount": 9}),
        (CLAIM, {"max_amount": 9}),
        (MERGE, {"max_amount": 2**62}),
        ({"type": "path_payment_strict_send", **PATH, "send_amount": 10, "dest_min": 1}, {"max_amount": 9}),
        ({"type": "path_payment_strict_receive", **PATH, "send_max": 10, "dest_amount": 1}, {"max_amount": 9}),
        ({"type": "manage_sell_offer", **OFFER, "amount": 10}, {"max_amount": 9}),
        ({"type": "manage_buy_offer", **OFFER, "buy_amount": 7}, {"max_amount": 10}),
    ],
)
def test_a_broken_rule_is_named(parse: Parse, spell: Spell, spec: dict[str, Any], policy: dict[str, Any]) -> None:
    body = spell(parse, spec)
    assert parse(body)
    with pytest.raises(Invalid, match="policy") as caught:
        parse(body, **policy)
    assert "operations[0]" in caught.value.field


@SPELLINGS
def test_a_kept_policy_is_silent(parse: Parse, spell: Spell) -> None:
    policy = {
        "allowed_operations": ("payment", "manage_buy_offer"),
        "allowed_destinations": (A.public_key,),
        "allowed_assets": ("native", USD_LABEL),
        "allowed_contracts": (),
        "max_amount": 11,
    }
    offer = {"type": "manage_buy_offer", **OFFER, "buy_amount": 7}  # costs 10.5, rounded up
    assert parse(spell(parse, pay(10), offer), **policy)
    assert parse(spell(parse, INVOKE), allowed_contracts=(C,))


@SPELLINGS
def test_amounts_add_up_for_each_asset(parse: Parse, spell: Spell) -> None:
    assert parse(spell(parse, pay(6), pay(6, asset=USD)), max_amount=10)
    with pytest.raises(Invalid, match="12 of native"):
        parse(spell(parse, pay(6), pay(6)), max_amount=10)


def test_of_a_strangers_transaction_only_the_kind_is_judged(parse: Parse) -> None:
    payment = sdk.Payment(B, sdk.Asset.native(), "1000")
    made = sdk.TransactionEnvelope(sdk.Transaction(A, 5, 100, [payment], v1=True), PASSPHRASE)
    made.sign(A)
    body = {"network": "local", "transaction_xdr": made.to_xdr(), "fee_bump": True}
    assert parse(body, max_amount=1)
    with pytest.raises(Invalid, match="policy"):
        parse(body, allowed_operations=())


def test_an_operation_that_only_xdr_can_say_obeys_the_policy_too(parse: Parse) -> None:
    operation = sdk.LiquidityPoolDeposit("00" * 32, "1", "1", "1", "1")
    made = sdk.TransactionEnvelope(sdk.Transaction(KEY, 5, 100, [operation], v1=True), PASSPHRASE)
    body = {"network": "local", "transaction_xdr": made.to_xdr()}
    assert parse(body, allowed_operations=("liquidity_pool_deposit",))
    for policy in ({"max_amount": 2**60}, {"allowed_operations": ("payment",)}):
        with pytest.raises(Invalid, match="policy"):
            parse(body, **policy)
