"""From a priced draft to an attempt that can be stored: every act signs through here. Nothing has left yet."""

from msgspec import Struct

from baton.chains.seam import Ready
from baton.domain.ids import ordered_id
from baton.domain.transaction import Attempt, AttemptKind, Slot
from baton.lanes.desk import Desk


class Order(Struct, frozen=True):
    """What is to be signed, and for whom; no transaction means our own filler."""

    ready: Ready
    slot: Slot | None
    kind: AttemptKind
    transaction_id: str | None = None
    revision: int | None = None


async def signed(desk: Desk, orders: list[Order]) -> list[Attempt]:
    relayer = desk.relayer
    made = await desk.maker.sign([(order.ready, order.slot) for order in orders], relayer, desk.pen)
    return [
        Attempt(
            id=ordered_id(),
            relayer_id=relayer.id,
            transaction_id=order.transaction_id,
            revision=order.revision,
            kind=order.kind,
            hash=signature.hash,
            slot=order.slot,
            max_cost=signature.max_cost,
            facts=signature.facts,
            created_at=desk.now,
            raw=signature.raw,
        )
        for order, signature in zip(orders, made, strict=True)
    ]
