"""Stopped in every state, started anew on the same data folder: everything finishes, once."""

import asyncio

import pytest
from tests.faults.rules import LoseResponse, Reset, RpcFault
from tests.integration.evm.chain import ETHER, GWEI, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_amend import replaced
from tests.integration.evm.test_evm_rescue import SEND, many
from tests.integration.evm.test_evm_slots import sent_together

from baton.devnet.anvil import Anvil
from baton.domain.policy import EvmPolicy

ANEW = "started anew"
# Block 0 has the time of its start in seconds: a chain that is younger than that would be the same one again.
NEW_CHAIN = ["--no-mining", "--timestamp", "2000000000"]


async def test_what_waits_is_sent_after_the_restart(rig: Rig) -> None:
    await rig.chain.set_balance(rig.address, 0)
    await rig.mine()
    waiting = await rig.submit(to=fresh_address())
    await rig.reason(waiting, "waiting for funds")
    await rig.stop()
    await rig.chain.set_balance(rig.address, ETHER)
    await rig.start()
    await rig.confirmed([waiting])


@pytest.mark.parametrize("fault", [Reset(), LoseResponse()], ids=["never sent", "answer lost"])
async def test_what_was_signed_and_maybe_sent_is_sent_as_it_is(rig: Rig, fault: Reset | LoseResponse) -> None:
    """N3, E5: no slot is burnt, no second version is signed."""
    rule = rig.proxy.add(fault, SEND)
    ids = [await rig.submit(to=fresh_address()) for _ in range(3)]
    for one in ids:
        await rig.reaches(one, "sent")
    await rig.stop()
    rig.proxy.remove(rule)
    await rig.start()
    found = await rig.confirmed(ids)
    assert [record["nonce"] for record in found] == [0, 1, 2]
    assert [len(await rig.attempts(one)) for one in ids] == [1, 1, 1]


async def test_what_was_in_the_pool_goes_on(rig: Rig) -> None:
    ids = await many(rig, 5)
    hashes = [(await rig.record(one))["hash"] for one in ids]
    await rig.restart()
    assert [record["hash"] for record in await rig.confirmed(ids)] == hashes


async def test_what_was_mined_while_we_were_down_is_found(make_rig: Make) -> None:
    """C4: asked for by hash after a start; with more than one block between."""
    rig = await make_rig(EvmPolicy(confirmations=3))
    ids = await many(rig, 25)
    await rig.stop()
    await rig.chain.mine(5)
    await rig.start()
    for one in ids:
        await rig.reaches(one, "confirmed")
    assert await rig.story(ids[0]) == ["pending", "sent", "submitted", "mined", "confirmed"]


async def test_what_was_mined_but_not_deep_is_followed_further(make_rig: Make) -> None:
    rig = await make_rig(EvmPolicy(confirmations=3))
    ids = await many(rig, 4)
    await rig.mine()
    for one in ids:
        await rig.reaches(one, "mined")
    await rig.restart()
    await rig.mine()
    assert {(await rig.record(one))["status"] for one in ids} == {"mined"}
    await rig.mine()
    for one in ids:
        await rig.reaches(one, "confirmed")


async def test_a_block_that_was_reorganised_away_while_we_were_down_is_noticed(make_rig: Make) -> None:
    """C2."""
    rig = await make_rig(EvmPolicy(confirmations=3))
    ids = await many(rig, 3)
    await rig.mine()
    for one in ids:
        await rig.reaches(one, "mined")
    await rig.stop()
    await rig.chain.ask("anvil_reorg", 1, [])
    await rig.start()
    for one in ids:
        await rig.reaches(one, "submitted")
    await rig.confirmed(ids, blocks=5)


async def test_a_slot_that_a_stranger_took_while_we_were_down_is_renumbered(rig: Rig) -> None:
    receiver = fresh_address()
    lost = await rig.submit(to=receiver, value=5)
    await rig.reaches(lost, "submitted")
    await rig.stop()
    await rig.chain.foreign(0, maxFeePerGas=90 * GWEI, maxPriorityFeePerGas=30 * GWEI)
    await rig.chain.mine()
    await rig.start()
    assert (await rig.confirmed([lost]))[0]["nonce"] == 1
    assert await rig.chain.balance(receiver) == 5


async def test_a_cancel_and_a_replace_that_were_under_way_are_carried_on(rig: Rig) -> None:
    ids = await many(rig, 3)
    before = [await rig.record(one) for one in ids]
    receiver = fresh_address()
    rule = rig.proxy.add(Reset(), SEND)
    await rig.cancel(ids[0])
    await rig.replace(ids[1], to=receiver, value=9)
    await rig.stop()
    rig.proxy.remove(rule)
    await rig.start()
    for one, old in zip(ids[:2], before[:2], strict=True):
        await replaced(rig, one, old)
    await rig.confirmed(ids[1:])
    await rig.reaches(ids[0], "canceled")
    assert await rig.chain.balance(receiver) == 9


async def test_a_hole_and_its_filler_survive_a_restart(rig: Rig) -> None:
    """N2, N3."""
    rig.proxy.add(RpcFault(-32000, "intrinsic gas too low"), SEND, times=1)
    rejected, later = await sent_together(rig, 2)
    await rig.reaches(rejected, "failed")
    await rig.reaches(later, "submitted")
    await rig.restart()
    await rig.confirmed([later])
    assert await rig.chain.nonce() == 2


async def test_stopping_at_any_moment_loses_and_doubles_nothing(rig: Rig) -> None:
    """Eight restarts while transactions come in and blocks are mined."""
    receivers = [fresh_address() for _ in range(40)]
    ids = []
    for index, receiver in enumerate(receivers):
        ids.append(await rig.submit(to=receiver, value=index + 1))
        if index % 5 == 4:
            await asyncio.sleep(0.01 * (index % 3))  # another moment each time
            await rig.restart()
            await rig.chain.mine()
    await rig.confirmed(ids, blocks=8)
    assert [await rig.chain.balance(receiver) for receiver in receivers] == list(range(1, 41))


@pytest.mark.parametrize("is_running", [True, False], ids=["while we run", "while we are down"])
async def test_a_local_chain_that_starts_anew_ends_what_was_open_and_goes_on(
    rig: Rig, anvil: Anvil, is_running: bool
) -> None:
    """Run, send, kill, run, send: signed for the old chain fails with the reason, what waits goes on, slots start afresh."""
    receiver, third = fresh_address(), fresh_address()
    done = await rig.submit(to=receiver, value=5)
    await rig.confirmed([done])
    open_ones = await many(rig, 3)
    waiting = await rig.submit(to=third, value=20_000 * ETHER)
    await rig.reason(waiting, "waiting for funds")
    if not is_running:
        await rig.stop()
    await anvil.kill()
    await anvil.start(port=anvil.port, extra=[*NEW_CHAIN, "--balance", "50000"])
    if not is_running:
        await rig.start()
    for one in open_ones:
        assert ANEW in (await rig.reaches(one, "failed"))["status_reason"]
    again = await rig.submit(to=receiver, value=5)
    found = await rig.confirmed([waiting, again])
    assert sorted(record["nonce"] for record in found) == [0, 1]
    assert await rig.chain.balance(receiver) == 5
    assert await rig.chain.balance(third) == 20_000 * ETHER
    assert (await rig.record(done))["status"] == "confirmed"


async def test_the_very_same_transaction_can_be_sent_on_the_new_chain(rig: Rig, anvil: Anvil) -> None:
    """Same nonce, content and price make the same hash there: it is another chain's."""
    fixed = {"to": fresh_address(), "value": 5, "gas_price": 20 * GWEI}
    first = (await rig.confirmed([await rig.submit(fixed)]))[0]
    await anvil.kill()
    await anvil.start(port=anvil.port, extra=NEW_CHAIN)
    await rig.mine()
    second = (await rig.confirmed([await rig.submit(fixed)]))[0]
    assert first["nonce"] == second["nonce"] == 0
    assert await rig.chain.balance(str(fixed["to"])) == 5
