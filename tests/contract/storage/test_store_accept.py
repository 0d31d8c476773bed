"""Accepting: numbers, times, queue limit, idempotency (D2, E3)."""

import asyncio
import random

from msgspec.structs import replace
from tests.contract.storage.conftest import Engine
from tests.contract.storage.making import NOON, accepted, advance, an_accept, final, later, moved_to, page_ids, progress

from baton.domain.status import Status
from baton.domain.transaction import State
from baton.storage.base import Store
from baton.storage.changes import Accepted, Done, Duplicate, Full, Sweep


async def test_numbers_are_dense_per_relayer_whatever_arrives_together(store: Store) -> None:
    changes = [an_accept(f"r{index % 3}") for index in range(60)]
    outcomes = await asyncio.gather(*(store.write(change) for change in changes))
    numbers: dict[str, list[int]] = {}
    for outcome in outcomes:
        assert isinstance(outcome, Accepted)
        numbers.setdefault(outcome.transaction.relayer_id, []).append(outcome.transaction.seq)
    assert {relayer: sorted(found) for relayer, found in numbers.items()} == {
        f"r{index}": list(range(1, 21)) for index in range(3)
    }


async def test_an_accepted_transaction_is_pending_with_its_first_event(store: Store) -> None:
    transaction = await accepted(store, at=later(5))
    async with store.read() as snapshot:
        assert await snapshot.transactions.transaction("r", transaction.id) == transaction
        events = await snapshot.transactions.events(transaction.id)
        view = await snapshot.transactions.view("r", transaction.id)
    assert transaction.state == State(Status.PENDING)
    assert (transaction.seq, transaction.version, transaction.events, transaction.created_at) == (1, 1, 1, later(5))
    assert [(event.number, event.state, event.at) for event in events] == [(1, transaction.state, later(5))]
    assert view is not None
    assert view.revision.content == {"to": "0x1", "value": 2**200}
    assert view.attempt is None


async def test_created_at_never_runs_backwards_when_the_clock_does(store: Store) -> None:
    clock = random.Random(7)
    moments = [later(clock.uniform(-3600, 3600)) for _ in range(40)]
    found = [(await accepted(store, at=moment)).created_at for moment in moments]
    assert found == sorted(found)
    assert found[0] == moments[0]
    assert max(found) == max(moments)


async def test_one_relayers_clock_does_not_move_anothers(store: Store) -> None:
    await accepted(store, "a", at=later(100))
    assert (await accepted(store, "b", at=NOON)).created_at == NOON


async def test_a_full_relayer_takes_no_more_and_says_how_many_are_open(store: Store) -> None:
    first = await accepted(store, limit=2)
    await accepted(store, limit=2)
    assert await store.write(an_accept(limit=2)) == Full(2)
    assert await store.write(an_accept("other", limit=2)) != Full(2)
    await moved_to(store, first, final(first))
    assert isinstance(await store.write(an_accept(limit=2)), Accepted)
    assert await store.write(an_accept(limit=2)) == Full(2)


async def test_a_refused_one_takes_no_number_and_leaves_nothing(store: Store) -> None:
    await accepted(store, limit=1)
    refused = an_accept(limit=1, key="k")
    assert await store.write(refused) == Full(1)
    async with store.read() as snapshot:
        assert await snapshot.transactions.view("r", refused.transaction_id) is None
        assert await snapshot.transactions.events(refused.transaction_id) == []
        assert await snapshot.transactions.idempotent("r", "api-key", "k") is None
    assert (await accepted(store, limit=2)).seq == 2


async def test_a_queue_limit_of_zero_accepts_nothing_not_even_the_first(store: Store) -> None:
    assert await store.write(an_accept(limit=0)) == Full(0)
    assert (await accepted(store)).seq == 1


async def test_a_queue_limit_holds_when_many_arrive_at_once(store: Store) -> None:
    outcomes = await asyncio.gather(*(store.write(an_accept(limit=5)) for _ in range(40)))
    assert sum(isinstance(outcome, Accepted) for outcome in outcomes) == 5
    assert outcomes.count(Full(5)) == 35


async def test_the_same_idempotency_key_names_the_first_transaction(store: Store) -> None:
    first = await accepted(store, key="k")
    again = await store.write(an_accept(key="k", body=b"other body"))
    assert again == Duplicate(first.id, b"body")
    async with store.read() as snapshot:
        assert await snapshot.transactions.idempotent("r", "api-key", "k") == Duplicate(first.id, b"body")
    assert await page_ids(store) == [first.id]


async def test_concurrent_requests_with_one_key_make_one_row(store: Store) -> None:
    outcomes = await asyncio.gather(*(store.write(an_accept(key="k")) for _ in range(30)))
    made = [outcome.transaction.id for outcome in outcomes if isinstance(outcome, Accepted)]
    assert len(made) == 1
    assert outcomes.count(Duplicate(made[0], b"body")) == 29
    assert await page_ids(store) == made


async def test_a_key_is_found_before_the_queue_is_looked_at(store: Store) -> None:
    first = await accepted(store, limit=1, key="k")
    assert await store.write(an_accept(limit=1, key="k")) == Duplicate(first.id, b"body")


async def test_keys_of_other_relayers_and_other_api_keys_are_apart(store: Store) -> None:
    await accepted(store, "a", key="k")
    assert isinstance(await store.write(an_accept("b", key="k")), Accepted)
    stranger = an_accept("a", key="k")
    assert stranger.idempotency is not None
    stranger = replace(stranger, idempotency=replace(stranger.idempotency, scope="someone else"))
    assert isinstance(await store.write(stranger), Accepted)


async def test_a_sweep_forgets_only_old_keys_of_final_transactions(store: Store) -> None:
    done = await accepted(store, key="old-final", at=NOON)
    await accepted(store, key="old-open", at=NOON)
    young = await accepted(store, key="young-final", at=later(100))
    for transaction in (done, young):
        await moved_to(store, transaction, final(transaction))
    assert await store.write(Sweep(before=later(50))) == Done()
    async with store.read() as snapshot:
        known = {
            key: await snapshot.transactions.idempotent("r", "api-key", key) is not None
            for key in ("old-final", "old-open", "young-final")
        }
    assert known == {"old-final": False, "old-open": True, "young-final": True}
    assert isinstance(await store.write(an_accept(key="old-final")), Accepted)


async def test_a_sweep_stops_at_its_limit(store: Store) -> None:
    for index in range(5):
        transaction = await accepted(store, key=f"k{index}")
        await store.write(progress(advance(transaction, final(transaction))))
    await store.write(Sweep(before=later(1), limit=2))
    async with store.read() as snapshot:
        left = [await snapshot.transactions.idempotent("r", "api-key", f"k{index}") for index in range(5)]
    assert sum(found is not None for found in left) == 3


async def test_everything_is_there_after_a_restart(engine: Engine) -> None:
    store = await engine.open()
    first = await accepted(store, key="k", at=later(50))
    await store.close()
    store = await engine.open()
    try:
        assert await store.write(an_accept(key="k")) == Duplicate(first.id, b"body")
        second = await accepted(store, at=NOON)
        assert (second.seq, second.created_at) == (2, later(50))
        assert await page_ids(store) == [second.id, first.id]
    finally:
        await store.close()
