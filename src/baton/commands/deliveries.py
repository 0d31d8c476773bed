"""What a client can ask of deliveries: list them, send one again, try the receiver."""

from dataclasses import dataclass

from baton.commands.context import Context
from baton.commands.notifications import get
from baton.commands.paging import Paging
from baton.domain.delivery import Delivery, DeliveryStatus, Said, Try
from baton.domain.errors import Invalid, Missing, StoreUnavailable, Unavailable
from baton.domain.ids import ordered_id
from baton.domain.notification import Health
from baton.storage.changes import Done, Replay


@dataclass(frozen=True, slots=True)
class ShownDelivery:
    delivery: Delivery
    tries: tuple[Try, ...]
    health: Health  # of the receiver, now


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    items: tuple[ShownDelivery, ...]
    paging: Paging  # as it was used
    total: int


async def list_page(
    context: Context, notification_id: str, paging: Paging, status: DeliveryStatus | None
) -> DeliveryPage:
    await get(context, notification_id)
    used = paging.within(context.per_page_limit)
    async with context.store.read() as snapshot:
        found = await snapshot.deliveries.page(notification_id, used.page, used.per_page, status)
        health = await snapshot.notifications.health(notification_id)
        items = tuple(
            [ShownDelivery(each, tuple(await snapshot.deliveries.tries(each.id)), health) for each in found.items]
        )
    return DeliveryPage(items, used, found.total)


async def replay(context: Context, notification_id: str, delivery_id: str) -> ShownDelivery:
    """A new delivery of the same event, due at once; the old one stays as it is."""
    await get(context, notification_id)
    async with context.store.read() as snapshot:
        if await snapshot.deliveries.one(notification_id, delivery_id) is None:
            raise Missing(f"this notification has no delivery with the id {delivery_id[:60]!r}")
    new_id = ordered_id()
    outcome = await context.store.write(Replay(notification_id, delivery_id, new_id, context.clock.now()))
    if not isinstance(outcome, Done):
        raise Invalid("delivery_id", "a delivery whose event is no longer kept", "one within BATON_EVENTS_DAYS")
    async with context.store.read() as snapshot:
        made = await snapshot.deliveries.one(notification_id, new_id)
        health = await snapshot.notifications.health(notification_id)
    if made is None:
        raise StoreUnavailable("the notification was deleted at the same moment")
    return ShownDelivery(made, (), health)


async def test(context: Context, notification_id: str) -> Said:
    """Sends a test event at once and says what the receiver said. Nothing is stored."""
    notification = await get(context, notification_id)
    if context.probe is None:
        raise Unavailable("nothing is delivered by this process")
    return await context.probe(notification)
