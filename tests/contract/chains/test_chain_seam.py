"""What every family's chain and maker must answer, through the seam that lanes use."""

import asyncio

import pytest
from tests.contract.chains.bench import Bench, included
from tests.contract.chains.driver import Driver
from tests.faults.proxy import FaultProxy
from tests.faults.rules import Reset, Status

from baton.chains.base import Accepted, AlreadyKnown, Rejected, Unknown
from baton.chains.seam import Doomed, Included, Orphaned, Ready, Unseen, Wait
from baton.domain.errors import NodeUnavailable


async def test_an_identity_names_a_chain_and_stays(bench: Bench) -> None:
    assert await bench.chain.identity() == await bench.chain.identity()


async def test_the_first_tip_is_a_gap_and_those_that_follow_are_not(bench: Bench) -> None:
    assert bench.tips[0].is_gap
    first = bench.tips[0].block.number
    await bench.mine(3)
    assert [tip.is_gap for tip in bench.tips[1:]] == [False] * (len(bench.tips) - 1)
    assert bench.tips[-1].block.number == first + 3


async def test_a_payment_goes_its_way_and_is_seen_at_each_step(bench: Bench, driver: Driver) -> None:
    [attempt] = await bench.sign(driver.payment(1000))
    assert await bench.look([attempt]) == [Unseen()]
    assert await bench.chain.broadcast([attempt.raw]) == [Accepted()]
    await bench.mine()
    [seen] = await bench.look([attempt])
    assert isinstance(seen, Included)
    assert (seen.has_succeeded, seen.is_final) == (True, driver.final_blocks == 0)
    attempt = included(attempt, seen)
    await bench.mine(driver.final_blocks)
    [seen] = await bench.look([attempt])
    assert isinstance(seen, Included)
    assert (seen.has_succeeded, seen.is_final) == (True, True)
    assert await driver.received() == 1000


async def test_it_is_not_final_one_block_too_early(bench: Bench, driver: Driver) -> None:
    if driver.final_blocks == 0:
        pytest.skip("a block of this chain is final at once")
    [attempt] = await bench.sign(driver.payment(1000))
    await bench.chain.broadcast([attempt.raw])
    await bench.mine(driver.final_blocks)
    [seen] = await bench.look([attempt])
    assert isinstance(seen, Included)
    assert not seen.is_final


async def test_equal_payments_are_different_versions_and_land_each(bench: Bench, driver: Driver) -> None:
    attempts = await bench.sign(*[driver.payment(1000)] * 5)
    assert len({attempt.hash for attempt in attempts}) == 5
    for part in [attempts] if driver.side_by_side else [[one] for one in attempts]:
        await bench.chain.broadcast([attempt.raw for attempt in part])
        await bench.mine()
    assert all(isinstance(seen, Included) for seen in await bench.look(attempts))
    assert await driver.received() == 5000


async def test_the_same_bytes_again_are_welcome_and_land_once(bench: Bench, driver: Driver) -> None:
    [attempt] = await bench.sign(driver.payment(1000))
    await bench.chain.broadcast([attempt.raw])
    [again] = await bench.chain.broadcast([attempt.raw])
    assert isinstance(again, Accepted | AlreadyKnown)
    await bench.mine(2)
    assert await driver.received() == 1000


async def test_the_greatest_cost_covers_what_the_balance_loses(bench: Bench, driver: Driver) -> None:
    before = (await bench.account()).balance
    [attempt] = await bench.sign(driver.payment(1000))
    await bench.chain.broadcast([attempt.raw])
    await bench.mine()
    lost = before - (await bench.account()).balance
    assert 1000 < lost <= attempt.max_cost


async def test_rubbish_is_never_accepted(bench: Bench) -> None:
    [answer] = await bench.chain.broadcast([b"\x01rubbish" * 9])
    assert isinstance(answer, Rejected | Unknown)


async def test_a_failing_simulation_ends_the_first_and_parks_the_others(bench: Bench, driver: Driver) -> None:
    [first] = await bench.prepare(driver.failing())
    assert isinstance(first, Doomed)
    assert first.why
    _, second = await bench.prepare(driver.payment(1), driver.failing())
    assert isinstance(second, Wait)


async def test_one_that_fails_does_not_spoil_its_neighbours(bench: Bench, driver: Driver) -> None:
    found = await bench.prepare(driver.payment(1), driver.failing(), driver.payment(2))
    assert [type(one) for one in found] == [Ready, Wait, Ready]


async def test_want_of_money_is_no_failure(bench: Bench, driver: Driver) -> None:
    await driver.set_funds(10_000)
    await bench.mine()
    [found] = await bench.prepare(driver.payment(10**18))
    assert not isinstance(found, Doomed)
    if isinstance(found, Ready):
        assert found.max_cost > (await bench.account()).balance


async def test_what_nobody_has_seen_is_unseen_however_hard_one_looks(bench: Bench, driver: Driver) -> None:
    [attempt] = await bench.sign(driver.payment(1))
    await bench.mine(3)
    assert await bench.look([attempt], is_thorough=True) == [Unseen()]


async def test_a_block_that_was_lost_is_an_orphan_and_its_bytes_may_land_again(bench: Bench, driver: Driver) -> None:
    if not driver.can_lose:
        pytest.skip("a block of this chain is never lost")
    await bench.mine(5)
    [attempt] = await bench.sign(driver.payment(1000))
    await bench.chain.broadcast([attempt.raw])
    await bench.mine()
    [seen] = await bench.look([attempt])
    attempt = included(attempt, seen)
    seen_tips = len(bench.tips)
    await driver.lose(1)
    await driver.mine()
    await bench.tip(seen_tips)
    assert await bench.look([attempt], is_thorough=True) == [Orphaned()]
    assert isinstance((await bench.chain.broadcast([attempt.raw]))[0], Accepted | AlreadyKnown)
    await bench.mine()
    [seen] = await bench.look([attempt])
    assert isinstance(seen, Included)
    assert await driver.received() == 1000


async def test_nodes_tell_which_hashes_they_know(bench: Bench, driver: Driver) -> None:
    known, unknown = await bench.sign(driver.payment(1), driver.payment(2))
    await bench.chain.broadcast([known.raw])
    await bench.mine()
    found = await bench.chain.knows([known.hash, unknown.hash])
    assert [list(found[one.hash].values()) for one in (known, unknown)] == [[True], [False]]


async def test_people_are_told_what_the_market_asks(bench: Bench, driver: Driver) -> None:
    [attempt] = await bench.sign(driver.payment(1))
    outlook = await bench.maker.outlook([attempt], bench.relayer)
    assert outlook.market
    assert len(outlook.shortfalls) == 1


@pytest.mark.parametrize("fault", [Status(503), Reset()], ids=["unavailable", "reset"])
async def test_an_unreachable_node_is_an_exception_and_never_an_answer(
    bench: Bench, driver: Driver, proxy: FaultProxy, fault: Status | Reset
) -> None:
    [attempt] = await bench.sign(driver.payment(1))
    tip, account = bench.tips[-1], await bench.account()
    proxy.add(fault)
    with pytest.raises(NodeUnavailable):
        await bench.chain.account(bench.relayer, tip)
    with pytest.raises(NodeUnavailable):
        await bench.chain.observe([attempt], account, tip, is_thorough=True)
    with pytest.raises(NodeUnavailable):
        await bench.chain.broadcast([attempt.raw])
    with pytest.raises(NodeUnavailable):
        await bench.prepare(driver.failing())  # only a simulation needs a node everywhere


async def test_tips_survive_an_outage_and_tell_of_the_gap(bench: Bench, driver: Driver, proxy: FaultProxy) -> None:
    proxy.add(Status(503), times=3)
    await asyncio.sleep(0)
    seen = len(bench.tips)
    await driver.mine(2)
    await bench.tip(seen)
    assert bench.tips[seen].is_gap
