"""Replace and cancel in every live state, on the same slot, with the truth about which one was mined."""

import pytest
from tests.faults.rules import Reset
from tests.integration.evm.chain import ETHER, GWEI, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.contracts import reverting
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_lifecycle import deployed
from tests.lane_client import Record

from baton.domain.errors import Invalid
from baton.domain.policy import EvmPolicy

SEND = "eth_sendRawTransaction"


def prices(record: Record) -> tuple[int, int]:
    return int(record["max_fee_per_gas"]), int(record["max_priority_fee_per_gas"])


def is_a_tenth_above(new: tuple[int, int], old: tuple[int, int]) -> bool:
    return all(10 * after >= 11 * before for after, before in zip(new, old, strict=True))


async def replaced(rig: Rig, transaction_id: str, old: Record) -> Record:
    """Waits until the record shows another hash, and the node has it."""
    found: Record = {}

    async def is_new() -> bool:
        found.update(await rig.record(transaction_id))
        return bool(found["hash"] != old["hash"]) and await rig.chain.has(found["hash"])

    await rig.until(is_new)
    return found


async def test_replacing_what_waits_is_effective_at_once(rig: Rig) -> None:
    await rig.chain.set_balance(rig.address, ETHER)
    await rig.mine()
    first, second = fresh_address(), fresh_address()
    changed = await rig.submit(to=first, value=2 * ETHER)
    await rig.reason(changed, "waiting for funds")
    assert (await rig.replace(changed, to=second, value=7))["to"] == second
    await rig.mine()
    record = (await rig.confirmed([changed]))[0]
    assert (record["to"], record["value"]) == (second, "7")
    assert (await rig.chain.balance(first), await rig.chain.balance(second)) == (0, 7)


async def test_a_replacement_takes_the_slot_at_a_tenth_more_on_both_limits(rig: Rig) -> None:
    """E4, F3."""
    first, second = fresh_address(), fresh_address()
    changed = await rig.submit(to=first, value=5)
    old = await rig.reaches(changed, "submitted")
    await rig.replace(changed, to=second, value=9)
    new = await replaced(rig, changed, old)
    assert new["nonce"] == old["nonce"]
    assert is_a_tenth_above(prices(new), prices(old))
    await rig.mine()
    done = await rig.reaches(changed, "confirmed")
    assert (done["hash"], done["to"], done["value"]) == (new["hash"], second, "9")
    assert (await rig.chain.balance(first), await rig.chain.balance(second)) == (0, 9)
    assert await rig.chain.nonce() == 1


async def test_an_explicit_price_of_a_replacement_is_honoured_or_refused(rig: Rig) -> None:
    changed = await rig.submit(to=fresh_address(), max_fee_per_gas=10 * GWEI, max_priority_fee_per_gas=GWEI)
    old = await rig.reaches(changed, "submitted")
    with pytest.raises(Invalid, match="at least 11000000000"):
        await rig.replace(changed, to=fresh_address(), max_fee_per_gas=11 * GWEI - 1, max_priority_fee_per_gas=2 * GWEI)
    await rig.replace(changed, to=fresh_address(), max_fee_per_gas=12 * GWEI, max_priority_fee_per_gas=2 * GWEI)
    new = await replaced(rig, changed, old)
    assert prices(new) == (12 * GWEI, 2 * GWEI)
    await rig.confirmed([changed])


async def test_replacing_what_no_node_has_seen_yet_sends_the_new_version(rig: Rig) -> None:
    """E5: the old bytes count as maybe sent; both share the slot."""
    rule = rig.proxy.add(Reset(), SEND)
    receiver = fresh_address()
    changed = await rig.submit(to=fresh_address(), value=5)
    old = await rig.reaches(changed, "sent")
    await rig.replace(changed, to=receiver, value=6)
    await rig.versions(changed, 2)
    rig.proxy.remove(rule)
    new = await replaced(rig, changed, old)
    assert new["nonce"] == old["nonce"] == 0
    await rig.confirmed([changed])
    assert await rig.chain.balance(receiver) == 6


async def test_when_the_original_is_mined_first_the_record_says_so(rig: Rig) -> None:
    """E4: content, hash and fees of the one that was mined."""
    first, second = fresh_address(), fresh_address()
    changed = await rig.submit(to=first, value=5)
    old = await rig.reaches(changed, "submitted")
    rig.proxy.add(Reset(), SEND)
    await rig.replace(changed, to=second, value=6)
    await rig.mine()
    done = await rig.reaches(changed, "confirmed")
    assert (done["hash"], done["to"], done["value"]) == (old["hash"], first, "5")
    assert (await rig.chain.balance(first), await rig.chain.balance(second)) == (5, 0)


async def test_a_replacement_that_would_revert_is_given_up_and_another_may_follow(rig: Rig) -> None:
    refuser = await deployed(rig, reverting("closed"))
    first, third = fresh_address(), fresh_address()
    changed = await rig.submit(to=first, value=5)
    old = await rig.reaches(changed, "submitted")
    await rig.replace(changed, to=refuser, value=0, data="0x01")
    record = await rig.reason(changed, "the replacement was refused")
    assert "closed" in record["status_reason"]
    assert (record["hash"], record["to"], record["value"]) == (old["hash"], first, "5")
    await rig.replace(changed, to=third, value=8)
    await replaced(rig, changed, old)
    await rig.confirmed([changed])
    assert (await rig.chain.balance(first), await rig.chain.balance(third)) == (0, 8)


async def test_a_dearer_replacement_must_be_payable(rig: Rig) -> None:
    """Limits hold for what is sent instead, too; the earlier version goes on meanwhile."""
    await rig.chain.set_balance(rig.address, ETHER)
    await rig.mine()
    receiver = fresh_address()
    changed = await rig.submit(to=receiver, value=5)
    old = await rig.reaches(changed, "submitted")
    await rig.replace(changed, to=receiver, value=3 * ETHER)
    await rig.reason(changed, "the balance does not cover it")
    assert (await rig.chain.pool())[0]["hash"] == old["hash"]
    await rig.mine()
    assert (await rig.reaches(changed, "confirmed"))["value"] == "5"


async def test_canceling_what_waits_ends_it_at_once(rig: Rig) -> None:
    await rig.chain.set_balance(rig.address, 0)
    await rig.mine()
    dropped = await rig.submit(to=fresh_address())
    await rig.reason(dropped, "waiting for funds")
    assert (await rig.cancel(dropped))["status"] == "canceled"
    await rig.mine()
    assert rig.proxy.sent == []


async def test_a_cancel_puts_a_no_op_into_the_slot_and_ends_at_depth(make_rig: Make) -> None:
    """C1, E4: canceled only when the no-op is deep enough."""
    rig = await make_rig(EvmPolicy(confirmations=3))
    receiver = fresh_address()
    dropped = await rig.submit(to=receiver, value=5)
    old = await rig.reaches(dropped, "submitted")
    assert (await rig.cancel(dropped))["is_canceled"]
    new = await replaced(rig, dropped, old)
    assert is_a_tenth_above(prices(new), prices(old))
    await rig.mine(2)
    assert (await rig.record(dropped))["status"] == "submitted"
    await rig.mine()
    done = await rig.reaches(dropped, "canceled")
    assert done["is_canceled"]
    assert await rig.chain.balance(receiver) == 0
    mined = await rig.chain.mined()
    assert [(one["to"].lower(), one["value"], one["input"]) for one in mined] == [(rig.chain.address, "0x0", "0x")]
    assert await rig.story(dropped) == ["pending", "sent", "submitted", "submitted", "submitted", "canceled"]


async def test_canceling_what_no_node_has_seen_yet_closes_its_slot(rig: Rig) -> None:
    rule = rig.proxy.add(Reset(), SEND)
    receiver = fresh_address()
    dropped = await rig.submit(to=receiver, value=5)
    await rig.reaches(dropped, "sent")
    await rig.cancel(dropped)
    await rig.versions(dropped, 2)
    rig.proxy.remove(rule)
    follower = await rig.submit(to=fresh_address())
    await rig.confirmed([follower])
    assert (await rig.reaches(dropped, "canceled"))["status"] == "canceled"
    assert await rig.chain.balance(receiver) == 0


async def test_a_cancel_that_comes_too_late_is_told_as_it_was(rig: Rig) -> None:
    receiver = fresh_address()
    dropped = await rig.submit(to=receiver, value=5)
    await rig.reaches(dropped, "submitted")
    rig.proxy.add(Reset(), SEND)
    await rig.cancel(dropped)
    await rig.mine()
    done = await rig.reaches(dropped, "confirmed")
    assert done["is_canceled"]
    assert "before the cancel" in done["status_reason"]
    assert await rig.chain.balance(receiver) == 5


async def test_what_is_stuck_below_the_base_fee_can_be_canceled(make_rig: Make) -> None:
    rig = await make_rig(EvmPolicy(bump_explicit_prices=False))
    receiver = fresh_address()
    stuck = await rig.submit(to=receiver, value=5, max_fee_per_gas=2 * GWEI, max_priority_fee_per_gas=GWEI)
    old = await rig.reaches(stuck, "submitted")
    for _ in range(3):
        await rig.chain.set_base_fee(50 * GWEI)
        await rig.mine()
    assert (await rig.record(stuck))["hash"] == old["hash"]
    await rig.cancel(stuck)
    new = await replaced(rig, stuck, old)
    assert prices(new)[0] >= 50 * GWEI
    await rig.mine_to(stuck, "canceled")
    assert await rig.chain.balance(receiver) == 0


async def test_a_cancel_over_the_cap_waits_and_says_so(make_rig: Make) -> None:
    """F1: no no-op above the cap either; the content is not offered dearer meanwhile."""
    rig = await make_rig(EvmPolicy(gas_price_cap=10 * GWEI))
    stuck = await rig.submit(to=fresh_address(), max_fee_per_gas=95 * GWEI // 10, max_priority_fee_per_gas=GWEI)
    await rig.reaches(stuck, "submitted")
    await rig.chain.set_base_fee(30 * GWEI)
    await rig.mine()
    await rig.cancel(stuck)
    await rig.reason(stuck, "price to fall")
    for _ in range(5):
        await rig.chain.set_base_fee(30 * GWEI)
        await rig.mine()
    assert len(await rig.attempts(stuck)) == 1
    assert len(rig.proxy.sent) < 20  # once a block, not once a turn
    await rig.chain.set_base_fee(GWEI)
    await rig.mine_to(stuck, "confirmed")
