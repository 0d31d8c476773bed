"""The feed and deliveries: dense positions, order per stream, tries that stay, replays, and what is forgotten (W1 to W3)."""

from dataclasses import replace
from datetime import datetime

import pytest
from msgspec.structs import replace as with_changes
from tests.contract.storage.making import (
    NOON,
    a_notification,
    accepted,
    advance,
    final,
    later,
    moved_to,
    owned,
    progress,
)

from baton.domain.delivery import Delivery, DeliveryStatus, Said, Try
from baton.domain.events import RelayerEvent, TransactionEvent
from baton.domain.notification import Health
from baton.domain.transaction import Transaction
from baton.storage.base import Store
from baton.storage.changes import (
    CreateNotification,
    DeleteNotification,
    Done,
    GiveUp,
    NotOwner,
    Publish,
    RecordTries,
    Replay,
    SaveRelayer,
    Stale,
    SweepDeliveries,
    SweepEvents,
    Swept,
    TryOutcome,
    UpdateNotification,
)

OK = Said(NOON, took_ms=3, status_code=204)
BAD = Said(NOON, took_ms=15_000, status_code=500, error="HTTP 500", excerpt="oops")


async def publish(store: Store, *hearers: str, at: datetime = NOON, limit: int = 1000) -> int:
    """Gives positions to everything that has none; every event is heard by the same notifications."""
    fence = await owned(store, "feed")
    async with store.read() as snapshot:
        waiting = await snapshot.feed.unpublished(limit)
    ordinals = tuple(ordinal for ordinal, _ in waiting)
    assert await store.write(Publish(fence, at, ordinals, (hearers,) * len(ordinals))) == Done()
    return len(ordinals)


async def due(store: Store, name: str = "n", now: datetime = NOON) -> list[str]:
    """What is due, as "transaction.number"."""
    async with store.read() as snapshot:
        found = await snapshot.deliveries.due(name, now, 1000)
    events = [one.told.event for one in found]
    return [f"{event.transaction_id}.{event.number}" for event in events if isinstance(event, TransactionEvent)]


async def listed(store: Store, name: str = "n", status: DeliveryStatus | None = None) -> list[Delivery]:
    async with store.read() as snapshot:
        return list((await snapshot.deliveries.page(name, 1, 1000, status)).items)


async def tell(
    store: Store,
    delivery_id: str,
    said: Said,
    *,
    next_due: datetime | None = None,
    at: datetime = NOON,
    gives_up: bool = False,
) -> None:
    status = DeliveryStatus.DELIVERED if said.is_taken else DeliveryStatus.PENDING
    status = DeliveryStatus.FAILED if gives_up else status
    fence = await owned(store, "notification/n")
    change = RecordTries(fence, "n", at, Health(), 1, (TryOutcome(delivery_id, said, status, next_due),))
    assert await store.write(change) == Done()


async def with_events(store: Store, count: int) -> Transaction:
    """A transaction with that many events."""
    transaction = await accepted(store)
    for number in range(count - 1):
        transaction = await moved_to(store, transaction, with_changes(transaction.state, reason=f"step {number}"))
    return transaction


async def test_positions_are_dense_and_in_order_of_commit(store: Store) -> None:
    first = await with_events(store, 3)
    await publish(store, limit=2)
    second = await with_events(store, 2)
    assert await publish(store) == 3
    async with store.read() as snapshot:
        told = await snapshot.feed.after(0, 100)
        assert await snapshot.feed.after(3, 1) == told[3:4]
        assert await snapshot.feed.bounds() == (1, 5)
    assert [one.position for one in told] == [1, 2, 3, 4, 5]
    events = [one.event for one in told]
    assert all(isinstance(event, TransactionEvent) for event in events)
    assert [(event.transaction_id, event.number) for event in events if isinstance(event, TransactionEvent)] == [
        (first.id, 1), (first.id, 2), (first.id, 3), (second.id, 1), (second.id, 2),
    ]  # fmt: skip


async def test_an_event_carries_the_state_of_its_own_moment(store: Store) -> None:
    transaction = await with_events(store, 3)
    await publish(store)
    async with store.read() as snapshot:
        told = await snapshot.feed.after(0, 100)
    views = [one.view for one in told]
    assert [view.state.reason for view in views if view] == [None, "step 0", "step 1"]
    assert [view.id for view in views if view] == [transaction.id] * 3


async def test_a_relayers_event_is_in_the_feed_too(store: Store) -> None:
    payload = {"payload_type": "relayer_paused"}
    await store.write(SaveRelayer("r", NOON, 0, "file", "h", {}, events=(payload,)))
    await store.write(CreateNotification(a_notification()))
    await publish(store, "n")
    async with store.read() as snapshot:
        (told,) = await snapshot.feed.after(0, 10)
        (one,) = await snapshot.deliveries.due("n", NOON, 10)
    assert isinstance(told.event, RelayerEvent)
    assert told.event.payload == payload
    assert one.told == told


async def test_an_event_gets_one_position_only(store: Store) -> None:
    await with_events(store, 2)
    fence = await owned(store, "feed")
    async with store.read() as snapshot:
        waiting = tuple(ordinal for ordinal, _ in await snapshot.feed.unpublished(10))
    assert await store.write(Publish(fence, NOON, waiting, ((), ()))) == Done()
    assert await store.write(Publish(fence, NOON, waiting[1:], ((),))) == Stale()
    async with store.read() as snapshot:
        assert await snapshot.feed.bounds() == (1, 2)


async def test_only_the_owner_of_the_feed_gives_positions(store: Store) -> None:
    await with_events(store, 1)
    old = await owned(store, "feed", "node-a")
    await owned(store, "feed", "node-b")
    assert await store.write(Publish(old, NOON, (1,), ((),))) == NotOwner()
    async with store.read() as snapshot:
        assert len(await snapshot.feed.unpublished(10)) == 1


async def test_of_one_transaction_only_the_first_that_is_not_done_is_due(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    one, two = await with_events(store, 3), await with_events(store, 1)
    await publish(store, "n")
    assert await due(store) == [f"{one.id}.1", f"{two.id}.1"]
    newest_first = await listed(store)
    by_number = {delivery.number: delivery.id for delivery in newest_first if delivery.transaction_id == one.id}
    await tell(store, by_number[1], OK)
    assert await due(store) == [f"{two.id}.1", f"{one.id}.2"] or await due(store) == [f"{one.id}.2", f"{two.id}.1"]
    await tell(store, by_number[2], BAD, next_due=later(300))
    assert await due(store) == [f"{two.id}.1"]
    assert await due(store, now=later(300)) == [f"{two.id}.1", f"{one.id}.2"]
    await tell(store, by_number[2], BAD, gives_up=True)
    assert f"{one.id}.3" in await due(store)


async def test_an_event_that_comes_while_an_earlier_one_waits_stands_behind_it(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    transaction = await with_events(store, 1)
    await publish(store, "n")
    assert await store.write(progress(advance(transaction, final(transaction)))) == Done()
    await publish(store, "n")
    assert await due(store) == [f"{transaction.id}.1"]
    (second, first) = await listed(store)
    assert (second.due_at, first.due_at) == (None, NOON)
    await tell(store, first.id, OK, at=later(5))
    assert await due(store, now=later(5)) == [f"{transaction.id}.2"]


async def test_every_try_is_kept(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    await with_events(store, 1)
    await publish(store, "n")
    (delivery,) = await listed(store)
    await tell(store, delivery.id, BAD, next_due=later(5))
    await tell(store, delivery.id, OK, at=later(6))
    async with store.read() as snapshot:
        assert await snapshot.deliveries.tries(delivery.id) == [Try(1, BAD), Try(2, OK)]
        done = await snapshot.deliveries.one("n", delivery.id)
    assert done is not None
    assert (done.status, done.tries, done.finished_at, done.due_at) == (DeliveryStatus.DELIVERED, 2, later(6), None)
    await tell(store, delivery.id, BAD)  # a late answer of a try that was given up changes nothing
    async with store.read() as snapshot:
        assert len(await snapshot.deliveries.tries(delivery.id)) == 2
        assert await snapshot.deliveries.one("n", delivery.id) == done


async def test_tries_are_written_by_the_owner_only(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    old = await owned(store, "notification/n", "node-a")
    await owned(store, "notification/n", "node-b")
    health = Health(failures=9)
    assert await store.write(RecordTries(old, "n", NOON, health, 1, ())) == NotOwner()
    assert await store.write(GiveUp(old, "n", NOON, NOON, "late")) == NotOwner()
    async with store.read() as snapshot:
        assert await snapshot.notifications.health("n") == Health()


async def test_a_receivers_health_is_kept_and_a_patch_makes_it_whole(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    await with_events(store, 1)
    await publish(store, "n")
    (delivery,) = await listed(store)
    fence = await owned(store, "notification/n")
    ill = Health(7, NOON, later(60), "gone")
    outcome = TryOutcome(delivery.id, BAD, DeliveryStatus.PENDING, later(9000))
    assert await store.write(RecordTries(fence, "n", NOON, ill, 1, (outcome,))) == Done()
    async with store.read() as snapshot:
        assert await snapshot.notifications.health("n") == ill
        assert await snapshot.deliveries.with_due(later(10_000)) == []
        assert await snapshot.deliveries.with_overdue(later(1)) == ["n"]
    assert await store.write(UpdateNotification(a_notification(), at=later(30))) == Done()
    late = RecordTries(fence, "n", later(31), ill, 1, ())  # of a try that began before the change
    assert await store.write(late) == Done()
    async with store.read() as snapshot:
        assert await snapshot.notifications.health("n") == Health()
        assert await snapshot.deliveries.with_due(later(30)) == ["n"]
        assert await snapshot.deliveries.next_due("n", NOON) == later(30)


async def test_when_a_receiver_answers_again_all_that_waits_is_due(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    for _ in range(3):
        await with_events(store, 1)
    await publish(store, "n")
    long_ago, just_now, tried = await listed(store)
    fence = await owned(store, "notification/n")
    tries = (
        TryOutcome(long_ago.id, replace(BAD, at=NOON), DeliveryStatus.PENDING, later(9000)),
        TryOutcome(just_now.id, replace(BAD, at=later(99)), DeliveryStatus.PENDING, later(9000)),
    )
    await store.write(RecordTries(fence, "n", later(99), Health(2, NOON), 1, tries))
    answered = TryOutcome(tried.id, replace(OK, at=later(100)), DeliveryStatus.DELIVERED)
    await store.write(RecordTries(fence, "n", later(100), Health(), 1, (answered,), makes_all_due=True))
    async with store.read() as snapshot:
        found = {one.id: one for one in (await snapshot.deliveries.page("n", 1, 10)).items}
    assert found[long_ago.id].due_at == later(100)
    assert found[just_now.id].due_at == later(159)  # a minute after its last try


async def test_what_is_overdue_is_given_up_with_the_reason(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    await with_events(store, 5)
    await publish(store, "n")
    fence = await owned(store, "notification/n")
    change = GiveUp(fence, "n", later(100), later(1), "it never answered", limit=3)
    assert await store.write(change) == Swept(3)
    assert await store.write(change) == Swept(2)
    assert await store.write(change) == Swept(0)
    failed = await listed(store, status=DeliveryStatus.FAILED)
    assert {delivery.reason for delivery in failed} == {"it never answered"}
    assert len(failed) == 5


async def test_a_replay_is_a_new_delivery_of_the_same_event(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    await with_events(store, 2)
    await publish(store, "n")
    second, first = await listed(store)
    await tell(store, first.id, OK)
    await tell(store, second.id, BAD, gives_up=True)
    assert await store.write(Replay("n", second.id, "again-2", later(9))) == Done()
    assert await store.write(Replay("n", first.id, "again-1", later(9))) == Done()
    assert await store.write(Replay("n", "unknown", "x", later(9))) == Stale()
    assert await store.write(Replay("other", first.id, "x", later(9))) == Stale()
    again_1, again_2, *_ = await listed(store)
    assert (again_1.replay_of, again_2.replay_of) == (first.id, second.id)
    assert (again_1.event_id, again_2.event_id) == (first.event_id, second.event_id)
    assert (again_2.since, again_2.due_at, again_1.due_at) == (later(9), later(9), None)  # replays too go one by one


async def test_what_was_meant_for_a_deleted_notification_never_reaches_a_new_one_of_its_name(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    await with_events(store, 2)
    await publish(store, "n")
    await store.write(DeleteNotification("n"))
    await store.write(CreateNotification(a_notification()))
    assert await due(store) == []
    assert await listed(store) == []
    assert await store.write(SweepDeliveries(NOON)) == Swept(2)
    assert await store.write(SweepDeliveries(NOON)) == Swept(0)


async def test_a_notification_that_is_gone_hears_nothing(store: Store) -> None:
    await with_events(store, 1)
    assert await publish(store, "nobody") == 1
    async with store.read() as snapshot:
        assert await snapshot.feed.bounds() == (1, 1)


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_old_deliveries_are_forgotten_in_small_batches(store: Store, limit: int) -> None:
    await store.write(CreateNotification(a_notification()))
    for _ in range(4):
        await with_events(store, 1)
    await publish(store, "n")
    deliveries = await listed(store)
    for index, delivery in enumerate(deliveries[:3]):
        await tell(store, delivery.id, OK, at=later(index))
    swept = 0
    while outcome := await store.write(SweepDeliveries(later(2), limit)):
        assert isinstance(outcome, Swept)
        if not outcome.count:
            break
        swept += outcome.count
    assert swept == 2
    assert len(await listed(store)) == 2


async def test_events_are_forgotten_from_the_low_end_and_never_while_someone_waits(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    await with_events(store, 2)
    await publish(store)
    await with_events(store, 1)
    await publish(store, "n")
    await with_events(store, 1)
    await publish(store)
    assert await store.write(SweepEvents(NOON)) == Swept(0)
    assert await store.write(SweepEvents(later(1), limit=1)) == Swept(1)
    assert await store.write(SweepEvents(later(1))) == Swept(1)
    async with store.read() as snapshot:
        assert await snapshot.feed.bounds() == (3, 4)
    (delivery,) = await listed(store)
    await tell(store, delivery.id, OK)
    assert await store.write(SweepEvents(later(1))) == Swept(2)
    assert await store.write(Replay("n", delivery.id, "again", NOON)) == Stale()
    await with_events(store, 1)
    await publish(store)
    async with store.read() as snapshot:
        assert await snapshot.feed.bounds() == (5, 5)
        assert [one.position for one in await snapshot.feed.after(0, 10)] == [5]


async def test_the_previous_key_is_kept_sealed_with_its_time(store: Store) -> None:
    await store.write(CreateNotification(a_notification(secret="old")))
    rotated = replace(a_notification(secret="new"), previous_key="old", previous_until=later(60))
    assert await store.write(UpdateNotification(rotated)) == Done()
    async with store.read() as snapshot:
        found = await snapshot.notifications.one("n")
    assert found == replace(rotated, version=2)
    assert found is not None
    assert found.keys_at(later(59)) == ["new", "old"]
    assert found.keys_at(later(60)) == ["new"]
