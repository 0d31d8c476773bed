"""Post: stored bytes leave; what the nodes say is taken in. At most one broadcast of a lane is outstanding.

A send whose answer was lost is "maybe sent": only the same bytes, or another version in the same slot, may follow.
"""

from collections.abc import Sequence

from baton import telemetry
from baton.chains.base import (
    Accepted,
    AlreadyKnown,
    Broadcast,
    Busy,
    NoFunds,
    Rejected,
    SlotTaken,
    Underpriced,
    Unknown,
)
from baton.domain.errors import NodeUnavailable
from baton.domain.status import Status
from baton.domain.transaction import Attempt, Fate, Hold, State, moved
from baton.lanes.book import Mail
from baton.lanes.desk import Desk
from baton.storage.changes import Advance, AttemptNews, Progress, SlotMove

Answers = list[tuple[Attempt, Broadcast]]


def take_letters(desk: Desk) -> list[Attempt]:
    """The next batch, lowest slots first, so that a node never sees a gap of our making."""
    waiting = sorted(desk.outbox.values(), key=lambda a: (a.slot.number if a.slot else 0, a.id))
    letters = waiting[: desk.settings.broadcast_limit]
    height = desk.tip.block.number if desk.tip else 0
    for attempt in letters:
        del desk.outbox[attempt.id]
        is_doubtful = attempt.id in desk.inherited
        mail = desk.book.mail.setdefault(attempt.id, Mail(height, height, is_doubtful=is_doubtful))
        mail.sent_at, mail.height, mail.tries = desk.clock.monotonic(), height, mail.tries + 1
    return letters


async def post(desk: Desk, letters: Sequence[Attempt]) -> Answers:
    try:
        answers = await desk.chain.broadcast([attempt.raw for attempt in letters])
    except NodeUnavailable as outage:
        telemetry.log.warning("broadcast_unanswered", lane=desk.fence.lane, count=len(letters), why=str(outage))
        answers = [Unknown(str(outage))] * len(letters)
    return list(zip(letters, answers, strict=True))


async def take_in(desk: Desk, answers: Answers) -> None:
    """Turns answers into progress; what the book no longer knows has landed or died meanwhile."""
    decisions = []
    for attempt, answer in answers:
        progress = _decide(desk, attempt, answer)
        if progress is not None:
            decisions.append(progress)
        if not desk.book.knows(attempt):
            desk.book.mail.pop(attempt.id, None)
    if any(isinstance(answer, Busy) for _, answer in answers):
        desk.window = max(1.0, desk.window / 2)
    await desk.commit(decisions)
    refused = {attempt.transaction_id for attempt, answer in answers if isinstance(answer, Rejected)}
    again = {one for one in refused if one is not None and one in desk.book.entries}
    if again:  # the record may be back at an earlier revision
        await desk.reload(again)


def _decide(desk: Desk, attempt: Attempt, answer: Broadcast) -> Progress | None:
    mail = desk.book.mail.get(attempt.id)
    match answer:
        case Accepted() | AlreadyKnown():
            if mail is not None:
                desk.has_forgotten |= mail.is_accepted and isinstance(answer, Accepted) and desk.chain.has_slots
                mail.is_accepted = True
            desk.outbox.pop(attempt.id, None)  # it seemed due again while the answer was on its way
            desk.window = min(desk.window + 1, desk.settings.window_ceiling)
            return _accepted(desk, attempt)
        case SlotTaken():
            _doubt(mail)
            desk.must_look = True
        case Underpriced():
            if mail is not None:
                mail.is_accepted = False
                desk.to_bump.add(attempt.transaction_id or attempt.id)
        case Rejected(why):
            return _rejected(desk, attempt, why)
        case NoFunds():
            return _explain(desk, attempt, "waiting for funds: the nodes say that the account cannot pay for it")
        case Unknown():
            _doubt(mail)
        case Busy():
            pass
    return None


def _doubt(mail: Mail | None) -> None:
    """From now on a refusal proves nothing: the bytes may be where nobody told us of."""
    if mail is not None:
        mail.is_doubtful = True


def _accepted(desk: Desk, attempt: Attempt) -> Progress | None:
    if attempt.transaction_id is None or attempt.accepted_at is not None:
        return None
    entry = desk.book.entries.get(attempt.transaction_id)
    known = next((a for a in entry.attempts if a.id == attempt.id), None) if entry else None
    if entry is None or known is None or known.fate is not Fate.OPEN or known.accepted_at is not None:
        return None
    state, now = entry.transaction.state, desk.now
    steps: tuple[State, ...] = ()
    if state.status is Status.SENT:
        reason = state.reason if state.is_canceled else None
        steps = (moved(state, Status.SUBMITTED, sent_at=state.sent_at or now, reason=reason),)
    advance = Advance(entry.id, entry.transaction.version, steps, entry.transaction.intent)
    return Progress(now, desk.fence, (advance,), (), (AttemptNews(attempt.id, Fate.OPEN, accepted_at=now),))


def _rejected(desk: Desk, attempt: Attempt, why: str) -> Progress | None:
    """No node could ever take these bytes, so they cannot land: the slot goes to the next.

    Unless one may have taken them before: then only a no-op in their slot makes sure.
    """
    mail = desk.book.mail.get(attempt.id)
    if mail is None or mail.is_doubtful:
        desk.to_void.add(attempt.id)
        return _explain(desk, attempt, f"a node may have it, though none takes it now: {why}")
    telemetry.log.warning("attempt_rejected", lane=desk.fence.lane, hash=attempt.hash, why=why)
    news = AttemptNews(attempt.id, Fate.REJECTED)
    entry = desk.book.entries.get(attempt.transaction_id or "")
    if entry is None:
        if attempt.id not in desk.book.fillers or attempt.slot is None:
            return None
        is_last = all(other.id == attempt.id or other.slot != attempt.slot for other in desk.book.fillers.values())
        move = SlotMove(attempt.slot, attempt.relayer_id, None, Hold.RELEASED)
        return Progress(desk.now, desk.fence, news=(news,), slots=(move,) if is_last else ())
    known = next((live for live in entry.live if live.id == attempt.id), None)
    if known is None or known.accepted_at is not None:
        return None  # it was accepted once: a later "no" proves nothing
    transaction = entry.transaction
    others = [live for live in entry.live if live.id != attempt.id]
    if others:  # an earlier version goes on; what it said is what the record shows again
        reason = f"the newest version was refused by every node, an earlier one goes on: {why}"
        earlier = others[-1]
        revision = earlier.revision or transaction.state.revision
        step = moved(transaction.state, transaction.status, attempt_id=earlier.id, revision=revision, reason=reason)
        advance = Advance(entry.id, transaction.version, (step,), transaction.intent)
        return Progress(desk.now, desk.fence, (advance,), (), (news,))
    end = Status.CANCELED if transaction.state.is_canceled else Status.FAILED
    step = moved(transaction.state, end, reason=f"no node can take it: {why}")
    slot = attempt.slot
    moves = (SlotMove(slot, attempt.relayer_id, attempt.transaction_id, Hold.RELEASED),) if slot else ()
    return Progress(desk.now, desk.fence, (Advance(entry.id, transaction.version, (step,)),), (), (news,), moves)


def _explain(desk: Desk, attempt: Attempt, reason: str) -> Progress | None:
    entry = desk.book.entries.get(attempt.transaction_id or "")
    if entry is None or entry.transaction.state.reason == reason or entry.has_landed:
        return None
    transaction = entry.transaction
    step = moved(transaction.state, transaction.status, reason=reason)
    return Progress(desk.now, desk.fence, (Advance(entry.id, transaction.version, (step,), transaction.intent),))
