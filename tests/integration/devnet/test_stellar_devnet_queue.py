"""The simulator's queue: one transaction for each source, replacement by fee bump, surge, ageing, faults on request."""

import pytest
from stellar_sdk import Asset, Keypair
from stellar_sdk.exceptions import AccountNotFoundException, SorobanRpcErrorResponse
from stellar_sdk.operation import ManageData, Payment
from stellar_sdk.soroban_rpc import GetTransactionStatus
from tests.integration.devnet.stellar_wallet import LUMEN, Envelope, Wallet, codes, fee_charged

NATIVE = Asset.native()


async def status_of(wallet: Wallet, envelope: Envelope) -> GetTransactionStatus:
    return (await wallet.server.get_transaction(envelope.hash_hex())).status


async def test_the_same_envelope_again_is_a_duplicate_while_it_waits(wallet: Wallet) -> None:
    keypair = await wallet.account()
    envelope = await wallet.sign(keypair, ManageData("a", "b"))
    await wallet.send(envelope)
    assert (await wallet.send(envelope)).status.value == "DUPLICATE"


async def test_a_second_transaction_of_one_source_must_come_again_later(wallet: Wallet) -> None:
    keypair = await wallet.account()
    await wallet.send(await wallet.sign(keypair, ManageData("a", "b")))
    follower = await wallet.sign(keypair, ManageData("c", "d"), ahead=1)
    rival = await wallet.sign(keypair, ManageData("e", "f"), fee=100_000)
    assert (await wallet.send(follower)).status.value == "TRY_AGAIN_LATER"
    assert (await wallet.send(rival)).status.value == "TRY_AGAIN_LATER"
    older = await wallet.sign(keypair, ManageData("g", "h"), ahead=-1)
    assert codes((await wallet.send(older)).error_result_xdr) == ["txBAD_SEQ"]
    wallet.devnet.close()
    assert (await wallet.send(follower)).status.value == "PENDING"


async def test_many_sources_land_in_one_ledger(wallet: Wallet) -> None:
    sources = [await wallet.account() for _ in range(20)]
    envelopes = [await wallet.sign(source, ManageData("a", "b")) for source in sources]
    for envelope in envelopes:
        await wallet.send(envelope)
    assert len(wallet.devnet.close().landed) == 20


async def test_a_fee_bump_pays_for_anothers_transaction_and_is_found_by_both_hashes(wallet: Wallet) -> None:
    user, payer = await wallet.account(), await wallet.account()
    inner = await wallet.sign(user, Payment(payer.public_key, NATIVE, "1"))
    outer = wallet.bump(inner, payer, 400)
    done = await wallet.land(outer)
    assert done.fee_bump
    assert codes(done.result_xdr) == ["txFEE_BUMP_INNER_SUCCESS", "txSUCCESS", "PAYMENT_SUCCESS"]
    assert fee_charged(done.result_xdr) == 200
    assert wallet.balance(user.public_key) == 999 * LUMEN
    assert wallet.balance(payer.public_key) == 1001 * LUMEN - 200
    by_inner = await wallet.server.get_transaction(inner.hash_hex())
    assert by_inner.result_xdr == done.result_xdr
    listed = await wallet.server.get_transactions(done.ledger or 0)
    assert [one.transaction_hash for one in listed.transactions] == [outer.hash_hex()]


async def test_a_fee_bumps_inner_failure_is_told_inside(wallet: Wallet) -> None:
    user, payer = await wallet.account(), await wallet.account()
    inner = await wallet.sign(user, Payment(payer.public_key, NATIVE, "5000"))
    done = await wallet.land(wallet.bump(inner, payer, 400))
    assert codes(done.result_xdr) == ["txFEE_BUMP_INNER_FAILED", "txFAILED", "PAYMENT_UNDERFUNDED"]
    late = await wallet.sign(user, Payment(payer.public_key, NATIVE, "1"), ahead=5)
    refused = await wallet.send(wallet.bump(late, payer, 400))
    assert codes(refused.error_result_xdr) == ["txFEE_BUMP_INNER_FAILED", "txBAD_SEQ"]


async def test_a_fee_bump_must_bid_the_inner_rate_for_one_operation_more(wallet: Wallet) -> None:
    user, payer = await wallet.account(), await wallet.account()
    inner = await wallet.sign(user, ManageData("a", "b"), fee=1000)
    refused = await wallet.send(wallet.bump(inner, payer, 1999))
    assert codes(refused.error_result_xdr) == ["txINSUFFICIENT_FEE"]
    assert fee_charged(refused.error_result_xdr) == 2000
    assert (await wallet.send(wallet.bump(inner, payer, 2000))).status.value == "PENDING"


async def test_a_waiting_transaction_gives_way_to_ten_times_its_bid_and_no_less(wallet: Wallet) -> None:
    keypair = await wallet.account()
    waiting = await wallet.sign(keypair, ManageData("a", "b"))
    await wallet.send(waiting)
    rival = await wallet.sign(keypair, ManageData("a", "c"))
    refused = await wallet.send(wallet.bump(rival, keypair, 1999))
    assert codes(refused.error_result_xdr) == ["txINSUFFICIENT_FEE"]
    assert fee_charged(refused.error_result_xdr) == 2000
    winner = wallet.bump(rival, keypair, 2000)
    assert (await wallet.send(winner)).status.value == "PENDING"
    assert (await wallet.send(rival)).status.value == "DUPLICATE"
    wallet.devnet.close()
    assert await status_of(wallet, winner) is GetTransactionStatus.SUCCESS
    assert await status_of(wallet, waiting) is GetTransactionStatus.NOT_FOUND


async def test_a_payer_must_afford_all_that_waits_on_its_account(wallet: Wallet) -> None:
    users = [await wallet.account() for _ in range(2)]
    payer = await wallet.account(3)
    inner = [await wallet.sign(user, ManageData("a", "b")) for user in users]
    assert (await wallet.send(wallet.bump(inner[0], payer, LUMEN * 3 // 2))).status.value == "PENDING"
    refused = await wallet.send(wallet.bump(inner[1], payer, LUMEN))
    assert codes(refused.error_result_xdr) == ["txINSUFFICIENT_BALANCE"]


async def test_in_a_surge_low_bids_wait_and_a_high_one_lands_at_the_price(wallet: Wallet) -> None:
    poor, rich = await wallet.account(), await wallet.account()
    wallet.devnet.controls.turn({"surge": 5_000})
    low = await wallet.sign(poor, ManageData("a", "b"), fee=4_999)
    high = await wallet.sign(rich, ManageData("a", "b"), fee=90_000)
    assert (await wallet.send(low)).status.value == (await wallet.send(high)).status.value == "PENDING"
    wallet.devnet.close()
    done = await wallet.server.get_transaction(high.hash_hex())
    assert fee_charged(done.result_xdr) == 5_000
    assert await status_of(wallet, low) is GetTransactionStatus.NOT_FOUND
    assert (await wallet.server.get_fee_stats()).inclusion_fee.p10 == 5_000
    wallet.devnet.controls.turn({"surge": 0})
    wallet.devnet.close()
    assert await status_of(wallet, low) is GetTransactionStatus.SUCCESS


async def test_what_no_ledger_takes_is_banned_for_a_while(wallet: Wallet) -> None:
    keypair = await wallet.account()
    wallet.devnet.controls.turn({"surge": 5_000})
    low = await wallet.sign(keypair, ManageData("a", "b"))
    await wallet.send(low)
    wallet.devnet.close(4)
    wallet.devnet.controls.turn({"surge": 0})
    assert (await wallet.send(low)).status.value == "TRY_AGAIN_LATER"
    fresh = await wallet.sign(keypair, ManageData("a", "b"), fee=200)
    assert (await wallet.send(fresh)).status.value == "PENDING"
    wallet.devnet.close(10)
    assert codes((await wallet.send(low)).error_result_xdr) == ["txBAD_SEQ"]


async def test_a_full_ledger_takes_the_highest_bids(wallet: Wallet) -> None:
    bidders = [await wallet.account() for _ in range(3)]
    wallet.devnet.controls.turn({"capacity": 2})
    envelopes = [
        await wallet.sign(one, ManageData("a", "b"), fee=fee) for one, fee in zip(bidders, (300, 100, 200), strict=True)
    ]
    for envelope in envelopes:
        await wallet.send(envelope)
    assert [one.hash for one in wallet.devnet.close().landed] == [envelopes[0].hash_hex(), envelopes[2].hash_hex()]
    assert [one.hash for one in wallet.devnet.close().landed] == [envelopes[1].hash_hex()]


async def test_a_raised_base_fee_is_told_and_asked_for(wallet: Wallet) -> None:
    keypair = await wallet.account()
    wallet.devnet.controls.turn({"base_fee": 700})
    refused = await wallet.send(await wallet.sign(keypair, ManageData("a", "b"), fee=699))
    assert codes(refused.error_result_xdr) == ["txINSUFFICIENT_FEE"]
    assert fee_charged(refused.error_result_xdr) == 700
    assert (await wallet.server.get_fee_stats()).inclusion_fee.min == 700


async def test_a_dropped_transaction_is_taken_but_never_seen_until_sent_again(wallet: Wallet) -> None:
    keypair = await wallet.account()
    wallet.devnet.controls.turn({"drop_next": 1})
    envelope = await wallet.sign(keypair, ManageData("a", "b"))
    assert (await wallet.send(envelope)).status.value == "PENDING"
    wallet.devnet.close()
    assert await status_of(wallet, envelope) is GetTransactionStatus.NOT_FOUND
    assert (await wallet.land(envelope)).status is GetTransactionStatus.SUCCESS


async def test_try_later_and_ill_health_last_as_long_as_asked(wallet: Wallet) -> None:
    keypair = await wallet.account()
    wallet.devnet.controls.turn({"try_later": 2, "unhealthy": True})
    envelope = await wallet.sign(keypair, ManageData("a", "b"))
    answers = [(await wallet.send(envelope)).status.value for _ in range(3)]
    assert answers == ["TRY_AGAIN_LATER", "TRY_AGAIN_LATER", "PENDING"]
    with pytest.raises(SorobanRpcErrorResponse):
        await wallet.server.get_health()
    wallet.devnet.controls.turn({"unhealthy": False})
    assert (await wallet.server.get_health()).status == "healthy"


async def test_funding_closes_its_own_ledger_and_leaves_the_queue_alone(wallet: Wallet) -> None:
    keypair = await wallet.account()
    envelope = await wallet.sign(keypair, ManageData("a", "b"))
    await wallet.send(envelope)
    await wallet.devnet.fund(Keypair.random().public_key, LUMEN)
    assert await status_of(wallet, envelope) is GetTransactionStatus.NOT_FOUND
    wallet.devnet.close()
    assert await status_of(wallet, envelope) is GetTransactionStatus.SUCCESS


async def test_a_lagging_node_tells_of_older_ledgers_but_carries_what_is_sent(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    before = await wallet.sequence(payer)
    wallet.devnet.controls.turn({"lag_ledgers": 2})
    wallet.devnet.close(2)
    envelope = await wallet.sign(payer, Payment(payee.public_key, NATIVE, "1"))
    await wallet.send(envelope)
    landed_in = wallet.devnet.close().sequence
    assert wallet.balance(payee.public_key) == 1001 * LUMEN
    assert await status_of(wallet, envelope) is GetTransactionStatus.NOT_FOUND
    assert await wallet.sequence(payer) == before
    assert (await wallet.server.get_latest_ledger()).sequence == landed_in - 2
    with pytest.raises(SorobanRpcErrorResponse):
        await wallet.server.get_transactions(landed_in)
    wallet.devnet.close(2)
    assert await status_of(wallet, envelope) is GetTransactionStatus.SUCCESS
    assert await wallet.sequence(payer) == before + 1


async def test_a_lagging_node_does_not_know_a_new_account_yet(wallet: Wallet) -> None:
    wallet.devnet.close(2)
    wallet.devnet.controls.turn({"lag_ledgers": 1})
    keypair = await wallet.account()
    with pytest.raises(AccountNotFoundException):
        await wallet.sequence(keypair)
    wallet.devnet.close()
    assert await wallet.sequence(keypair) > 0
