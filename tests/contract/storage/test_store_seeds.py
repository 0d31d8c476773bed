"""What the file said of a notification: remembered in one step with the notification, encrypted, beyond its deletion."""

from dataclasses import replace

import pytest
from tests.contract.storage.conftest import Engine
from tests.contract.storage.making import NOON, a_notification, later

from baton.domain.notification import Notification
from baton.storage.base import Store, StoredSeed
from baton.storage.changes import (
    CreateNotification,
    DeleteNotification,
    Done,
    Duplicate,
    SeedNotification,
    Stale,
    UpdateNotification,
)

MADE = SeedNotification("n", 0, "hash-1", CreateNotification(a_notification()))


async def seeds(store: Store) -> list[StoredSeed]:
    async with store.read() as snapshot:
        return await snapshot.notifications.seeds()


async def stored(store: Store) -> Notification | None:
    async with store.read() as snapshot:
        return await snapshot.notifications.one("n")


async def test_a_seed_is_remembered_with_the_notification_that_it_made(store: Store) -> None:
    assert await seeds(store) == []
    assert await store.write(MADE) == Done()
    assert await seeds(store) == [StoredSeed("n", 1, "hash-1", is_removed=False, is_standing=True)]
    assert await stored(store) == a_notification()


async def test_what_is_made_without_a_seed_has_none(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    assert await seeds(store) == []


async def test_an_id_that_is_taken_leaves_neither_seed_nor_change(store: Store) -> None:
    await store.write(CreateNotification(a_notification(url="https://first")))
    assert await store.write(MADE) == Duplicate()
    assert await seeds(store) == []
    assert await stored(store) == a_notification(url="https://first")


async def test_a_seed_and_its_update_are_one_step(store: Store) -> None:
    await store.write(MADE)
    wanted = replace(a_notification(url="https://b", secret="new"), previous_key="old", previous_until=later(60))
    change = SeedNotification("n", 1, "hash-2", UpdateNotification(wanted, NOON))
    assert await store.write(change) == Done()
    assert await seeds(store) == [StoredSeed("n", 2, "hash-2", is_removed=False, is_standing=True)]
    assert await stored(store) == replace(wanted, version=2)


@pytest.mark.parametrize(("seed_version", "version"), [(1, 7), (7, 1), (0, 1)])
async def test_of_a_step_with_one_stale_half_nothing_is_done(store: Store, seed_version: int, version: int) -> None:
    await store.write(MADE)
    before = await seeds(store)
    wanted = replace(a_notification(url="https://b"), version=version)
    assert await store.write(SeedNotification("n", seed_version, "hash-2", UpdateNotification(wanted))) == Stale()
    assert (await seeds(store), await stored(store)) == (before, a_notification())


async def test_a_seed_alone_leaves_the_notification_as_it_is(store: Store) -> None:
    await store.write(MADE)
    assert await store.write(SeedNotification("n", 1, "hash-1", is_removed=True)) == Done()
    assert await store.write(SeedNotification("n", 1, "hash-1", is_removed=True)) == Stale()
    assert await seeds(store) == [StoredSeed("n", 2, "hash-1", is_removed=True, is_standing=True)]
    assert await stored(store) == a_notification()
    assert await store.write(SeedNotification("unknown", 1, "hash-1")) == Stale()


async def test_a_seed_outlives_its_notification_and_can_make_it_anew(store: Store) -> None:
    await store.write(MADE)
    await store.write(DeleteNotification("n"))
    assert await seeds(store) == [StoredSeed("n", 1, "hash-1", is_removed=False, is_standing=False)]
    anew = CreateNotification(a_notification(url="https://b"))
    assert await store.write(SeedNotification("n", 0, "hash-2", anew)) == Stale()
    assert await store.write(SeedNotification("n", 2, "hash-2", anew)) == Stale()
    assert await stored(store) is None
    assert await store.write(SeedNotification("n", 1, "hash-2", anew)) == Done()
    assert await seeds(store) == [StoredSeed("n", 2, "hash-2", is_removed=False, is_standing=True)]
    assert await stored(store) == a_notification(url="https://b")


async def test_another_of_the_same_id_is_not_the_one_that_the_seed_made(store: Store) -> None:
    await store.write(MADE)
    await store.write(DeleteNotification("n"))
    await store.write(CreateNotification(a_notification(url="https://other")))
    assert [seed.is_standing for seed in await seeds(store)] == [False]
    change = UpdateNotification(a_notification(url="https://b"))
    assert await store.write(SeedNotification("n", 1, "hash-2", change)) == Stale()
    assert await store.write(SeedNotification("n", 1, "hash-2", CreateNotification(a_notification()))) == Duplicate()
    assert await stored(store) == a_notification(url="https://other")


async def test_one_refused_seed_holds_up_no_other(store: Store) -> None:
    other = SeedNotification("other", 0, "hash-3", CreateNotification(a_notification("other")))
    await store.write(CreateNotification(a_notification()))
    assert await store.write_all([MADE, other]) == [Duplicate(), Done()]
    assert [seed.notification_id for seed in await seeds(store)] == ["other"]


async def test_seeds_are_readable_after_a_restart_and_never_on_the_disk_in_clear(engine: Engine) -> None:
    """The hash is made with the signing key: in clear, a guessable key could be guessed by it."""
    store = await engine.open()
    await store.write(replace(MADE, seed_hash="hash-canary-51c2"))
    before = await seeds(store)
    await store.close()
    assert b"hash-canary" not in engine.stored_bytes()
    store = await engine.open()
    try:
        assert await seeds(store) == before
        assert before[0].seed_hash == "hash-canary-51c2"
        assert "canary" not in repr(before) + repr(replace(MADE, seed_hash="hash-canary-51c2"))
    finally:
        await store.close()
