"""Whatever hinders the lane is healed by itself, within blocks: dropped, too cheap, over the cap, a pool that was lost."""

from pathlib import Path

import pytest
from tests.faults.rules import LoseResponse, Reset, RpcFault
from tests.integration.evm.chain import GWEI, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_amend import is_a_tenth_above, prices, replaced

from baton.devnet.anvil import Anvil
from baton.domain.policy import EvmPolicy, Speed

SEND = "eth_sendRawTransaction"


async def many(rig: Rig, count: int) -> list[str]:
    """So many in the node's pool."""
    ids = [await rig.submit(to=fresh_address()) for _ in range(count)]
    for one in ids:
        await rig.reaches(one, "submitted")
    return ids


async def test_a_dropped_one_is_sent_again_as_it_was(rig: Rig) -> None:
    """E5, N2: the same bytes, mined within two blocks of the loss."""
    receiver = fresh_address()
    dropped = await rig.submit(to=receiver, value=5)
    record = await rig.reaches(dropped, "submitted")
    await rig.chain.ask("anvil_dropTransaction", record["hash"])
    await rig.mine()
    await rig.in_pool(record["hash"])
    await rig.mine()
    assert (await rig.reaches(dropped, "confirmed"))["hash"] == record["hash"]
    assert len(await rig.attempts(dropped)) == 1
    assert len(set(rig.proxy.forwarded)) == 1
    assert await rig.chain.balance(receiver) == 5


async def test_one_that_is_dropped_before_the_answer_was_heard_is_sent_again(rig: Rig) -> None:
    """E5: accepted by the node, answer lost, then dropped: while it is `sent` it is sent again by itself."""
    rule = rig.proxy.add(LoseResponse(), SEND)
    dropped = await rig.submit(to=fresh_address())
    record = await rig.reaches(dropped, "sent")
    await rig.in_pool(record["hash"])
    await rig.chain.ask("anvil_dropTransaction", record["hash"])
    rig.proxy.remove(rule)
    await rig.confirmed([dropped])
    assert len(set(rig.proxy.forwarded)) == 1


async def test_one_in_the_middle_that_is_dropped_holds_up_the_rest_for_two_blocks_at_most(rig: Rig) -> None:
    ids = await many(rig, 6)
    third = await rig.record(ids[2])
    await rig.chain.ask("anvil_dropTransaction", third["hash"])
    await rig.mine()
    assert await rig.chain.nonce() == 2
    await rig.mine()  # seen by the lane: the one that waits for nobody was not in it
    await rig.in_pool(third["hash"])
    await rig.mine()
    for one in ids:
        await rig.reaches(one, "confirmed")


async def test_a_pool_that_was_lost_is_filled_again_at_once(rig: Rig) -> None:
    """N2: not one transaction a block, all of them."""
    ids = await many(rig, 30)
    await rig.chain.ask("anvil_dropAllTransactions")
    await rig.mine(2)
    await rig.in_pool(*[(await rig.record(one))["hash"] for one in ids])
    await rig.mine()
    for one in ids:
        await rig.reaches(one, "confirmed")
    assert len(set(rig.proxy.forwarded)) == 30


async def test_a_node_that_restarts_with_an_empty_pool_gets_everything_again(
    rig: Rig, anvil: Anvil, state: Path
) -> None:
    """The same chain, by its saved state; C6: the outage makes nothing final."""
    await rig.confirmed([await rig.submit(to=fresh_address())])
    ids = await many(rig, 12)
    await anvil.stop()
    waiting = await rig.submit(to=fresh_address())
    await anvil.start(port=anvil.port, extra=["--no-mining"], state=state)
    assert await rig.chain.pool() == {}
    await rig.confirmed([*ids, waiting], blocks=6)
    assert await rig.chain.nonce() == 14


async def test_one_that_the_base_fee_left_behind_is_offered_dearer(make_rig: Make) -> None:
    """F3: a tenth more on both limits, at the market's price."""
    rig = await make_rig(EvmPolicy(default_speed=Speed.SAFE_LOW))
    stuck = await rig.submit(to=fresh_address())
    old = await rig.reaches(stuck, "submitted")
    spike = 3 * prices(old)[0]

    async def is_dearer() -> bool:
        await rig.chain.set_base_fee(spike)
        return bool((await rig.record(stuck))["hash"] != old["hash"])

    await rig.mine_until(is_dearer, blocks=12)
    new = await replaced(rig, stuck, old)
    assert is_a_tenth_above(prices(new), prices(old))
    assert prices(new)[0] >= spike
    assert new["nonce"] == old["nonce"]
    await rig.confirmed([stuck])


async def test_everything_that_a_spike_left_behind_is_raised_not_only_the_first(rig: Rig) -> None:
    ids = await many(rig, 8)
    spike = 4 * prices(await rig.record(ids[0]))[0]
    for _ in range(5):
        await rig.chain.set_base_fee(spike)
        await rig.mine()
    await rig.chain.set_base_fee(spike)
    await rig.confirmed(ids, blocks=6)
    assert await rig.chain.nonce() == 8


async def test_one_that_waits_in_full_blocks_is_raised_by_a_tenth_on_a_schedule(rig: Rig) -> None:
    """F3: nothing is wrong with its price but that others pay more, and a block has room for one."""
    stuck = await rig.submit(to=fresh_address())
    old = await rig.reaches(stuck, "submitted")
    await rig.chain.ask("anvil_setBlockGasLimit", hex(30_000))
    for _ in range(2):
        await rig.chain.rival(200 * GWEI)
        await rig.mine()
    assert len(await rig.attempts(stuck)) == 1  # the patience of its speed
    for _ in range(2):
        await rig.chain.rival(200 * GWEI)
        await rig.mine()
    new = await replaced(rig, stuck, old)
    assert is_a_tenth_above(prices(new), prices(old))
    await rig.confirmed([stuck])


async def test_a_spike_over_the_cap_keeps_the_same_bytes_and_ends_by_itself(make_rig: Make) -> None:
    """F1, F2: one with a slot is not offered above the cap; it is sent again until the price is back."""
    rig = await make_rig(EvmPolicy(gas_price_cap=6 * GWEI))
    held = await rig.submit(to=fresh_address(), max_fee_per_gas=58 * GWEI // 10, max_priority_fee_per_gas=GWEI)
    old = await rig.reaches(held, "submitted")
    for _ in range(6):
        await rig.chain.set_base_fee(40 * GWEI)
        await rig.mine()
    parked = await rig.submit(to=fresh_address())
    await rig.reason(parked, "price to fall")
    await rig.reason(held, "price to fall")
    assert (await rig.record(held))["hash"] == old["hash"]
    assert len(set(rig.proxy.sent)) < 20
    for _ in range(2):
        await rig.chain.set_base_fee(GWEI)
        await rig.mine()
    await rig.confirmed([held, parked])
    assert (await rig.record(held))["hash"] == old["hash"]
    mined = await rig.chain.mined()
    assert all(int(one["maxFeePerGas"], 16) <= 6 * GWEI for one in mined)


async def test_a_bump_goes_up_to_the_cap_and_no_further(make_rig: Make) -> None:
    """F1, judged by everything that the node was ever shown."""
    rig = await make_rig(EvmPolicy(gas_price_cap=30 * GWEI))
    stuck = await rig.submit(to=fresh_address(), max_fee_per_gas=5 * GWEI, max_priority_fee_per_gas=GWEI)
    old = await rig.reaches(stuck, "submitted")
    for _ in range(6):
        await rig.chain.set_base_fee(20 * GWEI)
        await rig.mine()
    new = await replaced(rig, stuck, old)
    assert 20 * GWEI < prices(new)[0] <= 30 * GWEI
    await rig.chain.set_base_fee(20 * GWEI)
    await rig.confirmed([stuck])


async def test_a_node_that_always_cries_too_cheap_does_not_drive_the_price(rig: Rig) -> None:
    """Raised once at the first word, then once a block at most; the market says that it is enough."""
    rule = rig.proxy.add(RpcFault(-32000, "transaction underpriced"), SEND)
    paid = await rig.submit(to=fresh_address())
    await rig.reaches(paid, "sent")
    await rig.mine(4)
    await rig.struck(rule, 5)
    first, *_, last = await rig.attempts(paid)
    assert int(last.facts["max_fee_per_gas"]) < 2 * int(first.facts["max_fee_per_gas"])
    rig.proxy.remove(rule)
    await rig.confirmed([paid])


@pytest.mark.parametrize("fault", [Reset(), LoseResponse()], ids=["never sent", "answer lost"])
async def test_a_broadcast_without_an_answer_is_repeated_and_mined_once(rig: Rig, fault: Reset | LoseResponse) -> None:
    """E1, E5: maybe sent, so the same bytes again."""
    receiver = fresh_address()
    rig.proxy.add(fault, SEND, times=2)
    paid = await rig.submit(to=receiver, value=5)
    await rig.confirmed([paid])
    assert await rig.chain.balance(receiver) == 5
    assert len({sent.raw for sent in rig.proxy.sent}) == 1


async def test_one_that_was_mined_though_its_answer_was_lost_is_found(rig: Rig) -> None:
    """From `sent` straight to `mined`."""
    rule = rig.proxy.add(LoseResponse(), SEND)
    paid = await rig.submit(to=fresh_address())
    record = await rig.reaches(paid, "sent")
    await rig.in_pool(record["hash"])
    await rig.mine()
    done = await rig.reaches(paid, "confirmed")
    assert done["sent_at"] is not None
    assert await rig.story(paid) == ["pending", "sent", "mined", "confirmed"]
    rig.proxy.remove(rule)
