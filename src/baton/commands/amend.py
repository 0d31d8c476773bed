"""Replace and cancel: what a client can still change about a transaction that it handed over.

While nothing is signed the change is effective at once. Afterwards it is an intent: stored here by compare-and-set,
carried out by the lane.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace as with_changes

from baton.commands.context import TRIES, Context
from baton.commands.registry import Known
from baton.commands.transactions import Shown, carried
from baton.domain.errors import Bug, Forbidden, Invalid, Refused, RelayerMissing, StoreUnavailable, TransactionMissing
from baton.domain.json import Json
from baton.domain.status import Status
from baton.domain.transaction import Attempt, Fate, Intent, IntentKind, Revision, State, Transaction, View, moved
from baton.storage.changes import Advance, Carried, Done, Progress, Stale

CANCELED_AT_ONCE = "canceled before anything was signed"
CANCELED_AT_A_TIME = 500
CANCEL_ACCEPTED = "cancel accepted; it is being carried out"


async def replace(context: Context, relayer_id: str, transaction_id: str, body: Json) -> Shown:
    try:
        known = context.relayers.get(relayer_id)
    except RelayerMissing as error:
        raise TransactionMissing(transaction_id) from error  # here the two must look alike
    async with context.turns.of(transaction_id):
        return await _replace(context, known, transaction_id, body)


async def _replace(context: Context, known: Known, transaction_id: str, body: Json) -> Shown:
    for _ in range(TRIES):
        stored, view = await _look(context, known.relayer.id, transaction_id)
        if known.relayer.refusal is not None:
            raise Forbidden(known.relayer.refusal)
        draft = known.language.parse(body, known.relayer, context.clock.now())
        _check_amendable(stored)
        if stored.state.is_canceled:
            raise Invalid("status", f"{stored.status} with a cancel accepted", "a transaction that is not canceled")
        known.language.check_replacement(draft, await _live(context, stored))
        revision = Revision(
            await _next_number(context, transaction_id), draft.content, draft.valid_until, draft.fingerprint
        )
        state = with_changes(stored.state, revision=revision.number, reason=None)
        intent = None if stored.status is Status.PENDING else Intent(IntentKind.REPLACE, revision.number)
        if await _stored(context, Advance(transaction_id, stored.version, (state,), intent, revision)):
            return Shown(with_changes(view, state=state, revision=revision), known)
    raise StoreUnavailable(_busy(transaction_id))


async def cancel(context: Context, relayer_id: str, transaction_id: str) -> Shown:
    known = context.relayers.get(relayer_id)
    async with context.turns.of(transaction_id):
        return await _cancel(context, known, transaction_id)


async def _cancel(context: Context, known: Known, transaction_id: str) -> Shown:
    for _ in range(TRIES):
        stored, view = await _look(context, known.relayer.id, transaction_id)
        _check_amendable(stored)
        if stored.state.is_canceled:
            return Shown(view, known)
        state, intent = _canceled(stored.state)
        if await _stored(context, Advance(transaction_id, stored.version, (state,), intent)):
            return Shown(with_changes(view, state=state), known)
    raise StoreUnavailable(_busy(transaction_id))


@dataclass(frozen=True, slots=True)
class CancelAll:
    """What became of canceling everything that can still be canceled."""

    accepted: tuple[str, ...]
    failed: tuple[str, ...]  # landed or ended meanwhile


async def cancel_all(context: Context, relayer_id: str) -> CancelAll:
    """Cancels every transaction of a relayer that is not in a block, in order of acceptance."""
    context.relayers.get(relayer_id)
    async with context.store.read() as snapshot:
        found = await snapshot.lanes.amendable(relayer_id)
    accepted = {stored.id for stored in found if stored.state.is_canceled}
    for start in range(0, len(found), CANCELED_AT_A_TIME):
        accepted |= await _cancel_some(context, found[start : start + CANCELED_AT_A_TIME])
    return CancelAll(
        tuple(stored.id for stored in found if stored.id in accepted),
        tuple(stored.id for stored in found if stored.id not in accepted),
    )


async def _cancel_some(context: Context, found: Sequence[Transaction]) -> set[str]:
    """Those whose cancel was accepted; one that the lane moved meanwhile is looked at again."""
    asked = [stored for stored in found if not stored.state.is_canceled]
    changes = []
    for stored in asked:
        state, intent = _canceled(stored.state)
        advance = Advance(stored.id, stored.version, (state,), intent)
        changes.append(Progress(context.clock.now(), advances=(advance,)))
    accepted = set()
    for stored, outcome in zip(asked, await context.store.write_all(changes), strict=True):
        if isinstance(outcome, Done) or await _is_canceled_yet(context, stored):
            accepted.add(stored.id)
    return accepted


async def _is_canceled_yet(context: Context, stored: Transaction) -> bool:
    try:
        await cancel(context, stored.relayer_id, stored.id)
    except (Refused, StoreUnavailable):
        return False
    return True


def _canceled(state: State) -> tuple[State, Intent | None]:
    if state.status is Status.PENDING:
        return moved(state, Status.CANCELED, reason=CANCELED_AT_ONCE, is_canceled=True), None
    intent = Intent(IntentKind.CANCEL, state.revision)
    return with_changes(state, reason=CANCEL_ACCEPTED, is_canceled=True), intent


async def _look(context: Context, relayer_id: str, transaction_id: str) -> tuple[Transaction, View]:
    async with context.store.read() as snapshot:
        stored = await snapshot.transactions.transaction(relayer_id, transaction_id)
        view = await snapshot.transactions.view(relayer_id, transaction_id)
    if stored is None or view is None:
        raise TransactionMissing(transaction_id)
    return stored, view


async def _next_number(context: Context, transaction_id: str) -> int:
    """Numbers are never given twice: a replacement that was refused keeps its own."""
    async with context.store.read() as snapshot:
        return await snapshot.transactions.last_revision(transaction_id) + 1


async def _live(context: Context, stored: Transaction) -> list[Attempt]:
    """Versions that may still land."""
    if stored.status is Status.PENDING:
        return []
    async with context.store.read() as snapshot:
        attempts = await snapshot.transactions.attempts(stored.id)
    return [attempt for attempt in attempts if attempt.fate is Fate.OPEN]


def _check_amendable(stored: Transaction) -> None:
    if not stored.status.is_amendable:
        raise Invalid("status", stored.status.value, "pending, sent or submitted: it can no longer be changed")


async def _stored(context: Context, advance: Advance) -> bool:
    match await context.store.write(Progress(context.clock.now(), advances=(advance,))):
        case Done():
            return True
        case Stale():
            return False
        case Carried(transaction_id):
            raise carried(transaction_id)
        case other:
            raise Bug(f"an amendment answered {other}")


def _busy(transaction_id: str) -> str:
    return f"transaction {transaction_id!r} changed {TRIES} times while it was being amended; try again"
