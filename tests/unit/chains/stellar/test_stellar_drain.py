"""Ways to empty a relayer's account, or to get around a list, that no amount in an operation gives away."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
import stellar_sdk as sdk
from tests.unit.chains.making import an_attempt

from baton.chains.base import Draft
from baton.chains.seam import Doomed, Ready
from baton.chains.stellar.fees import Market, Prices
from baton.chains.stellar.heads import Heads
from baton.chains.stellar.maker import StellarMaker
from baton.chains.stellar.node import StellarNode
from baton.chains.stellar.upkeep import Upkeep
from baton.domain.clock import SystemClock
from baton.domain.errors import Invalid
from baton.domain.network import Family
from baton.domain.policy import Speed, StellarPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Revision, Slot

Parse = Callable[..., Draft]
KEY = sdk.Keypair.from_raw_ed25519_seed(bytes([1]) * 32)
STRANGER = sdk.Keypair.from_raw_ed25519_seed(bytes([2]) * 32)
A = STRANGER.public_key
C = sdk.StrKey.encode_contract(bytes([5]) * 32)
PASSPHRASE = "Standalone Network ; February 2017"

MERGE = {"type": "account_merge", "destination": A}
SIGNER = {"type": "set_options", "signer": {"key": A, "weight": 1}}
REMOVED = {"type": "set_options", "signer": {"key": A, "weight": 0}}
INVOKE = {"type": "invoke_contract", "contract_address": C, "function_name": "transfer"}
DEPLOY = {"type": "create_contract", "source": {"from": "address", "address": A}, "wasm_hash": "00" * 32}
LIMITS = [{"max_amount": 2**62}, {"spend_limit_24h": 2**62}]
LISTS = [{"allowed_destinations": ()}, {"allowed_assets": ("native",)}]


def body(*specs: dict[str, Any]) -> dict[str, Any]:
    return {"network": "local", "operations": list(specs)}


def xdr(*operations: sdk.Operation, key: sdk.Keypair = KEY, sign: bool = False) -> dict[str, Any]:
    made = sdk.TransactionEnvelope(sdk.Transaction(key, 5, 100, list(operations), v1=True), PASSPHRASE)
    if sign:
        made.sign(key)
    return {"network": "local", "transaction_xdr": made.to_xdr(), "fee_bump": sign}


def refused(parse: Parse, given: Any, **policy: Any) -> str:
    assert parse(given)
    with pytest.raises(Invalid) as caught:
        parse(given, **policy)
    return str(caught.value)


@pytest.mark.parametrize("limit", LIMITS)
def test_the_whole_balance_is_no_amount_within_a_limit(parse: Parse, limit: dict[str, int]) -> None:
    assert "not known" in refused(parse, body(MERGE), **limit)
    assert "not known" in refused(parse, xdr(sdk.LiquidityPoolDeposit("00" * 32, "1", "1", "1", "1")), **limit)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limited_account_gets_no_second_signer(parse: Parse, limit: dict[str, int]) -> None:
    """Whoever could sign for it would know no limit."""
    assert "may sign" in refused(parse, body(SIGNER), **limit)
    assert parse(body(REMOVED), **limit)


def test_a_key_that_may_sign_is_a_destination(parse: Parse) -> None:
    assert "destination" in refused(parse, body(SIGNER), allowed_destinations=(KEY.public_key,))
    assert parse(body(SIGNER), allowed_destinations=(A,))


@pytest.mark.parametrize("rule", LIMITS + LISTS)
@pytest.mark.parametrize("spec", [INVOKE, DEPLOY])
def test_where_money_is_ruled_somebody_vouches_for_code(parse: Parse, rule: dict[str, Any], spec: Any) -> None:
    """A contract could move what the rules are about, and no rule would see it."""
    assert "policy" in refused(parse, body(spec), **rule)
    names = {"allowed_contracts": (C,)} if spec is INVOKE else {"allowed_operations": ("create_contract",)}
    assert parse(body(spec), **rule, **names)


def test_a_new_contract_is_on_no_list_of_contracts(parse: Parse) -> None:
    assert "allowed_operations" in refused(parse, body(DEPLOY), allowed_contracts=(C,))
    assert parse(body(DEPLOY), allowed_contracts=(C,), allowed_operations=("create_contract",))


def test_a_pools_assets_are_on_no_list_of_assets(parse: Parse) -> None:
    for operation in (
        sdk.LiquidityPoolDeposit("00" * 32, "1", "1", "1", "1"),
        sdk.LiquidityPoolWithdraw("00" * 32, "1", "1", "1"),
    ):
        assert "an asset" in refused(parse, xdr(operation), allowed_assets=("native",))


def test_of_a_strangers_call_only_the_lists_count(parse: Parse) -> None:
    payment = sdk.AccountMerge(A)
    assert parse(xdr(payment, key=STRANGER, sign=True), max_amount=1, spend_limit_24h=1)


@pytest.mark.parametrize("is_whole", [True, False])
def test_what_the_relayer_signed_itself_is_not_wrapped_for_another_transaction(parse: Parse, is_whole: bool) -> None:
    """Its bytes stand in records for everyone to read; one landing must not be two transactions'."""
    payment = sdk.Payment(A, sdk.Asset.native(), "1", source=None if is_whole else KEY.public_key)
    with pytest.raises(Invalid, match="the relayer as source"):
        parse(xdr(payment, key=KEY if is_whole else STRANGER, sign=True))


class NoSimulations:
    passphrase = PASSPHRASE
    needed = 1
    closed_at = 0

    async def simulate(self, _made: object) -> list[Any]:
        return []

    def now_s(self, _clock: object) -> int:
        return 1_800_000_000


async def test_a_replacement_is_judged_by_the_policy_of_the_moment_it_is_signed(parse: Parse) -> None:
    prices = Prices(100, dict.fromkeys(Speed, 100))
    heads = cast("Heads", SimpleNamespace(market=Market(7, prices, prices)))
    node, upkeep = cast("StellarNode", NoSimulations()), cast("Upkeep", SimpleNamespace())
    maker = StellarMaker(node, heads, upkeep, SystemClock())
    payment = {"type": "payment", "destination": A, "asset": {"type": "native"}, "amount": 10}
    revision = Revision(2, parse(body(payment)).content)
    slot, facts = Slot("chain", KEY.public_key, 5), {"inclusion_fee": 100, "operation_count": 1}
    old = an_attempt(slot=slot, facts=facts)

    def relayer(policy: StellarPolicy) -> Relayer:
        return Relayer("r", "r", "local", Family.STELLAR, "s", KEY.public_key, policy)

    assert isinstance(await maker.bump(revision, [old], relayer(StellarPolicy())), Ready)
    judged = await maker.bump(revision, [old], relayer(StellarPolicy(max_amount=9)))
    assert isinstance(judged, Doomed)
    assert "policy" in judged.why
