"""A disk that can fail: an apsw VFS between SQLite and the real files.

Everything written goes to the real file, so the process sees what it wrote. Beside it the disk remembers what a power
cut would leave: the bytes as of each file's last sync, and the writes since then, of which any part may survive.

    write ──▶ real file           sync ──▶ durable := durable + pending, pending := []
          └─▶ pending             cut  ──▶ durable + some of pending, written into another folder

apsw files cannot share memory, so the store's one writing connection locks exclusively and there are no readers; the
order of writes and syncs on the log is the same. Lost directory entries are not modelled.
"""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import pytest

from baton.storage.sqlite import store as store_module

SECTOR_BYTES = 512


@dataclass(frozen=True, slots=True)
class Write:
    offset: int
    data: bytes

    def torn(self, dice: random.Random) -> "Write":
        """Only the first sectors arrived."""
        sectors = len(self.data) // SECTOR_BYTES
        return Write(self.offset, self.data[: dice.randint(0, sectors) * SECTOR_BYTES])

    def apply(self, content: bytearray) -> None:
        if len(content) < self.offset:
            content.extend(bytes(self.offset - len(content)))
        content[self.offset : self.offset + len(self.data)] = self.data


@dataclass(frozen=True, slots=True)
class Truncate:
    size: int

    def torn(self, _dice: random.Random) -> "Truncate":
        return self

    def apply(self, content: bytearray) -> None:
        del content[self.size :]


@dataclass(slots=True)
class Track:
    """One file as the platter knows it."""

    durable: bytearray
    pending: list[Write | Truncate] = field(default_factory=list)

    def sync(self) -> None:
        for operation in self.pending:
            operation.apply(self.durable)
        self.pending.clear()

    def after_cut(self, dice: random.Random) -> bytes:
        """All synced bytes, and of the others: nothing, all, a prefix, or any of them, some torn."""
        content = bytearray(self.durable)
        for operation in self._survivors(dice):
            operation.apply(content)
        return bytes(content)

    def _survivors(self, dice: random.Random) -> list[Write | Truncate]:
        match dice.choice(["nothing", "everything", "prefix", "subset"]):
            case "nothing":
                return []
            case "everything":
                return self.pending
            case "prefix":
                kept = self.pending[: dice.randint(0, len(self.pending))]
                return [*kept[:-1], *(last.torn(dice) for last in kept[-1:])]
            case _:
                chosen = [operation for operation in self.pending if dice.random() < 0.5]
                return [operation.torn(dice) if dice.random() < 0.3 else operation for operation in chosen]


class Disk(apsw.VFS):
    """Set `refuse_write` or `refuse_sync` to an SQLite result code to make every one of them fail."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self.name = name
        self.refuse_write: int | None = None
        self.refuse_sync: int | None = None
        self.failing_file = ""  # how its name ends; "" fails all
        self.on_operation: Callable[[], None] | None = None
        self._tracks: dict[str, Track] = {}
        self._lock = threading.RLock()

    def xOpen(self, name: Any, flags: list[int]) -> "File":  # noqa: N802 - SQLite's name
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is not None and path not in self._tracks:
            self._tracks[path] = Track(bytearray(Path(path).read_bytes() if Path(path).exists() else b""))
        return File(self, name, flags, path)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - SQLite's name
        super().xDelete(filename, syncdir)
        self._tracks.pop(filename, None)

    def note(self, path: str | None, operation: Write | Truncate | None) -> None:
        """None: a sync."""
        with self._lock:
            refused = self.refuse_sync if operation is None else self.refuse_write
            if refused is not None and (path or "").endswith(self.failing_file):
                raise apsw.exception_for(refused)
            if path is not None and operation is None:
                self._tracks[path].sync()
            elif path is not None and operation is not None:
                self._tracks[path].pending.append(operation)
            if self.on_operation is not None:
                self.on_operation()

    def power_cut(self, into: Path, dice: random.Random) -> None:
        """Writes what the platter holds into another folder."""
        into.mkdir()
        with self._lock:
            for path, track in self._tracks.items():
                (into / Path(path).name).write_bytes(track.after_cut(dice))


class File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int], path: str | None) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._path = path

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.note(self._path, Write(offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.note(self._path, Truncate(newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        super().xSync(flags)
        self._disk.note(self._path, None)


@contextmanager
def simulated_disk(name: str) -> Iterator[Disk]:
    """A disk under that VFS name; stores opened on it have their writer only."""
    disk = Disk(name)
    real_connect = store_module.connect

    def lock_exclusively(connection: apsw.Connection) -> None:
        if connection.open_vfs == name:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")

    def connect(path: str, vfs: str = "", *, read_only: bool = False) -> apsw.Connection:
        return (
            apsw.Connection(":memory:") if vfs == name and read_only else real_connect(path, vfs, read_only=read_only)
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_module, "connect", connect)
        apsw.connection_hooks.append(lock_exclusively)
        try:
            yield disk
        finally:
            apsw.connection_hooks.remove(lock_exclusively)
            disk.unregister()
