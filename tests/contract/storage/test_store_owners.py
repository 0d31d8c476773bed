"""Lanes, heartbeats and fences: an older epoch is refused by the database itself (M1, M2)."""

import asyncio

import pytest
from tests.contract.storage.making import NOON, accepted, later, owned, progress, refreshed, signing

from baton.storage.base import Store
from baton.storage.changes import Done, Fence, Heartbeat, LeaveLane, NotOwner, Owned, TakeLane


async def test_an_owner_writes_and_a_stranger_does_not(store: Store) -> None:
    transaction = await accepted(store)
    fence = await owned(store)
    for stranger in (Fence("lane", fence.epoch + 1), Fence("lane", fence.epoch - 1), Fence("other", fence.epoch)):
        assert await store.write(signing(transaction, 0, fence=stranger)) == NotOwner()
    assert await refreshed(store, transaction) == transaction
    assert await store.write(signing(transaction, 0, fence=fence)) == Done()


async def test_after_a_take_over_the_old_owner_changes_nothing(store: Store) -> None:
    transaction = await accepted(store)
    old = await owned(store, node="node-a")
    new = await owned(store, node="node-b")
    assert new.epoch == old.epoch + 1
    assert await store.write(signing(transaction, 0, fence=old)) == NotOwner()
    assert await store.write(progress(fence=old)) == NotOwner()
    assert await refreshed(store, transaction) == transaction
    assert await store.write(signing(transaction, 0, fence=new)) == Done()


async def test_a_lane_without_an_owner_takes_no_writes(store: Store) -> None:
    transaction = await accepted(store)
    fence = await owned(store)
    assert await store.write(LeaveLane(fence)) == Done()
    assert await store.write(signing(transaction, 0, fence=fence)) == NotOwner()
    assert await store.write(LeaveLane(fence)) == NotOwner()


async def test_only_the_owner_can_leave(store: Store) -> None:
    old = await owned(store, node="node-a")
    new = await owned(store, node="node-b")
    assert await store.write(LeaveLane(old)) == NotOwner()
    assert await store.write(LeaveLane(Fence("unknown", 1))) == NotOwner()
    assert await store.write(LeaveLane(new)) == Done()


async def test_a_living_owner_keeps_its_lane_and_a_dead_one_loses_it(store: Store) -> None:
    assert await store.write(Heartbeat("node-a", ttl_s=10, now=NOON)) == Done()
    first = await store.write(TakeLane("lane", "node-a", NOON))
    assert await store.write(TakeLane("lane", "node-b", later(9.9))) == NotOwner()
    assert await store.write(Heartbeat("node-a", ttl_s=10, now=later(9.9))) == Done()
    assert await store.write(TakeLane("lane", "node-b", later(19.8))) == NotOwner()
    taken = await store.write(TakeLane("lane", "node-b", later(19.9)))
    assert first == Owned(1)
    assert taken == Owned(2)


async def test_a_lane_that_was_left_is_free_although_its_owner_lives(store: Store) -> None:
    await store.write(Heartbeat("node-a", ttl_s=1000, now=NOON))
    fence = await owned(store, node="node-a")
    await store.write(LeaveLane(fence))
    assert await store.write(TakeLane("lane", "node-b", NOON)) == Owned(fence.epoch + 1)


async def test_taking_ones_own_lane_again_starts_a_new_epoch(store: Store) -> None:
    """A process that starts anew under its old name must not meet its own earlier writes."""
    await store.write(Heartbeat("node-a", ttl_s=1000, now=NOON))
    first, second = await owned(store), await owned(store)
    assert second.epoch == first.epoch + 1
    assert await store.write(progress(fence=first)) == NotOwner()


async def test_of_many_that_take_a_lane_at_once_each_epoch_is_given_once(store: Store) -> None:
    nodes = [f"node-{index}" for index in range(10)]
    await asyncio.gather(*(store.write(Heartbeat(node, ttl_s=60, now=NOON)) for node in nodes))
    outcomes = await asyncio.gather(*(store.write(TakeLane("lane", node, NOON)) for node in nodes))
    assert (outcomes.count(Owned(1)), outcomes.count(NotOwner())) == (1, 9)


@pytest.mark.parametrize("order", ["write first", "take-over first"])
async def test_a_write_and_a_take_over_in_one_group_keep_their_order(store: Store, order: str) -> None:
    transaction = await accepted(store)
    fence = await owned(store, node="node-a")
    write, take = signing(transaction, 0, fence=fence), TakeLane("lane", "node-b", NOON)
    if order == "write first":
        assert await store.write_all([write, take]) == [Done(), Owned(2)]
    else:
        assert await store.write_all([take, write]) == [Owned(2), NotOwner()]
        assert await refreshed(store, transaction) == transaction
