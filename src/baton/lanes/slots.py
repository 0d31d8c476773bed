"""Which slot numbers are free. Our own high-water mark only rises: one node's answer never lowers it."""

from baton.lanes.desk import Desk


async def holes(desk: Desk) -> list[int]:
    """Numbers between the chain's next slot and our high-water mark that nothing of ours will use.

    A number that the store has as used is no hole, whatever a lagging node says: its transaction is final.
    """
    assert desk.account is not None
    first = desk.account.next_slot
    held = desk.book.numbers()
    missing = [number for number in range(first, desk.high_water + 1) if number not in held]
    if not missing:
        return []
    async with desk.store.read() as snapshot:
        used = await snapshot.lanes.used_slots(desk.chain_identity, desk.relayer.address, first)
    return [number for number in missing if number not in used]


def free_numbers(desk: Desk, gaps: list[int], count: int) -> list[int]:
    """The lowest free numbers: holes first, then upwards from both the chain's and our own mark."""
    assert desk.account is not None
    fresh = max(desk.account.next_slot, desk.high_water + 1)
    taken = gaps[:count]
    return taken + list(range(fresh, fresh + count - len(taken)))
