"""The writer thread: gathers changes for about a millisecond and commits them together.

With a 3 ms fsync that is the difference between 285 and 13,600 durable inserts a second. A change's future resolves
only after the COMMIT that carries it returned. Checkpoints come after the answers, so that nobody waits for them.
"""

import asyncio
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import apsw

from baton import telemetry
from baton.domain.errors import Bug, StoreUnavailable
from baton.storage.changes import Change, Outcome
from baton.storage.sqlite.aftermath import Aftermath, Refusal
from baton.storage.sqlite.apply import Applier

LINGER_S = 0.001
BUSY_LINGER = 4  # under load a group gathers for so many lingers: a few ms more for each, far fewer commits for all
BUSY_GAP = 10  # lingers since the last commit; a later change finds the writer idle and waits for no company
GROUP_LIMIT = 2000
CHECKPOINT_PAGES = 4000
# A failed fsync leaves the kernel's view of the file unknown: retrying it can report success for lost data.
FSYNC_FAILURES = frozenset({apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC, apsw.SQLITE_IOERR_TRUNCATE})
FSYNC_EXIT_CODE = 74
OUTAGES = (apsw.FullError, apsw.IOError, apsw.BusyError, apsw.ReadOnlyError, apsw.CantOpenError, apsw.NoMemError)

Apply = Callable[[Change, Aftermath], Outcome]


@dataclass(slots=True)
class _Waiting:
    changes: Sequence[Change]
    future: asyncio.Future[list[Outcome]]


class GroupWriter:
    """Takes changes from the event loop, writes them in its own thread, answers in the loop."""

    def __init__(
        self,
        connection: apsw.Connection,
        applier: Applier,
        wake: Callable[[set[str]], None],
        on_fsync_failure: Callable[[], None] | None = None,
        linger_s: float = LINGER_S,
    ) -> None:
        self._connection = connection
        self._applier = applier
        self._wake = wake
        self._on_fsync_failure = on_fsync_failure or _end_process
        self._loop = asyncio.get_running_loop()
        self._queue: deque[_Waiting] = deque()
        self._arrived = threading.Event()
        self._stopping = False
        self._log_pages = 0
        self._is_checkpoint_failing = False
        connection.set_wal_hook(self._note_log)  # in place of SQLite's own checkpoints, which hide a failed fsync
        self._linger_s = linger_s
        self._thread = threading.Thread(target=self._run, name="baton-writer", daemon=True)
        self._thread.start()

    def submit(self, changes: Sequence[Change]) -> asyncio.Future[list[Outcome]]:
        if self._stopping:
            raise StoreUnavailable("the store is closed")
        future: asyncio.Future[list[Outcome]] = self._loop.create_future()
        self._queue.append(_Waiting(changes, future))
        self._arrived.set()
        return future

    async def stop(self) -> None:
        """Writes what is queued, then ends the thread."""
        self._stopping = True
        self._arrived.set()
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        ended_at = float("-inf")
        while not self._stopping or self._queue:
            self._arrived.wait()
            self._arrived.clear()
            if not self._stopping:
                is_busy = time.monotonic() - ended_at < BUSY_GAP * self._linger_s
                # Let a group gather: without it groups stay tiny, and each costs an fsync.
                time.sleep(self._linger_s * (BUSY_LINGER if is_busy else 1))
            self._commit(self._take_group())
            if self._log_pages >= CHECKPOINT_PAGES:
                self._checkpoint()
            ended_at = time.monotonic()
            if self._queue:
                self._arrived.set()

    def _take_group(self) -> list[_Waiting]:
        """At least one caller's changes, unless nobody waits."""
        group: list[_Waiting] = []
        size = 0
        while self._queue and size < GROUP_LIMIT:
            waiting = self._queue.popleft()
            size += len(waiting.changes)
            group.append(waiting)
        return group

    def _commit(self, group: list[_Waiting]) -> None:
        if not group:
            return
        began_at = time.monotonic()
        try:
            outcomes, topics = self._write(group)
        except Exception as error:  # noqa: BLE001 - whatever a change does, the writer lives on and everyone is answered
            self._roll_back()
            self._refuse(group, error)
            return
        telemetry.COMMIT_SECONDS.observe(time.monotonic() - began_at)
        telemetry.GROUP_SIZE.observe(sum(len(waiting.changes) for waiting in group))
        self._answer(group, outcomes, topics, None)

    def _write(self, group: list[_Waiting]) -> tuple[list[list[Outcome]], set[str]]:
        """A change that ends half-way is rare, a savepoint for each is not: the careful way is taken where it is needed."""
        try:
            return self._write_by(self._applier.apply, group)
        except Refusal:
            self._roll_back()
            return self._write_by(self._applier.apply_apart, group)

    def _write_by(self, apply: Apply, group: list[_Waiting]) -> tuple[list[list[Outcome]], set[str]]:
        after = Aftermath()
        self._applier.begin()
        outcomes = [[apply(change, after) for change in waiting.changes] for waiting in group]
        self._applier.settle(after)
        self._connection.execute("COMMIT")
        return outcomes, after.topics

    def _refuse(self, group: list[_Waiting], error: Exception) -> None:
        """Nothing of the group was stored. A change that cannot be stored must not take its neighbours with it."""
        self._check_fsync(error)
        if isinstance(error, OUTAGES) or len(group) == 1:
            self._answer(group, None, set(), _explain(error))
            return
        for waiting in group:
            self._commit([waiting])

    def _check_fsync(self, error: Exception) -> None:
        if getattr(error, "extendedresult", 0) in FSYNC_FAILURES:
            self._on_fsync_failure()

    def _note_log(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self._log_pages = pages
        return apsw.SQLITE_OK

    def _checkpoint(self) -> None:
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.Error as error:
            self._check_fsync(error)
            if not self._is_checkpoint_failing:
                telemetry.log.warning("checkpoint_failed", error=str(error), advice="nothing is lost; the log grows")
            self._is_checkpoint_failing = True
        else:
            self._is_checkpoint_failing = False

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with contextlib.suppress(apsw.Error):
                self._connection.execute("ROLLBACK")

    def _answer(
        self, group: list[_Waiting], outcomes: list[list[Outcome]] | None, topics: set[str], error: Exception | None
    ) -> None:
        def deliver() -> None:
            for index, waiting in enumerate(group):
                if waiting.future.done():
                    continue  # the asker went away; the change stands all the same
                if outcomes is None:
                    waiting.future.set_exception(error or Bug("a group without an outcome"))
                else:
                    waiting.future.set_result(outcomes[index])
            self._wake(topics)

        with contextlib.suppress(RuntimeError):  # the loop closed while we were committing
            self._loop.call_soon_threadsafe(deliver)


def _explain(error: Exception) -> Exception:
    if isinstance(error, apsw.FullError):
        return StoreUnavailable("the disk is full: nothing was stored; free some space and try again")
    if isinstance(error, OUTAGES):
        return StoreUnavailable(f"the store cannot be written now ({type(error).__name__}); nothing was stored")
    return Bug(f"the store refused a change it should have taken: {error}")


def _end_process() -> None:
    telemetry.log.critical("fsync_failed", advice="check the disk; the store is read again at the next start")
    os._exit(FSYNC_EXIT_CODE)
