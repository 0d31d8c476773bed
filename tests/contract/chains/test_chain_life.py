"""What a lane makes of every family alike: the same statuses, in the same order, whatever the chain."""

import pytest
from tests.contract.chains.driver import Driver
from tests.faults.proxy import FaultProxy
from tests.faults.rules import LoseResponse, Status
from tests.lane_rig import LaneRig


async def test_a_payment_goes_from_pending_to_confirmed(rig: LaneRig, driver: Driver) -> None:
    one = await rig.submit(driver.payment(1000))
    await rig.reaches(one, "submitted")
    await driver.mine()
    await rig.reaches(one, "mined", "confirmed")
    await driver.finish()
    record = await rig.reaches(one, "confirmed")
    assert await rig.story(one) == ["pending", "sent", "submitted", "mined", "confirmed"]
    assert record["hash"] == (await rig.attempts(one))[-1].hash
    assert await driver.received() == 1000


async def test_a_failure_is_told_with_its_reason_and_signs_nothing(rig: LaneRig, driver: Driver) -> None:
    one = await rig.submit(driver.failing())
    record = await rig.reaches(one, "failed")
    assert record["status_reason"]
    assert await rig.attempts(one) == []


async def test_what_must_wait_holds_up_nobody(rig: LaneRig, driver: Driver) -> None:
    await driver.set_funds(10**15)
    waiting = await rig.submit(driver.payment(10**17))
    await rig.reason(waiting, "waiting for funds")
    flowing = await rig.submit(driver.payment(1000))
    await rig.reaches(flowing, "submitted")
    await driver.mine()
    await rig.reaches(flowing, "mined", "confirmed")
    await driver.set_funds(10**18)
    await driver.mine()
    await rig.reaches(waiting, "submitted")
    await driver.mine()
    await rig.reaches(waiting, "mined", "confirmed")
    assert await driver.received() == 10**17 + 1000


async def test_a_cancel_while_it_waits_ends_it_at_once(rig: LaneRig, driver: Driver) -> None:
    await driver.set_funds(10**15)
    one = await rig.submit(driver.payment(10**17))
    await rig.reason(one, "waiting for funds")
    assert (await rig.cancel(one))["status"] == "canceled"


async def test_a_replacement_while_it_waits_is_what_is_sent(rig: LaneRig, driver: Driver) -> None:
    await driver.set_funds(10**15)
    one = await rig.submit(driver.payment(10**17))
    await rig.reason(one, "waiting for funds")
    await rig.replace(one, driver.payment(2000))
    await driver.mine()
    await rig.reaches(one, "submitted")
    await driver.mine()
    await rig.reaches(one, "mined", "confirmed")
    assert await driver.received() == 2000


async def test_a_block_that_was_lost_sends_it_back_and_the_same_bytes_land(rig: LaneRig, driver: Driver) -> None:
    if not driver.can_lose:
        pytest.skip("a block of this chain is never lost")
    await driver.mine(5)
    one = await rig.submit(driver.payment(1000))
    await rig.reaches(one, "submitted")
    await driver.mine()
    first = await rig.reaches(one, "mined")
    await driver.lose(1)
    await driver.mine()
    await rig.reaches(one, "submitted")

    async def is_back() -> bool:
        await driver.mine()
        return bool((await rig.record(one))["status"] == "mined")

    await rig.until(is_back)
    assert (await rig.record(one))["hash"] == first["hash"]
    assert await driver.received() == 1000


async def test_a_lost_answer_to_a_send_is_no_loss(rig: LaneRig, driver: Driver, proxy: FaultProxy) -> None:
    for method in ("eth_sendRawTransaction", "sendTransaction"):
        proxy.add(LoseResponse(), method, times=1)
    one = await rig.submit(driver.payment(1000))
    await rig.reaches(one, "submitted")
    await driver.mine()
    await rig.reaches(one, "mined", "confirmed")
    await driver.finish()
    await rig.reaches(one, "confirmed")
    assert await driver.received() == 1000


async def test_a_restart_goes_on_where_it_was(rig: LaneRig, driver: Driver) -> None:
    count = 3 if driver.side_by_side else 1
    ids = [await rig.submit(driver.payment(1000)) for _ in range(count)]
    await rig.all_reach(ids, "submitted")
    await driver.mine()
    await rig.restart()
    await rig.all_reach(ids, "mined", "confirmed")
    await driver.finish()
    await rig.all_reach(ids, "confirmed")
    assert await driver.received() == count * 1000


async def test_an_outage_makes_nothing_final(rig: LaneRig, driver: Driver, proxy: FaultProxy) -> None:
    one = await rig.submit(driver.payment(1000))
    await rig.reaches(one, "submitted")
    outage = proxy.add(Status(503))
    await driver.mine(driver.final_blocks + 1)
    await rig.struck(outage, 5)
    assert (await rig.record(one))["status"] == "submitted"
    proxy.remove(outage)
    rig.clock.leap(60)
    await driver.mine()
    await rig.reaches(one, "confirmed")
