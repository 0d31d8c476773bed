import apsw
import pytest

from baton.storage.migrate import migrate
from baton.storage.queries import for_sqlite, load_queries

QUERIES = load_queries()


def _run(text: str, *values: object) -> list[object]:
    connection = apsw.Connection(":memory:")
    return list(connection.execute(for_sqlite({"q": text})["q"], values).fetchone() or ())


def test_swapped_numbers_bind_by_number() -> None:
    assert _run("SELECT $2, $1", "one", "two") == ["two", "one"]


def test_repeated_numbers_bind_the_same_value() -> None:
    assert _run("SELECT $1, $2, $1, $3, $2", 1, 2, 3) == [1, 2, 1, 3, 2]


def test_numbers_of_two_digits_are_whole() -> None:
    assert _run("SELECT $11, $1, $10", *range(1, 12)) == [11, 1, 10]


def test_without_the_rewriting_sqlite_swaps_silently() -> None:
    """The trap itself: if this ever fails, the rewriting may go."""
    row = apsw.Connection(":memory:").execute("SELECT $2, $1", ("one", "two")).fetchone()
    assert row == ("one", "two")


def test_no_query_is_left_with_a_dollar_for_sqlite() -> None:
    assert not [name for name, text in for_sqlite(QUERIES).items() if "$" in text]


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_every_query_prepares_against_the_migrated_schema(name: str) -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    connection.execute("EXPLAIN " + for_sqlite(QUERIES)[name], [None] * apsw_parameters(QUERIES[name]))


def apsw_parameters(text: str) -> int:
    numbers = {int(part) for part in _numbers(text)}
    assert numbers == set(range(1, len(numbers) + 1)), "numbers without holes"
    return len(numbers)


def _numbers(text: str) -> list[str]:
    import re

    return re.findall(r"\$(\d+)", text)


def _plan(name: str) -> str:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    text = "EXPLAIN QUERY PLAN " + for_sqlite(QUERIES)[name]
    return "\n".join(str(row[3]) for row in connection.execute(text, [None] * apsw_parameters(QUERIES[name])))


SCANS_ON_PURPOSE = {"counts", "count_notifications", "notifications", "relayers"}


@pytest.mark.parametrize("name", sorted(QUERIES.keys() - SCANS_ON_PURPOSE))
def test_no_query_scans_a_whole_table(name: str) -> None:
    plan = _plan(name)
    assert "SCAN" not in plan.replace("SCAN CONSTANT ROW", ""), plan
