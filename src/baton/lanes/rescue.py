"""Rescue: whatever hinders the lane is healed within blocks.

never accepted · dropped     the same bytes again
too cheap · stuck            a dearer version in the same slot, never over the cap
validity over                a no-op in its slot
a hole in the slots          `holes.py`
"""

from collections.abc import Sequence

from baton.chains.seam import Prepared, Ready, Stall, Step
from baton.domain.transaction import Attempt, AttemptKind, Fate
from baton.lanes.amend import carry_out, say_why_not
from baton.lanes.book import Entry, Mail
from baton.lanes.desk import Desk
from baton.lanes.holes import void_again
from baton.lanes.money import affordable_instead, void_beyond_cap
from baton.lanes.observe import is_overdue

ORDINARY = frozenset({AttemptKind.ORIGINAL, AttemptKind.REPLACEMENT})
EXPIRED = "its validity is over: a no-op was sent in its slot"
REFUSED = "no node takes it any more, though one may have it: a no-op was sent in its slot, it is signed anew later"
VOIDED = "its price is over the cap and others wait behind it: a no-op was sent in its slot, it is signed anew later"


async def rescue(desk: Desk) -> None:
    """Looks at everything under way, in order; the first that has not landed waits for nobody.

    Once a block, for nothing changes before the next one; in between only at bytes that no node has taken yet.
    """
    if _is_quiet(desk):
        _send_unheard(desk)
        return
    waiting = [entry for entry in desk.book.in_order() if entry.live and not _is_unwanted(desk, entry)]
    fillers = _open_fillers(desk)
    head = _head(desk, [entry.live[-1] for entry in waiting] + [versions[-1] for versions in fillers])
    for entry in waiting:
        newest = entry.live[-1]
        if newest.slot is not None and newest.kind is not AttemptKind.NOOP and _must_give_way(desk, entry, newest):
            await _bump(desk, entry, head, is_void=True)
        elif _is_called_cheap(desk, entry.id, newest) or _step(desk, newest, head) is Step.BUMP:
            await _bump(desk, entry, head)
    for versions in fillers:
        if _is_called_cheap(desk, versions[-1].id, versions[-1]) or _step(desk, versions[-1], head) is Step.BUMP:
            await _bump_filler(desk, versions, head)
    assert desk.tip is not None
    desk.rescued_at = desk.tip.block.number
    if desk.has_forgotten:
        desk.has_forgotten = False
        _send_all_again(desk, [entry.live[-1] for entry in waiting] + [versions[-1] for versions in fillers])


def _open_fillers(desk: Desk) -> list[list[Attempt]]:
    return [versions for versions in desk.book.filler_slots() if versions[-1].fate is Fate.OPEN]


def _is_quiet(desk: Desk) -> bool:
    """Whether this block was looked at and no node has said anything since that must be acted upon."""
    assert desk.tip is not None
    is_told = desk.to_bump or desk.to_void or desk.has_forgotten
    return desk.chain.has_slots and desk.rescued_at == desk.tip.block.number and not is_told


def _send_unheard(desk: Desk) -> None:
    """Of each the newest version only: an older one would be refused as too cheap, and raised for nothing."""
    heard = {key for key, mail in desk.book.mail.items() if mail.is_accepted}
    unheard = [
        entry.live[-1]
        for entry in desk.book.unlanded.values()
        if entry.live and entry.live[-1].id not in heard and not _is_unwanted(desk, entry)
    ]
    unheard += [versions[-1] for versions in _open_fillers(desk) if versions[-1].id not in heard]
    desk.post([one for one in unheard if _is_due(desk, one)])


def _must_give_way(desk: Desk, entry: Entry, newest: Attempt) -> bool:
    """To a no-op in its slot. A refusal counts once: its bytes leave again, and a node may have changed its mind."""
    is_refused = newest.id in desk.to_void
    desk.to_void.discard(newest.id)
    return is_refused or is_overdue(desk, entry)


def _is_unwanted(desk: Desk, entry: Entry) -> bool:
    """Canceled, replaced or over its time, where time alone ends it: all we can do is not to help it along."""
    newest = entry.live[-1]
    is_mortal = newest.slot is None or (desk.account is not None and desk.account.sources is not None)
    is_given_up = entry.transaction.intent is not None or is_overdue(desk, entry)
    return is_mortal and is_given_up and newest.kind is not AttemptKind.NOOP


def _head(desk: Desk, newest: Sequence[Attempt]) -> Attempt | None:
    """The one that waits for nobody: nothing of ours before it is open, and its slot is the chain's next.

    Since when it is the head is remembered, so that its patience starts only then.
    """
    assert desk.tip is not None
    assert desk.account is not None
    head = min(newest, key=lambda attempt: attempt.slot.number if attempt.slot else 0, default=None)
    if head is not None and head.slot is not None and head.slot.number > desk.account.next_slot:
        head = None  # a hole before it: it waits for that
    place = None if head is None else head.slot or head.id
    if desk.head_place != place:
        desk.head_place, desk.head_since = place, desk.tip.block.number
    return head


def _step(desk: Desk, newest: Attempt, head: Attempt | None) -> Step:
    """What it needs; bytes that are due are posted here."""
    mail = desk.book.mail.get(newest.id)
    if mail is None or not mail.is_accepted:
        if _is_due(desk, newest):
            desk.post([newest])
        return Step.NOTHING
    assert desk.tip is not None
    if desk.chain.has_slots and desk.rescued_at == desk.tip.block.number:
        return Step.NOTHING  # where blocks are the measure, nothing changes before the next one
    is_head = newest is head or not desk.chain.has_slots
    step = desk.maker.next_step(newest, stall_of(desk, mail, is_head=is_head), desk.relayer)
    if step is Step.RESEND:
        desk.post([newest])
    return step


def stall_of(desk: Desk, mail: Mail, *, is_head: bool) -> Stall:
    assert desk.tip is not None
    height = desk.tip.block.number
    since = max(mail.first_height, desk.head_since) if is_head else mail.first_height
    waited_s = desk.clock.monotonic() - mail.sent_at
    return Stall(height - since, height - mail.height, waited_s, is_head)


def _is_due(desk: Desk, attempt: Attempt) -> bool:
    """Whether bytes that no node accepted yet should leave again now: after a pause that grows, or with the next block."""
    assert desk.tip is not None
    mail = desk.book.mail.get(attempt.id)
    if mail is None:
        return True
    rested_s = desk.clock.monotonic() - mail.sent_at
    is_new_block = desk.tip.block.number > mail.height and rested_s >= desk.settings.retry_s
    return is_new_block or rested_s >= desk.settings.pause_s(mail.tries)


def _is_called_cheap(desk: Desk, key: str, newest: Attempt) -> bool:
    """A node refused it as too cheap. Ordinary ones are raised at once; what was raised already, once a block at most:
    a node that always says so must not drive the price."""
    if key not in desk.to_bump:
        return False
    assert desk.tip is not None
    mail = desk.book.mail.get(newest.id)
    if newest.kind not in ORDINARY and mail is not None and desk.tip.block.number <= mail.first_height:
        return False
    desk.to_bump.discard(key)
    return True


def _send_all_again(desk: Desk, newest: Sequence[Attempt]) -> None:
    """A node took bytes as new that it had before: it has lost its pool, with everything behind them too."""
    assert desk.tip is not None
    for attempt in newest:
        mail = desk.book.mail.get(attempt.id)
        if mail is not None and desk.tip.block.number - mail.height >= 2 ** min(mail.tries - 1, 5):
            desk.post([attempt])


async def _bump(desk: Desk, entry: Entry, head: Attempt | None, *, is_void: bool = False) -> None:
    newest = entry.live[-1]
    prepared: Prepared
    if is_void or newest.kind is AttemptKind.NOOP or entry.transaction.state.is_canceled:
        prepared, kind = await desk.maker.void(entry.versions, desk.relayer), AttemptKind.NOOP
    elif newest.revision == entry.revision.number:
        prepared, kind = await desk.maker.bump(entry.revision, entry.versions, desk.relayer), AttemptKind.BUMP
    else:
        _remind(desk, newest)  # a replacement waits: older revisions are no longer bumped
        return
    if isinstance(prepared, Ready) and kind is AttemptKind.BUMP:
        paid = await affordable_instead(desk, prepared, entry.live)
        if not isinstance(paid, Ready):
            await say_why_not(desk, entry, paid)
            _remind(desk, newest)
            return
    if isinstance(prepared, Ready):
        why = REFUSED if is_void and not is_overdue(desk, entry) else _why(desk, entry)
        await carry_out(desk, entry, prepared, kind, why)
        return
    if newest is head and _is_new_block(desk, newest):
        voided = await void_beyond_cap(desk, entry.versions)
        if isinstance(voided, Ready):
            await carry_out(desk, entry, voided, AttemptKind.NOOP, EXPIRED if is_overdue(desk, entry) else VOIDED)
            return
    await say_why_not(desk, entry, prepared)
    _remind(desk, newest)  # over the cap: keep what we have in the pool


def _why(desk: Desk, entry: Entry) -> str | None:
    """What is told with a no-op."""
    return EXPIRED if is_overdue(desk, entry) else entry.transaction.state.reason


async def _bump_filler(desk: Desk, versions: Sequence[Attempt], head: Attempt | None) -> None:
    prepared = await desk.maker.void(versions, desk.relayer)
    if not isinstance(prepared, Ready) and versions[-1] is head and _is_new_block(desk, versions[-1]):
        prepared = await void_beyond_cap(desk, versions)
    if isinstance(prepared, Ready):
        await void_again(desk, versions, prepared)
    else:
        _remind(desk, versions[-1])


def _remind(desk: Desk, newest: Attempt) -> None:
    """Once a block, not once a turn: the answer itself starts a turn."""
    if _is_new_block(desk, newest):
        desk.post([newest])


def _is_new_block(desk: Desk, newest: Attempt) -> bool:
    """Whether there was a block since it last left."""
    assert desk.tip is not None
    mail = desk.book.mail.get(newest.id)
    return mail is None or desk.tip.block.number > mail.height
