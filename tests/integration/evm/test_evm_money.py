"""A day's limit against versions that displace each other, and against what is stuck for longer than a day."""

from tests.integration.evm.chain import ETHER, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.test_evm_amend import replaced

from baton.domain.policy import EvmPolicy

LIMIT = EvmPolicy(spend_limit_24h=3 * ETHER // 2)
DAY_S = 24 * 3600


async def test_a_replacement_counts_for_what_it_costs_more(make_rig: Make) -> None:
    """Of two versions in one slot one can be mined; the dearer one is within the limit or is not sent."""
    rig = await make_rig(LIMIT)
    receiver = fresh_address()
    one = await rig.submit(to=receiver, value=ETHER)
    old = await rig.reaches(one, "submitted")
    await rig.replace(one, to=receiver, value=2 * ETHER)
    await rig.reason(one, "spend limit for 24 hours")
    assert [sent["hash"] for sent in (await rig.chain.pool()).values()] == [old["hash"]]
    await rig.replace(one, to=receiver, value=5 * ETHER // 4)
    await replaced(rig, one, old)
    await rig.mine()
    assert (await rig.reaches(one, "confirmed"))["value"] == str(5 * ETHER // 4)
    assert await rig.chain.balance(receiver) == 5 * ETHER // 4


async def test_what_is_stuck_for_longer_than_a_day_still_counts(make_rig: Make) -> None:
    """Both would be mined on the same day."""
    rig = await make_rig(LIMIT)
    receiver = fresh_address()
    stuck = await rig.submit(to=receiver, value=ETHER)
    await rig.reaches(stuck, "submitted")
    rig.clock.leap(DAY_S + 60)
    second = await rig.submit(to=receiver, value=ETHER)
    await rig.reason(second, "spend limit for 24 hours")
    await rig.replace(stuck, to=receiver, value=2 * ETHER)
    await rig.reason(stuck, "spend limit for 24 hours")
    await rig.mine()
    assert (await rig.reaches(stuck, "confirmed"))["value"] == str(ETHER)
    await rig.mine()
    await rig.confirmed([second])


async def test_a_dearer_version_is_within_the_limit_or_is_not_sent(make_rig: Make) -> None:
    """What is stuck waits for the limit, or for the price to fall."""
    rig = await make_rig(EvmPolicy(spend_limit_24h=ETHER // 1000))
    stuck = await rig.submit(to=fresh_address(), value=1)
    old = await rig.reaches(stuck, "submitted")
    rig.set_policy(spend_limit_24h=21_000 * int(old["max_fee_per_gas"]) + 1)
    spike = 3 * int(old["max_fee_per_gas"])

    async def is_told() -> bool:
        await rig.chain.set_base_fee(spike)
        return "spend limit for 24 hours" in ((await rig.record(stuck))["status_reason"] or "")

    await rig.mine_until(is_told, blocks=8)
    assert len(await rig.attempts(stuck)) == 1
    rig.set_policy(spend_limit_24h=ETHER)

    async def is_mined() -> bool:
        await rig.chain.set_base_fee(spike)
        return bool((await rig.record(stuck))["status"] == "confirmed")

    await rig.mine_until(is_mined, blocks=8)
    assert len(await rig.attempts(stuck)) > 1


async def test_receivers_are_judged_again_when_it_is_signed(make_rig: Make) -> None:
    rig = await make_rig(EvmPolicy(min_balance=10**30))
    friend, stranger = fresh_address(), fresh_address()
    both = [await rig.submit(to=one, value=5) for one in (friend, stranger)]
    for one in both:
        await rig.reason(one, "waiting for funds")
    rig.set_policy(min_balance=0, whitelist_receivers=(friend.lower(),))
    await rig.mine()
    record = await rig.reaches(both[1], "failed")
    assert "whitelist_receivers" in record["status_reason"]
    await rig.mine()
    await rig.confirmed(both[:1])
    assert (await rig.chain.balance(friend), await rig.chain.balance(stranger)) == (5, 0)
