"""Numbered migrations, each in one SQL transaction with its own number: killed half-way, it starts over."""

from importlib import resources

import apsw

from baton.domain.errors import Misconfigured


def scripts() -> list[tuple[int, str]]:
    folder = resources.files("baton.storage").joinpath("migrations", "sqlite")
    files = sorted((entry.name, entry.read_text()) for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name.partition("_")[0]), text) for name, text in files]


def migrate(connection: apsw.Connection) -> int:
    """Brings the schema up to date; returns how many migrations were applied."""
    known = scripts()
    done = 0
    current = version_of(connection)
    if current > known[-1][0]:
        raise Misconfigured([f"the store has schema {current}, this version knows {known[-1][0]}: use a newer Baton"])
    for number, text in known:
        if number > current:
            connection.execute(f"BEGIN IMMEDIATE;\n{text}\n;PRAGMA user_version = {number};\nCOMMIT")
            done += 1
    return done


def version_of(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))
