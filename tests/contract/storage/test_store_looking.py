"""What people look at: what can still be canceled, what stands before one in the queue, the last confirmation."""

from msgspec.structs import replace
from tests.contract.storage.making import (
    accepted,
    an_attempt,
    final,
    later,
    moved_to,
    progress,
    refreshed,
    sent,
    signing,
)
from tests.contract.storage.making import advance as advanced

from baton.domain.status import Status
from baton.domain.transaction import Transaction
from baton.storage.base import Store
from baton.storage.changes import Done


async def _confirmed(store: Store, transaction: Transaction, seconds: float) -> None:
    attempt = an_attempt(transaction)
    signed = sent(transaction, attempt)
    steps = [
        signed,
        replace(signed, status=Status.SUBMITTED),
        replace(signed, status=Status.MINED),
        replace(signed, status=Status.CONFIRMED, confirmed_at=later(seconds)),
    ]
    assert await store.write(progress(advanced(transaction, *steps), attempts=(attempt,))) == Done()


async def test_amendable_are_those_in_no_block_in_order_of_acceptance(store: Store) -> None:
    made = [await accepted(store, at=later(index)) for index in range(5)]
    await accepted(store, "other")
    assert await store.write(signing(made[1], 0)) == Done()
    submitted = await refreshed(store, made[1])
    await moved_to(store, submitted, replace(submitted.state, status=Status.SUBMITTED))
    assert await store.write(signing(made[2], 1)) == Done()
    signed = await refreshed(store, made[2])
    await moved_to(store, signed, replace(signed.state, status=Status.MINED))
    await moved_to(store, made[3], final(made[3]))
    async with store.read() as snapshot:
        found = await snapshot.lanes.amendable("r")
    assert [each.id for each in found] == [made[0].id, made[1].id, made[4].id]
    assert [each.status for each in found] == [Status.PENDING, Status.SUBMITTED, Status.PENDING]
    assert found[1] == await refreshed(store, made[1])


async def test_what_stands_before_one_in_the_queue_is_counted(store: Store) -> None:
    made = [await accepted(store) for _ in range(4)]
    await accepted(store, "other")
    assert await store.write(signing(made[1], 0)) == Done()
    async with store.read() as snapshot:
        counts = [await snapshot.relayers.pending_before("r", each.seq) for each in made]
    assert counts == [0, 1, 1, 2]


async def test_the_last_confirmation_is_the_latest_one(store: Store) -> None:
    made = [await accepted(store) for _ in range(3)]
    async with store.read() as snapshot:
        assert await snapshot.relayers.last_confirmed_at("r") is None
    await _confirmed(store, made[1], 50)
    await _confirmed(store, made[0], 70)
    other = await accepted(store, "other")
    await _confirmed(store, other, 90)
    async with store.read() as snapshot:
        assert await snapshot.relayers.last_confirmed_at("r") == later(70)
        assert await snapshot.relayers.last_confirmed_at("nobody") is None
