"""Rescue: whatever hinders the lane is healed within blocks.

never accepted · dropped     the same bytes again
too cheap · stuck            a dearer version in the same slot, never over the cap
validity over                a no-op in its slot
a hole in the slots          the next transaction takes it; if there is none, a no-op of our own
"""

from baton.chains.seam import Ready, Stall, Step
from baton.domain.transaction import Attempt, AttemptKind, Fate, Hold, Slot
from baton.lanes.amend import carry_out
from baton.lanes.book import Entry, Mail
from baton.lanes.desk import Desk
from baton.lanes.observe import is_overdue
from baton.lanes.sign import Order, signed
from baton.storage.changes import Progress, SlotMove

FILLERS_AT_ONCE = 100


async def rescue(desk: Desk) -> None:
    """Looks at everything under way, in order; the first that has not landed waits for nobody."""
    waiting = [entry for entry in desk.book.in_order() if not entry.has_landed and entry.live]
    for index, entry in enumerate(waiting):
        newest = entry.live[-1]
        if not desk.chain.has_slots and (entry.transaction.intent is not None or is_overdue(desk, entry)):
            continue  # nothing can displace it: all we can do for what is wanted instead is not to help it along
        if desk.chain.has_slots and newest.kind is not AttemptKind.NOOP and is_overdue(desk, entry):
            await _bump(desk, entry, is_void=True)
        elif entry.id in desk.to_bump:
            desk.to_bump.discard(entry.id)
            await _bump(desk, entry)
        else:
            await _step(desk, entry, newest, is_head=index == 0)
    desk.post(f for f in desk.book.fillers.values() if f.fate is Fate.OPEN and _is_due(desk, f))


async def _step(desk: Desk, entry: Entry, newest: Attempt, *, is_head: bool) -> None:
    mail = desk.book.mail.get(newest.id)
    if mail is None or not mail.is_accepted:
        if _is_due(desk, newest):
            desk.post([newest])
        return
    match desk.maker.next_step(newest, stall_of(desk, mail, is_head=is_head), desk.relayer):
        case Step.BUMP:
            await _bump(desk, entry)
        case Step.RESEND:
            desk.post([newest])
        case Step.NOTHING:
            pass


def stall_of(desk: Desk, mail: Mail, *, is_head: bool) -> Stall:
    assert desk.tip is not None
    height = desk.tip.block.number
    waited_s = desk.clock.monotonic() - mail.sent_at
    return Stall(height - mail.first_height, height - mail.height, waited_s, is_head)


def _is_due(desk: Desk, attempt: Attempt) -> bool:
    """Whether bytes that no node accepted yet should leave again now."""
    mail = desk.book.mail.get(attempt.id)
    if mail is None:
        return True
    if mail.is_accepted:
        return False
    return desk.clock.monotonic() - mail.sent_at >= desk.settings.pause_s(mail.tries)


async def _bump(desk: Desk, entry: Entry, *, is_void: bool = False) -> None:
    newest = entry.live[-1]
    if is_void or newest.kind is AttemptKind.NOOP:
        prepared, kind = await desk.maker.void(entry.live, desk.relayer), AttemptKind.NOOP
    elif newest.revision == entry.revision.number:
        prepared, kind = await desk.maker.bump(entry.revision, entry.live, desk.relayer), AttemptKind.BUMP
    else:
        return  # a replacement waits: older revisions are no longer bumped
    if isinstance(prepared, Ready):
        await carry_out(desk, entry, prepared, kind)
    else:
        desk.post([newest])  # over the cap: keep what we have in the pool


async def fill_holes(desk: Desk, holes: list[int]) -> None:
    """Holes that no transaction takes: filled by no-ops of our own, so that later slots can be mined."""
    if not holes:
        return
    prepared = await desk.maker.void((), desk.relayer)
    if not isinstance(prepared, Ready):
        return
    relayer = desk.relayer
    slots = [Slot(desk.chain_identity, relayer.address, number) for number in holes[:FILLERS_AT_ONCE]]
    attempts = await signed(desk, [Order(prepared, slot, AttemptKind.NOOP) for slot in slots])
    moves = tuple(SlotMove(slot, relayer.id, None, Hold.HELD) for slot in slots)
    done = await desk.commit([Progress(desk.now, desk.fence, (), tuple(attempts), (), moves)])
    if done[0]:
        desk.post(attempts)
