"""SqliteStore: opens, migrates and locks the data folder, and offers the storage seam."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

import apsw

from baton.domain.errors import StoreUnavailable
from baton.storage.changes import Change, Outcome
from baton.storage.cipher import Cipher
from baton.storage.migrate import migrate
from baton.storage.queries import for_sqlite, load_queries
from baton.storage.readers import Readers
from baton.storage.rows import Row
from baton.storage.sqlite.apply import Applier
from baton.storage.sqlite.folder import lock_folder, make_folder
from baton.storage.sqlite.group import LINGER_S, OUTAGES, GroupWriter
from baton.storage.sqlite.keycheck import check_key
from baton.storage.wakeups import Wakeups

READERS = 4
FILE_NAME = "baton.db"
LAST_READS_S = 5
# A few rows by an index, out of pages that were just written: the way to a thread and back costs ten times the read.
SHORT = frozenset({"open_count", "next_pending", "with_intent", "attempts", "view", "key", "chain_identity"})


class SqliteStore:
    """One process owns the data folder. A power cut loses nothing that was answered."""

    def __init__(
        self,
        folder: Path,
        cipher: Cipher,
        *,
        on_fsync_failure: Callable[[], None] | None = None,
        linger_s: float = LINGER_S,
    ) -> None:
        self._folder = folder
        self._cipher = cipher
        self._queries = for_sqlite(load_queries())
        self._wakeups = Wakeups()
        self._on_fsync_failure = on_fsync_failure
        self._linger_s = linger_s
        self._lock: IO[str] | None = None
        self._idle: asyncio.LifoQueue[apsw.Connection] = asyncio.LifoQueue()
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="baton-reader")
        self._writer: GroupWriter | None = None
        self._connection: apsw.Connection | None = None

    @staticmethod
    async def open(
        folder: Path,
        cipher: Cipher,
        *,
        on_fsync_failure: Callable[[], None] | None = None,
        linger_s: float = LINGER_S,
        vfs: str = "",
    ) -> "SqliteStore":
        store = SqliteStore(folder, cipher, on_fsync_failure=on_fsync_failure, linger_s=linger_s)
        try:
            store._start(vfs)
        except BaseException as error:
            store._let_go()
            if isinstance(error, OUTAGES):
                raise StoreUnavailable(f"the store in {folder} cannot be opened now: {error}") from error
            raise
        return store

    def _start(self, vfs: str) -> None:
        make_folder(self._folder)
        self._lock = lock_folder(self._folder)
        path = str(self._folder / FILE_NAME)
        self._connection = connection = connect(path, vfs)
        migrate(connection)
        check_key(connection, self._cipher)
        connection.execute("DELETE FROM nodes")  # the folder's lock proves that no other node lives
        for _ in range(READERS):
            self._idle.put_nowait(connect(path, vfs, read_only=True))
        applier = Applier(connection, self._queries, self._cipher)
        self._writer = GroupWriter(connection, applier, self._wakeups.wake, self._on_fsync_failure, self._linger_s)

    async def write(self, change: Change) -> Outcome:
        return (await self._group().submit((change,)))[0]

    async def write_all(self, changes: Sequence[Change]) -> list[Outcome]:
        return await self._group().submit(changes) if changes else []

    def _group(self) -> GroupWriter:
        if self._writer is None:
            raise StoreUnavailable("the store is closed")
        return self._writer

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Readers]:
        self._group()
        connection = await self._idle.get()
        loop = asyncio.get_running_loop()

        def run(name: str, values: tuple[Any, ...]) -> list[Row]:
            try:
                if not connection.in_transaction:
                    connection.execute("BEGIN")
                return list(connection.execute(self._queries[name], values))
            except (apsw.IOError, apsw.BusyError, apsw.CantOpenError) as error:
                raise StoreUnavailable(f"the store cannot be read now ({type(error).__name__})") from error

        async def fetch(name: str, *values: Any) -> list[Row]:
            if name in SHORT:
                return run(name, values)
            # Shielded: a thread cannot be interrupted, and the connection must not be handed on while it is busy.
            work = loop.run_in_executor(self._threads, run, name, values)
            try:
                return await asyncio.shield(work)
            except asyncio.CancelledError:
                while not work.done():
                    with contextlib.suppress(asyncio.CancelledError):
                        await asyncio.wait([work])
                raise

        try:
            yield Readers.over(fetch, self._cipher)
        finally:
            if connection.in_transaction:
                connection.execute("COMMIT")
            self._idle.put_nowait(connection)

    def watch(self, topic: str) -> asyncio.Event:
        """An event that is set after each commit that touches the topic; a wake-up, never the truth."""
        return self._wakeups.watch(topic)

    async def close(self) -> None:
        writer, self._writer = self._writer, None
        if writer is None:
            return
        await writer.stop()
        with contextlib.suppress(TimeoutError):  # a snapshot that nobody closes must not hold up the end
            async with asyncio.timeout(LAST_READS_S):
                for _ in range(READERS):
                    (await self._idle.get()).close()
        self._let_go()

    def _let_go(self) -> None:
        while not self._idle.empty():
            self._idle.get_nowait().close()
        self._threads.shutdown(wait=False)
        if self._connection is not None:
            self._connection.close()
        if self._lock is not None:
            self._lock.close()


def connect(path: str, vfs: str = "", *, read_only: bool = False) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    connection = apsw.Connection(path, flags=flags, vfs=vfs or None, statementcachesize=200)
    connection.set_busy_timeout(5000)
    if not read_only:
        connection.execute("PRAGMA journal_mode = WAL")
        # NORMAL would lose acknowledged commits in a power cut, although no kill -9 test ever shows it.
        connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA cache_size = -65536")
    return connection
