"""The storage seam tried on a real PostgreSQL: the same outcomes as SQLite, also when two connections race."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.contract.storage.making import advance, an_accept, final, later, progress
from tests.contract.storage.postgres_schema import postgres_schema
from tests.contract.storage.postgres_server import running_postgres
from tests.contract.storage.postgres_trial import Connection, accept_group, advance_group, connect, take_lane

from baton.domain.status import Status
from baton.domain.transaction import Transaction
from baton.storage.base import ListFilter
from baton.storage.changes import (
    Accept,
    Accepted,
    Done,
    Duplicate,
    Fence,
    Full,
    NotOwner,
    Outcome,
    Progress,
    Stale,
    TakeLane,
)
from baton.storage.cipher import Cipher
from baton.storage.queries import load_queries
from baton.storage.readers import Readers
from baton.storage.rows import Row
from baton.storage.sqlite import SqliteStore

# Prepared as they stand, but an adapter must say more there: a lock, its own clock, or a whole group at once.
PARTICULAR = {
    "fence": "locks the lane's row FOR SHARE",
    "node_lives": "goes by the database's clock",
    "beat": "goes by the database's clock",
    "take_number": "a group at once: rows locked, numbers dealt",
    "advance": "a group at once by unnest",
}


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with running_postgres() as found:
        yield found


@pytest.fixture
async def pair(host: str) -> AsyncIterator[tuple[Connection, Connection]]:
    """Two connections to fresh tables."""
    first, second = await connect(host), await connect(host)
    await first.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    await first.execute(postgres_schema())
    yield first, second
    for connection in (first, second):
        await connection.close()


@pytest.fixture
def pg(pair: tuple[Connection, Connection]) -> Connection:
    return pair[0]


async def _on_sqlite(folder: Path, *groups: Sequence[Accept | Progress | TakeLane]) -> list[Outcome]:
    store = await SqliteStore.open(folder, Cipher(bytes(32)))
    try:
        return [outcome for group in groups for outcome in await store.write_all(group)]
    finally:
        await store.close()


def _readers(pg: Connection) -> Readers:
    queries = load_queries()

    async def fetch(name: str, *values: object) -> list[Row]:
        return [tuple(row) for row in await pg.fetch(queries[name], *values)]

    return Readers.over(fetch, Cipher(bytes(32)))


async def test_every_named_query_prepares_on_both_engines_as_it_stands(pg: Connection) -> None:
    queries = load_queries()
    for text in queries.values():
        await pg.prepare(text)
    assert queries.keys() >= PARTICULAR.keys()


async def test_accepting_a_group_has_the_outcomes_of_sqlite(pg: Connection, tmp_path: Path) -> None:
    dice = random.Random(3)
    groups = [
        [
            an_accept(
                dice.choice(["a", "b", "c"]),
                at=later(dice.randint(-50, 50)),
                limit=12,
                key=dice.choice([None, None, "k1", "k2", "k3"]),
                body=bytes([dice.randint(0, 3)]),
            )
            for _ in range(dice.randint(1, 12))
        ]
        for _ in range(15)
    ]
    found = [outcome for group in groups for outcome in await accept_group(pg, group)]
    assert found == await _on_sqlite(tmp_path, *groups)
    assert {type(outcome) for outcome in found} == {Accepted, Duplicate, Full}


async def test_a_full_group_leaves_no_key_behind(pg: Connection) -> None:
    assert await accept_group(pg, [an_accept(limit=0, key="k")]) == [Full(0)]
    assert await pg.fetchval("SELECT count(*) FROM idempotency_keys") == 0


async def test_two_connections_that_accept_at_once_number_densely_and_make_one_row_a_key(
    pair: tuple[Connection, Connection],
) -> None:
    async def stream(connection: Connection, seed: int) -> list[Outcome]:
        dice = random.Random(seed)
        found: list[Outcome] = []
        for _ in range(40):
            group = [an_accept(dice.choice("abc"), key=f"k{dice.randint(0, 60)}") for _ in range(10)]
            found += await accept_group(connection, group)
        return found

    streams = await asyncio.gather(*(stream(connection, seed) for seed, connection in enumerate(pair)))
    outcomes = [outcome for found in streams for outcome in found]
    accepted = [outcome.transaction for outcome in outcomes if isinstance(outcome, Accepted)]
    made = {transaction.id for transaction in accepted}
    assert all(outcome.transaction_id in made for outcome in outcomes if isinstance(outcome, Duplicate))
    for relayer in "abc":
        numbers = sorted(transaction.seq for transaction in accepted if transaction.relayer_id == relayer)
        assert numbers == list(range(1, len(numbers) + 1))
    assert await pair[0].fetchval("SELECT count(*) FROM transactions") == len(accepted)
    assert await pair[0].fetchval("SELECT count(*) FROM idempotency_keys") == len(accepted)


async def _accepted(pg: Connection, count: int, relayer: str = "r") -> list[Transaction]:
    outcomes = await accept_group(pg, [an_accept(relayer, limit=10**9) for _ in range(count)])
    return [outcome.transaction for outcome in outcomes if isinstance(outcome, Accepted)]


async def test_advancing_a_group_has_the_outcomes_of_sqlite(pg: Connection, tmp_path: Path) -> None:
    accepts = [an_accept() for _ in range(6)]
    made = [outcome.transaction for outcome in await accept_group(pg, accepts) if isinstance(outcome, Accepted)]
    fence = Fence("lane", await take_lane(pg, "lane", "node-a"))
    a, b, c, d, e, f = made
    ended = replace(a, version=2, state=final(a))
    group = [
        progress(advance(a, a.state, final(a)), fence=fence),
        progress(advance(ended, b.state)),  # final by now
        progress(advance(replace(b, version=2), final(b)), fence=fence),
        progress(advance(b, b.state), fence=fence),
        progress(advance(replace(b, version=2), final(b, Status.EXPIRED)), fence=fence),  # sees the one before
        progress(advance(c, final(c)), fence=Fence("lane", fence.epoch + 1)),
        progress(advance(c, final(c)), fence=Fence("nobody's lane", 1)),
        progress(advance(d, final(d)), advance(replace(e, version=7), final(e)), fence=fence),  # all or nothing
        progress(advance(d, d.state), advance(e, e.state)),
        progress(advance(replace(f, id="unknown"), final(f))),
    ]
    found = await advance_group(pg, group)
    on_sqlite = await _on_sqlite(tmp_path, accepts, [TakeLane("lane", "node-a", later(0))], group)
    assert found == on_sqlite[len(accepts) + 1 :]
    assert {type(outcome) for outcome in found} == {Done, Stale, NotOwner}


async def test_the_readers_read_from_postgresql_unchanged(pg: Connection) -> None:
    transactions = await _accepted(pg, 5)
    first = transactions[0]
    await advance_group(pg, [progress(advance(first, first.state, final(first)), at=later(1))])
    readers = _readers(pg)
    events = await readers.transactions.events(first.id)
    assert [event.number for event in events] == [1, 2, 3]
    assert events[-1].state == final(first)
    page = await readers.transactions.page("r", 2, 2, ListFilter(until=later(60)))
    assert ([view.id for view in page.items], page.total) == ([transactions[2].id, transactions[1].id], 5)
    assert await readers.transactions.counts() == {("r", Status.PENDING): 4, ("r", Status.FAILED): 1}
    assert await readers.relayers.open_count("r") == 4
    assert [entry.transaction for entry in await readers.lanes.in_status("r", Status.PENDING, 9)] == transactions[1:]


async def test_two_connections_that_advance_the_same_rows_never_both_succeed(
    pair: tuple[Connection, Connection],
) -> None:
    transactions = await _accepted(pair[0], 60)

    def group(seed: int) -> list[Progress]:
        shuffled = random.Random(seed).sample(transactions, len(transactions))
        return [progress(advance(transaction, final(transaction))) for transaction in shuffled]

    groups = [group(1), group(2)]
    outcomes = await asyncio.gather(
        *(advance_group(connection, changes) for connection, changes in zip(pair, groups, strict=True))
    )
    assert sorted(found.count(Done()) for found in outcomes) == [0, 60]
    assert await pair[0].fetchval("SELECT finished FROM counters") == 60


async def test_accepts_and_advances_race_without_a_deadlock(pair: tuple[Connection, Connection]) -> None:
    waiting = await _accepted(pair[0], 200, "a") + await _accepted(pair[0], 200, "b")

    async def accept() -> None:
        for _ in range(40):
            await accept_group(pair[0], [an_accept(name, limit=10**9) for name in random.Random(1).choices("ab", k=10)])

    async def finish() -> None:
        for start in range(0, 400, 10):
            group = [progress(advance(waiting[index], final(waiting[index]))) for index in range(start, start + 10)]
            assert await advance_group(pair[1], group[::-1]) == [Done()] * 10

    await asyncio.wait_for(asyncio.gather(accept(), finish()), timeout=60)


async def test_a_slot_that_two_connections_want_goes_to_one(pair: tuple[Connection, Connection]) -> None:
    take = load_queries()["move_slot"]

    async def wanted(connection: Connection, holder: str) -> bool:
        async with connection.transaction():
            taken = [await connection.fetch(take, "chain", "0xabc", number, "r", holder, "held") for number in range(9)]
            return all(taken)

    for round_number in range(10):
        await pair[0].execute("DELETE FROM slots")
        holders = [f"{name}{round_number}" for name in "ab"]
        got = await asyncio.gather(*(wanted(connection, name) for connection, name in zip(pair, holders, strict=True)))
        assert sorted(got) == [False, True]
        held = await pair[0].fetch("SELECT DISTINCT holder FROM slots")
        assert [row[0] for row in held] == [holders[got.index(True)]]


async def test_a_take_over_waits_for_the_owners_open_write_and_no_later_one_passes(
    pair: tuple[Connection, Connection],
) -> None:
    owner, stranger = pair
    (transaction,) = await _accepted(owner, 1)
    fence = Fence("lane", await take_lane(owner, "lane", "node-a"))
    writing = owner.transaction()
    await writing.start()
    await owner.fetch("SELECT 1 FROM lanes WHERE lane = 'lane' AND epoch = $1 FOR SHARE", fence.epoch)
    take_over = asyncio.ensure_future(take_lane(stranger, "lane", "node-b"))
    done, _ = await asyncio.wait([take_over], timeout=0.3)
    assert not done, "the take-over went past an open write"
    await writing.commit()
    assert await asyncio.wait_for(take_over, timeout=10) == fence.epoch + 1
    stale = progress(advance(transaction, final(transaction)), fence=fence)
    assert await advance_group(owner, [stale]) == [NotOwner()]


async def test_an_exists_check_would_let_a_stale_owner_commit(pair: tuple[Connection, Connection]) -> None:
    """The trap: why the lane's row is locked, not only looked at."""
    owner, stranger = pair
    (transaction,) = await _accepted(owner, 1)
    epoch = await take_lane(owner, "lane", "node-a")
    async with owner.transaction():
        assert await owner.fetchval("SELECT EXISTS (SELECT 1 FROM lanes WHERE lane = 'lane' AND epoch = $1)", epoch)
        await asyncio.wait_for(take_lane(stranger, "lane", "node-b"), timeout=10)
        await owner.execute("UPDATE transactions SET version = 2 WHERE id = $1", transaction.id)
    assert await owner.fetchval("SELECT version FROM transactions WHERE id = $1", transaction.id) == 2


async def _rate(work: Callable[[], object], rows: int) -> float:
    began = time.perf_counter()
    await work()  # type: ignore[misc]
    return rows / (time.perf_counter() - began)


async def test_groups_are_what_makes_durability_cheap(pg: Connection, capsys: pytest.CaptureFixture[str]) -> None:
    assert await pg.fetchval("SHOW synchronous_commit") == "on"

    async def accept(size: int, groups: int) -> None:
        for _ in range(groups):
            await accept_group(pg, [an_accept(limit=10**9, key=f"{size}{_}{n}") for n in range(size)])

    alone = await _rate(lambda: accept(1, 200), 200)
    grouped = await _rate(lambda: accept(200, 25), 5000)
    transactions = await _accepted(pg, 5000)

    async def finish() -> None:
        for start in range(0, 5000, 200):
            changes = [progress(advance(one, final(one))) for one in transactions[start : start + 200]]
            assert await advance_group(pg, changes) == [Done()] * 200

    advanced = await _rate(finish, 5000)
    with capsys.disabled():
        print(f"\nPostgreSQL: accept alone {alone:.0f}/s, in groups of 200 {grouped:.0f}/s, advance {advanced:.0f}/s")  # noqa: T201 - the figures are for people
    assert grouped > 3 * alone
