"""D1, D2 under power cuts: what was answered is there, nothing is half there. The control run must lose."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.contract.storage.making import NOON, an_accept, signing
from tests.faults.disk import Disk, simulated_disk
from tests.faults.judge import Acknowledged, judge
from tests.rounds import rounds

from baton.storage.changes import Accepted, Done
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore, group

CLIENTS = 4
OPERATIONS = 400  # how long a run may last, in writes and syncs
FIRST_START_OPERATIONS = 60
CHECKPOINT_PAGES = 60  # so that cuts fall into checkpoints too


async def _stream(store: SqliteStore, client: int, acknowledged: Acknowledged) -> None:
    """Accepts for ever; every third is signed at once. Noted only after the answer."""
    for number in range(10_000):
        change = an_accept(f"r{client % 2}", limit=10**9, key=f"{client}-{number}")
        outcome = await store.write(change)
        assert isinstance(outcome, Accepted)
        acknowledged.accepted.append(change.transaction_id)
        if number % 3 == 0:
            assert await store.write(signing(outcome.transaction, client * 10_000 + number)) == Done()
            acknowledged.signed.append(change.transaction_id)


def _cut_after(disk: Disk, operations: int, cut: Callable[[], None]) -> None:
    left = operations

    def count() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            cut()

    disk.on_operation = count


async def _run(folder: Path, dice: random.Random, *, weakened: bool = False) -> tuple[Path, Acknowledged]:
    """Streams until the power is cut at a random operation; returns what is on the platter and what was answered."""
    after = folder / "after"
    acknowledged, at_cut = Acknowledged(), Acknowledged()
    loop, dark = asyncio.get_running_loop(), asyncio.Event()
    with simulated_disk(f"power-{folder.name}") as disk:
        store = await SqliteStore.open(folder / "before", Cipher(bytes(32)), vfs=disk.name)
        if weakened:
            store._connection.execute("PRAGMA synchronous = NORMAL")  # type: ignore[union-attr]

        def cut() -> None:
            at_cut.accepted[:], at_cut.signed[:] = acknowledged.accepted[:], acknowledged.signed[:]
            disk.power_cut(after, dice)
            loop.call_soon_threadsafe(dark.set)

        _cut_after(disk, dice.randint(1, OPERATIONS), cut)
        streams = [asyncio.ensure_future(_stream(store, client, acknowledged)) for client in range(CLIENTS)]
        ended = asyncio.ensure_future(dark.wait())
        await asyncio.wait([ended, *streams], return_when=asyncio.FIRST_COMPLETED)
        assert dark.is_set(), [stream.exception() for stream in streams if stream.done()]
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
        disk.on_operation = None
        await store.close()
    return after, at_cut


@pytest.fixture(autouse=True)
def _frequent_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "CHECKPOINT_PAGES", CHECKPOINT_PAGES)


@pytest.mark.torture
async def test_a_power_cut_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    answered = 0
    for seed in range(rounds(quick=10, full=200)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        after, acknowledged = await _run(folder, random.Random(seed))
        verdict = judge(after, acknowledged)
        assert verdict.lost == [], f"seed {seed}"
        assert verdict.broken == [], f"seed {seed}"
        answered += len(acknowledged.accepted)
        await _reopen_and_carry_on(after, acknowledged)
    assert answered > rounds(quick=10, full=200) * 5, "too little was answered to prove anything"


async def _reopen_and_carry_on(folder: Path, acknowledged: Acknowledged) -> None:
    store = await SqliteStore.open(folder, Cipher(bytes(32)))
    try:
        async with store.read() as snapshot:
            for name in acknowledged.accepted[-3:]:
                assert await snapshot.transactions.events(name) != []
        assert isinstance(await store.write(an_accept(at=NOON, limit=10**9)), Accepted)
    finally:
        await store.close()


@pytest.mark.torture
async def test_a_power_cut_during_the_very_first_start_leaves_a_folder_that_starts(tmp_path: Path) -> None:
    for seed in range(rounds(quick=10, full=200)):
        dice = random.Random(seed)
        after = tmp_path / f"after-{seed}"
        with simulated_disk(f"first-{seed}") as disk:
            _cut_after(disk, dice.randint(1, FIRST_START_OPERATIONS), lambda: disk.power_cut(after, dice))  # noqa: B023 - called in this turn of the loop
            await (await SqliteStore.open(tmp_path / f"before-{seed}", Cipher(bytes(32)), vfs=disk.name)).close()
        assert after.exists(), f"seed {seed}: a start has fewer operations than thought"
        await _reopen_and_carry_on(after, Acknowledged())


async def test_the_control_run_without_full_sync_loses_what_was_answered(tmp_path: Path) -> None:
    """Proves that the test above can fail: WAL with synchronous=NORMAL syncs at checkpoints only."""
    lost = 0
    for seed in range(10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        after, acknowledged = await _run(folder, random.Random(seed), weakened=True)
        lost += len(judge(after, acknowledged).lost)
    assert lost > 0


def test_the_disk_keeps_synced_bytes_and_may_drop_the_rest(tmp_path: Path) -> None:
    with simulated_disk("proof") as disk:
        connection = apsw.Connection(str(tmp_path / "x.db"), vfs="proof")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE t (x)")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("INSERT INTO t VALUES (zeroblob(9000))")
        dropped = {_rows(disk, tmp_path / f"cut-{seed}", random.Random(seed)) for seed in range(30)}
        connection.close()
    assert dropped == {0, 1}


def _rows(disk: Disk, folder: Path, dice: random.Random) -> int:
    disk.power_cut(folder, dice)
    connection = apsw.Connection(str(folder / "x.db"))
    count = connection.execute("SELECT count(*) FROM t").fetchone()
    connection.close()
    assert count is not None
    return int(count[0])
