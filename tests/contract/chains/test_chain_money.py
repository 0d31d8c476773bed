"""Limits on money, the same for every family: what remains, what a day may cost, and which policy counts."""

import pytest
from tests.contract.chains.driver import Driver
from tests.lane_rig import LaneRig

from baton.domain.errors import Invalid
from baton.domain.network import Family

FUNDS, PAID = 10**18, 10**17  # fees are far below either, on every chain
DAY_S = 24 * 3600
ONE_AT_MOST = {Family.EVM: "max_value", Family.SOLANA: "max_lamports", Family.STELLAR: "max_amount"}


@pytest.fixture(autouse=True)
async def funded(driver: Driver) -> None:
    await driver.set_funds(FUNDS)


async def lands(rig: LaneRig, driver: Driver, transaction_id: str) -> None:
    await rig.reaches(transaction_id, "submitted", "mined", "confirmed")
    await driver.mine()
    await rig.reaches(transaction_id, "mined", "confirmed")
    await driver.finish()
    await rig.reaches(transaction_id, "confirmed")


async def test_what_must_remain_is_not_spent(rig: LaneRig, driver: Driver) -> None:
    rig.set_policy(min_balance=FUNDS - PAID)
    one = await rig.submit(driver.payment(PAID))  # the fee comes on top
    await rig.reason(one, "waiting for funds")
    assert await rig.attempts(one) == []
    rig.set_policy(min_balance=FUNDS - 2 * PAID)
    await driver.mine()
    await lands(rig, driver, one)


async def test_a_day_s_limit_holds_over_a_restart_and_ends_with_the_day(rig: LaneRig, driver: Driver) -> None:
    rig.set_policy(spend_limit_24h=PAID * 3 // 2)
    await lands(rig, driver, await rig.submit(driver.payment(PAID)))
    second = await rig.submit(driver.payment(PAID))
    await rig.reason(second, "spend limit for 24 hours")
    await rig.restart()
    rig.set_policy(spend_limit_24h=PAID * 3 // 2)
    small = await rig.submit(driver.payment(PAID // 4))  # what fits goes on meanwhile
    await lands(rig, driver, small)
    assert (await rig.record(second))["status"] == "pending"
    rig.clock.leap(DAY_S + 60)
    await driver.mine()
    await lands(rig, driver, second)
    assert await driver.received() == 2 * PAID + PAID // 4


async def test_the_policy_of_the_moment_of_signing_counts(rig: LaneRig, driver: Driver) -> None:
    rig.set_policy(min_balance=FUNDS)
    one = await rig.submit(driver.payment(PAID))
    await rig.reason(one, "waiting for funds")
    rig.set_policy(min_balance=0, **{ONE_AT_MOST[rig.parts.network.family]: PAID - 1})
    await driver.mine()
    record = await rig.reaches(one, "failed")
    assert "policy" in record["status_reason"]
    assert await rig.attempts(one) == []


async def test_a_replacement_keeps_to_the_policy_like_anything_else(rig: LaneRig, driver: Driver) -> None:
    rig.set_policy(min_balance=FUNDS, **{ONE_AT_MOST[rig.parts.network.family]: PAID})
    one = await rig.submit(driver.payment(PAID))
    await rig.reason(one, "waiting for funds")
    with pytest.raises(Invalid):
        await rig.replace(one, driver.payment(PAID + 1))
    await rig.replace(one, driver.payment(PAID // 2))
    rig.set_policy(min_balance=0)
    await driver.mine()
    await lands(rig, driver, one)
    assert await driver.received() == PAID // 2
