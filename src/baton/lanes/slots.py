"""Slots for what is sent next: upwards from our account's mark, or one of each source that has nothing under way."""

from baton.domain.transaction import Slot
from baton.lanes.desk import Desk
from baton.lanes.holes import Holes, free_numbers


async def free_slots(desk: Desk, holes: Holes, count: int) -> list[Slot]:
    """At most `count`; fewer where the network takes only so many at once."""
    assert desk.account is not None
    sources = desk.account.sources
    if sources is None:
        return [Slot(desk.chain_identity, desk.relayer.address, number) for number in free_numbers(desk, holes, count)]
    busy = {attempt.slot.account for attempt in desk.book.live_attempts() if attempt.slot is not None}
    idle = [source for source in sources if source.address not in busy][:count]
    if not idle:
        return []
    async with desk.store.read() as snapshot:
        marks = [await snapshot.lanes.highest_slot(desk.chain_identity, source.address) for source in idle]
    return [
        # Nothing of it is under way, so our highest is used up: a node that says less lags behind.
        Slot(desk.chain_identity, source.address, max(source.next_slot, -1 if mark is None else mark + 1))
        for source, mark in zip(idle, marks, strict=True)
    ]
