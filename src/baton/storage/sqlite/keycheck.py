"""The encryption key at the start: refused when it is not the store's, and every secret sealed anew when it is a new one.

So all secrets of a store are always under one key, and the previous one may be dropped after the next start.
"""

from typing import Any

import apsw

from baton.storage.cipher import Cipher
from baton.storage.readers import entry_place, previous_key_place, seed_hash_place, signing_key_place

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
        query = "SELECT id, signing_key, previous_key FROM notifications"
        sealed: list[tuple[Any, ...]] = connection.execute(query).fetchall()
        for notification_id, current, previous in sealed:
            keys = (
                _anew(cipher, current, signing_key_place(notification_id)),
                _anew(cipher, previous, previous_key_place(notification_id)),
            )
            update = "UPDATE notifications SET signing_key = ?2, previous_key = ?3 WHERE id = ?1"
            connection.execute(update, (notification_id, *keys))
        seeds: list[tuple[Any, ...]] = connection.execute(
            "SELECT notification_id, seed_hash FROM notification_seeds"
        ).fetchall()
        for notification_id, seed_hash in seeds:
            anew = _anew(cipher, seed_hash, seed_hash_place(notification_id))
            update = "UPDATE notification_seeds SET seed_hash = ?2 WHERE notification_id = ?1"
            connection.execute(update, (notification_id, anew))
        entries: list[tuple[Any, ...]] = connection.execute("SELECT id, entry FROM relayers").fetchall()
        for relayer_id, entry in entries:
            anew = _anew(cipher, entry, entry_place(relayer_id))
            connection.execute("UPDATE relayers SET entry = ?2 WHERE id = ?1", (relayer_id, anew))
        connection.execute("UPDATE facts SET value = ?1 WHERE name = 'key_check'", (cipher.seal("baton", PLACE),))


def _anew(cipher: Cipher, sealed: bytes | None, place: str) -> bytes | None:
    return None if sealed is None else cipher.seal(cipher.open(sealed, place), place)
