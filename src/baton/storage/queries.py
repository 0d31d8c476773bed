"""Named queries: written once with `$1…$n`, loaded by name.

SQLite's binding of `$n` goes by order of appearance, not by number, so `$2, $1` would be swapped without a word:
for SQLite every `$n` is rewritten to `?n`, which goes by number.
"""

import re
from collections.abc import Mapping
from importlib import resources

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_NUMBERED = re.compile(r"\$(\d+)")


def load_queries() -> dict[str, str]:
    """Every query of `sql/*.sql`, by name, with `$n`."""
    found: dict[str, str] = {}
    for file in sorted(resources.files("baton.storage").joinpath("sql").iterdir(), key=lambda entry: entry.name):
        parts = _NAME.split(file.read_text())
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            if name in found:
                raise ValueError(f"two queries are named {name}")
            found[name] = text.strip()
    return found


def for_sqlite(queries: Mapping[str, str]) -> dict[str, str]:
    return {name: _NUMBERED.sub(r"?\1", text) for name, text in queries.items()}
