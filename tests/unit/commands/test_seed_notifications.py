"""The file's notifications at each start: the file seeds, the store rules."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.contract.storage.making import owned
from tests.fakes import FakeClock, FrailStore
from tests.house import language_of

from baton.commands import notifications
from baton.commands.context import Context
from baton.commands.notifications import NotificationPatch
from baton.commands.registry import Relayers
from baton.commands.seed import seed
from baton.config import Sources, read_config
from baton.domain.errors import StoreUnavailable
from baton.domain.json import Json
from baton.domain.notification import Health, Notification
from baton.storage.changes import CreateNotification, RecordTries, SeedNotification, Stale
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore

HOOK: dict[str, Json] = {"id": "hook", "url": "https://a", "signing_key": {"type": "env", "value": "KEY"}}
OVERLAP_HOURS = 6


class Starts:
    """A store that is started on, again and again, with one file or another."""

    def __init__(self, store: FrailStore) -> None:
        self.store = store
        self.clock = FakeClock()
        self.context = Context(store, Relayers(language_of, []), self.clock)

    async def start(self, *entries: Json, key: str = "one") -> list[Any]:
        """What the log says during it."""
        environ = {"KEY": key, "BATON_KEY_OVERLAP_HOURS": str(OVERLAP_HOURS)}
        config = read_config({"notifications": list(entries)}, Sources(environ, Path()))
        with capture_logs() as records:
            await seed(self.store, config, {}, self.clock)
        return records

    async def found(self) -> Notification | None:
        async with self.store.read() as snapshot:
            return await snapshot.notifications.one("hook")

    async def patch(self, **changes: str) -> None:
        await notifications.update(self.context, "hook", NotificationPatch(**changes))

    async def delete(self) -> None:
        await notifications.delete(self.context, "hook")


@pytest.fixture
async def starts(tmp_path: Path) -> AsyncIterator[Starts]:
    store = FrailStore(await SqliteStore.open(tmp_path, Cipher(bytes(32))))
    yield Starts(store)
    await store.close()


def said(records: list[Any]) -> list[tuple[str, str]]:
    assert all(record["notification"] == "hook" for record in records)
    return [(record["log_level"], record["event"]) for record in records]


AGAIN = ("info", "notification_entry_applied_again")
NOT_APPLIED = ("warning", "notification_entry_not_applied")
REMOVED = ("warning", "notification_removed")


async def test_an_entry_makes_a_notification_once(starts: Starts) -> None:
    made = Notification("hook", "https://a", starts.clock.now(), "one")
    assert said(await starts.start(HOOK)) == []
    assert await starts.found() == made
    starts.store.written.clear()
    assert said(await starts.start(HOOK)) == []
    assert (await starts.found(), starts.store.written) == (made, [])


async def test_an_unchanged_entry_keeps_what_was_changed_over_the_api(starts: Starts) -> None:
    await starts.start(HOOK)
    await starts.patch(url="https://patched", signing_key="patched")
    before = await starts.found()
    assert said(await starts.start(HOOK)) == []
    assert await starts.found() == before


async def test_a_changed_entry_is_applied_again_over_what_the_api_changed(starts: Starts) -> None:
    await starts.start(HOOK)
    await starts.patch(url="https://patched")
    assert said(await starts.start({**HOOK, "url": "https://b"})) == [AGAIN]
    found = await starts.found()
    assert found is not None
    assert (found.url, found.signing_key, found.previous_key, found.version) == ("https://b", "one", None, 3)
    assert said(await starts.start({**HOOK, "url": "https://b"})) == []


async def test_a_new_key_behind_the_same_variable_is_a_change_and_the_old_one_signs_on_for_a_while(
    starts: Starts,
) -> None:
    await starts.start(HOOK)
    records = await starts.start(HOOK, key="two")
    assert said(records) == [AGAIN]
    assert "two" not in str(records)
    found = await starts.found()
    assert found is not None
    until = starts.clock.now() + timedelta(hours=OVERLAP_HOURS)
    assert (found.signing_key, found.previous_key, found.previous_until) == ("two", "one", until)


async def test_the_key_that_signs_on_is_the_one_in_force_not_the_files_old_one(starts: Starts) -> None:
    await starts.start(HOOK)
    await starts.patch(signing_key="patched")
    await starts.start(HOOK, key="two")
    found = await starts.found()
    assert found is not None
    assert found.keys_at(starts.clock.now()) == ["two", "patched"]


async def test_a_key_that_left_the_entry_signs_no_more(starts: Starts) -> None:
    await starts.start(HOOK)
    assert said(await starts.start({"id": "hook", "url": "https://a"})) == [AGAIN]
    found = await starts.found()
    assert found is not None
    assert found.keys_at(starts.clock.now()) == []


async def test_a_changed_entry_makes_a_receiver_whole_that_said_it_is_gone(starts: Starts) -> None:
    await starts.start(HOOK)
    gone = Health(1, starts.clock.now(), None, "410")
    fence = await owned(starts.store)
    await starts.store.write(RecordTries(fence, "hook", starts.clock.now(), gone, version=1, tries=()))
    async with starts.store.read() as snapshot:
        assert await snapshot.notifications.health("hook") == gone
    await starts.start({**HOOK, "url": "https://b"})
    async with starts.store.read() as snapshot:
        assert await snapshot.notifications.health("hook") == Health()


async def test_a_removed_entry_leaves_its_notification_as_it_is_and_says_so_once(starts: Starts) -> None:
    await starts.start(HOOK)
    await starts.patch(url="https://patched")
    before = await starts.found()
    assert said(await starts.start()) == [REMOVED]
    assert said(await starts.start()) == []
    assert await starts.found() == before


async def test_an_entry_that_comes_back_unchanged_keeps_what_the_api_changed_meanwhile(starts: Starts) -> None:
    await starts.start(HOOK)
    await starts.start()
    await starts.patch(url="https://patched")
    before = await starts.found()
    assert said(await starts.start(HOOK)) == []
    assert await starts.found() == before
    assert said(await starts.start()) == [REMOVED], "it is in the file again since"


async def test_what_the_api_deleted_stays_deleted_until_its_entry_changes(starts: Starts) -> None:
    await starts.start(HOOK)
    await starts.delete()
    for _ in range(2):
        assert said(await starts.start(HOOK)) == [NOT_APPLIED]
        assert await starts.found() is None
    starts.clock.advance(1)
    assert said(await starts.start(HOOK, key="two")) == [AGAIN]
    assert await starts.found() == Notification("hook", "https://a", starts.clock.now(), "two")


async def test_an_entry_that_left_the_file_and_comes_back_makes_the_deleted_one_anew(starts: Starts) -> None:
    await starts.start(HOOK)
    await starts.delete()
    assert said(await starts.start()) == []
    assert said(await starts.start(HOOK)) == [AGAIN]
    assert await starts.found() is not None


async def test_a_notification_of_the_api_is_never_touched_whatever_the_file_says(starts: Starts) -> None:
    await notifications.create(starts.context, "https://api", "hook", "api key")
    before = await starts.found()
    for entries in ([HOOK], [HOOK], [{**HOOK, "url": "https://b"}], []):
        assert said(await starts.start(*entries)) == [NOT_APPLIED for _ in entries]
        assert await starts.found() == before


async def test_one_that_the_api_made_in_place_of_the_files_is_the_apis(starts: Starts) -> None:
    await starts.start(HOOK)
    await starts.delete()
    before = await notifications.create(starts.context, "https://api", "hook")
    for entries in ([HOOK], [{**HOOK, "url": "https://b"}], []):
        assert said(await starts.start(*entries)) == [NOT_APPLIED for _ in entries]
        assert await starts.found() == before


async def test_one_from_a_store_that_remembered_no_entries_is_taken_for_the_files_as_it_stands(starts: Starts) -> None:
    before = Notification("hook", "https://earlier", starts.clock.now(), "earlier")
    await starts.store.write(SeedNotification("hook", 0, None, CreateNotification(before)))
    assert said(await starts.start()) == []
    assert said(await starts.start(HOOK)) == []
    assert await starts.found() == before
    assert said(await starts.start(HOOK, key="two")) == [AGAIN]


async def test_an_entry_of_the_id_of_one_that_was_deleted_in_such_a_store_makes_it(starts: Starts) -> None:
    before = Notification("hook", "https://earlier", starts.clock.now())
    await starts.store.write(SeedNotification("hook", 0, None, CreateNotification(before)))
    await starts.delete()
    await starts.start(HOOK)
    assert await starts.found() == Notification("hook", "https://a", starts.clock.now(), "one")


async def test_two_entries_change_places_without_touching_each_other(starts: Starts) -> None:
    other = {"id": "other", "url": "https://other"}
    await starts.start(HOOK, other)
    starts.store.written.clear()
    assert said(await starts.start(other, HOOK)) == []
    assert starts.store.written == []


async def test_a_start_looks_again_when_another_node_came_first(starts: Starts) -> None:
    await starts.start(HOOK)
    starts.store.answers = [Stale()]
    assert said(await starts.start({**HOOK, "url": "https://b"})) == [AGAIN]
    found = await starts.found()
    assert found is not None
    assert found.url == "https://b"


async def test_a_start_that_never_comes_through_says_so(starts: Starts) -> None:
    starts.store.answers = [Stale()] * 5
    with pytest.raises(StoreUnavailable, match="start again"):
        await starts.start(HOOK)
