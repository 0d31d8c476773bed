"""The encryption key at the start: refused when it is not the store's, and every secret sealed anew when it is a new one.

So all secrets of a store are always under one key, and the previous one may be dropped after the next start.
"""

from typing import Any

import apsw

from baton.storage.cipher import Cipher
from baton.storage.readers import signing_key_place

PLACE = "facts|key_check|value"


def check_key(connection: apsw.Connection, cipher: Cipher) -> None:
    """Refuses to start with another key than the store's secrets were written with."""
    row = connection.execute("SELECT value FROM facts WHERE name = 'key_check'").fetchone()
    if row is None:
        connection.execute("INSERT INTO facts (name, value) VALUES ('key_check', ?1)", (cipher.seal("baton", PLACE),))
        return
    cipher.open(row[0], PLACE)
    if not cipher.is_current(row[0]):
        _seal_anew(connection, cipher)


def _seal_anew(connection: apsw.Connection, cipher: Cipher) -> None:
    with connection:
        query = "SELECT id, signing_key FROM notifications WHERE signing_key IS NOT NULL"
        sealed: list[tuple[Any, ...]] = connection.execute(query).fetchall()
        for notification_id, old in sealed:
            place = signing_key_place(notification_id)
            new = cipher.seal(cipher.open(old, place), place)
            connection.execute("UPDATE notifications SET signing_key = ?2 WHERE id = ?1", (notification_id, new))
        connection.execute("UPDATE facts SET value = ?1 WHERE name = 'key_check'", (cipher.seal("baton", PLACE),))
