"""D5: a full disk refuses and recovers; a failed fsync ends the process and is never retried."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import apsw
import pytest
from tests.contract.storage.making import an_accept, page_ids
from tests.faults.disk import Disk, simulated_disk
from tests.faults.judge import Acknowledged, judge

from baton.domain.errors import StoreUnavailable
from baton.storage.changes import Accepted
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore, group

ROOT = Path(__file__).parents[3]
KEY = bytes(32)


@pytest.fixture
def disk(request: pytest.FixtureRequest) -> Iterator[Disk]:
    with simulated_disk(f"disk of {request.node.name}") as made:
        yield made


@pytest.fixture
def fsync_failures() -> list[str]:
    return []


@pytest.fixture
async def store(disk: Disk, tmp_path: Path, fsync_failures: list[str]) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(
        tmp_path, Cipher(KEY), vfs=disk.name, on_fsync_failure=lambda: fsync_failures.append("fsync")
    )
    yield opened
    disk.refuse_write = disk.refuse_sync = None
    await opened.close()


async def test_a_full_disk_refuses_everyone_and_recovers_by_itself(
    disk: Disk, store: SqliteStore, tmp_path: Path
) -> None:
    kept = [an_accept() for _ in range(3)]
    await store.write_all(kept)
    disk.refuse_write = apsw.SQLITE_FULL
    refused = await asyncio.gather(*(store.write(an_accept()) for _ in range(20)), return_exceptions=True)
    assert [type(error) for error in refused] == [StoreUnavailable] * 20
    assert "disk is full" in str(refused[0])
    disk.refuse_write = None
    outcome = await store.write(after := an_accept())
    assert isinstance(outcome, Accepted)
    assert outcome.transaction.seq == 4
    await store.close()
    names = [change.transaction_id for change in (*kept, after)]
    verdict = judge(tmp_path, Acknowledged(accepted=names))
    assert (verdict.lost, verdict.broken) == ([], [])
    reopened = await SqliteStore.open(tmp_path, Cipher(KEY))
    assert sorted(await page_ids(reopened)) == sorted(names)
    await reopened.close()


async def test_a_disk_that_cannot_be_written_is_an_outage(disk: Disk, store: SqliteStore) -> None:
    disk.refuse_write = apsw.SQLITE_IOERR_WRITE
    with pytest.raises(StoreUnavailable, match="nothing was stored"):
        await store.write(an_accept())
    disk.refuse_write = None
    assert isinstance(await store.write(an_accept()), Accepted)


async def test_a_full_disk_at_the_start_is_an_outage_and_lets_the_folder_go(disk: Disk, tmp_path: Path) -> None:
    disk.refuse_write = apsw.SQLITE_FULL
    with pytest.raises(StoreUnavailable):
        await SqliteStore.open(tmp_path, Cipher(KEY), vfs=disk.name)
    disk.refuse_write = None
    await (await SqliteStore.open(tmp_path, Cipher(KEY), vfs=disk.name)).close()


async def test_a_failed_fsync_is_reported_once_and_nothing_is_acknowledged(
    disk: Disk, store: SqliteStore, fsync_failures: list[str]
) -> None:
    disk.refuse_sync = apsw.SQLITE_IOERR_FSYNC
    with pytest.raises(StoreUnavailable):
        await store.write(an_accept())
    assert fsync_failures == ["fsync"]


async def test_a_failed_fsync_in_a_checkpoint_is_not_hidden(
    disk: Disk, store: SqliteStore, fsync_failures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's own checkpoint after a commit would swallow it."""
    monkeypatch.setattr(group, "CHECKPOINT_PAGES", 1)
    disk.failing_file, disk.refuse_sync = "baton.db", apsw.SQLITE_IOERR_FSYNC
    assert isinstance(await store.write(an_accept()), Accepted)
    await store._writer.stop()  # type: ignore[union-attr]
    assert fsync_failures == ["fsync"]


async def test_a_checkpoint_on_a_full_disk_harms_nothing(
    disk: Disk, store: SqliteStore, fsync_failures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "CHECKPOINT_PAGES", 1)
    disk.failing_file, disk.refuse_write = "baton.db", apsw.SQLITE_FULL
    for _ in range(5):
        assert isinstance(await store.write(an_accept()), Accepted)
    assert fsync_failures == []


def test_a_failed_fsync_ends_the_process(tmp_path: Path) -> None:
    script = """
import apsw, asyncio, pathlib, sys
from tests.contract.storage.making import an_accept
from tests.faults.disk import simulated_disk
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore

async def main():
    with simulated_disk("failing") as disk:
        store = await SqliteStore.open(pathlib.Path(sys.argv[1]), Cipher(bytes(32)), vfs="failing")
        await store.write(an_accept())
        disk.refuse_sync = apsw.SQLITE_IOERR_FSYNC
        await store.write(an_accept())
        print("still alive")

asyncio.run(main())
"""
    ended = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == group.FSYNC_EXIT_CODE, ended.stderr
    assert "fsync_failed" in ended.stdout + ended.stderr
    assert "still alive" not in ended.stdout


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk of 4 MiB."""
    mount = shutil.which("mount")
    folder = tmp_path / "small"
    folder.mkdir()
    if mount is None or os.geteuid() != 0:
        pytest.skip("needs root and mount for a small tmpfs")
    command = [mount, "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if (done := subprocess.run(command, capture_output=True, check=False)).returncode != 0:
        pytest.skip(f"mount refused a small tmpfs: {done.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass


async def test_a_really_full_disk_refuses_and_recovers(small_disk: Path) -> None:
    store = await SqliteStore.open(small_disk / "data", Cipher(KEY))
    acknowledged = Acknowledged()
    ballast = small_disk / "ballast"
    for _ in range(2):
        _fill(ballast)
        refusals = 0
        while refusals < 5:
            changes = [an_accept(limit=10**9) for _ in range(50)]
            results = await asyncio.gather(*(store.write(change) for change in changes), return_exceptions=True)
            for change, result in zip(changes, results, strict=True):
                if isinstance(result, Accepted):
                    acknowledged.accepted.append(change.transaction_id)
                else:
                    assert isinstance(result, StoreUnavailable)
            refusals += isinstance(results[0], StoreUnavailable)
        ballast.unlink()
        last = an_accept(limit=10**9)
        assert isinstance(await store.write(last), Accepted)
        acknowledged.accepted.append(last.transaction_id)
    listed = await page_ids(store, per_page=10**6)
    await store.close()
    assert sorted(listed) == sorted(acknowledged.accepted)
    verdict = judge(small_disk / "data", acknowledged)
    assert (verdict.lost, verdict.broken) == ([], [])
