"""Slots under attack: a stranger with our key, a nonce that drifts, holes. Each is mined exactly once (E1)."""

from itertools import pairwise

from eth_account.typed_transactions.typed_transaction import TypedTransaction
from hexbytes import HexBytes
from structlog.testing import capture_logs
from tests.faults.rules import RpcFault
from tests.integration.evm.chain import GWEI, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_amend import is_a_tenth_above, prices
from tests.integration.evm.test_evm_rescue import SEND, many

from baton.domain.policy import EvmPolicy


async def test_a_stranger_who_takes_our_next_slot_is_noticed_and_the_rest_is_renumbered(rig: Rig) -> None:
    """N4, E1: the one that lost its slot is signed anew, every receiver is paid once."""
    receivers = [fresh_address() for _ in range(4)]
    ids = [await rig.submit(to=receiver, value=5) for receiver in receivers]
    for one in ids:
        await rig.reaches(one, "submitted")
    with capture_logs() as records:
        foreign = await rig.chain.foreign(1, maxFeePerGas=90 * GWEI, maxPriorityFeePerGas=30 * GWEI)
        await rig.mine()
        found = await rig.confirmed(ids)
    assert await rig.chain.receipt(foreign) is not None
    assert [record["nonce"] for record in found] == [0, 4, 2, 3]
    assert [await rig.chain.balance(receiver) for receiver in receivers] == [5, 5, 5, 5]
    assert "slot_lost" in [record["event"] for record in records]
    assert await rig.story(ids[1]) == [
        "pending",
        "sent",
        "submitted",
        "pending",
        "sent",
        "submitted",
        "mined",
        "confirmed",
    ]


async def test_a_stranger_who_uses_the_key_while_nothing_is_in_flight_is_reported(rig: Rig) -> None:
    """N4."""
    await rig.confirmed([await rig.submit(to=fresh_address())])
    for nonce in (1, 2):
        await rig.chain.foreign(nonce)
    await rig.mine()
    with capture_logs() as records:
        found = await rig.confirmed([await rig.submit(to=fresh_address())])
    assert found[0]["nonce"] == 3
    assert "foreign_use" in [record["event"] for record in records]


async def test_with_depth_a_lost_slot_is_given_up_only_when_the_loss_is_deep_enough(make_rig: Make) -> None:
    """E2: another slot only after proof."""
    rig = await make_rig(EvmPolicy(confirmations=3))
    receiver = fresh_address()
    lost = await rig.submit(to=receiver, value=5)
    await rig.reaches(lost, "submitted")
    await rig.chain.foreign(0, maxFeePerGas=90 * GWEI, maxPriorityFeePerGas=30 * GWEI)
    await rig.mine(2)
    assert (await rig.record(lost))["nonce"] == 0
    await rig.mine()
    await rig.confirmed([lost])
    assert (await rig.record(lost))["nonce"] == 1
    assert await rig.chain.balance(receiver) == 5


async def test_a_nonce_that_drifts_up_over_everything_in_flight_is_healed_within_two_blocks(rig: Rig) -> None:
    receivers = [fresh_address() for _ in range(12)]
    ids = [await rig.submit(to=receiver, value=5) for receiver in receivers]
    for one in ids:
        await rig.reaches(one, "submitted")
    await rig.chain.ask("anvil_setNonce", rig.address, hex(12))
    await rig.mine()

    async def are_renumbered() -> bool:
        return sorted(await rig.chain.pool()) == list(range(12, 24))

    await rig.until(are_renumbered)
    await rig.mine()
    for one in ids:
        await rig.reaches(one, "confirmed")
    assert [(await rig.record(one))["nonce"] for one in ids] == list(range(12, 24))
    assert [await rig.chain.balance(receiver) for receiver in receivers] == [5] * 12


async def test_a_nonce_that_drifts_down_into_used_slots_is_healed_within_two_blocks(rig: Rig) -> None:
    """The chain forgot what was final for us: the bytes that had used the slots are sent again, nothing else."""
    old = await many(rig, 5)
    await rig.confirmed(old)
    before = set(rig.proxy.forwarded)
    await rig.chain.ask("anvil_setNonce", rig.address, hex(2))
    await rig.mine()
    new = await many(rig, 3)
    await rig.mine()
    await rig.confirmed(new, blocks=2)
    assert await rig.chain.nonce() == 8
    assert [(await rig.record(one))["nonce"] for one in new] == [5, 6, 7]
    assert len(set(rig.proxy.forwarded) - before) == 3
    for one in old:
        assert (await rig.story(one))[-1] == "confirmed"


async def test_the_slot_of_a_rejected_one_goes_to_the_next(rig: Rig) -> None:
    """N2, N3: and it costs no no-op."""
    rig.proxy.add(RpcFault(-32000, "intrinsic gas too low"), SEND, times=1)
    rejected = await rig.submit(to=fresh_address())
    record = await rig.reaches(rejected, "failed")
    assert "intrinsic gas too low" in record["status_reason"]
    await rig.mine(2)
    assert await rig.chain.mined() == []
    assert (await rig.confirmed([await rig.submit(to=fresh_address())]))[0]["nonce"] == 0


async def sent_together(rig: Rig, count: int) -> list[str]:
    """In one batch, because all of them had to wait for a node that could simulate them."""
    rules = [rig.proxy.add(RpcFault(-32603, "internal error"), method) for method in ("eth_call", "eth_estimateGas")]
    ids = [await rig.submit(to=fresh_address()) for _ in range(count)]
    for one in ids:
        await rig.reason(one, "a node could not simulate it")
    for rule in rules:
        rig.proxy.remove(rule)
    await rig.mine()
    return ids


async def test_a_hole_before_later_ones_is_filled_by_a_no_op_of_our_own(rig: Rig) -> None:
    """N2: within two blocks, when no transaction comes to take it."""
    rig.proxy.add(RpcFault(-32000, "intrinsic gas too low"), SEND, times=1)
    ids = await sent_together(rig, 3)
    ends = {one: (await rig.reaches(one, "failed", "submitted"))["status"] for one in ids}
    later = [one for one, status in ends.items() if status == "submitted"]
    assert len(later) == 2
    await rig.mine(2)
    await rig.confirmed(later, blocks=1)
    mined = await rig.chain.mined()
    assert [int(one["nonce"], 16) for one in mined] == [0, 1, 2]
    assert [one["to"].lower() for one in mined].count(rig.chain.address) == 1


async def test_a_filler_that_was_refused_leaves_again_as_it_was_signed(rig: Rig) -> None:
    """N2: signed anew at the same price it would be the very same bytes, which the store knows already."""
    rig.proxy.add(RpcFault(-32000, "intrinsic gas too low"), SEND, times=1)
    refusing = rig.proxy.add(RpcFault(-32000, "intrinsic gas too low"), SEND, skip=2, times=2)
    ids = await sent_together(rig, 3)
    ends = {one: (await rig.reaches(one, "failed", "submitted"))["status"] for one in ids}
    later = [one for one, status in ends.items() if status == "submitted"]

    async def has_left_at_last() -> bool:
        return refusing.hits == 2 and 0 in await rig.chain.pool()

    await rig.until(has_left_at_last)
    await rig.mine()
    await rig.confirmed(later, blocks=1)
    mined = await rig.chain.mined()
    assert [int(one["nonce"], 16) for one in mined] == [0, 1, 2]
    assert mined[0]["to"].lower() == rig.chain.address


async def test_a_filler_that_is_too_cheap_is_raised_too(rig: Rig) -> None:
    """N2, F3."""
    ids = await many(rig, 3)
    spike = 6 * prices(await rig.record(ids[0]))[0]
    rig.proxy.add(RpcFault(-32000, "intrinsic gas too low"), SEND, times=1)
    hole, later = await sent_together(rig, 2)
    await rig.reaches(hole, "failed")
    await rig.reaches(later, "submitted")
    for _ in range(5):
        await rig.chain.set_base_fee(spike)
        await rig.mine()
    await rig.chain.set_base_fee(spike)
    await rig.confirmed([*ids, later], blocks=6)
    assert [int(one["nonce"], 16) for one in await rig.chain.mined()] == [0, 1, 2, 3, 4]
    offers = [TypedTransaction.from_bytes(HexBytes(raw)).as_dict() for raw in dict.fromkeys(rig.proxy.forwarded)]
    fillers = [(one["maxFeePerGas"], one["maxPriorityFeePerGas"]) for one in offers if one["nonce"] == 3]
    assert len(fillers) > 1
    assert all(is_a_tenth_above(new, old) for old, new in pairwise(fillers))


async def test_a_stranger_who_is_reorganised_away_leaves_no_hole(rig: Rig) -> None:
    """N2: a slot that was lost is free again; our own no-op closes it, so that the old bytes can never land."""
    receiver = fresh_address()
    lost = await rig.submit(to=receiver, value=5)
    await rig.reaches(lost, "submitted")
    await rig.chain.foreign(0, maxFeePerGas=90 * GWEI, maxPriorityFeePerGas=30 * GWEI)
    await rig.mine()
    await rig.reaches(lost, "submitted")

    async def is_renumbered() -> bool:
        return bool((await rig.record(lost))["nonce"] == 1)

    await rig.until(is_renumbered)
    await rig.chain.ask("anvil_reorg", 1, [])
    await rig.confirmed([lost], blocks=4)
    assert await rig.chain.balance(receiver) == 5
    assert [one["to"].lower() for one in await rig.chain.mined()] == [rig.chain.address, receiver]
