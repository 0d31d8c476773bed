"""Amend: carries out accepted replaces and cancels, in the slot that the old version holds.

Of the old version, the new one and the no-op one can land; whichever does, the record names it.
"""

from baton.chains.seam import Doomed, Prepared, Ready, Wait
from baton.domain.status import Status
from baton.domain.transaction import AttemptKind, IntentKind, State, moved
from baton.lanes.book import Entry
from baton.lanes.desk import Desk
from baton.lanes.money import affordable_instead
from baton.lanes.sign import Order, signed
from baton.storage.changes import Advance, Progress


async def amend(desk: Desk) -> None:
    """Reads what clients asked for, and signs it in the same slot."""
    async with desk.store.read() as snapshot:
        asked = await snapshot.lanes.with_intent(desk.relayer.id, desk.settings.read_limit)
    desk.book.put(item for item in asked if item.transaction.status is not Status.PENDING)
    for item in asked:
        if item.transaction.status is Status.PENDING:
            await _amend_pending(desk, Entry(item.transaction, item.revision, []))
        else:
            await _amend(desk, desk.book.entries[item.transaction.id])


async def _amend_pending(desk: Desk, entry: Entry) -> None:
    """The old version died meanwhile: a replacement is simply the newest revision, a cancel is done."""
    transaction = entry.transaction
    steps: tuple[State, ...] = ()
    if transaction.intent is not None and transaction.intent.kind is IntentKind.CANCEL:
        steps = (moved(transaction.state, Status.CANCELED, reason="canceled: nothing of it can land"),)
    advance = Advance(transaction.id, transaction.version, steps)
    await desk.commit([Progress(desk.now, desk.fence, (advance,))])


async def _amend(desk: Desk, entry: Entry) -> None:
    intent = entry.transaction.intent
    if intent is None or entry.has_landed or not desk.chain.has_slots:
        return  # landed: the end will tell; without slots: waits until the old version is dead or has landed
    if intent.kind is IntentKind.CANCEL:
        prepared, kind = await desk.maker.void(entry.versions, desk.relayer), AttemptKind.NOOP
    else:
        prepared, kind = await _replacement(desk, entry), AttemptKind.REPLACEMENT
    await carry_out(desk, entry, prepared, kind)


async def _replacement(desk: Desk, entry: Entry) -> Prepared:
    """What is to be sent instead, if it can be paid for. It may depend on earlier ones that are still on their way."""
    prepared = await desk.maker.bump(entry.revision, entry.versions, desk.relayer)
    if isinstance(prepared, Doomed) and any(other.place < entry.place for other in desk.book.unlanded.values()):
        return Wait(
            f"its replacement fails while earlier transactions are on their way; it is repeated: {prepared.why}"
        )
    return await affordable_instead(desk, prepared, entry.live)


async def carry_out(desk: Desk, entry: Entry, prepared: Prepared, kind: AttemptKind, why: str | None = None) -> None:
    """Signs and stores the next version in the entry's slot, then hands it to the outbox. `why` goes with a no-op."""
    transaction = entry.transaction
    state = transaction.state
    if not isinstance(prepared, Ready):
        await say_why_not(desk, entry, prepared)
        return
    revision = transaction.state.revision if kind is AttemptKind.NOOP else entry.revision.number
    order = Order(prepared, entry.live[-1].slot, kind, transaction.id, revision)
    attempts = await signed(desk, [order])
    step = moved(state, state.status, attempt_id=attempts[0].id, reason=_reason(kind, state, why))
    advance = Advance(transaction.id, transaction.version, (step,))
    done = await desk.commit([Progress(desk.now, desk.fence, (advance,), tuple(attempts))])
    if done[0]:
        desk.post(attempts)


def _reason(kind: AttemptKind, state: State, why: str | None) -> str | None:
    if kind is AttemptKind.NOOP:
        return "cancel under way: a no-op was sent in its slot" if state.is_canceled else why
    return None


async def say_why_not(desk: Desk, entry: Entry, prepared: Prepared) -> None:
    """A replacement that can never succeed is given up; one that must wait says so once."""
    transaction = entry.transaction
    state, intent = transaction.state, transaction.intent
    if isinstance(prepared, Doomed):
        reason = f"the replacement was refused, the earlier version goes on: {prepared.why}"
        step = moved(state, state.status, reason=reason, revision=entry.live[-1].revision or state.revision)
        intent = None
    elif isinstance(prepared, Ready) or state.reason == prepared.why:
        return
    else:
        step = moved(state, state.status, reason=prepared.why)
    advance = Advance(transaction.id, transaction.version, (step,), intent)
    if (await desk.commit([Progress(desk.now, desk.fence, (advance,))]))[0] and isinstance(prepared, Doomed):
        await desk.reload({transaction.id})
