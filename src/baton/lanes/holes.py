"""Holes: numbers between the chain's next slot and ours that nothing under way will use. None may stay.

free     the next transactions take them; if later slots wait and there is no transaction, a no-op of our own
lost     someone else had used it and the chain forgot: a no-op of our own, never a transaction (its old bytes may live)
used     the chain forgot a block that was final for us: the bytes that had used it leave again

Our own high-water mark only rises: one node's answer never lowers it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from baton import telemetry
from baton.chains.seam import Ready
from baton.domain.transaction import Attempt, AttemptKind, Fate, Hold, Slot
from baton.lanes.desk import Desk
from baton.lanes.sign import Order, signed
from baton.storage.changes import AttemptNews, Progress, SlotMove

AT_ONCE = 100  # signed or sent again in one turn
SEEN_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class Holes:
    free: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)


async def find_holes(desk: Desk) -> Holes:
    """Looks between the chain's mark and ours; bytes of used slots are posted here."""
    assert desk.account is not None
    first = desk.account.first_unused
    held = desk.book.numbers()
    missing = list(islice((n for n in range(first, desk.high_water + 1) if n not in held), SEEN_AT_ONCE))
    if not missing:
        return Holes()
    async with desk.store.read() as snapshot:
        closed = await snapshot.lanes.closed_slots(desk.chain_identity, desk.relayer.address, first)
        if Hold.USED in closed.values():
            spent = await snapshot.lanes.spent(desk.chain_identity, desk.relayer.address, first, AT_ONCE)
            _send_spent_again(desk, spent)
    return Holes(
        [number for number in missing if number not in closed],
        [number for number in missing if closed.get(number) is Hold.LOST],
    )


def _send_spent_again(desk: Desk, spent: Sequence[Attempt]) -> None:
    """Once a block. Final never changes: the records stay as they are, the chain is made to agree with them again.

    Where a node merely lags, it has these bytes or refuses them as used: no harm.
    """
    assert desk.tip is not None
    height = desk.tip.block.number
    if desk.spent_sent_at == height:
        return
    desk.spent_sent_at = height
    numbers = [attempt.slot.number for attempt in spent if attempt.slot]
    telemetry.log.warning("used_slots_reopened", lane=desk.fence.lane, slots=numbers[:10], count=len(numbers))
    desk.post(spent)


def free_numbers(desk: Desk, holes: Holes, count: int) -> list[int]:
    """The lowest free numbers: holes first, then upwards from both the chain's and our own mark."""
    assert desk.account is not None
    account = desk.account
    if desk.high_water < 0 and account.first_unused != account.next_slot:
        return []  # nodes disagree about an account that we never used: wait until they do not
    fresh = max(account.next_slot, desk.high_water + 1)
    taken = holes.free[:count]
    return taken + list(range(fresh, fresh + count - len(taken)))


async def fill_holes(desk: Desk, holes: Holes, taken: int) -> None:
    """No-ops of our own where no transaction came, as far as later slots wait for them."""
    highest = max(desk.book.numbers(), default=-1)
    numbers = [number for number in sorted(holes.free[taken:] + holes.lost) if number < highest][:AT_ONCE]
    if not numbers:
        return
    prepared = await desk.maker.void((), desk.relayer)
    if not isinstance(prepared, Ready):
        return
    relayer = desk.relayer
    slots = [Slot(desk.chain_identity, relayer.address, number) for number in numbers]
    attempts = await signed(desk, [Order(prepared, slot, AttemptKind.NOOP) for slot in slots])
    moves = tuple(SlotMove(slot, relayer.id, None, Hold.HELD) for slot in slots)
    done = await desk.commit([Progress(desk.now, desk.fence, (), tuple(attempts), (), moves)])
    if done[0]:
        telemetry.log.warning("holes_filled", lane=desk.fence.lane, slots=numbers[:10], count=len(numbers))
        desk.post(attempts)
    else:
        await _take_up_again(desk, moves)


async def _take_up_again(desk: Desk, moves: Sequence[SlotMove]) -> None:
    """The very same bytes were signed before, and refused: they leave again. At another price others would be signed."""
    for move in moves:
        async with desk.store.read() as snapshot:
            known = await snapshot.lanes.fillers_of(move.relayer_id, move.slot)
        if known:
            desk.book.fillers[known[-1].id] = known[-1]
            news = AttemptNews(known[-1].id, Fate.OPEN)
            if (await desk.commit([Progress(desk.now, desk.fence, news=(news,), slots=(move,))]))[0]:
                desk.post(known[-1:])
            else:
                del desk.book.fillers[known[-1].id]


async def void_again(desk: Desk, versions: Sequence[Attempt], ready: Ready) -> None:
    """A dearer no-op in the slot of one that is stuck."""
    attempts = await signed(desk, [Order(ready, versions[-1].slot, AttemptKind.NOOP)])
    done = await desk.commit([Progress(desk.now, desk.fence, (), tuple(attempts))])
    if done[0]:
        desk.post(attempts)
