"""The data folder has one owner, and its secrets one key."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from tests.contract.storage.making import NOON, a_notification

from baton.domain.errors import Misconfigured
from baton.domain.notification import Notification
from baton.storage.changes import CreateNotification, Done, SaveRelayer, SeedNotification
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore
from baton.storage.sqlite.folder import lock_folder, make_folder

OLD, NEW = bytes(32), bytes(range(32))


async def test_a_second_start_names_the_process_that_holds_the_folder(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path, Cipher(OLD))
    with pytest.raises(Misconfigured, match=rf"in use by process {os.getpid()};"):
        await SqliteStore.open(tmp_path, Cipher(OLD))
    await store.close()
    await (await SqliteStore.open(tmp_path, Cipher(OLD))).close()


def test_another_process_is_kept_out_and_its_death_frees_the_folder(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from baton.storage.sqlite.folder import lock_folder;"
        "held = lock_folder(pathlib.Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"held\n"
        with pytest.raises(Misconfigured, match=f"process {owner.pid};"):
            lock_folder(tmp_path)
        owner.kill()
    lock_folder(tmp_path).close()


def test_a_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_that_was_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    make_folder(tmp_path / "ours")
    assert (tmp_path / "ours").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_was_there_keeps_its_rights(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    theirs.chmod(0o750)
    make_folder(theirs)
    assert theirs.stat().st_mode & 0o777 == 0o750


async def _stored(folder: Path, cipher: Cipher) -> Notification | None:
    store = await SqliteStore.open(folder, cipher)
    try:
        async with store.read() as snapshot:
            return await snapshot.notifications.one("n")
    finally:
        await store.close()


async def _create(folder: Path, cipher: Cipher, notification: Notification) -> None:
    store = await SqliteStore.open(folder, cipher)
    assert await store.write(CreateNotification(notification)) == Done()
    await store.close()


async def test_a_start_with_another_key_is_refused_and_lets_the_folder_go(tmp_path: Path) -> None:
    await _create(tmp_path, Cipher(OLD), a_notification())
    with pytest.raises(Misconfigured, match="STORAGE_ENCRYPTION_KEY"):
        await SqliteStore.open(tmp_path, Cipher(NEW))
    assert await _stored(tmp_path, Cipher(OLD)) == a_notification()


async def test_a_new_key_takes_over_at_the_start_and_the_old_one_may_then_go(tmp_path: Path) -> None:
    await _create(tmp_path, Cipher(OLD), a_notification())
    await _create(tmp_path, Cipher(NEW, OLD), replace(a_notification(), id="later"))
    assert await _stored(tmp_path, Cipher(NEW)) == a_notification()
    with pytest.raises(Misconfigured):
        await SqliteStore.open(tmp_path, Cipher(OLD))


async def test_the_entry_of_a_relayer_is_sealed_and_follows_a_new_key(tmp_path: Path) -> None:
    """The addresses of its nodes may carry keys."""
    entry = {"relayer": {"custom_rpc_urls": ["https://node.example/v3/a-key-of-a-hosted-node"]}}
    store = await SqliteStore.open(tmp_path, Cipher(OLD))
    assert await store.write(SaveRelayer("r", NOON, 0, "file", "hash", entry)) == Done()
    await store.close()
    assert all(b"a-key-of-a-hosted-node" not in file.read_bytes() for file in tmp_path.iterdir())
    await (await SqliteStore.open(tmp_path, Cipher(NEW, OLD))).close()
    store = await SqliteStore.open(tmp_path, Cipher(NEW))
    async with store.read() as snapshot:
        assert [one.entry for one in await snapshot.relayers.all()] == [entry]
    await store.close()


async def test_going_back_to_the_old_key_is_refused_at_the_start_not_at_the_first_webhook(tmp_path: Path) -> None:
    await _create(tmp_path, Cipher(OLD), replace(a_notification(), id="first", signing_key=None))
    await _create(tmp_path, Cipher(NEW, OLD), a_notification())
    with pytest.raises(Misconfigured):
        await SqliteStore.open(tmp_path, Cipher(OLD))


async def test_a_change_of_keys_killed_half_way_leaves_the_old_key_in_force(tmp_path: Path) -> None:
    await _create(tmp_path, Cipher(OLD), a_notification())
    spoiled = apsw.Connection(str(tmp_path / "baton.db"))
    spoiled.execute("CREATE TRIGGER stop BEFORE UPDATE ON facts BEGIN SELECT RAISE(ABORT, 'the power went'); END")
    spoiled.close()
    with pytest.raises(apsw.ConstraintError):
        await SqliteStore.open(tmp_path, Cipher(NEW, OLD))
    assert await _stored(tmp_path, Cipher(OLD)) == a_notification()


async def test_a_new_key_takes_over_what_is_remembered_of_the_file(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path, Cipher(OLD))
    await store.write(SeedNotification("n", 0, "hash", CreateNotification(a_notification())))
    await store.close()
    await (await SqliteStore.open(tmp_path, Cipher(NEW, OLD))).close()
    store = await SqliteStore.open(tmp_path, Cipher(NEW))
    try:
        async with store.read() as snapshot:
            assert [seed.seed_hash for seed in await snapshot.notifications.seeds()] == ["hash"]
    finally:
        await store.close()
