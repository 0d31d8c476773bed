"""Validity that ends: before anything was signed, and with a version out there."""

from tests.integration.evm.chain import GWEI, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.rig import Rig

from baton.domain.policy import EvmPolicy


async def test_what_waits_past_its_validity_expires_unsent(rig: Rig) -> None:
    """C6: nothing was ever signed, so nothing can land."""
    await rig.chain.set_balance(rig.address, 0)
    await rig.mine()
    late = await rig.submit(to=fresh_address(), valid_until=rig.clock.in_s(60))
    await rig.reason(late, "waiting for funds")
    rig.clock.jump(61)
    await rig.mine()
    assert (await rig.reaches(late, "expired"))["hash"] is None
    assert rig.proxy.sent == []


async def test_what_is_stuck_past_its_validity_gives_its_slot_to_a_no_op(make_rig: Make) -> None:
    """C1, C6, E4: expired only when the no-op is deep enough; those behind it are mined."""
    rig = await make_rig(EvmPolicy(confirmations=2, bump_explicit_prices=False))
    receiver = fresh_address()
    stuck = await rig.submit(
        to=receiver, value=5, valid_until=rig.clock.in_s(60), max_fee_per_gas=2 * GWEI, max_priority_fee_per_gas=GWEI
    )
    await rig.reaches(stuck, "submitted")
    await rig.chain.set_base_fee(20 * GWEI)
    await rig.mine()
    follower = await rig.submit(to=fresh_address())
    await rig.reaches(follower, "submitted")
    rig.clock.jump(61)
    await rig.chain.set_base_fee(20 * GWEI)
    await rig.mine()
    await rig.reason(stuck, "a no-op was sent")
    await rig.chain.set_base_fee(20 * GWEI)
    await rig.mine()
    assert (await rig.record(stuck))["status"] == "submitted"
    await rig.mine_to(stuck, "expired")
    await rig.confirmed([follower])
    assert await rig.chain.balance(receiver) == 0
    assert [int(one["nonce"], 16) for one in await rig.chain.mined()] == [0, 1]


async def test_what_is_mined_after_its_validity_was_over_is_confirmed_all_the_same(rig: Rig) -> None:
    """The truth is what the chain has: the no-op lost the race."""
    receiver = fresh_address()
    lucky = await rig.submit(to=receiver, value=5, valid_until=rig.clock.in_s(60))
    await rig.reaches(lucky, "submitted")
    rig.clock.jump(61)
    await rig.mine()
    await rig.reaches(lucky, "confirmed")
    assert await rig.chain.balance(receiver) == 5
