"""A store's file, read past our own readers.

By the same SQLite library as the store: a second copy in one process, such as the standard library's, would drop the
first one's file locks when it closes.
"""

from pathlib import Path
from typing import Any

import apsw


def rows(folder: Path, query: str, *values: str) -> list[tuple[Any, ...]]:
    connection = apsw.Connection(str(folder / "baton.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [tuple(row) for row in connection.execute(query, values)]
    finally:
        connection.close()
