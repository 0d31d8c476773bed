"""What a client sees beyond the record, on a real node: why it waits, what it paid, what it logged, who holds a nonce."""

from datetime import datetime
from typing import Any

import pytest
from tests.faults.rules import Reset
from tests.integration.evm.chain import ETHER, GWEI, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.contracts import creation
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_amend import replaced
from tests.lane_client import RELAYER

from baton.api.look import attempt_record, explanation_record, receipt_record
from baton.chains.evm.maker import RESEND_BLOCKS
from baton.commands import amend, look, relayers
from baton.commands.live import LaneNow, NextAction, Sight
from baton.domain.errors import Missing
from baton.domain.policy import EvmPolicy

# MSTORE(0, 42), LOG1(0, 32, 7)
LOGGER = creation("602a600052600760206000a100")


async def seen(rig: Rig, transaction_id: str) -> Sight:
    sight = (await look.explain(rig.context, RELAYER, transaction_id)).sight
    assert sight is not None
    return sight


def lane_of(sight: Sight) -> LaneNow:
    assert sight.lane is not None
    return sight.lane


def action_of(sight: Sight) -> NextAction:
    assert sight.next_action is not None
    return sight.next_action


async def accepted(rig: Rig, **body: Any) -> str:
    """In a pool, and the lane knows it."""
    transaction_id = await rig.submit(to=fresh_address(), **body)
    await rig.reaches(transaction_id, "submitted")
    return transaction_id


async def test_the_status_of_a_relayer_is_what_the_chain_has(rig: Rig) -> None:
    await rig.confirmed([await rig.submit(to=fresh_address())])
    status = await relayers.status(rig.context, RELAYER)
    assert status.account.balance == await rig.chain.balance(rig.address)
    assert status.account.next_slot == await rig.chain.nonce() == 1
    assert status.pending == 0
    assert status.last_confirmed_at is not None


async def test_while_no_node_answers_the_balance_is_the_last_one_seen(rig: Rig) -> None:
    await accepted(rig)
    before = (await relayers.balance(rig.context, RELAYER))[1]
    rig.proxy.add(Reset())
    assert (await relayers.balance(rig.context, RELAYER))[1] == before
    rig.proxy.clear()


async def test_the_head_of_a_lane_waits_for_nobody(rig: Rig) -> None:
    paid = await accepted(rig)
    sight = await seen(rig, paid)
    assert "it waits for nobody" in sight.why
    assert lane_of(sight).is_head
    (offer,) = sight.offers
    assert offer.shortfall is None
    assert offer.nodes == {rig.proxy.url: True}
    assert sight.market is not None
    assert int(sight.market["base_fee"]) == await rig.chain.base_fee() * 7 // 8  # of the next block, after an empty one
    assert sight.funds is not None
    assert sight.funds.is_enough is True
    assert int(sight.funds.balance) == await rig.chain.balance(rig.address)
    action = action_of(sight)
    assert "again" in action.action
    assert action.in_blocks == RESEND_BLOCKS
    assert action.at is not None
    assert datetime.fromisoformat(action.at) > rig.clock.now()


async def test_what_stands_behind_another_names_the_head(rig: Rig) -> None:
    first, second = await accepted(rig), await accepted(rig)
    sight = await seen(rig, second)
    assert sight.why == f"it waits for slot 0, the head of its lane: transaction {first!r} is submitted"
    head = lane_of(sight).head
    assert head is not None
    assert (head.slot, head.transaction_id, lane_of(sight).is_head) == (0, first, False)


async def test_what_is_over_the_cap_says_so_before_it_has_a_slot(make_rig: Make) -> None:
    rig = await make_rig(EvmPolicy(gas_price_cap=GWEI))
    await rig.chain.set_base_fee(5 * GWEI)
    await rig.chain.mine()
    paid = await rig.submit(to=fresh_address())
    await rig.reason(paid, "waiting for the price to fall")
    sight = await seen(rig, paid)
    assert "waiting for the price to fall" in sight.why
    assert sight.cap == str(GWEI)
    assert action_of(sight).in_blocks == 1
    assert sight.offers == ()


async def test_an_offer_that_fell_below_the_market_says_by_how_much(make_rig: Make) -> None:
    rig = await make_rig(EvmPolicy(gas_price_cap=32 * GWEI // 10))
    paid = await accepted(rig, max_fee_per_gas=3 * GWEI, max_priority_fee_per_gas=GWEI)
    await rig.chain.set_base_fee(50 * GWEI)
    await rig.mine()
    sight = await seen(rig, paid)
    assert "its offer is too low now: it offers at most 3000000000 wei per gas" in sight.why
    assert "the next block's base fee is" in sight.why
    assert "send the same bytes again" in action_of(sight).action


async def test_without_funds_it_tells_what_is_there(rig: Rig) -> None:
    await rig.chain.set_balance(rig.address, 1000)
    await rig.chain.mine()
    paid = await rig.submit(to=fresh_address(), value=10**18)
    await rig.reason(paid, "waiting for funds")
    sight = await seen(rig, paid)
    assert "waiting for funds" in sight.why
    assert sight.funds is not None
    assert (sight.funds.balance, sight.funds.available) == ("1000", "1000")


async def test_what_is_mined_counts_its_blocks(make_rig: Make) -> None:
    rig = await make_rig(EvmPolicy(confirmations=3))
    paid = await accepted(rig)
    await rig.mine_to(paid, "mined")
    sight = await seen(rig, paid)
    assert "1 deep of the 3" in sight.why
    assert action_of(sight).in_blocks == 2
    await rig.confirmed([paid])
    assert (await look.explain(rig.context, RELAYER, paid)).sight is None


async def test_a_paused_relayer_explains_why_its_queue_stands(rig: Rig) -> None:
    await rig.confirmed([await rig.submit(to=fresh_address())])
    paid = await rig.submit(to=fresh_address(), value=20_000 * ETHER)
    await rig.reason(paid, "waiting for funds")
    rig.set_paused(True)
    await rig.chain.set_balance(rig.address, 30_000 * ETHER)
    await rig.mine()
    assert "is paused" in (await seen(rig, paid)).why
    rig.set_paused(False)
    await rig.confirmed([paid])


async def test_when_nodes_fall_silent_the_rest_is_told_with_the_trouble(rig: Rig) -> None:
    paid = await accepted(rig)
    rig.proxy.add(Reset())
    sight = await seen(rig, paid)
    assert sight.trouble is not None
    assert sight.offers[0].nodes is None
    assert lane_of(sight).is_head
    rig.proxy.clear()


async def test_a_receipt_is_what_the_chain_has_with_its_logs(rig: Rig) -> None:
    made = await rig.submit(value=0, data=LOGGER)
    await rig.confirmed([made])
    contract = receipt_record(await look.receipt(rig.context, RELAYER, made))["contract_address"]
    before = await rig.chain.balance(rig.address)
    called = await rig.submit(value=0, to=contract, data="0x01")
    await rig.confirmed([called])
    shown = receipt_record(await look.receipt(rig.context, RELAYER, called))
    found = await rig.chain.receipt(shown["hash"])
    assert found is not None
    assert shown["block_number"] == int(found["blockNumber"], 16)
    assert shown["block_hash"] == found["blockHash"]
    assert shown["gas_used"] == int(found["gasUsed"], 16)
    assert before - await rig.chain.balance(rig.address) == int(shown["fee_paid"])
    assert (shown["has_succeeded"], shown["is_final"]) == (True, True)
    (log,) = shown["logs"]
    assert log["address"].lower() == contract.lower()
    assert (int(log["data"], 16), int(log["topics"][0], 16), log["log_index"]) == (42, 7, 0)


async def test_what_is_in_a_pool_has_no_receipt_yet(rig: Rig) -> None:
    paid = await accepted(rig)
    with pytest.raises(Missing, match="it is submitted, nothing of it is in a block yet"):
        await look.receipt(rig.context, RELAYER, paid)


async def test_every_version_of_a_canceled_one_is_told_with_its_fate(rig: Rig) -> None:
    paid = await accepted(rig)
    old = await rig.record(paid)
    await rig.cancel(paid)
    await replaced(rig, paid, old)
    await rig.mine_to(paid, "canceled")
    first, last = [attempt_record(one) for one in (await look.attempts(rig.context, RELAYER, paid)).attempts]
    assert (first["kind"], first["fate"]) == ("original", "lapsed")
    assert (last["kind"], last["fate"]) == ("noop", "included")
    assert first["nonce"] == last["nonce"] == 0
    assert int(last["max_fee_per_gas"]) * 10 >= int(first["max_fee_per_gas"]) * 11
    shown = receipt_record(await look.receipt(rig.context, RELAYER, paid))
    assert (shown["kind"], shown["hash"]) == ("noop", last["hash"])


async def test_canceling_everything_pending_leaves_nothing_of_it_on_chain(rig: Rig) -> None:
    receivers = [fresh_address() for _ in range(5)]
    ids = [await rig.submit(to=one, value=5) for one in receivers]
    done = await amend.cancel_all(rig.context, RELAYER)
    assert set(done.accepted) == set(ids)

    async def are_displaced() -> bool:
        found = [await rig.record(one) for one in ids]
        under_way = [one for one in found if one["status"] != "canceled"]
        return all(
            ["a no-op was sent" in one["status_reason"] and await rig.chain.has(one["hash"]) for one in under_way]
        )

    await rig.until(are_displaced)
    for one in ids:
        await rig.mine_to(one, "canceled")
    assert [await rig.chain.balance(one) for one in receivers] == [0] * 5


async def test_a_nonce_leads_to_its_transaction(rig: Rig) -> None:
    first, second = await accepted(rig), await accepted(rig)
    found = [(await look.by_nonce(rig.context, RELAYER, number)).view.id for number in (0, 1)]
    assert found == [first, second]
    with pytest.raises(Missing):
        await look.by_nonce(rig.context, RELAYER, 2)


async def test_an_explanation_is_plain_json(rig: Rig) -> None:
    paid = await accepted(rig)
    record = explanation_record(await look.explain(rig.context, RELAYER, paid))
    assert record["status"] == "submitted"
    assert record["attempts"][0]["nodes"] == {rig.proxy.url: True}
