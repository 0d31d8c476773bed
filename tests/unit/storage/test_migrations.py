"""Migrations: killed half-way they start over cleanly, and an older version refuses a newer store."""

from pathlib import Path

import apsw
import pytest

from baton.domain.errors import Misconfigured
from baton.storage.migrate import migrate, scripts, version_of


def _count_statements() -> int:
    connection = apsw.Connection(":memory:")
    ran = 0

    def count(_cursor: apsw.Cursor, _statement: str, _bindings: object) -> bool:
        nonlocal ran
        ran += 1
        return True

    connection.exec_trace = count
    migrate(connection)
    return ran


def _schema(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return list(connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"))


def _migrated_schema() -> list[tuple[object, ...]]:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    return _schema(connection)


class _Killed(Exception):
    pass


@pytest.mark.parametrize("survived", range(_count_statements()))
def test_a_migration_killed_after_any_statement_starts_over(tmp_path: Path, survived: int) -> None:
    path = str(tmp_path / "x.db")
    victim = apsw.Connection(path)
    victim.execute("PRAGMA journal_mode = WAL")
    ran = 0

    def kill(_cursor: apsw.Cursor, _statement: str, _bindings: object) -> bool:
        nonlocal ran
        if ran == survived:
            raise _Killed
        ran += 1
        return True

    victim.exec_trace = kill
    with pytest.raises(_Killed):
        migrate(victim)
    victim.close(force=True)

    connection = apsw.Connection(path)
    migrate(connection)
    assert _schema(connection) == _migrated_schema()
    assert connection.pragma("integrity_check") == "ok"
    connection.close()


def test_a_migrated_store_needs_nothing_more() -> None:
    connection = apsw.Connection(":memory:")
    assert migrate(connection) == len(scripts())
    before = _schema(connection)
    assert migrate(connection) == 0
    assert _schema(connection) == before
    assert version_of(connection) == scripts()[-1][0]


def test_a_newer_store_is_refused_untouched() -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    newer = scripts()[-1][0] + 1
    connection.execute(f"PRAGMA user_version = {newer}")
    with pytest.raises(Misconfigured, match=f"schema {newer}"):
        migrate(connection)
    assert version_of(connection) == newer


def test_migrations_are_numbered_from_one_without_holes() -> None:
    assert [number for number, _ in scripts()] == list(range(1, len(scripts()) + 1))


def test_notifications_of_a_store_that_remembered_no_entries_may_be_the_files() -> None:
    connection = apsw.Connection(":memory:")
    for number, text in scripts()[:4]:
        connection.execute(f"{text};PRAGMA user_version = {number}")
    connection.execute("INSERT INTO notifications (id, url, created_at, version) VALUES ('n', 'https://a', 0, 7)")
    migrate(connection)
    query = "SELECT notification_id, seed.version, seed_hash, is_removed FROM notification_seeds AS seed"
    assert list(connection.execute(f"{query} JOIN notifications ON ordinal = receiver")) == [("n", 1, None, 0)]
