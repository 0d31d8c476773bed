"""The life of a transaction on the Solana devnet, judged by balances and by what the node says of it."""

import base64
import struct

import pytest
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import to_bytes_versioned
from solders.pubkey import Pubkey
from solders.system_program import (
    ID as SYSTEM_PROGRAM,
)
from solders.system_program import (
    AdvanceNonceAccountParams,
    CreateAccountParams,
    InitializeNonceAccountParams,
    advance_nonce_account,
    create_account,
    initialize_nonce_account,
)
from solders.token import ID as TOKEN_PROGRAM
from solders.token.associated import get_associated_token_address
from spl.token import instructions as spl
from spl.token.models import InitializeMintParams, MintToParams, TransferParams
from tests.integration.devnet.solana_wallet import (
    CONFIRMED,
    FEE,
    FINALIZED,
    PROCESSED,
    SOL,
    Rpc,
    RpcFailed,
    memo,
    pay,
    sign,
)

from baton.devnet.solana import SolanaDevnet

TABLE_PROGRAM = Pubkey.from_string("AddressLookupTab1e1111111111111111111111111")
MINT_BYTES, NONCE_BYTES = 82, 80


async def land(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, *instructions: Instruction, others: tuple[Keypair, ...] = ()
) -> str:
    """Send, make one block, and insist on success."""
    signature = await rpc.send(sign(payer, instructions, await rpc.blockhash(), *others))
    solana.mine()
    status = await rpc.status(signature)
    assert status is not None, "it did not land"
    assert status["err"] is None, status
    return signature


@pytest.mark.parametrize("legacy", [True, False], ids=["legacy", "v0"])
async def test_a_transfer_moves_lamports_and_charges_the_fee(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey, legacy: bool
) -> None:
    signature = await rpc.send(sign(payer, [pay(payer, friend, 3 * SOL)], await rpc.blockhash(), legacy=legacy))
    assert solana.balance(str(friend)) == 0
    solana.mine()
    assert solana.balance(str(friend)) == 3 * SOL
    assert solana.balance(str(payer.pubkey())) == 97 * SOL - FEE
    solana.mine()
    options = {"commitment": "confirmed", "maxSupportedTransactionVersion": 0, "encoding": "base64"}
    found = await rpc.ask("getTransaction", signature, options)
    assert found["version"] == ("legacy" if legacy else 0)
    assert found["meta"]["fee"] == FEE
    assert found["meta"]["preBalances"][:2] == [100 * SOL, 0]
    assert found["meta"]["postBalances"][:2] == [97 * SOL - FEE, 3 * SOL]


async def test_a_status_climbs_from_processed_over_confirmed_to_finalized(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    signature = await rpc.send(sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash()))
    assert await rpc.status(signature) is None
    seen = []
    for _ in range(34):
        solana.mine()
        status = await rpc.status(signature)
        seen.append((status["confirmationStatus"], status["confirmations"]))
    assert seen[0] == ("processed", 0)
    assert seen[1:32] == [("confirmed", blocks) for blocks in range(1, 32)]
    assert seen[32:] == [("finalized", None)] * 2


async def test_a_balance_is_read_at_the_commitment_asked_for(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    await land(solana, rpc, payer, pay(payer, friend, SOL))
    levels: tuple[dict[str, str], ...] = (PROCESSED, CONFIRMED, FINALIZED, {})
    assert [await rpc.value("getBalance", str(friend), level) for level in levels] == [SOL, 0, 0, 0]
    solana.mine()
    assert [await rpc.value("getBalance", str(friend), level) for level in levels] == [SOL, SOL, 0, 0]
    solana.mine(31)
    assert [await rpc.value("getBalance", str(friend), level) for level in levels] == [SOL] * 4


async def test_slots_and_heights_differ_and_each_follows_its_commitment(solana: SolanaDevnet, rpc: Rpc) -> None:
    solana.mine(5)
    slots = [await rpc.ask("getSlot", level) for level in (PROCESSED, CONFIRMED, FINALIZED)]
    heights = [await rpc.ask("getBlockHeight", level) for level in (PROCESSED, CONFIRMED, FINALIZED)]
    assert [slots[0] - slot for slot in slots] == [0, 1, 32]
    assert [heights[0] - height for height in heights] == [0, 1, 32]
    assert slots[0] != heights[0]
    epoch = await rpc.ask("getEpochInfo", PROCESSED)
    assert (epoch["absoluteSlot"], epoch["blockHeight"]) == (slots[0], heights[0])


async def test_a_memo_is_in_the_logs(solana: SolanaDevnet, rpc: Rpc, payer: Keypair) -> None:
    signature = await land(solana, rpc, payer, memo(payer, "hello"))
    solana.mine()
    found = await rpc.ask("getTransaction", signature, {**CONFIRMED, "maxSupportedTransactionVersion": 0})
    assert any("Memo (len 5)" in line for line in found["meta"]["logMessages"])
    assert any("hello" in line for line in found["meta"]["logMessages"])


async def test_a_token_is_minted_and_transferred(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    mint, owner = Keypair(), payer.pubkey()
    rent = await rpc.ask("getMinimumBalanceForRentExemption", MINT_BYTES)
    make = CreateAccountParams(
        from_pubkey=owner, to_pubkey=mint.pubkey(), lamports=rent, space=MINT_BYTES, owner=TOKEN_PROGRAM
    )
    minted = InitializeMintParams(decimals=6, program_id=TOKEN_PROGRAM, mint=mint.pubkey(), mint_authority=owner)
    await land(solana, rpc, payer, create_account(make), spl.initialize_mint(minted), others=(mint,))
    ours = get_associated_token_address(owner, mint.pubkey())
    theirs = get_associated_token_address(friend, mint.pubkey())
    await land(
        solana,
        rpc,
        payer,
        spl.create_associated_token_account(owner, owner, mint.pubkey()),
        spl.create_associated_token_account(owner, friend, mint.pubkey()),
        spl.mint_to(
            MintToParams(
                program_id=TOKEN_PROGRAM, mint=mint.pubkey(), dest=ours, mint_authority=owner, amount=5_000_000
            )
        ),
    )
    moved = TransferParams(program_id=TOKEN_PROGRAM, source=ours, dest=theirs, owner=owner, amount=1_250_000)
    signature = await land(solana, rpc, payer, spl.transfer(moved))
    left = await rpc.value("getTokenAccountBalance", str(ours), PROCESSED)
    got = await rpc.value("getTokenAccountBalance", str(theirs), PROCESSED)
    assert (left["amount"], got["amount"]) == ("3750000", "1250000")
    assert (got["decimals"], got["uiAmountString"]) == (6, "1.25")
    solana.mine()
    found = await rpc.ask("getTransaction", signature, {**CONFIRMED, "maxSupportedTransactionVersion": 0})
    assert found["meta"]["computeUnitsConsumed"] > 0


async def test_a_program_error_is_told_with_its_logs_before_and_after_landing(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    too_much = sign(payer, [memo(payer, "first"), pay(payer, friend, 500 * SOL)], await rpc.blockhash())
    with pytest.raises(RpcFailed) as refused:
        await rpc.send(too_much, skipPreflight=False)
    assert refused.value.code == -32002
    assert refused.value.message == (
        "Transaction simulation failed: Error processing Instruction 1: custom program error: 0x1"
    )
    assert refused.value.data["err"] == {"InstructionError": [1, {"Custom": 1}]}
    assert any("insufficient lamports" in line for line in refused.value.data["logs"])
    signature = await rpc.send(too_much)
    solana.mine(2)
    status = await rpc.status(signature)
    assert status["err"] == {"InstructionError": [1, {"Custom": 1}]}
    assert status["status"] == {"Err": status["err"]}
    assert solana.balance(str(payer.pubkey())) == 100 * SOL - FEE
    found = await rpc.ask("getTransaction", signature, {**CONFIRMED, "maxSupportedTransactionVersion": 0})
    assert any("insufficient lamports" in line for line in found["meta"]["logMessages"])


async def test_an_unknown_program_lands_as_a_failure_that_pays_its_fee(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    signature = await rpc.send(sign(payer, [Instruction(friend, b"", [])], await rpc.blockhash()))
    solana.mine()
    assert (await rpc.status(signature))["err"] in ("ProgramAccountNotFound", "InvalidProgramForExecution")
    assert solana.balance(str(payer.pubkey())) == 100 * SOL - FEE


async def test_a_payer_without_funds_never_lands(solana: SolanaDevnet, rpc: Rpc, friend: Pubkey) -> None:
    pauper = Keypair()
    transaction = sign(pauper, [pay(pauper, friend, 1)], await rpc.blockhash())
    with pytest.raises(RpcFailed, match="found no record of a prior credit"):
        await rpc.send(transaction, skipPreflight=False)
    signature = await rpc.send(transaction)
    solana.mine()
    assert await rpc.status(signature) is None


async def test_a_transaction_sent_twice_lands_once(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    transaction = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash())
    first = await rpc.send(transaction)
    assert await rpc.send(transaction) == first
    solana.mine()
    assert await rpc.send(transaction) == first
    solana.mine(50)
    assert await rpc.send(transaction) == first
    solana.mine()
    assert solana.balance(str(friend)) == SOL
    with pytest.raises(RpcFailed, match="This transaction has already been processed") as refused:
        await rpc.send(transaction, skipPreflight=False)
    assert (refused.value.code, refused.value.data["err"]) == (-32002, "AlreadyProcessed")


async def test_a_blockhash_lives_until_its_last_valid_block_height(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    latest = await rpc.value("getLatestBlockhash", PROCESSED)
    blockhash, last_height = latest["blockhash"], latest["lastValidBlockHeight"]
    solana.mine(150)
    assert await rpc.ask("getBlockHeight", PROCESSED) == last_height
    assert await rpc.value("isBlockhashValid", blockhash, PROCESSED) is True
    in_time = await rpc.send(sign(payer, [pay(payer, friend, SOL)], blockhash))
    solana.mine()
    assert await rpc.status(in_time) is not None
    assert await rpc.value("isBlockhashValid", blockhash, PROCESSED) is False
    assert await rpc.value("isBlockhashValid", blockhash, FINALIZED) is True
    late = sign(payer, [pay(payer, friend, 2 * SOL)], blockhash)
    with pytest.raises(RpcFailed, match="Blockhash not found") as refused:
        await rpc.send(late, skipPreflight=False)
    assert (refused.value.code, refused.value.data["err"]) == (-32002, "BlockhashNotFound")
    signature = await rpc.send(late)
    solana.mine(2)
    assert await rpc.status(signature) is None
    assert solana.balance(str(friend)) == SOL


async def test_preflight_at_finalized_does_not_know_a_fresh_blockhash(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    solana.mine()
    transaction = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash("processed"))
    with pytest.raises(RpcFailed, match="Blockhash not found"):
        await rpc.send(transaction, skipPreflight=False, preflightCommitment="finalized")
    await rpc.send(transaction, skipPreflight=False, preflightCommitment="processed")


async def make_nonce(solana: SolanaDevnet, rpc: Rpc, payer: Keypair) -> Keypair:
    nonce, owner = Keypair(), payer.pubkey()
    make = CreateAccountParams(
        from_pubkey=owner, to_pubkey=nonce.pubkey(), lamports=SOL, space=NONCE_BYTES, owner=SYSTEM_PROGRAM
    )
    initialize = InitializeNonceAccountParams(nonce_pubkey=nonce.pubkey(), authority=owner)
    await land(solana, rpc, payer, create_account(make), initialize_nonce_account(initialize), others=(nonce,))
    return nonce


async def nonce_value(rpc: Rpc, nonce: Pubkey) -> str:
    account = await rpc.value("getAccountInfo", str(nonce), {**PROCESSED, "encoding": "base64"})
    return str(Hash(base64.b64decode(account["data"][0])[40:72]))


@pytest.mark.parametrize("lamports", [SOL, 500 * SOL], ids=["success", "failure"])
async def test_a_durable_nonce_outlives_the_window_and_is_used_once(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey, lamports: int
) -> None:
    nonce = await make_nonce(solana, rpc, payer)
    value = await nonce_value(rpc, nonce.pubkey())
    advance = advance_nonce_account(
        AdvanceNonceAccountParams(nonce_pubkey=nonce.pubkey(), authorized_pubkey=payer.pubkey())
    )
    first = sign(payer, [advance, pay(payer, friend, lamports)], value)
    second = sign(payer, [advance, pay(payer, friend, 2 * SOL)], value)
    solana.mine(400)
    assert solana.balance(str(friend)) == 0
    signature = await rpc.send(first)
    solana.mine()
    assert ((await rpc.status(signature))["err"] is None) == (lamports == SOL)
    assert await nonce_value(rpc, nonce.pubkey()) != value
    with pytest.raises(RpcFailed, match="Blockhash not found"):
        await rpc.send(second, skipPreflight=False)
    late = await rpc.send(second)
    solana.mine()
    assert await rpc.status(late) is None


async def make_table(solana: SolanaDevnet, rpc: Rpc, payer: Keypair, *addresses: Pubkey) -> AddressLookupTableAccount:
    owner, slot = payer.pubkey(), await rpc.ask("getSlot", FINALIZED)
    table, bump = Pubkey.find_program_address([bytes(owner), struct.pack("<Q", slot)], TABLE_PROGRAM)
    accounts = [
        AccountMeta(table, False, True),
        AccountMeta(owner, True, False),
        AccountMeta(owner, True, True),
        AccountMeta(SYSTEM_PROGRAM, False, False),
    ]
    create = Instruction(TABLE_PROGRAM, struct.pack("<IQB", 0, slot, bump), accounts)
    listed = struct.pack("<IQ", 2, len(addresses)) + b"".join(map(bytes, addresses))
    await land(solana, rpc, payer, create, Instruction(TABLE_PROGRAM, listed, accounts))
    return AddressLookupTableAccount(table, list(addresses))


async def test_a_v0_transaction_finds_its_accounts_in_a_lookup_table(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    other = Keypair().pubkey()
    table = await make_table(solana, rpc, payer, other, friend)
    transaction = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash(), tables=[table])
    assert friend not in transaction.message.account_keys
    signature = await rpc.send(transaction)
    solana.mine(2)
    assert solana.balance(str(friend)) == SOL
    found = await rpc.ask("getTransaction", signature, {**CONFIRMED, "maxSupportedTransactionVersion": 0})
    assert found["meta"]["loadedAddresses"] == {"writable": [str(friend)], "readonly": []}
    assert found["meta"]["postBalances"][-1] == SOL
    assert found["transaction"]["message"]["addressTableLookups"][0]["writableIndexes"] == [1]
    assert [one["signature"] for one in await rpc.ask("getSignaturesForAddress", str(friend), CONFIRMED)] == [signature]


async def test_a_lookup_table_that_does_not_exist_is_told_in_preflight(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    nowhere = AddressLookupTableAccount(Keypair().pubkey(), [friend])
    transaction = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash(), tables=[nowhere])
    with pytest.raises(RpcFailed, match="address table account that doesn't exist"):
        await rpc.send(transaction, skipPreflight=False)


async def test_the_fee_asked_for_is_the_fee_charged(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    for budget in (
        [],
        [set_compute_unit_price(2_000_000)],
        [set_compute_unit_price(10**6), set_compute_unit_limit(9_000)],
    ):
        transaction = sign(payer, [*budget, pay(payer, friend, SOL)], await rpc.blockhash())
        message = base64.b64encode(to_bytes_versioned(transaction.message)).decode()
        fee = await rpc.value("getFeeForMessage", message, PROCESSED)
        before = solana.balance(str(payer.pubkey()))
        await rpc.send(transaction)
        solana.mine()
        assert before - solana.balance(str(payer.pubkey())) == SOL + fee
    assert fee == FEE + 9_000
