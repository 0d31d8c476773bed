"""Groups and snapshots: outcomes of one group are independent, a snapshot stands still, wake-ups follow commits."""

import asyncio

import pytest
from msgspec.structs import replace
from tests.contract.storage.conftest import Engine
from tests.contract.storage.making import (
    a_notification,
    accepted,
    advance,
    an_accept,
    final,
    page_ids,
    progress,
    refreshed,
    signing,
)

from baton.domain.errors import Bug, StoreUnavailable
from baton.domain.status import Status
from baton.domain.transaction import State
from baton.storage.base import ListFilter, Store
from baton.storage.changes import (
    Accept,
    Accepted,
    Change,
    CreateNotification,
    Done,
    Duplicate,
    NotOwner,
    Stale,
    TakeLane,
)


async def test_the_outcomes_of_one_group_are_independent(store: Store) -> None:
    known = await accepted(store, key="k")
    ended, fresh = await accepted(store), await accepted(store)
    lane = await store.write(TakeLane("lane", "a", known.created_at))
    changes: list[Change] = [
        an_accept(),
        an_accept(key="k"),
        progress(advance(replace(ended, version=9), final(ended))),
        progress(advance(ended, final(ended))),
        replace(signing(fresh, 0), fence=None),
        replace(signing(known, 0), fence=None),
        CreateNotification(a_notification()),
        CreateNotification(a_notification()),
    ]
    outcomes = await store.write_all(changes)
    assert lane != NotOwner()
    assert isinstance(outcomes[0], Accepted)
    assert [type(outcome).__name__ for outcome in outcomes[1:]] == [
        "Duplicate",
        "Stale",
        "Done",
        "Done",
        "Taken",
        "Done",
        "Duplicate",
    ]
    async with store.read() as snapshot:
        assert await snapshot.transactions.counts() == {
            ("r", Status.PENDING): 2,
            ("r", Status.SENT): 1,
            ("r", Status.FAILED): 1,
        }
        assert await snapshot.relayers.open_count("r") == 3


async def test_later_changes_of_one_call_see_the_earlier_ones(store: Store) -> None:
    first = an_accept(key="k")
    made, again = await store.write_all([first, an_accept(key="k")])
    assert isinstance(made, Accepted)
    assert again == Duplicate(first.transaction_id, b"body")
    both = [progress(advance(made.transaction, final(made.transaction))) for _ in range(2)]
    assert await store.write_all(both) == [Done(), Stale()]


async def test_no_changes_have_no_outcomes(store: Store) -> None:
    assert await store.write_all([]) == []


def _poison(kind: str, victim: Accept) -> Accept:
    match kind:
        case "an id that is taken":
            return replace(an_accept(), transaction_id=victim.transaction_id)
        case "a number the engine cannot hold":
            return an_accept(limit=2**63)
        case "text that is not text":
            return replace(an_accept(), transaction_id="\ud800")
        case _:
            return replace(an_accept(), revision=replace(victim.revision, content=object()))


@pytest.mark.parametrize(
    "kind",
    ["an id that is taken", "a number the engine cannot hold", "text that is not text", "content that is not JSON"],
)
async def test_a_change_that_cannot_be_stored_spoils_nobody_elses(store: Store, kind: str) -> None:
    first = an_accept()
    await store.write(first)
    poison = _poison(kind, first)
    good = [an_accept() for _ in range(10)]
    results = await asyncio.wait_for(
        asyncio.gather(*(store.write(change) for change in (*good[:5], poison, *good[5:])), return_exceptions=True),
        timeout=30,
    )
    assert [type(result) for result in results] == [Accepted] * 5 + [Bug] + [Accepted] * 5
    assert len(await page_ids(store)) == 11
    numbers = [result.transaction.seq for result in results if isinstance(result, Accepted)]
    assert sorted(numbers) == list(range(2, 12))
    assert isinstance(await store.write(an_accept()), Accepted)


async def test_a_call_with_a_change_that_cannot_be_stored_stores_none_of_its_own(store: Store) -> None:
    transaction = await accepted(store)
    nonsense = progress(advance(transaction, State(Status.SENT)))
    with pytest.raises(Bug):
        await store.write_all([an_accept(), nonsense, an_accept()])
    assert await page_ids(store) == [transaction.id]


async def test_a_change_whose_asker_went_away_stands_all_the_same(store: Store) -> None:
    change = an_accept()
    asking = asyncio.ensure_future(store.write(change))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert isinstance(await store.write(an_accept()), Accepted)
    assert change.transaction_id in await page_ids(store)


async def test_a_snapshot_does_not_see_later_commits(store: Store) -> None:
    first = await accepted(store)
    async with store.read() as snapshot:
        assert await snapshot.transactions.transaction("r", first.id) == first
        await store.write(progress(advance(first, final(first))))
        await accepted(store)
        await store.write(CreateNotification(a_notification()))
        assert await snapshot.transactions.transaction("r", first.id) == first
        assert (await snapshot.transactions.page("r", 1, 10, ListFilter())).total == 1
        assert len(await snapshot.transactions.events(first.id)) == 1
        assert await snapshot.notifications.one("n") is None
        assert await snapshot.transactions.counts() == {("r", Status.PENDING): 1}
    assert (await refreshed(store, first)).status is Status.FAILED


async def test_a_snapshot_sees_all_that_was_answered_before_it(store: Store) -> None:
    for _ in range(20):
        transaction = await accepted(store)
        assert await refreshed(store, transaction) == transaction


async def test_many_snapshots_at_once_are_all_served(store: Store) -> None:
    await accepted(store)
    found = await asyncio.gather(*(page_ids(store) for _ in range(50)))
    assert all(len(ids) == 1 for ids in found)


async def test_a_reader_that_is_cancelled_leaves_the_store_usable(store: Store) -> None:
    await accepted(store)
    for _ in range(20):
        reading = asyncio.ensure_future(page_ids(store))
        for _ in range(3):
            await asyncio.sleep(0)
        reading.cancel()
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    assert len(await asyncio.wait_for(page_ids(store), timeout=30)) == 1


async def test_an_error_inside_a_snapshot_gives_it_back(store: Store) -> None:
    async def fail() -> None:
        async with store.read() as snapshot:
            await snapshot.transactions.counts()
            raise ZeroDivisionError

    for _ in range(20):
        with pytest.raises(ZeroDivisionError):
            await fail()
    assert await asyncio.wait_for(page_ids(store), timeout=30) == []


async def test_watchers_of_a_topic_wake_after_its_commits_only(store: Store) -> None:
    mine, other, events, told = (store.watch(topic) for topic in ("r", "other", "events", "notifications"))
    transaction = await accepted(store)
    await asyncio.wait_for(mine.wait(), timeout=30)
    assert events.is_set()
    assert not other.is_set()
    assert not told.is_set()
    mine.clear()
    await store.write(progress(advance(transaction, final(transaction))))
    await asyncio.wait_for(mine.wait(), timeout=30)
    await store.write(CreateNotification(a_notification()))
    await asyncio.wait_for(told.wait(), timeout=30)


async def test_a_closed_store_refuses_instead_of_waiting(engine: Engine) -> None:
    store = await engine.open()
    queued = [asyncio.ensure_future(store.write(an_accept())) for _ in range(5)]
    await asyncio.sleep(0)
    await store.close()
    assert all(isinstance(outcome, Accepted) for outcome in await asyncio.gather(*queued))
    with pytest.raises(StoreUnavailable):
        await store.write(an_accept())
    with pytest.raises(StoreUnavailable):
        await asyncio.wait_for(page_ids(store), timeout=30)
    await store.close()
