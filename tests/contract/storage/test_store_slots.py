"""Slots and attempts: one holder each, hashes unique, released slots come back (N1, D6)."""

import asyncio

import pytest
from msgspec.structs import replace
from tests.contract.storage.making import (
    ACCOUNT,
    CHAIN,
    NOON,
    a_filler,
    accepted,
    advance,
    an_attempt,
    hold,
    later,
    progress,
    refreshed,
    sent,
    signing,
)

from baton.domain.status import Status
from baton.domain.transaction import Fate, Hold, Slot, Transaction
from baton.storage.base import Store
from baton.storage.changes import AttemptNews, Done, Outcome, Progress, Taken


async def _shown(store: Store, number: int) -> str | None:
    """The transaction that a slot's number leads to."""
    async with store.read() as snapshot:
        view = await snapshot.transactions.by_slot("r", number)
    return None if view is None else view.id


async def test_a_slot_has_one_holder(store: Store) -> None:
    first, second = await accepted(store), await accepted(store)
    assert await store.write(signing(first, 5)) == Done()
    assert await store.write(signing(second, 5)) == Taken()
    assert await _shown(store, 5) == first.id
    assert await refreshed(store, second) == second


async def test_two_relayers_cannot_hold_the_same_slot(store: Store) -> None:
    mine, theirs = await accepted(store, "a"), await accepted(store, "b")
    assert await store.write(signing(mine, 1)) == Done()
    assert await store.write(signing(theirs, 1)) == Taken()


async def test_two_relayers_fillers_cannot_hold_the_same_slot(store: Store) -> None:
    mine, theirs = a_filler(1, relayer="a"), a_filler(1, relayer="b", tag="theirs")
    assert await store.write(progress(attempts=(mine,), slots=(hold(mine),))) == Done()
    assert await store.write(progress(attempts=(theirs,), slots=(hold(theirs),))) == Taken()


async def test_of_many_that_want_one_slot_at_once_one_gets_it(store: Store) -> None:
    transactions = [await accepted(store) for _ in range(15)]
    outcomes = await asyncio.gather(*(store.write(signing(transaction, 0)) for transaction in transactions))
    assert (outcomes.count(Done()), outcomes.count(Taken())) == (1, 14)
    assert await _shown(store, 0) == transactions[outcomes.index(Done())].id


async def test_other_accounts_and_other_chains_have_slots_of_their_own(store: Store) -> None:
    transaction = await accepted(store)
    attempts = [
        replace(an_attempt(transaction, None, tag=str(index)), slot=slot)
        for index, slot in enumerate((Slot(CHAIN, ACCOUNT, 1), Slot(CHAIN, "0xother", 1), Slot("chain-2", ACCOUNT, 1)))
    ]
    outcome = await store.write(progress(attempts=tuple(attempts), slots=tuple(hold(attempt) for attempt in attempts)))
    assert outcome == Done()


async def test_a_bump_shares_the_slot_of_its_transaction(store: Store) -> None:
    transaction = await accepted(store)
    await store.write(signing(transaction, 2))
    bump = an_attempt(transaction, 2, tag="bump")
    assert await store.write(progress(attempts=(bump,), slots=(hold(bump),))) == Done()
    async with store.read() as snapshot:
        assert len(await snapshot.transactions.attempts(transaction.id)) == 2


async def _settle(store: Store, transaction: Transaction, number: int, state: Hold) -> Outcome:
    return await store.write(progress(slots=(hold(an_attempt(transaction, number), state),)))


async def test_a_released_slot_comes_back(store: Store) -> None:
    first, second = await accepted(store), await accepted(store)
    await store.write(signing(first, 4))
    assert await _settle(store, first, 4, Hold.RELEASED) == Done()
    async with store.read() as snapshot:
        assert await snapshot.lanes.highest_slot(CHAIN, ACCOUNT) is None
    assert await store.write(signing(second, 4)) == Done()
    assert await _shown(store, 4) == second.id


async def test_a_slot_is_handed_on_within_one_change(store: Store) -> None:
    first, second = await accepted(store), await accepted(store)
    await store.write(signing(first, 4))
    taking = signing(second, 4)
    handing_on = replace(taking, slots=(hold(an_attempt(first, 4), Hold.RELEASED), *taking.slots))
    assert await store.write(handing_on) == Done()
    assert await _shown(store, 4) == second.id


@pytest.mark.parametrize("end", [Hold.USED, Hold.LOST])
async def test_a_used_or_lost_slot_never_comes_back(store: Store, end: Hold) -> None:
    first, second = await accepted(store), await accepted(store)
    await store.write(signing(first, 4))
    assert await _settle(store, first, 4, end) == Done()
    assert await store.write(signing(second, 4)) == Taken()
    assert await _settle(store, first, 4, Hold.HELD) == Taken()
    assert await _settle(store, first, 4, Hold.RELEASED) == Taken()
    async with store.read() as snapshot:
        assert await snapshot.lanes.highest_slot(CHAIN, ACCOUNT) == 4


async def test_saying_the_same_of_a_slot_twice_is_done(store: Store) -> None:
    """A turn may run twice over the same facts."""
    transaction = await accepted(store)
    await store.write(signing(transaction, 4))
    assert await _settle(store, transaction, 4, Hold.USED) == Done()
    assert await _settle(store, transaction, 4, Hold.USED) == Done()


async def test_a_taken_slot_undoes_the_whole_change(store: Store) -> None:
    first, second, third = await accepted(store), await accepted(store), await accepted(store)
    await store.write(signing(first, 1))
    both = [signing(second, 0), signing(third, 1)]
    together = Progress(
        at=NOON,
        advances=both[0].advances + both[1].advances,
        attempts=both[0].attempts + both[1].attempts,
        slots=both[0].slots + both[1].slots,
    )
    assert await store.write(together) == Taken()
    assert (await _shown(store, 0), await _shown(store, 1)) == (None, first.id)
    assert await store.write(signing(second, 0)) == Done()


async def test_a_hash_belongs_to_one_attempt(store: Store) -> None:
    transaction = await accepted(store)
    attempt = an_attempt(transaction, None)
    assert await store.write(progress(attempts=(attempt,))) == Done()
    twin = replace(an_attempt(transaction, None), hash=attempt.hash)
    assert await store.write(progress(attempts=(twin,))) == Taken()


async def test_the_same_hash_may_come_again_on_another_chain(store: Store) -> None:
    """A local chain that started anew sees the same nonce, content and price, hence the same bytes."""
    first, second = await accepted(store), await accepted(store)
    attempt = an_attempt(first, 0)
    assert await store.write(progress(attempts=(attempt,), slots=(hold(attempt),))) == Done()
    elsewhere = Slot("another chain", ACCOUNT, 0)
    twin = replace(an_attempt(second, 0), hash=attempt.hash, slot=elsewhere)
    assert await store.write(progress(attempts=(twin,), slots=(hold(twin),))) == Done()
    third = replace(an_attempt(second, 1), hash=attempt.hash)
    assert await store.write(progress(attempts=(third,), slots=(hold(third),))) == Taken()


async def test_attempts_come_in_the_order_of_signing_although_their_ids_do_not(store: Store) -> None:
    """Ids follow the clock, and clocks jump (M4)."""
    transaction = await accepted(store)
    signed = [
        replace(an_attempt(transaction, 0, tag=tag), id=name) for tag, name in (("a", "9"), ("b", "5"), ("c", "7"))
    ]
    for attempt in signed:
        assert await store.write(progress(attempts=(attempt,), slots=(hold(attempt),))) == Done()
    async with store.read() as snapshot:
        assert await snapshot.transactions.attempts(transaction.id) == signed


async def test_the_signed_bytes_come_back_exactly(store: Store) -> None:
    transaction = await accepted(store)
    attempt = replace(an_attempt(transaction, 2**62), raw=bytes(range(256)) * 40, max_cost=2**256 - 1)
    await store.write(
        progress(advance(transaction, sent(transaction, attempt)), attempts=(attempt,), slots=(hold(attempt),))
    )
    async with store.read() as snapshot:
        assert await snapshot.transactions.attempts(transaction.id) == [attempt]
        (waiting,) = await snapshot.lanes.in_status("r", Status.SENT, 10)
        view = await snapshot.transactions.view("r", transaction.id)
    assert waiting.attempts == (attempt,)
    assert view is not None
    assert view.attempt == replace(attempt, raw=b"")


async def test_the_highest_slot_counts_all_but_released_ones(store: Store) -> None:
    transactions = [await accepted(store) for _ in range(3)]
    for number, transaction in enumerate(transactions):
        await store.write(signing(transaction, number))
    await _settle(store, transactions[2], 2, Hold.RELEASED)
    await _settle(store, transactions[1], 1, Hold.USED)
    async with store.read() as snapshot:
        assert await snapshot.lanes.highest_slot(CHAIN, ACCOUNT) == 1
        assert await snapshot.lanes.highest_slot(CHAIN, "nobody") is None


async def test_fillers_are_found_by_their_account_and_are_never_listed(store: Store) -> None:
    mine, other = a_filler(3), a_filler(3, account="0xchannel")
    assert await store.write(progress(attempts=(mine, other), slots=(hold(mine), hold(other)))) == Done()
    async with store.read() as snapshot:
        assert await snapshot.lanes.fillers(CHAIN, ACCOUNT) == [mine]
        assert await snapshot.lanes.fillers(CHAIN, "0xchannel") == [other]
        assert await snapshot.lanes.highest_slot(CHAIN, ACCOUNT) == 3
        assert await snapshot.transactions.by_slot("r", 3) is None
    settled = progress(slots=(hold(mine, Hold.USED),), news=(AttemptNews(mine.id, Fate.INCLUDED),))
    assert await store.write(settled) == Done()
    async with store.read() as snapshot:
        assert await snapshot.lanes.fillers(CHAIN, ACCOUNT) == []


async def test_used_and_lost_slots_are_known_from_any_number_on(store: Store) -> None:
    transactions = [await accepted(store) for _ in range(5)]
    for number, transaction in enumerate(transactions):
        await store.write(signing(transaction, number))
    for number, state in ((0, Hold.USED), (1, Hold.LOST), (2, Hold.USED), (3, Hold.RELEASED)):
        await _settle(store, transactions[number], number, state)
    async with store.read() as snapshot:
        assert await snapshot.lanes.closed_slots(CHAIN, ACCOUNT, 0) == {0: Hold.USED, 1: Hold.LOST, 2: Hold.USED}
        assert await snapshot.lanes.closed_slots(CHAIN, ACCOUNT, 2) == {2: Hold.USED}
        assert await snapshot.lanes.closed_slots(CHAIN, "nobody", 0) == {}


async def test_a_lost_slot_is_closed_again_by_a_filler_only(store: Store) -> None:
    """Whoever had used it was reorganised away; a transaction's old bytes may still live there, so none gets it."""
    first, second = await accepted(store), await accepted(store)
    await store.write(signing(first, 4))
    await _settle(store, first, 4, Hold.LOST)
    assert await store.write(signing(second, 4)) == Taken()
    filler = a_filler(4)
    assert await store.write(progress(attempts=(filler,), slots=(hold(filler),))) == Done()
    async with store.read() as snapshot:
        assert await snapshot.lanes.fillers(CHAIN, ACCOUNT) == [filler]


async def test_what_used_a_slot_is_found_by_its_number(store: Store) -> None:
    transactions = [await accepted(store) for _ in range(4)]
    attempts = [an_attempt(transaction, number) for number, transaction in enumerate(transactions)]
    for attempt in attempts:
        await store.write(progress(attempts=(attempt,), slots=(hold(attempt),)))
    for attempt in attempts[:3]:
        landed = AttemptNews(attempt.id, Fate.INCLUDED)
        await store.write(progress(slots=(hold(attempt, Hold.USED),), news=(landed,)))
    async with store.read() as snapshot:
        assert [a.id for a in await snapshot.lanes.spent(CHAIN, ACCOUNT, 1, 9)] == [attempts[1].id, attempts[2].id]
        assert [a.raw for a in await snapshot.lanes.spent(CHAIN, ACCOUNT, 0, 1)] == [attempts[0].raw]


async def test_no_ops_are_found_by_when_they_were_signed(store: Store) -> None:
    transaction = await accepted(store)
    old, new = replace(a_filler(1), created_at=later(-60)), replace(a_filler(2, tag="new"), created_at=later(60))
    content = replace(an_attempt(transaction, 3), created_at=later(60))
    assert await store.write(progress(attempts=(old, new, content))) == Done()
    async with store.read() as snapshot:
        assert await snapshot.lanes.noops_since("r", NOON) == [new]
        assert await snapshot.lanes.noops_since("nobody", NOON) == []


async def test_revisions_are_numbered_on_even_after_one_was_given_up(store: Store) -> None:
    transaction = await accepted(store)
    async with store.read() as snapshot:
        assert await snapshot.transactions.last_revision(transaction.id) == 1
        assert await snapshot.transactions.last_revision("unknown") == 0


async def test_the_costs_of_what_was_signed_are_known_exactly(store: Store) -> None:
    transaction = await accepted(store)
    early = replace(an_attempt(transaction, 0), created_at=later(-1), max_cost=1)
    bumps = [replace(an_attempt(transaction, 0, tag=str(cost)), max_cost=cost) for cost in (2**70, 2**255)]
    filler = replace(a_filler(1), created_at=later(1))
    stranger = replace(a_filler(2), relayer_id="other")
    await store.write(progress(attempts=(early, *bumps, filler, stranger)))
    async with store.read() as snapshot:
        costs = await snapshot.lanes.costs_since("r", NOON)
    whose = [(transaction.id, bumps[0]), (transaction.id, bumps[1]), (filler.id, filler)]
    assert sorted(costs) == sorted((holder, one.max_cost, one.created_at) for holder, one in whose)


async def test_what_was_signed_long_ago_counts_for_as_long_as_it_may_still_cost(store: Store) -> None:
    """It may land today: a day's limit that forgot it could be spent twice."""
    transaction = await accepted(store)
    made = signing(transaction, 0)
    old = replace(made.attempts[0], created_at=later(-90_000), max_cost=5)
    assert await store.write(replace(made, attempts=(old,))) == Done()
    async with store.read() as snapshot:
        assert await snapshot.lanes.costs_since("r", NOON) == [(transaction.id, 5, later(-90_000))]
        assert await snapshot.lanes.costs_since("other", NOON) == []
    await store.write(progress(news=(AttemptNews(old.id, Fate.LAPSED),)))
    async with store.read() as snapshot:
        assert await snapshot.lanes.costs_since("r", NOON) == []


async def test_the_fillers_of_a_slot_are_found_whatever_became_of_them(store: Store) -> None:
    transaction = await accepted(store)
    first, second, elsewhere = a_filler(0, tag="a"), a_filler(0, tag="b"), a_filler(1)
    content = an_attempt(transaction, 0, tag="c")
    await store.write(progress(attempts=(first, content, elsewhere, second)))
    await store.write(progress(news=(AttemptNews(first.id, Fate.REJECTED),)))
    assert first.slot is not None
    async with store.read() as snapshot:
        found = await snapshot.lanes.fillers_of("r", first.slot)
        assert await snapshot.lanes.fillers_of("other", first.slot) == []
    assert found == [replace(first, fate=Fate.REJECTED), second]


async def test_the_transaction_that_last_held_a_slot_is_found(store: Store) -> None:
    first, second = await accepted(store), await accepted(store)
    await store.write(signing(first, 4))
    await _settle(store, first, 4, Hold.RELEASED)
    await store.write(signing(second, 4))
    async with store.read() as snapshot:
        view = await snapshot.transactions.by_slot("r", 4)
        assert view is not None
        assert view.id == second.id
        assert await snapshot.transactions.by_slot("other", 4) is None
        assert await snapshot.transactions.by_slot("r", 5) is None
