"""What has to wait waits without a slot, holds up nobody behind it, and goes on by itself."""

from collections.abc import Mapping

from tests.integration.evm.chain import ETHER, GWEI, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.contracts import KEEPER, LATCH
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_lifecycle import deployed

from baton.domain.json import Json
from baton.domain.policy import EvmPolicy
from baton.lanes.alarms import OUT_OF_FUNDS, Alarms


async def test_without_funds_it_waits_lets_others_pass_and_resumes_when_funded(rig: Rig) -> None:
    await rig.chain.set_balance(rig.address, ETHER)
    await rig.mine()
    dear, cheap = await rig.submit(to=fresh_address(), value=2 * ETHER), await rig.submit(to=fresh_address(), value=5)
    await rig.reason(dear, "waiting for funds")
    assert (await rig.confirmed([cheap]))[0]["nonce"] == 0
    assert (await rig.record(dear))["status"] == "pending"
    await rig.chain.set_balance(rig.address, 10 * ETHER)
    assert (await rig.confirmed([dear]))[0]["nonce"] == 1


async def test_lacking_funds_are_told_once_however_many_others_are_paid_meanwhile(rig: Rig) -> None:
    told: list[str] = []

    async def tell(kind: str, _more: Mapping[str, Json]) -> None:
        told.append(kind)

    await rig.chain.set_balance(rig.address, ETHER)
    await rig.mine()
    await rig.confirmed([await rig.submit(to=fresh_address(), value=1)])
    assert rig.desk is not None
    rig.desk.alarms = Alarms(tell)
    dear = await rig.submit(to=fresh_address(), value=2 * ETHER)
    await rig.reason(dear, "waiting for funds")
    for _ in range(3):
        await rig.confirmed([await rig.submit(to=fresh_address(), value=1)])
    assert told == [OUT_OF_FUNDS]


async def test_money_that_is_in_flight_is_not_promised_twice(rig: Rig) -> None:
    await rig.chain.set_balance(rig.address, ETHER)
    await rig.mine()
    first = await rig.submit(to=fresh_address(), value=ETHER * 6 // 10)
    second = await rig.submit(to=fresh_address(), value=ETHER * 6 // 10)
    await rig.reaches(first, "submitted")
    await rig.reason(second, "waiting for funds")
    assert list(await rig.chain.pool()) == [0]


async def test_over_the_cap_it_parks_without_a_slot_and_resumes_when_the_price_falls(make_rig: Make) -> None:
    """F1, F2: nothing leaves above the cap; it has no nonce while it waits."""
    rig = await make_rig(EvmPolicy(gas_price_cap=5 * GWEI))
    await rig.chain.set_base_fee(20 * GWEI)
    await rig.mine()
    waiting = await rig.submit(to=fresh_address())
    record = await rig.reason(waiting, "price to fall")
    assert (record["status"], record["nonce"]) == ("pending", None)
    await rig.chain.set_base_fee(20 * GWEI)
    await rig.mine()
    assert rig.proxy.sent == []
    assert await rig.story(waiting) == ["pending", "pending"]  # the reason is told once, not once a block
    await rig.chain.set_base_fee(GWEI)
    await rig.mine()
    await rig.reaches(waiting, "submitted")
    await rig.chain.set_base_fee(GWEI)
    await rig.confirmed([waiting])


async def test_an_offer_below_the_base_fee_that_may_not_be_raised_waits_without_a_slot(make_rig: Make) -> None:
    """F2: with a slot it would hold up everyone behind it."""
    rig = await make_rig(EvmPolicy(bump_explicit_prices=False))
    await rig.chain.set_base_fee(20 * GWEI)
    await rig.mine()
    low = await rig.submit(to=fresh_address(), gas_price=5 * GWEI)
    await rig.reason(low, "may not be raised")
    await rig.chain.set_base_fee(20 * GWEI)
    assert (await rig.confirmed([await rig.submit(to=fresh_address())]))[0]["nonce"] == 0
    for _ in range(2):
        await rig.chain.set_base_fee(GWEI)
        await rig.mine()
    assert (await rig.confirmed([low]))[0]["gas_price"] == str(5 * GWEI)


async def test_one_over_the_fee_limit_lets_smaller_ones_pass(make_rig: Make) -> None:
    """F2: the limit concerns the whole fee, so that a costly one waits and a plain one does not."""
    rig = await make_rig(EvmPolicy(max_fee=25_000 * 10 * GWEI))
    await rig.chain.set_base_fee(5 * GWEI)
    await rig.mine()
    costly, plain = await rig.submit(value=0, data=KEEPER, gas_limit=200_000), await rig.submit(to=fresh_address())
    await rig.reason(costly, "price to fall")
    await rig.chain.set_base_fee(5 * GWEI)
    assert (await rig.confirmed([plain]))[0]["nonce"] == 0
    await rig.chain.set_base_fee(GWEI // 10)
    await rig.mine()
    await rig.chain.set_base_fee(GWEI // 10)
    assert (await rig.confirmed([costly]))[0]["nonce"] == 1


async def test_a_simulation_that_depends_on_an_earlier_one_is_repeated_once_that_is_mined(make_rig: Make) -> None:
    rig = await make_rig(EvmPolicy(confirmations=2))
    latch = await deployed(rig, LATCH)
    opening, through = await rig.submit(value=0, to=latch, data="0x01"), await rig.submit(value=0, to=latch)
    other = await rig.submit(to=fresh_address())
    await rig.reason(through, "earlier transactions are on their way")
    await rig.reaches(other, "submitted")
    await rig.mine()
    assert (await rig.reaches(opening, "mined"))["nonce"] == 1
    await rig.reaches(through, "submitted")
    await rig.confirmed([opening, through, other])
    assert (await rig.record(through))["nonce"] == 3


async def test_one_that_fails_even_after_the_earlier_ones_are_mined_fails_for_good(rig: Rig) -> None:
    latch = await deployed(rig, LATCH)
    earlier, doomed = await rig.submit(to=fresh_address()), await rig.submit(value=0, to=latch)
    await rig.confirmed([earlier])
    assert (await rig.reaches(doomed, "failed"))["hash"] is None


async def test_many_that_wait_hold_up_nobody(rig: Rig) -> None:
    """More wait than one turn looks at."""
    await rig.chain.set_balance(rig.address, ETHER)
    await rig.mine()
    waiting = [await rig.submit(to=fresh_address(), value=2 * ETHER) for _ in range(60)]
    passing = await rig.submit(to=fresh_address(), value=1)
    await rig.confirmed([passing])
    assert {(await rig.record(one))["status"] for one in waiting} == {"pending"}
    await rig.chain.set_balance(rig.address, 1000 * ETHER)
    records = await rig.confirmed(waiting, blocks=8)
    assert [record["nonce"] for record in records] == list(range(1, 61))
