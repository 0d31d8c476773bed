"""The embedded store: SQLite by apsw, WAL, `synchronous=FULL`, one writer thread with group commit."""

from baton.storage.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
