"""A paused relayer: queued ones wait, what is in flight is watched and rescued, cancel works, validity goes on."""

import pytest
from tests.integration.evm.chain import ETHER, fresh_address
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_amend import replaced

from baton.domain.errors import Forbidden


async def test_what_is_in_flight_is_carried_on_while_what_is_queued_waits(rig: Rig) -> None:
    await rig.chain.set_balance(rig.address, ETHER)
    await rig.mine()
    queued = await rig.submit(to=fresh_address(), value=2 * ETHER)
    await rig.reason(queued, "waiting for funds")
    under_way = await rig.submit(to=fresh_address())
    record = await rig.reaches(under_way, "submitted")
    rig.set_paused(True)
    with pytest.raises(Forbidden):
        await rig.submit(to=fresh_address())
    await rig.chain.set_balance(rig.address, 10 * ETHER)
    await rig.chain.ask("anvil_dropTransaction", record["hash"])
    await rig.confirmed([under_way])
    await rig.mine(2)
    assert (await rig.record(queued))["status"] == "pending"
    rig.set_paused(False)
    await rig.mine()
    await rig.confirmed([queued])


async def test_a_cancel_is_carried_out_while_paused(rig: Rig) -> None:
    dropped = await rig.submit(to=fresh_address())
    old = await rig.reaches(dropped, "submitted")
    rig.set_paused(True)
    await rig.cancel(dropped)
    await rig.reason(dropped, "a no-op was sent")
    await replaced(rig, dropped, old)
    await rig.mine_to(dropped, "canceled")


async def test_what_is_queued_expires_while_paused(rig: Rig) -> None:
    await rig.chain.set_balance(rig.address, 0)
    await rig.mine()
    late = await rig.submit(to=fresh_address(), valid_until=rig.clock.in_s(60))
    await rig.reason(late, "waiting for funds")
    rig.set_paused(True)
    rig.clock.jump(61)
    await rig.mine()
    await rig.reaches(late, "expired")
