"""Moves a stored transaction along, as a lane would: with a signed attempt, by compare-and-set."""

from datetime import datetime
from typing import Any

from tests.house import House

from baton.domain.ids import ordered_id
from baton.domain.status import Status
from baton.domain.transaction import Attempt, AttemptKind, moved
from baton.storage.changes import Advance, Done, Progress

SIGNED = frozenset({Status.SENT, Status.SUBMITTED, Status.MINED, Status.CONFIRMED})
FACTS = {"gas_limit": 21_000, "gas_price": "7", "signature": {"r": "1", "s": "2", "v": 27, "sig": "3"}}


async def carry(house: House, transaction_id: str, *statuses: Status) -> None:
    async with house.store.read() as snapshot:
        stored = await snapshot.transactions.transaction("evm-local", transaction_id)
    assert stored is not None
    now = house.clock.now()
    attempt = _attempt(transaction_id, stored.state.revision, now)
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


def _attempt(transaction_id: str, revision: int, now: datetime) -> Attempt:
    return Attempt(
        ordered_id(),
        "evm-local",
        transaction_id,
        revision,
        AttemptKind.ORIGINAL,
        hash="0x" + ordered_id().replace("-", "") * 2,
        slot=None,
        max_cost=1,
        facts=FACTS,
        created_at=now,
        raw=b"signed",
    )
