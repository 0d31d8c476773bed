"""Send: pending transactions get their price, their slot and their signature, in order of acceptance.

What must wait waits here, before it has a slot, and holds up nobody. The slot is taken in the same SQL transaction
that stores the attempt using it; the bytes leave only after that.
"""

from msgspec import Struct

from baton.chains.seam import Doomed, Ready, Wait
from baton.domain.status import Status
from baton.domain.transaction import AttemptKind, Hold, Slot, moved
from baton.lanes.alarms import OUT_OF_FUNDS
from baton.lanes.book import Entry
from baton.lanes.chores import do_chores
from baton.lanes.desk import Desk
from baton.lanes.holes import Holes, fill_holes, find_holes
from baton.lanes.money import FOR_FUNDS, affordable
from baton.lanes.sign import Order, signed
from baton.lanes.slots import free_slots
from baton.storage.base import OpenTransaction
from baton.storage.changes import Advance, Progress, SlotMove


class Candidate(Struct, frozen=True):
    item: OpenTransaction
    ready: Ready


async def send(desk: Desk) -> bool:
    """Sends as many as the window has room for; tells whether more are waiting."""
    if desk.tip is None or desk.account is None:
        return False
    holes = await find_holes(desk) if desk.chain.has_slots and desk.account.sources is None else Holes()
    await do_chores(desk)
    room = int(desk.window) - len(desk.book.unlanded)
    if desk.relayer.refusal is not None:  # what is queued waits; its validity does not
        await _still_valid(desk, await _next_pending(desk, desk.settings.read_limit))
        room = 0
    items = await _next_pending(desk, room) if room > 0 else []
    live = await _still_valid(desk, items) if items else []
    slots = await free_slots(desk, holes, len(live)) if live and desk.chain.has_slots else []
    chosen = _chosen(desk, live, len(slots))
    ready = await _ready(desk, chosen) if chosen else []
    if ready:
        await _store_and_post(desk, ready, slots)
    await fill_holes(desk, holes, taken=len(ready))
    has_left_some = len(chosen) < len(live)
    return len(ready) < len(chosen) if has_left_some else len(items) >= room > 0


async def _next_pending(desk: Desk, room: int) -> list[OpenTransaction]:
    """The oldest that are not parked; a parked one is looked at again at each new block."""
    room = min(room, desk.settings.read_limit)
    limit = room + len(desk.book.parked)  # however many wait, the ones behind them are seen
    async with desk.store.read() as snapshot:
        found = await snapshot.lanes.pending(desk.relayer.id, limit)
    return [item for item in found if item.transaction.id not in desk.book.parked][:room]


async def _still_valid(desk: Desk, items: list[OpenTransaction]) -> list[OpenTransaction]:
    """The others end here: nothing of them was ever signed."""
    live, ended = [], []
    for item in items:
        until = item.revision.valid_until
        if until is not None and until <= desk.now:
            ended.append(_end(desk, item, Status.EXPIRED, "its validity ended before anything was signed"))
        else:
            live.append(item)
    await desk.commit(ended)
    return live


def _chosen(desk: Desk, items: list[OpenTransaction], slots: int) -> list[OpenTransaction]:
    """The first for which there are slots, and whatever needs none."""
    if not desk.chain.has_slots:
        return items
    chosen = []
    for item in items:
        if not desk.chain.needs_slot(item.revision):
            chosen.append(item)
        elif slots > 0:
            chosen.append(item)
            slots -= 1
    return chosen


async def _ready(desk: Desk, items: list[OpenTransaction]) -> list[Candidate]:
    """Those that can be signed now; the others are ended or parked with their reason."""
    assert desk.account is not None
    decisions = []
    asks = [(item.revision, index == 0 and _is_first(desk, item)) for index, item in enumerate(items)]
    prepared = await desk.maker.prepare(asks, desk.relayer)
    answers = await affordable(desk, prepared)
    ready = []
    for item, answer in zip(items, answers, strict=True):
        match answer:
            case Ready():
                ready.append(Candidate(item, answer))
            case Wait(why):
                desk.book.parked[item.transaction.id] = why
                if item.transaction.state.reason != why:
                    decisions.append(_end(desk, item, Status.PENDING, why))
            case Doomed(why, is_expired):
                decisions.append(_end(desk, item, Status.EXPIRED if is_expired else Status.FAILED, why))
    short = sum(why.startswith(FOR_FUNDS) for why in desk.book.parked.values())  # from earlier turns, too
    await desk.alarms.follow(OUT_OF_FUNDS, short > 0, balance=str(desk.account.balance), waiting=short)
    await desk.commit(decisions)
    return ready


def _is_first(desk: Desk, item: OpenTransaction) -> bool:
    """Whether nothing accepted before it is still on its way into a block: then a failing simulation is final."""
    on_their_way = (entry.transaction.seq for entry in desk.book.unlanded.values())
    return not desk.book.parked and all(item.transaction.seq < seq for seq in on_their_way)


def _end(desk: Desk, item: OpenTransaction, status: Status, reason: str) -> Progress:
    transaction = item.transaction
    step = moved(transaction.state, status, reason=reason)
    return Progress(desk.now, desk.fence, (Advance(transaction.id, transaction.version, (step,), transaction.intent),))


async def _store_and_post(desk: Desk, ready: list[Candidate], slots: list[Slot]) -> None:
    """All or nothing: a slot given to a transaction that a client just canceled would be a hole."""
    relayer, free, orders = desk.relayer, iter(slots), []
    for one in ready:
        revision = one.item.revision
        slot = next(free) if desk.chain.has_slots and desk.chain.needs_slot(revision) else None
        orders.append(Order(one.ready, slot, AttemptKind.ORIGINAL, one.item.transaction.id, revision.number))
    attempts = await signed(desk, orders)
    advances = tuple(
        Advance(
            one.item.transaction.id,
            one.item.transaction.version,
            (moved(one.item.transaction.state, Status.SENT, attempt_id=attempt.id, reason=None),),
            one.item.transaction.intent,
        )
        for one, attempt in zip(ready, attempts, strict=True)
    )
    moves = tuple(SlotMove(a.slot, relayer.id, a.transaction_id, Hold.HELD) for a in attempts if a.slot)
    for one in ready:
        desk.book.add(Entry(one.item.transaction, one.item.revision, []))
    try:
        done = await desk.commit([Progress(desk.now, desk.fence, advances, tuple(attempts), (), moves)])
    except BaseException:
        for one in ready:  # nothing of it is under way
            desk.book.drop(one.item.transaction.id)
        raise
    if done[0]:
        desk.note_given(attempts)
        desk.post(attempts)
