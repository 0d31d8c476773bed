"""The file's notifications against the store's: as for relayers, the file seeds, the store rules.

entry in the file     the file's notification     what happens
new                   none                        it is made
unchanged             there                       nothing: changes over the API stay
unchanged             deleted over the API        nothing: it stays deleted
changed               there, or deleted           the entry is applied again
removed               there                       it stays and is told of what it was told, until it is deleted
any                   the API made one instead    nothing, with a warning
"""

from datetime import datetime, timedelta

from baton import telemetry
from baton.commands.context import TRIES
from baton.commands.notifications import NotificationPatch
from baton.config import Config, NotificationEntry
from baton.domain.clock import Clock
from baton.domain.errors import StoreUnavailable
from baton.domain.notification import Notification
from baton.storage.base import Store, StoredSeed
from baton.storage.changes import CreateNotification, Done, SeedNotification, UpdateNotification

MADE_ELSEWHERE = "the store has a notification of this id that the file did not make"
DELETED = "it was deleted over the API, and its entry did not change since"


async def seed_notifications(store: Store, config: Config, clock: Clock) -> None:
    """Brings the store in line with the file. Another node may be doing the same: then look again."""
    for _ in range(TRIES):
        now = clock.now()
        overlap_until = now + timedelta(hours=config.settings.key_overlap_hours)
        async with store.read() as snapshot:
            seeds = {seed.notification_id: seed for seed in await snapshot.notifications.seeds()}
            stored = {entry.id: await snapshot.notifications.one(entry.id) for entry in config.notifications}
        changes = [
            change
            for entry in config.notifications
            if (change := _applied(entry, seeds.get(entry.id), stored[entry.id], (now, overlap_until)))
        ]
        changes += [_removed(seed) for seed in seeds.values() if seed.notification_id not in stored and _is_news(seed)]
        outcomes = await store.write_all(changes)
        for change, outcome in zip(changes, outcomes, strict=True):
            if outcome == Done():
                _say(change, seeds.get(change.notification_id))
        if all(outcome == Done() for outcome in outcomes):
            for entry in config.notifications:
                _warn(entry, seeds.get(entry.id), stored[entry.id])
            return
    raise StoreUnavailable(f"the notifications of the file changed {TRIES} times during the start; start again")


def _applied(
    entry: NotificationEntry,
    seed: StoredSeed | None,
    stored: Notification | None,
    times: tuple[datetime, datetime],
) -> SeedNotification | None:
    now, overlap_until = times
    if _standing_against(entry, seed, stored) is not None:
        return None
    version = 0 if seed is None else seed.version
    if stored is None:
        made = Notification(entry.id, entry.url, now, entry.signing_key)
        return SeedNotification(entry.id, version, entry.seed_hash, CreateNotification(made))
    if seed is not None and seed.seed_hash in (None, entry.seed_hash):
        is_known = seed.seed_hash is not None and not seed.is_removed
        return None if is_known else SeedNotification(entry.id, version, entry.seed_hash)
    wanted = NotificationPatch(entry.url, entry.signing_key or "").applied(stored, overlap_until)
    return SeedNotification(entry.id, version, entry.seed_hash, UpdateNotification(wanted, now))


def _standing_against(entry: NotificationEntry, seed: StoredSeed | None, stored: Notification | None) -> str | None:
    """Why an entry has no effect, if so."""
    if stored is not None and (seed is None or not seed.is_standing):
        return MADE_ELSEWHERE
    is_unchanged = seed is not None and not seed.is_removed and seed.seed_hash == entry.seed_hash
    return DELETED if stored is None and is_unchanged else None


def _is_news(seed: StoredSeed) -> bool:
    """Whether its absence from the file is: without a hash it was never known to be in there."""
    return not seed.is_removed and seed.seed_hash is not None


def _removed(seed: StoredSeed) -> SeedNotification:
    return SeedNotification(seed.notification_id, seed.version, seed.seed_hash, is_removed=True)


def _say(change: SeedNotification, seed: StoredSeed | None) -> None:
    name = change.notification_id
    if change.is_removed and seed is not None and seed.is_standing:
        telemetry.log.warning("notification_removed", notification=name, why="it is no longer in the file")
    elif change.change is not None and seed is not None:
        why = "its entry is in the file again" if seed.is_removed else "its entry in the file changed"
        telemetry.log.info("notification_entry_applied_again", notification=name, why=why)


def _warn(entry: NotificationEntry, seed: StoredSeed | None, stored: Notification | None) -> None:
    why = _standing_against(entry, seed, stored)
    if why is not None:
        telemetry.log.warning("notification_entry_not_applied", notification=entry.id, why=why)
