"""Contract calls: tried out first, paid for exactly, restored when asleep; their errors in words."""

from typing import Any

from stellar_sdk import Address, Asset, Keypair, Operation, TransactionEnvelope, scval, xdr
from stellar_sdk.auth import authorize_entry
from tests.integration.stellar.conftest import Make
from tests.integration.stellar.judge import landed
from tests.integration.stellar.rig import LUMEN, StellarRig, body

from baton.domain.policy import StellarPolicy


def native(rig: StellarRig) -> str:
    return Asset.native().contract_id(rig.node.passphrase)


def transfer(rig: StellarRig, to: str, stroops: int, **more: Any) -> dict[str, Any]:
    return {
        "type": "invoke_contract",
        "contract_address": native(rig),
        "function_name": "transfer",
        "args": [{"address": more.pop("owner", rig.address)}, {"address": to}, {"i128": str(stroops)}],
        **more,
    }


async def test_a_token_transfer_is_simulated_assembled_and_lands(rig: StellarRig) -> None:
    to = await rig.account()
    done = await rig.lands(await rig.submit(body(transfer(rig, to.public_key, 7 * LUMEN))))
    assert rig.balance(to.public_key) == 107 * LUMEN
    signed = TransactionEnvelope.from_xdr(done["transaction_xdr"], rig.node.passphrase)
    assert signed.transaction.soroban_data is not None
    resources = signed.transaction.soroban_data.resource_fee.int64
    assert resources > 0
    assert done["fee"] == resources + 100


async def test_a_contracts_own_error_ends_it_before_anything_is_sent(rig: StellarRig) -> None:
    to = await rig.account()
    done = await rig.reaches(await rig.submit(body(transfer(rig, to.public_key, 10**6 * LUMEN))), "failed")
    assert "the call would fail: Error(Contract, #10)" in done["status_reason"]
    assert done["hash"] is None


async def test_a_call_that_fails_on_the_ledger_says_what_the_contract_said(rig: StellarRig) -> None:
    """Between simulation and ledger the money went elsewhere."""
    to, owner = await rig.account(), rig.key
    paid = await rig.submit(body(transfer(rig, to.public_key, 990 * LUMEN)))
    await rig.reaches(paid, "submitted")
    entry = rig.node.ledger.state.account(owner.xdr_account_id())
    assert entry is not None
    entry.balance = xdr.Int64(500 * LUMEN)
    rig.node.ledger.state.save_account(entry)
    rig.node.close()
    done = await rig.reaches(paid, "failed")
    assert "INVOKE_HOST_FUNCTION_TRAPPED: Error(Contract, #10)" in done["status_reason"]


async def test_entries_that_fell_asleep_are_restored_first(rig: StellarRig) -> None:
    """By a transaction of our own, that belongs to nobody's record."""
    to = await rig.account()
    await rig.archive(native(rig))
    before = len(landed(rig.node))
    paid = await rig.submit(body(transfer(rig, to.public_key, LUMEN)))
    await rig.reason(paid, "must be restored first")
    await rig.closes_until(paid, "confirmed")
    assert rig.balance(to.public_key) == 101 * LUMEN
    assert len(landed(rig.node)) == before + 2
    assert len(await rig.attempts(paid)) == 1


async def test_where_the_call_itself_restores_nothing_comes_before_it(rig: StellarRig) -> None:
    to = await rig.account()
    rig.node.controls.auto_restore = True
    await rig.archive(native(rig))
    await rig.lands(await rig.submit(body(transfer(rig, to.public_key, LUMEN))))
    assert rig.balance(to.public_key) == 101 * LUMEN


async def test_a_transfer_that_its_owner_has_authorised_is_carried_by_us(rig: StellarRig) -> None:
    owner, to = await rig.account(), await rig.account()
    who = Address(owner.public_key).to_xdr_sc_address()
    by_address = xdr.SorobanCredentials(
        xdr.SorobanCredentialsType.SOROBAN_CREDENTIALS_ADDRESS,
        address=xdr.SorobanAddressCredentials(who, xdr.Int64(4711), xdr.Uint32(0), scval.to_void()),
    )
    asked = xdr.SorobanAuthorizationEntry(by_address, _invocation(rig, owner, to))
    entry = authorize_entry(asked, owner, rig.node.ledger.latest.sequence + 100, rig.node.passphrase)
    wish = transfer(rig, to.public_key, 3 * LUMEN, owner=owner.public_key)
    wish["auth"] = {"type": "xdr", "entries": [entry.to_xdr()]}
    await rig.lands(await rig.submit(body(wish)))
    assert rig.balance(to.public_key) == 103 * LUMEN
    assert rig.balance(owner.public_key) == 97 * LUMEN


def _invocation(rig: StellarRig, owner: Keypair, to: Keypair) -> xdr.SorobanAuthorizedInvocation:
    args = [scval.to_address(owner.public_key), scval.to_address(to.public_key), scval.to_int128(3 * LUMEN)]
    contract = scval.to_address(native(rig)).address
    assert contract is not None
    call = xdr.InvokeContractArgs(contract, xdr.SCSymbol(b"transfer"), args)
    kind = xdr.SorobanAuthorizedFunctionType.SOROBAN_AUTHORIZED_FUNCTION_TYPE_CONTRACT_FN
    return xdr.SorobanAuthorizedInvocation(xdr.SorobanAuthorizedFunction(kind, contract_fn=call), [])


async def test_a_contract_call_goes_through_a_channel_too(make_rig: Make) -> None:
    rig = await make_rig(StellarPolicy(channel_accounts=2))
    to = await rig.account()
    ids = [await rig.submit(body(transfer(rig, to.public_key, LUMEN))) for _ in range(3)]
    for one in ids:
        await rig.closes_until(one, "confirmed")
    assert rig.balance(to.public_key) == 103 * LUMEN
    assert "inner_hash" in (await rig.attempts(ids[-1]))[0].facts


async def test_a_call_of_an_unsigned_transaction_is_assembled_too(rig: StellarRig) -> None:
    to = await rig.account()
    call: Operation = _call(rig, to)
    made = rig.build(rig.key, call)
    await rig.lands(await rig.submit({"network": "local", "transaction_xdr": made.to_xdr()}))
    assert rig.balance(to.public_key) == 103 * LUMEN


def _call(rig: StellarRig, to: Keypair) -> Operation:
    from stellar_sdk import InvokeHostFunction

    made = _invocation(rig, rig.key, to).function.contract_fn
    kind = xdr.HostFunctionType.HOST_FUNCTION_TYPE_INVOKE_CONTRACT
    return InvokeHostFunction(xdr.HostFunction(kind, invoke_contract=made), [])


async def test_code_is_uploaded(rig: StellarRig) -> None:
    wish = {"type": "upload_wasm", "wasm": {"hex": "0061736d01000000"}}
    await rig.lands(await rig.submit(body(wish)))
