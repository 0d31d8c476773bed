"""What a client can ask of a notification: create, update, look at, list and delete it."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from baton.commands.context import TRIES, Context
from baton.commands.paging import Paging
from baton.domain.errors import Bug, Invalid, NotificationExists, NotificationMissing, StoreUnavailable
from baton.domain.ids import random_id
from baton.domain.notification import Health, Notification
from baton.storage.base import Page
from baton.storage.changes import CreateNotification, DeleteNotification, Done, Duplicate, Stale, UpdateNotification


@dataclass(frozen=True, slots=True)
class NotificationPatch:
    """None leaves a value as it is; an empty signing key removes the stored one."""

    url: str | None = None
    signing_key: str | None = field(default=None, repr=False)

    def applied(self, stored: Notification, overlap_until: datetime) -> Notification:
        """A key that is replaced goes on signing beside the new one until then; one that is removed does not."""
        patched = replace(stored, url=self.url or stored.url)
        if self.signing_key is None or self.signing_key == stored.signing_key:
            return patched
        if not self.signing_key or stored.signing_key is None:
            return replace(patched, signing_key=self.signing_key or None, previous_key=None, previous_until=None)
        return replace(
            patched, signing_key=self.signing_key, previous_key=stored.signing_key, previous_until=overlap_until
        )


async def create(
    context: Context, url: str, notification_id: str | None = None, signing_key: str | None = None
) -> Notification:
    notification = Notification(notification_id or random_id(), url, context.clock.now(), signing_key or None)
    match await context.store.write(CreateNotification(notification)):
        case Done():
            return notification
        case Duplicate():
            raise NotificationExists(notification.id)
        case other:
            raise Bug(f"creating a notification answered {other}")


async def update(context: Context, notification_id: str, patch: NotificationPatch) -> Notification:
    """A change of anything also makes a receiver whole again that failed or said that it is gone."""
    async with context.turns.of(notification_id):
        return await _update(context, notification_id, patch)


async def _update(context: Context, notification_id: str, patch: NotificationPatch) -> Notification:
    for _ in range(TRIES):
        now = context.clock.now()
        async with context.store.read() as snapshot:
            stored = await snapshot.notifications.one(notification_id)
            health = await snapshot.notifications.health(notification_id)
        if stored is None:
            raise NotificationMissing(notification_id)
        wanted = patch.applied(stored, now + timedelta(hours=context.key_overlap_hours))
        if wanted == stored and health == Health():
            return stored
        match await context.store.write(UpdateNotification(wanted, now)):
            case Done():
                return wanted
            case Stale():
                continue
            case other:
                raise Bug(f"updating a notification answered {other}")
    raise StoreUnavailable(f"notification {notification_id!r} changed {TRIES} times during one update; try again")


async def get(context: Context, notification_id: str) -> Notification:
    async with context.store.read() as snapshot:
        stored = await snapshot.notifications.one(notification_id)
    if stored is None:
        raise NotificationMissing(notification_id)
    return stored


async def list_page(context: Context, paging: Paging) -> tuple[Page[Notification], Paging]:
    used = paging.within(context.per_page_limit)
    async with context.store.read() as snapshot:
        return await snapshot.notifications.page(used.page, used.per_page), used


async def delete(context: Context, notification_id: str) -> None:
    users = [relayer.id for relayer in context.relayers.all() if notification_id in relayer.notification_ids]
    if users:
        raise Invalid("notification_id", f"one that is told of {', '.join(users)}", "one that no relayer names")
    match await context.store.write(DeleteNotification(notification_id)):
        case Done():
            return
        case Stale():
            raise NotificationMissing(notification_id)
        case other:
            raise Bug(f"deleting a notification answered {other}")
