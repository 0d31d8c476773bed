"""Progress: compare-and-set, all or nothing, events without holes, final never changes (D2, D4, W1, C3)."""

import asyncio

import pytest
from msgspec.structs import replace
from tests.contract.storage.making import (
    NOON,
    accepted,
    advance,
    an_attempt,
    final,
    hold,
    later,
    moved_to,
    progress,
    refreshed,
    sent,
    signing,
)

from baton.domain.errors import Bug
from baton.domain.status import FINAL, Status
from baton.domain.transaction import Block, Fate, Intent, IntentKind, Revision, State
from baton.storage.base import Store
from baton.storage.changes import Advance, AttemptNews, Done, Stale


async def test_a_change_with_the_version_seen_is_done_and_the_version_grows(store: Store) -> None:
    transaction = await accepted(store)
    state = final(transaction, Status.CANCELED)
    now = await moved_to(store, transaction, state)
    assert (now.version, now.events, now.state) == (2, 2, state)


async def test_a_change_with_another_version_is_stale_and_changes_nothing(store: Store) -> None:
    transaction = await accepted(store)
    for version in (0, 2):
        old = replace(transaction, version=version)
        assert await store.write(progress(advance(old, final(transaction)))) == Stale()
    assert await refreshed(store, transaction) == transaction


async def test_a_transaction_that_does_not_exist_is_stale(store: Store) -> None:
    assert await store.write(progress(Advance("no-such-id", 1, (State(Status.FAILED),)))) == Stale()


async def test_of_many_writers_with_the_same_version_one_wins(store: Store) -> None:
    transaction = await accepted(store)
    reasons = [f"reason {index}" for index in range(20)]
    outcomes = await asyncio.gather(
        *(store.write(progress(advance(transaction, final(transaction, reason=reason)))) for reason in reasons)
    )
    assert (outcomes.count(Done()), outcomes.count(Stale())) == (1, 19)
    winner = (await refreshed(store, transaction)).state.reason
    assert winner == reasons[outcomes.index(Done())]


@pytest.mark.parametrize("status", sorted(FINAL - {Status.CONFIRMED}))
async def test_final_never_changes(store: Store, status: Status) -> None:
    transaction = await accepted(store)
    ended = await moved_to(store, transaction, final(transaction, status))
    assert await store.write(progress(advance(ended, State(Status.PENDING)))) == Stale()
    assert await store.write(progress(advance(ended, intent=Intent(IntentKind.CANCEL, 1)))) == Stale()
    assert await refreshed(store, ended) == ended


async def test_a_confirmed_transaction_never_changes(store: Store) -> None:
    transaction = await accepted(store)
    attempt = an_attempt(transaction, 0)
    state = replace(sent(transaction, attempt), status=Status.MINED)
    done = replace(state, status=Status.CONFIRMED, confirmed_at=later(9))
    await store.write(
        progress(
            advance(transaction, sent(transaction, attempt), state, done), attempts=(attempt,), slots=(hold(attempt),)
        )
    )
    ended = await refreshed(store, transaction)
    assert ended.state == done
    assert await store.write(progress(advance(ended, state))) == Stale()


async def test_each_step_becomes_an_event_numbered_without_holes_and_equal_to_the_state(store: Store) -> None:
    transaction = await accepted(store)
    attempt = an_attempt(transaction, 3)
    first = sent(transaction, attempt)
    steps = [
        first,
        replace(first, status=Status.SUBMITTED, sent_at=later(1)),
        replace(first, status=Status.MINED, sent_at=later(1)),
    ]
    change = progress(advance(transaction, *steps[:1]), attempts=(attempt,), slots=(hold(attempt),), at=later(1))
    assert await store.write(change) == Done()
    now = await moved_to(store, await refreshed(store, transaction), *steps[1:])
    async with store.read() as snapshot:
        events = await snapshot.transactions.events(transaction.id)
    assert [event.number for event in events] == [1, 2, 3, 4]
    assert [event.state for event in events] == [transaction.state, *steps]
    assert [event.at for event in events] == [NOON, later(1), NOON, NOON]
    assert (now.events, now.version, now.state) == (4, 3, steps[-1])
    assert len({event.id for event in events}) == 4


async def test_a_stale_part_undoes_the_whole_change(store: Store) -> None:
    fresh, stale = await accepted(store), await accepted(store)
    attempt = an_attempt(fresh, 7)
    outcome = await store.write(
        progress(
            advance(fresh, sent(fresh, attempt), revision=Revision(2, {"new": True})),
            advance(replace(stale, version=9), final(stale)),
            attempts=(attempt,),
            slots=(hold(attempt),),
        )
    )
    assert outcome == Stale()
    async with store.read() as snapshot:
        assert await snapshot.transactions.transaction("r", fresh.id) == fresh
        assert await snapshot.transactions.attempts(fresh.id) == []
        assert len(await snapshot.transactions.events(fresh.id)) == 1
        assert await snapshot.lanes.highest_slot("chain-1", "0xabc") is None
        assert await snapshot.transactions.counts() == {("r", Status.PENDING): 2}
    assert await store.write(signing(fresh, 7)) == Done()


async def test_counts_and_the_open_count_follow_the_statuses(store: Store) -> None:
    transactions = [await accepted(store) for _ in range(4)]
    await store.write(signing(transactions[0], 0))
    await moved_to(store, transactions[1], final(transactions[1]))
    await accepted(store, "other")
    async with store.read() as snapshot:
        counts = await snapshot.transactions.counts()
        open_counts = [await snapshot.relayers.open_count(name) for name in ("r", "other", "unknown")]
    assert counts == {
        ("r", Status.PENDING): 2,
        ("r", Status.SENT): 1,
        ("r", Status.FAILED): 1,
        ("other", Status.PENDING): 1,
    }
    assert open_counts == [3, 1, 0]


async def test_a_replace_keeps_every_revision_and_shows_the_newest(store: Store) -> None:
    transaction = await accepted(store)
    revision = Revision(2, {"value": 10**30}, valid_until=later(60))
    now = replace(transaction.state, revision=2)
    assert await store.write(progress(advance(transaction, now, revision=revision))) == Done()
    async with store.read() as snapshot:
        view = await snapshot.transactions.view("r", transaction.id)
        events = await snapshot.transactions.events(transaction.id)
    assert view is not None
    assert view.revision == revision
    assert [event.state.revision for event in events] == [1, 2]


async def test_an_intent_waits_with_its_revision_and_tells_no_event_of_its_own(store: Store) -> None:
    transaction = await accepted(store)
    await store.write(signing(transaction, 0))
    now = await refreshed(store, transaction)
    intent = Intent(IntentKind.REPLACE, 2)
    assert await store.write(progress(advance(now, intent=intent, revision=Revision(2, {"value": 2})))) == Done()
    waiting = await refreshed(store, now)
    assert (waiting.intent, waiting.version, waiting.events, waiting.state) == (intent, 3, 2, now.state)
    async with store.read() as snapshot:
        found = await snapshot.lanes.with_intent("r", 10)
        assert [(entry.transaction, len(entry.attempts)) for entry in found] == [(waiting, 1)]
        assert await snapshot.lanes.with_intent("other", 10) == []


async def test_carrying_out_an_intent_takes_it_away(store: Store) -> None:
    transaction = await accepted(store)
    intent = Intent(IntentKind.CANCEL, 1)
    wanted = replace(transaction.state, is_canceled=True)
    assert await store.write(progress(advance(transaction, wanted, intent=intent))) == Done()
    waiting = await refreshed(store, transaction)
    assert (waiting.intent, waiting.state) == (intent, wanted)
    ended = await moved_to(store, waiting, replace(wanted, status=Status.CANCELED))
    assert ended.intent is None
    async with store.read() as snapshot:
        assert await snapshot.lanes.with_intent("r", 10) == []


async def test_news_of_an_attempt_are_kept_and_the_first_acceptance_stays(store: Store) -> None:
    transaction = await accepted(store)
    attempt = an_attempt(transaction, 1)
    await store.write(
        progress(advance(transaction, sent(transaction, attempt)), attempts=(attempt,), slots=(hold(attempt),))
    )
    block = Block(12, "0xb10c")
    for news in (
        AttemptNews(attempt.id, Fate.OPEN, accepted_at=later(1)),
        AttemptNews(attempt.id, Fate.INCLUDED, block=block, accepted_at=later(2), outcome={"gas_used": 2**70}),
        AttemptNews(attempt.id, Fate.INCLUDED, block=block),
    ):
        assert await store.write(progress(news=(news,))) == Done()
    async with store.read() as snapshot:
        found = await snapshot.transactions.attempts(transaction.id)
    assert found == [
        replace(attempt, fate=Fate.INCLUDED, block=block, accepted_at=later(1), outcome={"gas_used": 2**70})
    ]


async def test_a_reorganised_attempt_loses_its_block(store: Store) -> None:
    transaction = await accepted(store)
    attempt = an_attempt(transaction, 1)
    await store.write(progress(attempts=(attempt,), slots=(hold(attempt),)))
    await store.write(progress(news=(AttemptNews(attempt.id, Fate.INCLUDED, block=Block(1, "0x1")),)))
    await store.write(progress(news=(AttemptNews(attempt.id, Fate.OPEN),)))
    async with store.read() as snapshot:
        (found,) = await snapshot.transactions.attempts(transaction.id)
    assert (found.fate, found.block) == (Fate.OPEN, None)


async def test_a_state_that_makes_no_sense_is_refused_by_the_store_itself(store: Store) -> None:
    transaction = await accepted(store)
    for nonsense in (
        State(Status.SENT),  # without an attempt
        State(Status.CONFIRMED, attempt_id="a"),  # without its moment
        State(Status.PENDING, attempt_id="a"),
        State(Status.FAILED, confirmed_at=NOON),
    ):
        with pytest.raises(Bug):
            await store.write(progress(advance(transaction, nonsense)))
    assert await refreshed(store, transaction) == transaction
