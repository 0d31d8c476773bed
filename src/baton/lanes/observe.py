"""Observe: what the chain shows becomes what the record says. May run twice: the second time finds nothing new."""

from collections.abc import Mapping, Sequence

from baton import telemetry
from baton.chains.seam import Account, Included, Lapsed, Orphaned, Sighting
from baton.domain.status import Status
from baton.domain.transaction import Attempt, AttemptKind, Fate, Hold, State, moved
from baton.lanes.alarms import FOREIGN_NONCE, LOW_BALANCE
from baton.lanes.book import Entry
from baton.lanes.desk import Desk
from baton.storage.changes import Advance, AttemptNews, Progress, SlotMove

Seen = Mapping[str, Sighting]  # by attempt id


async def observe(desk: Desk) -> None:
    """Looks at every attempt under way, and writes each step of a life with its event."""
    tip = desk.tip
    if tip is None:
        return
    is_thorough = desk.must_look or tip.is_gap
    account = await desk.chain.account(desk.relayer, tip)
    attempts = list(desk.book.live_attempts())
    sightings = await desk.chain.observe(attempts, account, tip, is_thorough=is_thorough)
    seen = {attempt.id: sighting for attempt, sighting in zip(attempts, sightings, strict=True)}
    await _notice(desk, account)
    desk.account, desk.must_look = account, False
    desk.looked_at = tip
    decided = [judge(desk, entry, seen) for entry in desk.book.entries.values()]
    decided += [judge_filler(desk, versions, seen) for versions in desk.book.filler_slots()]
    await desk.commit([progress for progress in decided if progress is not None])


async def _notice(desk: Desk, account: Account) -> None:
    """What nothing can heal but a person must hear: too little money, or slots used that we never gave."""
    telemetry.BALANCE.labels(desk.relayer.id).set(account.balance)
    least = desk.relayer.policy.min_balance
    is_low = account.balance < least
    await desk.alarms.follow(LOW_BALANCE, is_low, balance=str(account.balance), min_balance=str(least))
    expected = desk.high_water + 1
    if desk.account is not None and account.next_slot > max(expected, desk.account.next_slot):
        telemetry.log.warning("foreign_use", lane=desk.fence.lane, expected=expected, found=account.next_slot)
        await desk.alarms.report(FOREIGN_NONCE, expected=expected, found=account.next_slot)


def judge(desk: Desk, entry: Entry, seen: Seen) -> Progress | None:
    """What one transaction's sightings mean for it; None if nothing is new."""
    landed = next(((a, s) for a in entry.live if isinstance(s := seen.get(a.id), Included)), None)
    if landed is not None:
        return _landed(desk, entry, *landed)
    orphans = [attempt for attempt in entry.live if isinstance(seen.get(attempt.id), Orphaned)]
    if orphans:
        return _orphaned(desk, entry, orphans)
    lapsed = {attempt.id: s for attempt in entry.live if isinstance(s := seen.get(attempt.id), Lapsed)}
    if not lapsed:
        return None
    if len(lapsed) == len(entry.live):
        return _all_lapsed(desk, entry, lapsed)
    news = tuple(AttemptNews(attempt_id, Fate.LAPSED) for attempt_id in lapsed)
    return _progress(desk, entry, news=news)


def _landed(desk: Desk, entry: Entry, attempt: Attempt, sighting: Included) -> Progress | None:
    fate = Fate.INCLUDED if sighting.has_succeeded else Fate.REVERTED
    is_news = attempt.fate is not fate or attempt.block != sighting.block
    if not is_news and not sighting.is_final:
        return None
    steps = _steps_of_noop(desk, entry, sighting) if attempt.kind is AttemptKind.NOOP else None
    if steps is None:
        steps = _steps_of_content(desk, entry, attempt, sighting)
    news = [AttemptNews(attempt.id, fate, sighting.block, desk.now, sighting.outcome)]
    slots: tuple[SlotMove, ...] = ()
    if sighting.is_final:
        news += [AttemptNews(other.id, Fate.LAPSED) for other in entry.live if other.id != attempt.id]
        slots = _slot(attempt, Hold.USED)
    return _progress(desk, entry, steps=steps, news=tuple(news), slots=slots, ends=sighting.is_final)


def _steps_of_content(desk: Desk, entry: Entry, attempt: Attempt, sighting: Included) -> tuple[State, ...]:
    state = entry.transaction.state
    now = desk.now
    shown = {"attempt_id": attempt.id, "revision": attempt.revision, "sent_at": state.sent_at or now}
    steps: list[State] = []
    if state.status is not Status.MINED or state.attempt_id != attempt.id:
        steps.append(moved(state, Status.MINED, **shown, reason=_too_late(entry, attempt)))
    if sighting.is_final:
        last = steps[-1] if steps else state
        if sighting.has_succeeded:
            steps.append(moved(last, Status.CONFIRMED, confirmed_at=now))
        else:
            steps.append(moved(last, Status.FAILED, reason=sighting.why or "reverted on chain"))
    return tuple(steps)


def _too_late(entry: Entry, attempt: Attempt) -> str | None:
    """What a client asked for in vain, because this version was faster."""
    if entry.transaction.state.is_canceled:
        return "mined before the cancel took effect"
    intent = entry.transaction.intent
    if intent is not None and attempt.revision != intent.revision:
        return "mined before the replacement took effect"
    return None


def _steps_of_noop(desk: Desk, entry: Entry, sighting: Included) -> tuple[State, ...]:
    """A no-op that took the slot ends the transaction only when it is deep enough, like everything else."""
    state = entry.transaction.state
    if not sighting.is_final:
        # The content version was in a block, and after a reorganisation our no-op is: it is not mined any more.
        return (moved(state, Status.SUBMITTED),) if state.status is Status.MINED else ()
    if state.status is Status.MINED:
        state = moved(state, Status.SUBMITTED)
    return (_given_up(desk, entry, state, "our no-op took its slot"),)


def _given_up(desk: Desk, entry: Entry, state: State, why: str, *, is_renewable: bool = True) -> State:
    """What becomes of a transaction none of whose versions can land any more."""
    if state.is_canceled:
        return moved(state, Status.CANCELED, reason="canceled: " + why)
    if is_overdue(desk, entry):
        return moved(state, Status.EXPIRED, reason="its validity ended and it can never land: " + why)
    successor = entry.transaction.intent  # a replacement that waited for this
    if not is_renewable and successor is None:
        return moved(state, Status.EXPIRED, reason=why)
    revision = state.revision if successor is None else successor.revision
    return moved(state, Status.PENDING, attempt_id=None, revision=revision, reason=f"signed anew: {why}")


def is_overdue(desk: Desk, entry: Entry) -> bool:
    return entry.revision.valid_until is not None and entry.revision.valid_until <= desk.now


def _orphaned(desk: Desk, entry: Entry, orphans: list[Attempt]) -> Progress:
    """Back to the pool: the same bytes are sent again at once."""
    state = entry.transaction.state
    reason = "its block was reorganised away; sent again"
    steps = (moved(state, Status.SUBMITTED, reason=reason),) if state.status is Status.MINED else ()
    for attempt in orphans:
        desk.book.mail.pop(attempt.id, None)
    return _progress(desk, entry, steps=steps, news=tuple(AttemptNews(a.id, Fate.OPEN) for a in orphans))


def _all_lapsed(desk: Desk, entry: Entry, lapsed: Mapping[str, Lapsed]) -> Progress:
    state = entry.transaction.state
    proof = next(iter(lapsed.values()))
    if state.status is Status.MINED:
        state = moved(state, Status.SUBMITTED)
    hold = Hold.RELEASED if proof.is_slot_free else Hold.LOST
    if hold is Hold.LOST and (slot := entry.live[0].slot) is not None:
        telemetry.log.warning("slot_lost", lane=desk.fence.lane, slot=slot.number, transaction=entry.id, why=proof.why)
    return _progress(
        desk,
        entry,
        steps=(_given_up(desk, entry, state, proof.why, is_renewable=proof.is_renewable),),
        news=tuple(AttemptNews(attempt_id, Fate.LAPSED) for attempt_id in lapsed),
        slots=_slot(entry.live[0], hold),
        ends=True,
    )


def _slot(attempt: Attempt, hold: Hold) -> tuple[SlotMove, ...]:
    if attempt.slot is None:
        return ()
    return (SlotMove(attempt.slot, attempt.relayer_id, attempt.transaction_id, hold),)


def _progress(
    desk: Desk,
    entry: Entry,
    *,
    steps: tuple[State, ...] = (),
    news: tuple[AttemptNews, ...] = (),
    slots: tuple[SlotMove, ...] = (),
    ends: bool = False,
) -> Progress:
    transaction = entry.transaction
    intent = None if ends else transaction.intent
    advance = Advance(transaction.id, transaction.version, steps, intent)
    return Progress(at=desk.now, fence=desk.fence, advances=(advance,), news=news, slots=slots)


def judge_filler(desk: Desk, versions: Sequence[Attempt], seen: Seen) -> Progress | None:
    """Our own no-op, in all its versions: once one is deep enough the slot is used up and they are forgotten."""
    landed = next(((one, s) for one in versions if isinstance(s := seen.get(one.id), Included)), None)
    lapsed = [s for one in versions if isinstance(s := seen.get(one.id), Lapsed)]
    if landed is not None:
        filler, sighting = landed
        if not sighting.is_final and filler.block == sighting.block:
            return None
        hold = Hold.USED if sighting.is_final else Hold.HELD
        news = [AttemptNews(filler.id, Fate.INCLUDED, sighting.block, desk.now, sighting.outcome)]
        if sighting.is_final:
            news += [AttemptNews(one.id, Fate.LAPSED) for one in versions if one.id != filler.id]
    elif orphans := [one for one in versions if isinstance(seen.get(one.id), Orphaned)]:
        hold, news = Hold.HELD, [AttemptNews(one.id, Fate.OPEN) for one in orphans]
        for one in orphans:
            desk.book.mail.pop(one.id, None)
    elif len(lapsed) == len(versions):
        hold = Hold.RELEASED if lapsed[0].is_slot_free else Hold.LOST
        news = [AttemptNews(one.id, Fate.LAPSED) for one in versions]
    else:
        return None
    slots = _slot(versions[0], hold)
    return Progress(at=desk.now, fence=desk.fence, news=tuple(news), slots=slots)
