import re

import apsw
import pytest

from baton.storage.migrate import migrate
from baton.storage.queries import for_sqlite, load_queries

QUERIES = load_queries()
SCANS_ON_PURPOSE = {
    "count_notifications",
    "counts",
    "former_receivers",  # only those that are being forgotten
    "notification_ids",
    "notifications",
    "relayers",
    "seeds",  # once a start
    "unpublished",  # an index that holds nothing else
    "with_due",  # one look into an index for each notification
    "with_overdue",
}


def _selected(text: str, *values: object) -> list[object]:
    connection = apsw.Connection(":memory:")
    return list(connection.execute(for_sqlite({"q": text})["q"], values).fetchone() or ())


def test_swapped_numbers_bind_by_number() -> None:
    assert _selected("SELECT $2, $1", "one", "two") == ["two", "one"]


def test_repeated_numbers_bind_the_same_value() -> None:
    assert _selected("SELECT $1, $2, $1, $3, $2", 1, 2, 3) == [1, 2, 1, 3, 2]


def test_numbers_of_two_digits_are_whole() -> None:
    assert _selected("SELECT $11, $1, $10", *range(1, 12)) == [11, 1, 10]


def test_without_the_rewriting_sqlite_swaps_silently() -> None:
    """The trap itself: if this ever fails, the rewriting may go."""
    row = apsw.Connection(":memory:").execute("SELECT $2, $1", ("one", "two")).fetchone()
    assert row == ("one", "two")


def test_no_query_is_left_with_a_dollar_for_sqlite() -> None:
    assert not [name for name, text in for_sqlite(QUERIES).items() if "$" in text]


def _explained(prefix: str, name: str) -> list[str]:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    numbers = {int(number) for number in re.findall(r"\$(\d+)", QUERIES[name])}
    assert numbers == set(range(1, len(numbers) + 1)), "numbers without holes"
    rows = connection.execute(f"{prefix} {for_sqlite(QUERIES)[name]}", [None] * len(numbers))
    return [str(row[3]) for row in rows]


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_every_query_prepares_against_the_migrated_schema(name: str) -> None:
    assert _explained("EXPLAIN", name)


@pytest.mark.parametrize("name", sorted(QUERIES.keys() - SCANS_ON_PURPOSE))
def test_no_query_scans_a_whole_table(name: str) -> None:
    plan = [line for line in _explained("EXPLAIN QUERY PLAN", name) if line != "SCAN CONSTANT ROW"]
    assert not [line for line in plan if line.startswith("SCAN")], plan


@pytest.mark.parametrize("name", ["page", "page_in_status", "first_since", "last_until", "in_status", "attempts"])
def test_what_is_asked_often_comes_sorted_from_an_index(name: str) -> None:
    assert not [line for line in _explained("EXPLAIN QUERY PLAN", name) if "TEMP B-TREE" in line]
