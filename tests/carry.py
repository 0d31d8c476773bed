"""Moves a stored transaction along, as a lane would: with a signed attempt, by compare-and-set."""

from datetime import datetime
from typing import Any

from tests.house import EVM_ADDRESS, House

from baton.domain.ids import ordered_id
from baton.domain.json import Json
from baton.domain.status import Status
from baton.domain.transaction import Attempt, AttemptKind, Block, Fate, Slot, moved
from baton.storage.changes import Advance, AttemptNews, Done, Progress

SIGNED = frozenset({Status.SENT, Status.SUBMITTED, Status.MINED, Status.CONFIRMED})
FACTS = {"gas_limit": 21_000, "gas_price": "7", "signature": {"r": "1", "s": "2", "v": 27, "sig": "3"}}


async def carry(
    house: House, transaction_id: str, *statuses: Status, number: int | None = None, facts: Json = FACTS
) -> Attempt:
    """Gives the attempt that it was signed in; `number` is its nonce."""
    async with house.store.read() as snapshot:
        stored = await snapshot.transactions.transaction("evm-local", transaction_id)
    assert stored is not None
    now = house.clock.now()
    slot = None if number is None else Slot("31337:0x00", EVM_ADDRESS, number)
    attempt = _attempt(transaction_id, stored.state.revision, now, slot, facts)
    steps, state = [], stored.state
    for status in statuses:
        changes: dict[str, Any] = {"attempt_id": attempt.id} if status in SIGNED else {}
        changes |= {"sent_at": now} if status is Status.SUBMITTED else {}
        changes |= {"confirmed_at": now} if status is Status.CONFIRMED else {}
        state = moved(state, status, **changes)
        steps.append(state)
    attempts = (attempt,) if SIGNED & set(statuses) else ()
    advance = Advance(transaction_id, stored.version, tuple(steps))
    assert await house.store.write(Progress(now, advances=(advance,), attempts=attempts)) == Done()
    return attempt


async def told(house: House, attempt: Attempt, fate: Fate, outcome: Json = None) -> None:
    """What the chain has shown of an attempt."""
    block = Block(12, "0xb10c") if fate in (Fate.INCLUDED, Fate.REVERTED) else None
    news = AttemptNews(attempt.id, fate, block, house.clock.now(), outcome)
    assert await house.store.write(Progress(house.clock.now(), news=(news,))) == Done()


def _attempt(transaction_id: str, revision: int, now: datetime, slot: Slot | None, facts: Json) -> Attempt:
    return Attempt(
        ordered_id(),
        "evm-local",
        transaction_id,
        revision,
        AttemptKind.ORIGINAL,
        hash="0x" + ordered_id().replace("-", "") * 2,
        slot=slot,
        max_cost=1,
        facts=facts,
        created_at=now,
        raw=b"signed",
    )
