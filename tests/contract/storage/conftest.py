"""Every engine that must pass this suite. An engine is opened, closed and opened again; its data outlives the store."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest

from baton.storage.base import Store
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore

KEY = bytes(range(32))


class Engine(Protocol):
    async def open(self) -> Store:
        """A store over the engine's data, whatever was stored before."""

    def stored_bytes(self) -> bytes:
        """All that lies on the disk, as a thief would read it."""


class SqliteEngine:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def open(self) -> Store:
        return await SqliteStore.open(self._folder, Cipher(KEY))

    def stored_bytes(self) -> bytes:
        return b"".join(path.read_bytes() for path in sorted(self._folder.iterdir()))


@pytest.fixture(params=["sqlite"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    match request.param:
        case "sqlite":
            return SqliteEngine(tmp_path)
        case other:
            raise ValueError(other)


@pytest.fixture
async def store(engine: Engine) -> AsyncIterator[Store]:
    opened = await engine.open()
    yield opened
    await opened.close()
