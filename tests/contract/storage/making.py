"""Builds the changes that the suite writes: short to call, everything explicit in the change itself."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from baton.domain.ids import ordered_id
from baton.domain.notification import Notification
from baton.domain.status import Status
from baton.domain.transaction import (
    Attempt,
    AttemptKind,
    Hold,
    Intent,
    Revision,
    Slot,
    State,
    Transaction,
)
from baton.storage.base import ListFilter, Store
from baton.storage.changes import (
    Accept,
    Accepted,
    Advance,
    AttemptNews,
    Done,
    Fence,
    IdempotencyKey,
    Owned,
    Progress,
    SlotMove,
    TakeLane,
)

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
CHAIN, ACCOUNT = "chain-1", "0xabc"


def later(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def an_accept(
    relayer: str = "r", *, at: datetime = NOON, limit: int = 1_000, key: str | None = None, body: bytes = b"body"
) -> Accept:
    return Accept(
        transaction_id=ordered_id(),
        relayer_id=relayer,
        revision=Revision(1, {"to": "0x1", "value": 2**200}, valid_until=None),
        at=at,
        queue_limit=limit,
        idempotency=None if key is None else IdempotencyKey("api-key", key, body),
    )


async def accepted(
    store: Store, relayer: str = "r", *, at: datetime = NOON, limit: int = 1_000, key: str | None = None
) -> Transaction:
    outcome = await store.write(an_accept(relayer, at=at, limit=limit, key=key))
    assert isinstance(outcome, Accepted)
    return outcome.transaction


def an_attempt(transaction: Transaction, number: int | None = None, *, tag: str = "") -> Attempt:
    return Attempt(
        id=ordered_id(),
        relayer_id=transaction.relayer_id,
        transaction_id=transaction.id,
        revision=transaction.state.revision,
        kind=AttemptKind.ORIGINAL,
        hash=f"hash-{transaction.id}-{number}-{tag}",
        slot=None if number is None else Slot(CHAIN, ACCOUNT, number),
        max_cost=2**100,
        facts={"gas": 21_000},
        created_at=NOON,
        raw=b"\x00signed\xff",
    )


def a_filler(number: int, *, relayer: str = "r", account: str = ACCOUNT, tag: str = "") -> Attempt:
    return Attempt(
        id=ordered_id(),
        relayer_id=relayer,
        transaction_id=None,
        revision=None,
        kind=AttemptKind.NOOP,
        hash=f"filler-{account}-{number}-{tag}",
        slot=Slot(CHAIN, account, number),
        max_cost=1,
        facts={},
        created_at=NOON,
        raw=b"filler",
    )


def hold(attempt: Attempt, state: Hold = Hold.HELD) -> SlotMove:
    assert attempt.slot is not None
    return SlotMove(attempt.slot, attempt.relayer_id, attempt.transaction_id, state)


def advance(
    transaction: Transaction, *steps: State, intent: Intent | None = None, revision: Revision | None = None
) -> Advance:
    return Advance(transaction.id, transaction.version, steps, intent=intent, revision=revision)


def progress(
    *advances: Advance,
    attempts: tuple[Attempt, ...] = (),
    slots: tuple[SlotMove, ...] = (),
    news: tuple[AttemptNews, ...] = (),
    fence: Fence | None = None,
    at: datetime = NOON,
) -> Progress:
    return Progress(at=at, fence=fence, advances=advances, attempts=attempts, slots=slots, news=news)


def sent(transaction: Transaction, attempt: Attempt) -> State:
    return replace(transaction.state, status=Status.SENT, attempt_id=attempt.id)


def signing(transaction: Transaction, number: int, *, fence: Fence | None = None) -> Progress:
    """Signs with a slot: the attempt, its slot and the new state in one change."""
    attempt = an_attempt(transaction, number)
    return progress(
        advance(transaction, sent(transaction, attempt)), attempts=(attempt,), slots=(hold(attempt),), fence=fence
    )


def final(transaction: Transaction, status: Status = Status.FAILED, reason: str = "because") -> State:
    return replace(transaction.state, status=status, reason=reason)


async def refreshed(store: Store, transaction: Transaction) -> Transaction:
    async with store.read() as snapshot:
        found = await snapshot.transactions.transaction(transaction.relayer_id, transaction.id)
    assert found is not None
    return found


async def moved_to(store: Store, transaction: Transaction, *steps: State) -> Transaction:
    assert await store.write(progress(advance(transaction, *steps))) == Done()
    return await refreshed(store, transaction)


async def owned(store: Store, lane: str = "lane", node: str = "node-a") -> Fence:
    outcome = await store.write(TakeLane(lane, node, NOON))
    assert isinstance(outcome, Owned)
    return Fence(lane, outcome.epoch)


async def page_ids(store: Store, relayer: str = "r", page: int = 1, per_page: int = 1_000) -> list[str]:
    async with store.read() as snapshot:
        found = await snapshot.transactions.page(relayer, page, per_page, ListFilter())
    return [view.id for view in found.items]


def a_notification(
    name: str = "n", *, secret: str | None = "whsec-canary-7f3a", url: str = "https://a"
) -> Notification:
    return Notification(id=name, url=url, created_at=NOON, signing_key=secret)
