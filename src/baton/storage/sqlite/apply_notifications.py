"""Applies the changes of notifications to SQLite, and of what the file said of them."""

from typing import assert_never

from baton.domain.clock import to_micros
from baton.storage import changes as c
from baton.storage.cipher import Cipher
from baton.storage.readers import previous_key_place, seed_hash_place, signing_key_place
from baton.storage.rows import Row, micros
from baton.storage.sqlite.aftermath import DELIVERIES, NOTIFICATIONS, Aftermath, Refusal
from baton.storage.sqlite.apply_deliveries import DeliveryApplier, Run

NotificationChange = c.CreateNotification | c.UpdateNotification | c.DeleteNotification | c.SeedNotification


class NotificationApplier:
    def __init__(self, run: Run, cipher: Cipher, deliveries: DeliveryApplier) -> None:
        self._run = run
        self._cipher = cipher
        self._deliveries = deliveries

    def apply(self, change: NotificationChange, after: Aftermath) -> c.Outcome:
        match change:
            case c.CreateNotification(it):
                sealed = self._sealed(it.signing_key, signing_key_place(it.id))
                made = self._run("insert_notification", it.id, it.url, sealed, to_micros(it.created_at))
                after.topics.add(NOTIFICATIONS)
                return c.Done() if made else c.Duplicate()
            case c.UpdateNotification():
                return self._update(change, after)
            case c.DeleteNotification(notification_id):
                after.topics.add(NOTIFICATIONS)
                deleted = self._run("delete_notification", notification_id)
                for (receiver,) in deleted:
                    self._run("retire_receiver", receiver)
                return _done_if(deleted)
            case c.SeedNotification():
                return self._seed(change, after)
            case other:
                assert_never(other)

    def _update(self, change: c.UpdateNotification, after: Aftermath) -> c.Outcome:
        it = change.notification
        sealed = self._sealed(it.signing_key, signing_key_place(it.id))
        previous = self._sealed(it.previous_key, previous_key_place(it.id))
        until = micros(it.previous_until)
        updated = self._run("update_notification", it.id, it.url, sealed, it.version, previous, until)
        for (receiver,) in updated:
            self._deliveries.make_due(receiver, to_micros(change.at), 0)
            after.topics |= {NOTIFICATIONS, DELIVERIES, f"{DELIVERIES}/{it.id}"}
        return _done_if(updated)

    def _seed(self, change: c.SeedNotification, after: Aftermath) -> c.Outcome:
        name, version = change.notification_id, change.version
        if change.change is not None:
            outcome = self.apply(change.change, after)
            if outcome != c.Done():
                raise Refusal(outcome)
        sealed = self._sealed(change.seed_hash, seed_hash_place(name))
        if isinstance(change.change, c.CreateNotification):
            if version and not self._run("drop_seed", name, version):
                raise Refusal(c.Stale())
            kept = self._run("insert_seed", name, version + 1, sealed)
        else:
            if change.change is not None and not self._run("seeded", name):
                raise Refusal(c.Stale())  # made over the API since the file's own was deleted
            kept = self._run("keep_seed", name, version, sealed, int(change.is_removed))
        if not kept:
            raise Refusal(c.Stale())
        return c.Done()

    def _sealed(self, secret: str | None, place: str) -> bytes | None:
        return None if secret is None else self._cipher.seal(secret, place)


def _done_if(rows: list[Row]) -> c.Outcome:
    return c.Done() if rows else c.Stale()
