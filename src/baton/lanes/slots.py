"""Slots for what is sent next: upwards from our account's mark, or one of each source that has nothing under way."""

from baton.domain.transaction import Slot
from baton.lanes.desk import Desk
from baton.lanes.holes import Holes, free_numbers


async def free_slots(desk: Desk, holes: Holes, count: int) -> list[Slot]:
    """At most `count`; fewer where the network takes only so many at once."""
    assert desk.account is not None
    chain, sources = desk.chain_identity, desk.account.sources
    if sources is None:
        return [Slot(chain, desk.relayer.address, number) for number in free_numbers(desk, holes, count)]
    busy = {attempt.slot.account for attempt in desk.book.live_attempts() if attempt.slot is not None}
    idle = [source for source in sources if source.address not in busy][:count]
    return [Slot(chain, one.address, await next_of(desk, one.address, one.next_slot)) for one in idle]


async def next_of(desk: Desk, address: str, next_slot: int) -> int:
    """Of an account with nothing under way our highest is used up: a node that tells a lower one lags behind."""
    async with desk.store.read() as snapshot:
        highest = await snapshot.lanes.highest_slot(desk.chain_identity, address)
    return next_slot if highest is None else max(next_slot, highest + 1)
