"""Contract calls on the simulator: simulate, assemble, authorise, land, fail, sleep and wake; asset contracts only."""

import hashlib

import aiohttp
import pytest
from stellar_sdk import Address, Asset, Keypair, StrKey, TransactionBuilder, TransactionEnvelope, scval, xdr
from stellar_sdk.auth import authorize_entry
from stellar_sdk.exceptions import PrepareTransactionException
from stellar_sdk.operation import ChangeTrust, InvokeHostFunction, ManageData
from stellar_sdk.soroban_rpc import GetTransactionResponse
from tests.integration.devnet.stellar_wallet import LUMEN, Wallet, codes, fee_charged

NATIVE = Asset.native()


def native_contract(wallet: Wallet) -> str:
    return NATIVE.contract_id(wallet.devnet.passphrase)


async def calling(
    wallet: Wallet, source: Keypair, function: str, *arguments: xdr.SCVal, contract: str | None = None
) -> TransactionBuilder:
    builder = await wallet.build(source)
    builder.append_invoke_contract_function_op(contract or native_contract(wallet), function, list(arguments))
    return builder


async def transfer(
    wallet: Wallet, source: Keypair, payer: Keypair, payee: str, amount: int, contract: str | None = None
) -> TransactionEnvelope:
    arguments = (scval.to_address(payer.public_key), scval.to_address(payee), scval.to_int128(amount))
    return (await calling(wallet, source, "transfer", *arguments, contract=contract)).build()


async def landed(wallet: Wallet, envelope: TransactionEnvelope, signer: Keypair) -> GetTransactionResponse:
    envelope.sign(signer)
    return await wallet.land(envelope)


async def read(wallet: Wallet, source: Keypair, function: str, *arguments: xdr.SCVal) -> object:
    told = await wallet.server.simulate_transaction((await calling(wallet, source, function, *arguments)).build())
    assert told.results, told.error
    return scval.to_native(xdr.SCVal.from_xdr(told.results[0].xdr))


async def test_a_token_transfer_is_simulated_assembled_and_lands(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    plain = await transfer(wallet, payer, payer, payee.public_key, 5 * LUMEN)
    ready = await wallet.server.prepare_transaction(plain)
    assert ready.transaction.soroban_data is not None
    done = await landed(wallet, ready, payer)
    assert codes(done.result_xdr) == ["txSUCCESS", "INVOKE_HOST_FUNCTION_SUCCESS"]
    assert fee_charged(done.result_xdr) == ready.transaction.fee
    assert wallet.balance(payee.public_key) == 1005 * LUMEN
    assert wallet.balance(payer.public_key) == 995 * LUMEN - ready.transaction.fee
    assert done.events
    assert done.events.contract_events_xdr
    event = xdr.ContractEvent.from_xdr(done.events.contract_events_xdr[0][0])
    assert event.body.v0
    assert scval.from_symbol(event.body.v0.topics[0]) == "transfer"
    assert done.result_meta_xdr
    meta = xdr.TransactionMeta.from_xdr(done.result_meta_xdr).v4
    assert meta
    assert meta.soroban_meta
    assert meta.soroban_meta.return_value


async def test_the_asset_contract_tells_of_itself_without_a_transaction(wallet: Wallet) -> None:
    owner = await wallet.account()
    assert await read(wallet, owner, "decimals") == 7
    assert await read(wallet, owner, "name") == "native"
    assert await read(wallet, owner, "symbol") == "native"
    assert await read(wallet, owner, "balance", scval.to_address(owner.public_key)) == 1000 * LUMEN


@pytest.mark.parametrize(
    ("amount", "payee_exists", "error"),
    [
        (5000 * LUMEN, True, "Error(Contract, #10)"),
        (-1, True, "Error(Contract, #8)"),
        (1, False, "Error(Contract, #6)"),
    ],
)
async def test_a_hopeless_transfer_fails_in_simulation_with_the_contracts_error(
    wallet: Wallet, amount: int, payee_exists: bool, error: str
) -> None:
    payer = await wallet.account()
    payee = await wallet.account() if payee_exists else Keypair.random()
    with pytest.raises(PrepareTransactionException) as caught:
        await wallet.server.prepare_transaction(await transfer(wallet, payer, payer, payee.public_key, amount))
    told = caught.value.simulate_transaction_response.error
    assert told
    assert error in told


async def test_an_unknown_contract_and_an_unknown_function_are_told(wallet: Wallet) -> None:
    payer = await wallet.account()
    nowhere = StrKey.encode_contract(bytes(32))
    told = await wallet.server.simulate_transaction(
        (await calling(wallet, payer, "transfer", contract=nowhere)).build()
    )
    assert told.error
    assert "Error(Storage, MissingValue)" in told.error
    told = await wallet.server.simulate_transaction((await calling(wallet, payer, "explode")).build())
    assert told.error
    assert "Error(WasmVm, MissingValue)" in told.error
    told = await wallet.server.simulate_transaction(await wallet.sign(payer, ManageData("a", "b")))
    assert told.error
    assert "unsupported operation" in told.error


async def test_anothers_money_moves_only_on_a_signed_entry_and_only_once(wallet: Wallet) -> None:
    relayer, owner, payee = await wallet.account(), await wallet.account(), await wallet.account()
    plain = await transfer(wallet, relayer, owner, payee.public_key, 3 * LUMEN)
    told = await wallet.server.simulate_transaction(plain)
    assert told.results
    assert told.results[0].auth
    entry = xdr.SorobanAuthorizationEntry.from_xdr(told.results[0].auth[0])
    unsigned = await wallet.server.prepare_transaction(plain, told)
    refused = await landed(wallet, unsigned, relayer)
    assert codes(refused.result_xdr) == ["txFAILED", "INVOKE_HOST_FUNCTION_TRAPPED"]
    assert refused.diagnostic_events_xdr
    until = wallet.devnet.ledger.latest.sequence + 50
    signed = authorize_entry(entry, owner, until, wallet.devnet.passphrase)
    for expected, moved in (("SUCCESS", 3 * LUMEN), ("TRAPPED", 3 * LUMEN)):
        again = await transfer(wallet, relayer, owner, payee.public_key, 3 * LUMEN)
        operation = again.transaction.operations[0]
        assert isinstance(operation, InvokeHostFunction)
        operation.auth = [signed]
        ready = await wallet.server.prepare_transaction(again, told)
        done = await landed(wallet, ready, relayer)
        assert codes(done.result_xdr)[-1] == f"INVOKE_HOST_FUNCTION_{expected}"
        assert wallet.balance(payee.public_key) == 1000 * LUMEN + moved


async def test_an_expired_or_foreign_entry_is_refused_in_enforcing_simulation(wallet: Wallet) -> None:
    relayer, owner, payee = await wallet.account(), await wallet.account(), await wallet.account()
    plain = await transfer(wallet, relayer, owner, payee.public_key, LUMEN)
    told = await wallet.server.simulate_transaction(plain)
    assert told.results
    assert told.results[0].auth
    blank = told.results[0].auth[0]
    latest = wallet.devnet.ledger.latest.sequence
    for signer, until, words in (
        (owner, latest - 1, "expired"),
        (payee, latest + 50, "weight"),
        (owner, latest + 50, None),
    ):
        entry = xdr.SorobanAuthorizationEntry.from_xdr(blank)
        operation = plain.transaction.operations[0]
        assert isinstance(operation, InvokeHostFunction)
        operation.auth = [signed_by(entry, signer, until, wallet.devnet.passphrase)]
        answer = await wallet.server.simulate_transaction(plain)
        assert (answer.error is None) if words is None else (words in (answer.error or ""))


def signed_by(
    entry: xdr.SorobanAuthorizationEntry, signer: Keypair, until: int, passphrase: str
) -> xdr.SorobanAuthorizationEntry:
    """An entry signed by whoever wishes: the SDK's own function would refuse a stranger's key."""
    assert entry.credentials.address
    entry.credentials.address.signature_expiration_ledger = xdr.Uint32(until)
    preimage = xdr.HashIDPreimage(
        xdr.EnvelopeType.ENVELOPE_TYPE_SOROBAN_AUTHORIZATION,
        soroban_authorization=xdr.HashIDPreimageSorobanAuthorization(
            xdr.Hash(hashlib.sha256(passphrase.encode()).digest()),
            entry.credentials.address.nonce,
            xdr.Uint32(until),
            entry.root_invocation,
        ),
    )
    signature = signer.sign(hashlib.sha256(preimage.to_xdr_bytes()).digest())
    fields = {
        scval.to_symbol("public_key"): scval.to_bytes(signer.raw_public_key()),
        scval.to_symbol("signature"): scval.to_bytes(signature),
    }
    entry.credentials.address.signature = scval.to_vec([scval.to_map(fields)])
    return entry


async def test_a_call_outside_its_footprint_or_below_its_fee_traps(wallet: Wallet) -> None:
    payer, payee, other = await wallet.account(), await wallet.account(), await wallet.account()
    foreign = await wallet.server.prepare_transaction(await transfer(wallet, payer, payer, other.public_key, 1))
    plain = await transfer(wallet, payer, payer, payee.public_key, 1)
    ready = await wallet.server.prepare_transaction(plain)
    ready.transaction.soroban_data = foreign.transaction.soroban_data
    assert codes((await landed(wallet, ready, payer)).result_xdr)[-1] == "INVOKE_HOST_FUNCTION_TRAPPED"
    cheap = await wallet.server.prepare_transaction(await transfer(wallet, payer, payer, payee.public_key, 1))
    assert cheap.transaction.soroban_data
    cheap.transaction.soroban_data.resource_fee = xdr.Int64(10)
    done = await landed(wallet, cheap, payer)
    assert codes(done.result_xdr)[-1] == "INVOKE_HOST_FUNCTION_INSUFFICIENT_REFUNDABLE_FEE"


async def test_a_contract_call_without_resources_never_enters(wallet: Wallet) -> None:
    payer = await wallet.account()
    plain = await transfer(wallet, payer, payer, payer.public_key, 1)
    plain.sign(payer)
    assert codes((await wallet.send(plain)).error_result_xdr) == ["txMALFORMED"]


async def test_an_issued_assets_contract_is_made_and_moves_it(wallet: Wallet) -> None:
    issuer, holder = await wallet.account(), await wallet.account()
    asset = Asset("USD", issuer.public_key)
    await wallet.do(holder, ChangeTrust(asset))
    builder = await wallet.build(issuer)
    builder.append_create_stellar_asset_contract_from_asset_op(asset)
    made = await landed(wallet, await wallet.server.prepare_transaction(builder.build()), issuer)
    assert made.status.value == "SUCCESS", codes(made.result_xdr)
    contract = asset.contract_id(wallet.devnet.passphrase)
    plain = await transfer(wallet, issuer, issuer, holder.public_key, 7, contract)
    done = await landed(wallet, await wallet.server.prepare_transaction(plain), issuer)
    assert done.status.value == "SUCCESS", codes(done.result_xdr)
    line = wallet.devnet.ledger.state.trust_line(holder.xdr_account_id(), asset.to_xdr_object())
    assert line
    assert line.balance.int64 == 7
    vault = StrKey.encode_contract(bytes(32))
    plain = await transfer(wallet, holder, holder, vault, 2, contract)
    await landed(wallet, await wallet.server.prepare_transaction(plain), holder)
    held = await wallet.server.get_sac_balance(vault, asset, wallet.devnet.passphrase)
    assert held.balance_entry
    assert held.balance_entry.amount == 2


async def test_wasm_is_stored_and_registered_but_not_run(wallet: Wallet) -> None:
    owner = await wallet.account()
    wasm = b"\0asm\1\0\0\0" + b"nothing to run"
    builder = await wallet.build(owner)
    builder.append_upload_contract_wasm_op(wasm)
    up = await landed(wallet, await wallet.server.prepare_transaction(builder.build()), owner)
    assert up.status.value == "SUCCESS", codes(up.result_xdr)
    digest = hashlib.sha256(wasm).digest()
    assert await wallet.server.get_contract_wasm_by_hash(digest) == wasm
    builder = await wallet.build(owner)
    builder.append_create_contract_op(digest, owner.public_key, salt=bytes(32))
    made = await landed(wallet, await wallet.server.prepare_transaction(builder.build()), owner)
    assert made.status.value == "SUCCESS", codes(made.result_xdr)
    assert made.result_meta_xdr
    meta = xdr.TransactionMeta.from_xdr(made.result_meta_xdr).v4
    assert meta
    assert meta.soroban_meta
    assert meta.soroban_meta.return_value
    contract = scval.from_address(meta.soroban_meta.return_value).address
    told = await wallet.server.simulate_transaction((await calling(wallet, owner, "hello", contract=contract)).build())
    assert told.error
    assert "does not run Wasm" in told.error


async def asleep(wallet: Wallet, payer: Keypair) -> TransactionEnvelope:
    """A transfer prepared while the contract was awake; now it sleeps."""
    ready = await wallet.server.prepare_transaction(await transfer(wallet, payer, payer, payer.public_key, 1))
    assert await archive(wallet) == 1
    return ready


async def archive(wallet: Wallet) -> int:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "devnet_archive",
        "params": {"contract": native_contract(wallet)},
    }
    async with aiohttp.ClientSession() as session, session.post(wallet.devnet.url, json=body) as answer:
        count: int = (await answer.json())["result"]
        return count


async def test_an_archived_contract_is_restored_as_simulation_asks(wallet: Wallet) -> None:
    payer = await wallet.account()
    stale = await asleep(wallet, payer)
    done = await landed(wallet, stale, payer)
    assert codes(done.result_xdr) == ["txFAILED", "INVOKE_HOST_FUNCTION_ENTRY_ARCHIVED"]
    plain = await transfer(wallet, payer, payer, payer.public_key, 1)
    told = await wallet.server.simulate_transaction(plain)
    assert told.restore_preamble
    builder = await wallet.build(payer)
    builder.append_restore_footprint_op()
    builder.set_soroban_data(told.restore_preamble.transaction_data)
    restored = await landed(wallet, await wallet.server.prepare_transaction(builder.build()), payer)
    assert codes(restored.result_xdr) == ["txSUCCESS", "RESTORE_FOOTPRINT_SUCCESS"]
    plain = await transfer(wallet, payer, payer, payer.public_key, 1)
    again = await wallet.server.simulate_transaction(plain)
    assert again.restore_preamble is None
    done = await landed(wallet, await wallet.server.prepare_transaction(plain, again), payer)
    assert done.status.value == "SUCCESS"


async def test_an_archived_contract_can_wake_within_the_call_itself(wallet: Wallet) -> None:
    payer = await wallet.account()
    await asleep(wallet, payer)
    wallet.devnet.controls.turn({"auto_restore": True})
    plain = await transfer(wallet, payer, payer, payer.public_key, 1)
    told = await wallet.server.simulate_transaction(plain)
    assert told.restore_preamble is None
    done = await landed(wallet, await wallet.server.prepare_transaction(plain, told), payer)
    assert codes(done.result_xdr) == ["txSUCCESS", "INVOKE_HOST_FUNCTION_SUCCESS"]


async def test_a_life_is_prolonged_as_far_as_asked(wallet: Wallet) -> None:
    payer = await wallet.account()
    key = xdr.LedgerKey(
        xdr.LedgerEntryType.CONTRACT_DATA,
        contract_data=xdr.LedgerKeyContractData(
            Address(native_contract(wallet)).to_xdr_sc_address(),
            xdr.SCVal(xdr.SCValType.SCV_LEDGER_KEY_CONTRACT_INSTANCE),
            xdr.ContractDataDurability.PERSISTENT,
        ),
    )
    builder = await wallet.build(payer)
    builder.append_extend_footprint_ttl_op(500_000)
    resources = xdr.SorobanResources(xdr.LedgerFootprint([key], []), xdr.Uint32(0), xdr.Uint32(0), xdr.Uint32(0))
    builder.set_soroban_data(xdr.SorobanTransactionData(xdr.SorobanTransactionDataExt(0), resources, xdr.Int64(0)))
    done = await landed(wallet, await wallet.server.prepare_transaction(builder.build()), payer)
    assert codes(done.result_xdr) == ["txSUCCESS", "EXTEND_FOOTPRINT_TTL_SUCCESS"]
    found = await wallet.server.get_ledger_entries([key])
    assert found.entries
    assert found.entries[0].live_until_ledger == (done.ledger or 0) + 500_000


async def test_a_fee_bump_pays_for_anothers_contract_call(wallet: Wallet) -> None:
    user, payer = await wallet.account(), await wallet.account()
    ready = await wallet.server.prepare_transaction(await transfer(wallet, user, user, payer.public_key, LUMEN))
    ready.sign(user)
    outer = wallet.bump(ready, payer, ready.transaction.fee + 100)
    done = await wallet.land(outer)
    assert codes(done.result_xdr)[-1] == "INVOKE_HOST_FUNCTION_SUCCESS"
    assert wallet.balance(user.public_key) == 999 * LUMEN
