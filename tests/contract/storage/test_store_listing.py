"""Listing: newest first, every page walk sees each exactly once, filters inclusive."""

import asyncio
from datetime import datetime

import pytest
from tests.contract.storage.making import (
    accepted,
    an_accept,
    an_attempt,
    final,
    later,
    moved_to,
    page_ids,
    progress,
    signing,
)

from baton.domain.status import Status
from baton.domain.transaction import Transaction
from baton.storage.base import ListFilter, Store

ALL = ListFilter()


async def _listed(
    store: Store, where: ListFilter, page: int = 1, per_page: int = 100, relayer: str = "r"
) -> tuple[list[str], int]:
    async with store.read() as snapshot:
        found = await snapshot.transactions.page(relayer, page, per_page, where)
    return [view.id for view in found.items], found.total


async def _some(store: Store, count: int) -> list[Transaction]:
    """One a second, newest first."""
    return [await accepted(store, at=later(index)) for index in range(count)][::-1]


async def test_pages_are_newest_first_and_cover_everything_once(store: Store) -> None:
    ids = [transaction.id for transaction in await _some(store, 23)]
    await accepted(store, "other")
    for per_page in (1, 5, 22, 23, 24):
        walked: list[str] = []
        page = 1
        while True:
            items, total = await _listed(store, ALL, page, per_page)
            assert total == 23
            if not items:
                break
            walked += items
            page += 1
        assert walked == ids


async def test_a_page_beyond_the_end_is_empty_and_knows_the_total(store: Store) -> None:
    await _some(store, 3)
    for where in (ALL, ListFilter(status=Status.PENDING)):
        for page, per_page in ((2, 3), (10**18, 100), (2, 10**18)):
            assert await _listed(store, where, page, per_page) == ([], 3)


async def test_zero_per_page_gives_the_total_alone(store: Store) -> None:
    await _some(store, 3)
    for where in (ALL, ListFilter(status=Status.PENDING)):
        assert await _listed(store, where, 1, 0) == ([], 3)
        assert await _listed(store, where, 7, 0) == ([], 3)


async def test_an_unknown_relayer_has_nothing(store: Store) -> None:
    await _some(store, 2)
    for where in (ALL, ListFilter(status=Status.PENDING), ListFilter(since=later(0), until=later(1), hash="x")):
        assert await _listed(store, where, relayer="nobody") == ([], 0)


@pytest.mark.parametrize("status", [None, Status.PENDING])
async def test_a_walk_frozen_by_until_sees_each_exactly_once_while_new_ones_arrive(
    store: Store, status: Status | None
) -> None:
    ids = [transaction.id for transaction in await _some(store, 30)]
    where = ListFilter(until=later(29), status=status)
    walked: list[str] = []
    for page in range(1, 8):
        await asyncio.gather(*(store.write(an_accept(at=later(30 + page))) for _ in range(4)))
        items, total = await _listed(store, where, page, 5)
        assert total == 30
        walked += items
    assert walked == ids


async def test_since_and_until_are_inclusive(store: Store) -> None:
    newest, middle, oldest = [transaction.id for transaction in await _some(store, 3)]

    async def between(since: datetime | None, until: datetime | None) -> list[str]:
        items, total = await _listed(store, ListFilter(since=since, until=until))
        assert total == len(items)
        return items

    assert await between(later(1), None) == [newest, middle]
    assert await between(None, later(1)) == [middle, oldest]
    assert await between(later(1), later(1)) == [middle]
    assert await between(later(1.000001), None) == [newest]
    assert await between(None, later(0.999999)) == [oldest]
    assert await between(later(3), None) == []
    assert await between(None, later(-1)) == []
    assert await between(later(2), later(1)) == []


async def test_equal_times_are_all_inside_the_bounds(store: Store) -> None:
    ids = [(await accepted(store, at=later(1))).id for _ in range(6)][::-1]
    assert await _listed(store, ListFilter(since=later(1), until=later(1))) == (ids, 6)


async def test_a_status_filter_pages_through_its_own(store: Store) -> None:
    transactions = await _some(store, 12)
    ended = [transaction for index, transaction in enumerate(transactions) if index % 3 == 0]
    for transaction in ended:
        await moved_to(store, transaction, final(transaction))
    where = ListFilter(status=Status.FAILED)
    assert await _listed(store, where, 1, 3) == ([transaction.id for transaction in ended[:3]], 4)
    assert await _listed(store, where, 2, 3) == ([transaction.id for transaction in ended[3:]], 4)
    assert (await _listed(store, ListFilter(status=Status.PENDING)))[1] == 8
    assert await _listed(store, ListFilter(status=Status.MINED)) == ([], 0)


async def test_a_status_filter_holds_within_times(store: Store) -> None:
    newest, middle, oldest = await _some(store, 3)
    for transaction in (newest, oldest):
        await moved_to(store, transaction, final(transaction))
    where = ListFilter(status=Status.FAILED, since=later(1), until=later(2))
    assert await _listed(store, where) == ([newest.id], 1)
    where = ListFilter(status=Status.PENDING, since=later(1), until=later(1))
    assert await _listed(store, where) == ([middle.id], 1)


async def test_the_hash_of_any_attempt_finds_its_transaction(store: Store) -> None:
    transaction, _ = await _some(store, 2)
    change = signing(transaction, 0)
    await store.write(change)
    bump = an_attempt(transaction, 0, tag="bump")
    await store.write(progress(attempts=(bump,)))
    for attempt in (*change.attempts, bump):
        assert await _listed(store, ListFilter(hash=attempt.hash)) == ([transaction.id], 1)
        assert await _listed(store, ListFilter(hash=attempt.hash), page=2) == ([], 1)
        assert await _listed(store, ListFilter(hash=attempt.hash, status=Status.SENT)) == ([transaction.id], 1)
        assert await _listed(store, ListFilter(hash=attempt.hash, status=Status.PENDING)) == ([], 0)
        assert await _listed(store, ListFilter(hash=attempt.hash, until=later(0))) == ([], 0)
        assert await _listed(store, ListFilter(hash=attempt.hash), relayer="other") == ([], 0)
    assert await _listed(store, ListFilter(hash="nothing")) == ([], 0)


async def test_another_relayers_transaction_looks_unknown(store: Store) -> None:
    mine = await accepted(store, "mine")
    async with store.read() as snapshot:
        assert await snapshot.transactions.view("other", mine.id) is None
        assert await snapshot.transactions.transaction("other", mine.id) is None
    assert await page_ids(store, "other") == []


async def test_a_lane_sees_its_open_ones_oldest_first_with_every_attempt(store: Store) -> None:
    transactions = [await accepted(store) for _ in range(4)]
    for number, transaction in enumerate(transactions[:3]):
        await store.write(signing(transaction, number))
    again = an_attempt(transactions[1], 1, tag="again")
    await store.write(progress(attempts=(again,)))
    async with store.read() as snapshot:
        pending = await snapshot.lanes.in_status("r", Status.PENDING, 10)
        two = await snapshot.lanes.in_status("r", Status.SENT, 2)
        nothing = await snapshot.lanes.in_status("r", Status.MINED, 10)
    assert [entry.transaction.id for entry in pending] == [transactions[3].id]
    assert [entry.transaction.id for entry in two] == [transactions[0].id, transactions[1].id]
    assert [len(entry.attempts) for entry in two] == [1, 2]
    assert two[1].attempts[1] == again
    assert nothing == []


async def test_one_that_went_back_to_pending_still_shows_what_was_signed(store: Store) -> None:
    transaction = await accepted(store)
    await store.write(signing(transaction, 0))
    async with store.read() as snapshot:
        (entry,) = await snapshot.lanes.in_status("r", Status.SENT, 1)
    await moved_to(store, entry.transaction, transaction.state)
    async with store.read() as snapshot:
        (again,) = await snapshot.lanes.in_status("r", Status.PENDING, 1)
    assert again.attempts == entry.attempts


async def test_a_lane_takes_the_oldest_pending_ones_without_what_was_signed_for_them_before(store: Store) -> None:
    transactions = [await accepted(store) for _ in range(3)]
    await store.write(signing(transactions[0], 0))
    async with store.read() as snapshot:
        (entry,) = await snapshot.lanes.in_status("r", Status.SENT, 1)
    await moved_to(store, entry.transaction, transactions[0].state)
    async with store.read() as snapshot:
        two, whole = await snapshot.lanes.pending("r", 2), await snapshot.lanes.in_status("r", Status.PENDING, 2)
    assert [(one.transaction, one.revision) for one in two] == [(one.transaction, one.revision) for one in whole]
    assert [one.transaction.id for one in two] == [one.id for one in transactions[:2]]
    assert [one.attempts for one in two] == [(), ()]


async def test_a_lane_can_look_at_one_with_every_attempt(store: Store) -> None:
    transaction = await accepted(store)
    change = signing(transaction, 0)
    await store.write(change)
    async with store.read() as snapshot:
        found = await snapshot.lanes.one("r", transaction.id)
        assert await snapshot.lanes.one("other", transaction.id) is None
        assert await snapshot.lanes.one("r", "unknown") is None
    assert found is not None
    assert (found.transaction.status, found.revision.number, found.attempts) == (Status.SENT, 1, change.attempts)
