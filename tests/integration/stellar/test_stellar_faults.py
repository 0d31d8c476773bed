"""What nodes and the network do to a transaction on its way: it lands once, or it is proven dead."""

from datetime import timedelta

import pytest
from stellar_sdk import Asset, BumpSequence
from tests.faults.rules import Blackhole, Lie, LoseResponse, Status
from tests.integration.stellar.conftest import Make
from tests.integration.stellar.judge import tags
from tests.integration.stellar.rig import LUMEN, StellarRig, body, payment

from baton.devnet.stellar import StellarDevnet
from baton.domain.json import Json
from baton.domain.policy import StellarPolicy


async def test_try_again_later_is_tried_again_with_the_same_bytes(rig: StellarRig) -> None:
    to = await rig.account()
    rig.node.controls.try_later = 2
    paid = await rig.submit(body(payment(to.public_key), tag="later"))
    await rig.lands(paid)
    assert len(await rig.attempts(paid)) == 1
    assert await rig.times_sent(paid) == 3


async def test_a_dropped_transaction_is_sent_again_two_ledgers_later(rig: StellarRig) -> None:
    to = await rig.account()
    rig.node.controls.drop_next = 1
    paid = await rig.submit(body(payment(to.public_key), tag="dropped"))
    await rig.reaches(paid, "submitted")
    await rig.close(2)
    await rig.is_sent(paid, 2)
    rig.node.close()
    await rig.reaches(paid, "confirmed")
    assert len(await rig.attempts(paid)) == 1


async def test_in_a_surge_the_same_transaction_is_wrapped_at_ten_times_its_bid(rig: StellarRig) -> None:
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key), tag="surge"))
    await rig.reaches(paid, "submitted")
    rig.node.controls.surge = 900
    done = await rig.closes_until(paid, "confirmed")
    first, second = await rig.attempts(paid)
    assert second.facts["inner_hash"] == first.hash
    assert done["hash"] == second.hash
    assert done["fee"] == 2 * 1000, "two operations at ten times the bid of 100"
    assert rig.balance(to.public_key) == 101 * LUMEN


async def test_a_surge_beyond_the_cap_waits_for_the_time_bound_and_signs_anew(make_rig: Make) -> None:
    """F1: nothing over the cap ever leaves."""
    rig = await make_rig(StellarPolicy(max_fee=1000))
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key), tag="capped"))
    await rig.reaches(paid, "submitted")
    rig.node.controls.surge = 5000
    await rig.close(4)
    await rig.reason(paid, "a fee bump is too dear")
    assert len(await rig.attempts(paid)) == 1
    rig.node.controls.surge = 0
    rig.node.controls.ahead_s = 400
    await rig.close(1)
    done = await rig.closes_until(paid, "confirmed")
    first, second = await rig.attempts(paid)
    assert first.slot == second.slot, "the number was free again"
    assert done["hash"] == second.hash
    assert all(attempt.facts["fee"] <= 1000 for attempt in (first, second))


async def test_a_bid_below_the_networks_floor_is_raised_at_once(rig: StellarRig) -> None:
    to = await rig.account()
    rig.proxy.add(Lie(_cheap), "getFeeStats")
    rig.node.controls.base_fee = 300
    paid = await rig.submit(body(payment(to.public_key), tag="floor"))
    done = await rig.lands(paid)
    assert done["fee"] >= 2 * 300
    assert done["fee"] <= 1_000_000


def _cheap(told: Json) -> Json:
    return told | {"inclusionFee": dict.fromkeys(told["inclusionFee"], "100")}


async def test_when_prices_are_over_the_cap_it_parks_without_a_number_and_resumes(make_rig: Make) -> None:
    """F2: what must wait waits before it has a slot."""
    rig = await make_rig(StellarPolicy(max_fee=400))
    to = await rig.account()
    rig.node.controls.surge = 5000
    await rig.node.fund(to.public_key, LUMEN)
    paid = await rig.submit(body(payment(to.public_key), tag="parked"))
    await rig.reason(paid, "waiting for the price to fall")
    assert await rig.attempts(paid) == []
    rig.node.controls.surge = 0
    for _ in range(10):
        rig.node.close()
    await rig.closes_until(paid, "confirmed")


async def test_a_number_that_someone_else_used_is_noticed_and_the_payment_signed_anew(rig: StellarRig) -> None:
    """N4: with our key, at the same time, from elsewhere."""
    to = await rig.account()
    rig.node.controls.drop_next = 1
    paid = await rig.submit(body(payment(to.public_key), tag="outrun"))
    await rig.reaches(paid, "submitted")
    stranger = rig.build(rig.key, BumpSequence(0))
    stranger.sign(rig.key)
    await rig.foreign(stranger)
    rig.node.close()
    done = await rig.closes_until(paid, "confirmed")
    first, second = await rig.attempts(paid)
    assert first.slot is not None
    assert second.slot is not None
    assert second.slot.number == first.slot.number + 1 == int(done["sequence_number"])
    assert tags(rig.node)["outrun"] == 1


async def test_a_number_used_beforehand_is_refused_and_the_next_one_taken(rig: StellarRig) -> None:
    to = await rig.account()
    await rig.lands(await rig.submit(body(payment(to.public_key), tag="first")))
    stranger = rig.build(rig.key, BumpSequence(rig.sequence() + 100))
    stranger.sign(rig.key)
    await rig.foreign(stranger)
    rig.node.close()
    second = await rig.submit(body(payment(to.public_key), tag="second"))
    done = await rig.closes_until(second, "confirmed")
    assert int(done["sequence_number"]) == rig.sequence()


@pytest.mark.parametrize("fault", [LoseResponse(), Status(504), Blackhole()], ids=["lost", "504", "silence"])
async def test_an_answer_that_is_lost_means_maybe_sent(
    rig: StellarRig, fault: LoseResponse | Status | Blackhole
) -> None:
    """E5: only the same bytes follow."""
    to = await rig.account()
    rule = rig.proxy.add(fault, "sendTransaction", times=2)
    paid = await rig.submit(body(payment(to.public_key), tag="maybe"))
    await rig.lands(paid)
    assert rule.hits == 2
    assert len(await rig.attempts(paid)) == 1
    assert rig.balance(to.public_key) == 101 * LUMEN


async def test_a_transaction_whose_answer_was_lost_and_that_landed_is_found(rig: StellarRig) -> None:
    to = await rig.account()
    rig.proxy.add(LoseResponse(), "sendTransaction")
    paid = await rig.submit(body(payment(to.public_key), tag="found"))
    await rig.is_sent(paid, 1)
    await rig.closes_until(paid, "confirmed")  # the recorder sees it a moment before the node has it
    assert "submitted" not in await rig.story(paid)


async def test_a_version_whose_time_is_over_is_proven_dead_and_signed_anew_with_the_same_number(
    rig: StellarRig,
) -> None:
    to = await rig.account()
    rig.node.controls.drop_next = 1
    paid = await rig.submit(body(payment(to.public_key), tag="anew"))
    await rig.reaches(paid, "submitted")
    rig.node.controls.ahead_s = 301
    await rig.close()
    await rig.closes_until(paid, "confirmed")
    first, second = await rig.attempts(paid)
    assert first.slot == second.slot
    assert await rig.story(paid) == [
        "pending",
        "sent",
        "submitted",
        "pending",
        "sent",
        "submitted",
        "mined",
        "confirmed",
    ]


async def test_a_validity_that_ends_makes_it_expired_only_when_a_ledger_proves_it(rig: StellarRig) -> None:
    to = await rig.account()
    rig.node.controls.drop_next = 100
    until = rig.clock.now() + timedelta(seconds=60)
    paid = await rig.submit(body(payment(to.public_key), tag="expired", valid_until=until.isoformat()))
    await rig.reaches(paid, "submitted")
    rig.clock.leap(61)
    await rig.close()
    assert (await rig.record(paid))["status"] == "submitted", "our own clock proves nothing"
    rig.node.controls.ahead_s = 62
    await rig.close()
    done = await rig.reaches(paid, "expired")
    assert "never land" in done["status_reason"]
    rig.node.controls.drop_next = 0
    await rig.lands(await rig.submit(body(payment(to.public_key), tag="next")))


async def test_a_lagging_node_makes_nothing_final_and_no_number_given_twice(rig: StellarRig) -> None:
    """C6, N5."""
    to = await rig.account()
    first = await rig.submit(body(payment(to.public_key), tag="first"))
    await rig.lands(first)
    await rig.close(3)
    rig.node.controls.lag_ledgers = 5
    second = await rig.submit(body(payment(to.public_key), tag="second"))
    await rig.reaches(second, "submitted")
    rig.node.close()
    await rig.polled(3)
    assert (await rig.record(second))["status"] == "submitted"
    rig.node.controls.lag_ledgers = 0
    rig.node.close()
    await rig.reaches(second, "confirmed")
    numbers = [(await rig.record(one))["sequence_number"] for one in (first, second)]
    assert int(numbers[1]) == int(numbers[0]) + 1


async def test_an_outage_of_the_node_decides_nothing(rig: StellarRig) -> None:
    to = await rig.account()
    rig.node.controls.drop_next = 1
    paid = await rig.submit(body(payment(to.public_key), tag="outage"))
    await rig.reaches(paid, "submitted")
    rule = rig.proxy.add(Status(503))
    rig.node.controls.ahead_s = 301
    rig.node.close()
    await rig.struck(rule, 3)
    assert (await rig.record(paid))["status"] == "submitted"
    rig.proxy.clear()
    await rig.closes_until(paid, "confirmed", ledgers=12)


async def test_one_lying_node_of_two_cannot_make_anything_final(make_rig: Make) -> None:
    """C5: neither a landing nor a death by one node's word."""
    rig = await make_rig(node_count=2)
    to = await rig.account()
    rig.node.controls.drop_next = 2
    paid = await rig.submit(body(payment(to.public_key), tag="lie"))
    await rig.reaches(paid, "submitted")
    for proxy in rig.proxies[:1]:
        proxy.add(Lie(lambda told: told | {"latestLedgerCloseTime": "4000000000"}), "getTransaction")
    await rig.close(1)
    assert (await rig.record(paid))["status"] == "submitted"
    assert len(await rig.attempts(paid)) == 1
    rig.proxies[0].clear()
    await rig.closes_until(paid, "confirmed")
    after = await rig.submit(body(payment(to.public_key), tag="after"))
    await rig.lands(after)
    (attempt,) = await rig.attempts(after)
    assert attempt.facts["max_time"] < 4_000_000_000, "nor move the ledger's clock"


@pytest.mark.parametrize("state", ["pending", "sent", "submitted", "landed"])
async def test_a_restart_in_any_state_goes_on_from_there(rig: StellarRig, state: str) -> None:
    """N3, E1."""
    to = await rig.account()
    match state:
        case "pending":
            rig.proxy.add(Status(503))
        case "sent":
            rig.proxy.add(Status(503), "sendTransaction")
        case "landed":
            rig.proxy.add(LoseResponse(), "sendTransaction")
    paid = await rig.submit(body(payment(to.public_key), tag=state))
    if state == "landed":
        await rig.is_sent(paid, 1)
        await rig.stop()
        rig.node.close()
        await rig.start()
    else:
        await rig.reaches(paid, state)
        await rig.restart()
    rig.proxy.clear()
    await rig.closes_until(paid, "confirmed", ledgers=12)
    assert rig.balance(to.public_key) == 101 * LUMEN
    assert len(await rig.attempts(paid)) == 1


async def test_without_funds_it_waits_and_says_so_until_they_come(make_rig: Make) -> None:
    rig = await make_rig(lumens=2)
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key, 50 * LUMEN), tag="poor"))
    await rig.reason(paid, "waiting for funds")
    await rig.node.fund(rig.address, 100 * LUMEN)
    await rig.closes_until(paid, "confirmed")


async def test_an_account_that_does_not_exist_yet_waits_for_its_first_money(make_rig: Make) -> None:
    rig = await make_rig(lumens=0)
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key), tag="born"))
    await rig.reason(paid, "waiting for funds")
    await rig.node.fund(rig.address, 100 * LUMEN)
    await rig.closes_until(paid, "confirmed")


async def test_the_rolling_limit_parks_what_is_over_it(make_rig: Make) -> None:
    rig = await make_rig(StellarPolicy(spend_limit_24h=3 * LUMEN))
    to = await rig.account()
    first = await rig.submit(body(payment(to.public_key, 2 * LUMEN), tag="one"))
    second = await rig.submit(body(payment(to.public_key, 2 * LUMEN), tag="two"))
    third = await rig.submit(body(payment(to.public_key, LUMEN // 2), tag="three"))
    await rig.lands(first)
    await rig.reason(second, "spend limit for 24 hours")
    await rig.closes_until(third, "confirmed")
    assert (await rig.record(second))["status"] == "pending"


async def test_one_node_that_sees_failures_cannot_end_a_contract_call(make_rig: Make) -> None:
    """C5: a simulation ends a transaction only by the word of two."""
    rig = await make_rig(node_count=2)
    to = await rig.account()
    lie = rig.proxies[0].add(Lie(lambda told: {"error": "HostError: lie", "latestLedger": told["latestLedger"]}))
    lie.method = "simulateTransaction"
    contract = Asset.native().contract_id(rig.node.passphrase)
    args = [{"address": rig.address}, {"address": to.public_key}, {"i128": str(LUMEN)}]
    call = {"type": "invoke_contract", "contract_address": contract, "function_name": "transfer", "args": args}
    await rig.lands(await rig.submit(body(call)))
    assert lie.hits > 0
    assert rig.balance(to.public_key) == 101 * LUMEN


async def test_a_ledger_that_a_node_made_up_does_not_stop_the_lane_for_ever(rig: StellarRig) -> None:
    to = await rig.account()
    await rig.lands(await rig.submit(body(payment(to.public_key), tag="before")))
    rule = rig.proxy.add(Lie(lambda told: told | {"latestLedger": 10**9}), "getFeeStats", times=1)
    await rig.struck(rule)
    paid = await rig.submit(body(payment(to.public_key), tag="after"))

    async def is_done() -> bool:
        rig.node.close()
        return bool((await rig.record(paid))["status"] == "confirmed")

    await rig.until(is_done)


async def test_a_node_of_another_network_is_kept_out(make_rig: Make) -> None:
    """The other two are enough for anything final."""
    rig = await make_rig(node_count=3)
    async with await StellarDevnet("Another Network ; 2020").start(manual=True) as other:
        rig.proxies[0].upstream_url = other.url
        await rig.restart()
        to = await rig.account()
        await rig.lands(await rig.submit(body(payment(to.public_key), tag="right")))
        assert rig.proxies[0].calls["sendTransaction"] == 0


async def test_a_local_chain_started_anew_ends_what_was_under_way_and_goes_on(rig: StellarRig) -> None:
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key)))
    await rig.reaches(paid, "submitted")
    async with await StellarDevnet().start(manual=True) as fresh:
        await fresh.fund(rig.address, 1000 * LUMEN)
        await fresh.fund(to.public_key, 100 * LUMEN)
        rig.proxy.upstream_url = fresh.url
        assert "started anew" in (await rig.reaches(paid, "failed"))["status_reason"]
        after = await rig.submit(body(payment(to.public_key)))
        await rig.reaches(after, "submitted")
        fresh.close()
        await rig.reaches(after, "confirmed")
        rig.node = fresh
        await rig.stop()
