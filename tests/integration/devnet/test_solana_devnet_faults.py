"""What a test can do to the Solana devnet: lose forks, lose sends, lag, be unwell, be full."""

import pytest
from solders.compute_budget import set_compute_unit_price
from solders.keypair import Keypair
from solders.pubkey import Pubkey
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


async def test_a_lost_fork_takes_its_transactions_back(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    blockhash = await rpc.blockhash()
    kept = await rpc.send(sign(payer, [pay(payer, friend, SOL)], blockhash))
    solana.mine()
    lost = await rpc.send(sign(payer, [pay(payer, friend, 2 * SOL)], blockhash))
    solana.mine(3)
    assert (await rpc.status(lost))["confirmationStatus"] == "confirmed"
    assert await rpc.ask("devnet_fork", 3) == [lost]
    assert await rpc.status(lost, searchTransactionHistory=True) is None
    assert await rpc.ask("getTransaction", lost, CONFIRMED) is None
    assert await rpc.status(kept) is not None
    assert solana.balance(str(friend)) == SOL
    assert solana.balance(str(payer.pubkey())) == 99 * SOL - FEE
    assert len(await rpc.ask("getSignaturesForAddress", str(friend), CONFIRMED)) == 1


async def test_a_transaction_of_a_lost_fork_can_land_again_once(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    transaction = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash())
    signature = await rpc.send(transaction)
    solana.mine()
    first_slot = (await rpc.status(signature))["slot"]
    solana.fork(1)
    solana.mine(3)
    assert solana.balance(str(friend)) == 0
    await rpc.send(transaction)
    solana.mine()
    assert (await rpc.status(signature))["slot"] > first_slot
    assert solana.balance(str(friend)) == SOL


async def test_a_fork_may_relay_what_it_lost_to_the_next_leader(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    signature = await rpc.send(sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash()))
    solana.mine()
    assert await rpc.ask("devnet_fork", 1, {"relay": True}) == [signature]
    assert await rpc.status(signature) is None
    solana.mine()
    assert await rpc.status(signature) is not None
    assert solana.balance(str(friend)) == SOL


async def test_the_blockhashes_of_a_lost_fork_are_dead(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    solana.mine()
    blockhash = await rpc.blockhash()
    signature = await rpc.send(sign(payer, [pay(payer, friend, SOL)], blockhash))
    solana.mine()
    solana.fork(2, relay=True)
    assert await rpc.value("isBlockhashValid", blockhash, PROCESSED) is False
    solana.mine(2)
    assert await rpc.status(signature) is None
    assert solana.balance(str(friend)) == 0


async def test_heights_and_finality_never_go_back_and_lost_slots_stay_empty(solana: SolanaDevnet, rpc: Rpc) -> None:
    solana.mine(3)
    lost_slot = await rpc.ask("getSlot", PROCESSED)
    heights = [await rpc.ask("getBlockHeight", level) for level in (PROCESSED, CONFIRMED, FINALIZED)]
    finalized_hash = await rpc.blockhash("finalized")
    solana.fork(3)
    assert [await rpc.ask("getBlockHeight", level) for level in (PROCESSED, CONFIRMED, FINALIZED)] == heights
    assert await rpc.blockhash("finalized") == finalized_hash
    assert await rpc.ask("getSlot", PROCESSED) == lost_slot + 3
    with pytest.raises(RpcFailed, match="was skipped") as refused:
        await rpc.ask("getBlock", lost_slot, {**CONFIRMED, "transactionDetails": "none"})
    assert refused.value.code == -32007


async def test_a_finalized_block_is_never_lost(solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey) -> None:
    signature = await rpc.send(sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash()))
    solana.mine(33)
    assert (await rpc.status(signature))["confirmationStatus"] == "finalized"
    with pytest.raises(RpcFailed, match="finalized block is never lost"):
        await rpc.ask("devnet_fork", 33)
    solana.fork(32)
    assert (await rpc.status(signature))["confirmationStatus"] == "finalized"
    assert solana.balance(str(friend)) == SOL


async def test_money_from_an_in_process_airdrop_outlives_a_fork(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    await rpc.send(sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash()))
    solana.mine()
    solana.airdrop(str(friend), 7)
    solana.airdrop(str(payer.pubkey()), 3)
    solana.fork(1)
    assert solana.balance(str(friend)) == 7
    assert solana.balance(str(payer.pubkey())) == 100 * SOL + 3


async def test_dropped_sends_are_answered_and_forgotten(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    await rpc.ask("devnet_set", {"drop_next": 2})
    transaction = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash())
    for landed in (False, False, True):
        signature = await rpc.send(transaction)
        solana.mine(2)
        assert (await rpc.status(signature) is not None) == landed
    assert solana.balance(str(friend)) == SOL


async def test_an_unhealthy_node_refuses_health_and_preflight_but_reads_and_relays(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    assert await rpc.ask("getHealth") == "ok"
    await rpc.ask("devnet_set", {"unhealthy": True})
    transaction = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash())
    for refused_call in (rpc.ask("getHealth"), rpc.send(transaction, skipPreflight=False)):
        with pytest.raises(RpcFailed, match="Node is behind by") as refused:
            await refused_call
        assert (refused.value.code, refused.value.data) == (-32005, {"numSlotsBehind": 200})
    async with rpc.session.get(f"{rpc.url}/health") as health:
        assert await health.text() == "behind"
    await rpc.send(transaction)
    solana.mine()
    assert await rpc.value("getBalance", str(friend), PROCESSED) == SOL


async def test_a_lagging_node_knows_neither_new_blockhashes_nor_new_transactions(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    solana.mine(10)
    blockhash, slot = await rpc.blockhash(), await rpc.ask("getSlot", PROCESSED)
    await rpc.ask("devnet_set", {"lag_blocks": 5})
    assert await rpc.ask("getSlot", PROCESSED) == slot - 5
    assert await rpc.blockhash() != blockhash
    transaction = sign(payer, [pay(payer, friend, SOL)], blockhash)
    with pytest.raises(RpcFailed, match="Blockhash not found"):
        await rpc.send(transaction, skipPreflight=False)
    with pytest.raises(RpcFailed, match="Minimum context slot has not been reached") as refused:
        await rpc.ask("getLatestBlockhash", {**PROCESSED, "minContextSlot": slot})
    assert (refused.value.code, refused.value.data) == (-32016, {"contextSlot": slot - 5})
    signature = await rpc.send(transaction)
    solana.mine()
    assert solana.balance(str(friend)) == SOL
    assert await rpc.status(signature) is None
    assert await rpc.value("getBalance", str(friend), PROCESSED) == 0
    solana.mine(5)
    assert (await rpc.status(signature))["confirmationStatus"] == "processed"


async def test_below_the_fee_floor_a_transaction_waits_until_its_blockhash_dies(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    await rpc.ask("devnet_set", {"fee_floor": 1_000, "prioritization_fee": 1_000})
    fees = await rpc.ask("getRecentPrioritizationFees", [str(friend)])
    assert len(fees) == 150
    assert {one["prioritizationFee"] for one in fees} == {1_000}
    blockhash = await rpc.blockhash()
    poor = await rpc.send(sign(payer, [pay(payer, friend, SOL)], blockhash))
    rich = await rpc.send(sign(payer, [set_compute_unit_price(1_000), pay(payer, friend, 2 * SOL)], blockhash))
    once = await rpc.send(sign(payer, [pay(payer, friend, 4 * SOL)], blockhash), maxRetries=0)
    solana.mine()
    assert await rpc.status(rich) is not None
    assert await rpc.status(poor) is None
    await rpc.ask("devnet_set", {"fee_floor": 0})
    solana.mine()
    assert await rpc.status(poor) is not None
    assert await rpc.status(once) is None
    await rpc.ask("devnet_set", {"fee_floor": 1_000})
    late = await rpc.send(sign(payer, [pay(payer, friend, 8 * SOL)], blockhash))
    solana.mine(150)
    await rpc.ask("devnet_set", {"fee_floor": 0})
    solana.mine(2)
    assert await rpc.status(late) is None
    assert solana.balance(str(friend)) == 3 * SOL


async def test_a_full_block_takes_the_best_payers_first(solana: SolanaDevnet, rpc: Rpc, payer: Keypair) -> None:
    await rpc.ask("devnet_set", {"block_capacity": 2})
    blockhash = await rpc.blockhash()
    prices = [10, 40, 20, 30]
    signatures = [
        await rpc.send(sign(payer, [set_compute_unit_price(price), memo(payer, "x")], blockhash)) for price in prices
    ]
    solana.mine(2)
    slots = [(await rpc.status(signature))["slot"] for signature in signatures]
    assert slots[1] == slots[3] == slots[0] - 1 == slots[2] - 1


@pytest.mark.parametrize(
    "knobs", [{"drop": 1}, {"drop_next": -1}, {"drop_next": True}, {"unhealthy": 1}, {"lag_blocks": 151}]
)
async def test_a_knob_that_does_not_exist_or_fit_is_refused(rpc: Rpc, knobs: dict[str, int]) -> None:
    with pytest.raises(RpcFailed) as refused:
        await rpc.ask("devnet_set", knobs)
    assert refused.value.code == -32602
