"""Notifications and relayers: created once, updated by version, secrets encrypted at rest (S1)."""

import asyncio
from dataclasses import replace

from tests.contract.storage.conftest import Engine
from tests.contract.storage.making import NOON, a_notification

from baton.storage.base import Store, StoredRelayer
from baton.storage.changes import (
    CreateNotification,
    DeleteNotification,
    Done,
    Duplicate,
    RememberChain,
    SaveRelayer,
    Stale,
    UpdateNotification,
)


async def test_a_notification_comes_back_as_it_was_created(store: Store) -> None:
    for wanted in (a_notification("with"), a_notification("without", secret=None), a_notification("empty", secret="")):
        assert await store.write(CreateNotification(wanted)) == Done()
        async with store.read() as snapshot:
            assert await snapshot.notifications.one(wanted.id) == wanted
    async with store.read() as snapshot:
        assert await snapshot.notifications.one("unknown") is None


async def test_an_id_is_given_once_however_many_ask(store: Store) -> None:
    asked = [a_notification(url=f"https://{index}") for index in range(10)]
    outcomes = await asyncio.gather(*(store.write(CreateNotification(wanted)) for wanted in asked))
    assert (outcomes.count(Done()), outcomes.count(Duplicate())) == (1, 9)
    async with store.read() as snapshot:
        assert await snapshot.notifications.one("n") == asked[outcomes.index(Done())]


async def test_an_update_needs_the_version_seen(store: Store) -> None:
    first = a_notification()
    await store.write(CreateNotification(first))
    changed = replace(first, url="https://b", signing_key="another")
    assert await store.write(UpdateNotification(changed)) == Done()
    assert await store.write(UpdateNotification(replace(first, url="https://c"))) == Stale()
    async with store.read() as snapshot:
        assert await snapshot.notifications.one("n") == replace(changed, version=2)
    assert await store.write(UpdateNotification(replace(first, signing_key=None, version=2))) == Done()
    async with store.read() as snapshot:
        assert await snapshot.notifications.one("n") == replace(first, signing_key=None, version=3)


async def test_what_does_not_exist_can_be_neither_updated_nor_deleted(store: Store) -> None:
    assert await store.write(UpdateNotification(a_notification())) == Stale()
    assert await store.write(DeleteNotification("n")) == Stale()


async def test_a_deleted_one_is_gone_and_its_id_is_free(store: Store) -> None:
    await store.write(CreateNotification(a_notification()))
    assert await store.write(DeleteNotification("n")) == Done()
    async with store.read() as snapshot:
        assert await snapshot.notifications.one("n") is None
    assert await store.write(CreateNotification(a_notification())) == Done()


async def test_notifications_are_listed_newest_first(store: Store) -> None:
    for index in range(7):
        await store.write(CreateNotification(a_notification(f"n{index}")))
    await store.write(DeleteNotification("n3"))
    names = ["n6", "n5", "n4", "n2", "n1", "n0"]
    async with store.read() as snapshot:
        for page, per_page, expected in (
            (1, 4, names[:4]),
            (2, 4, names[4:]),
            (3, 4, []),
            (1, 0, []),
            (10**18, 10**18, []),
        ):
            found = await snapshot.notifications.page(page, per_page)
            assert ([entry.id for entry in found.items], found.total) == (expected, 6)


async def test_a_signing_key_is_never_on_the_disk_in_clear(engine: Engine) -> None:
    store = await engine.open()
    secrets = ["whsec-canary-7f3a", "whsec-canary-updated"]
    await store.write(CreateNotification(a_notification(secret=secrets[0])))
    await store.write(UpdateNotification(a_notification(secret=secrets[1])))
    while_open = engine.stored_bytes()
    await store.close()
    for stored in (while_open, engine.stored_bytes()):
        assert b"https://a" in stored
        assert not any(secret.encode() in stored for secret in secrets)


async def test_secrets_are_readable_after_a_restart(engine: Engine) -> None:
    store = await engine.open()
    await store.write(CreateNotification(a_notification()))
    await store.close()
    store = await engine.open()
    try:
        async with store.read() as snapshot:
            assert await snapshot.notifications.one("n") == a_notification()
    finally:
        await store.close()


async def test_a_relayer_is_saved_by_version(store: Store) -> None:
    first = SaveRelayer("a", NOON, version=0, origin="file", seed_hash="h1", entry={"cap": 2**128})
    assert await store.write(first) == Done()
    assert await store.write(first) == Stale()
    second = replace(first, version=1, seed_hash="h2", is_removed=True, disabled_reason="wrong chain", entry=[1])
    assert await store.write(second) == Done()
    assert await store.write(second) == Stale()
    assert await store.write(replace(second, relayer_id="b")) == Stale()
    async with store.read() as snapshot:
        assert await snapshot.relayers.all() == [StoredRelayer("a", 2, "file", "h2", [1], True, "wrong chain")]


async def test_the_identity_of_a_chain_is_remembered_and_replaced(store: Store) -> None:
    async with store.read() as snapshot:
        assert await snapshot.relayers.chain_identity("sepolia") is None
    for identity in ("11155111:0xaa", "11155111:0xbb"):
        assert await store.write(RememberChain("sepolia", identity)) == Done()
        async with store.read() as snapshot:
            assert await snapshot.relayers.chain_identity("sepolia") == identity
