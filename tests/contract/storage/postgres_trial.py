"""Accept and advance as grouped `unnest` statements: the trial that the storage seam rests on, not an adapter.

A group is one SQL transaction. It locks in one order (lanes, idempotency keys, relayer counters, rows; each sorted),
decides every outcome from what it has locked, and writes what stands with one statement.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from baton.domain.clock import from_micros, to_micros
from baton.domain.ids import ordered_id
from baton.domain.status import Status
from baton.domain.transaction import State, Transaction
from baton.storage.changes import Accept, Accepted, Done, Duplicate, Full, NotOwner, Outcome, Progress, Stale
from baton.storage.rows import json_text, state_columns

Connection = Any  # asyncpg has no types

TAKE_KEYS = """
INSERT INTO idempotency_keys (scope, relayer_id, key, transaction_id, body_hash, created_at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::bigint[]) AS k (a, b, c, d, e, f)
ORDER BY a, b, c ON CONFLICT DO NOTHING RETURNING transaction_id"""

KNOWN_KEYS = """
SELECT scope, relayer_id, key, transaction_id, body_hash FROM idempotency_keys
JOIN unnest($1::text[], $2::text[], $3::text[]) AS k (a, b, c) ON scope = a AND relayer_id = b AND key = c"""

OPEN_COUNTERS = """
INSERT INTO counters (relayer_id, accepted, last_created_at) SELECT r, 0, 0 FROM unnest($1::text[]) AS c (r)
ORDER BY r ON CONFLICT DO NOTHING"""

LOCK_COUNTERS = """
SELECT relayer_id, accepted, finished, last_created_at FROM counters WHERE relayer_id = ANY ($1::text[])
ORDER BY relayer_id FOR UPDATE"""

STORE_ACCEPTED = """
WITH rows AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
        AS r (relayer_id, seq, id, created_at, revision, content, event_id)
), transactions AS (
    INSERT INTO transactions (relayer_id, seq, id, created_at, version, events, status, revision)
    SELECT relayer_id, seq, id, created_at, 1, 1, 'pending', revision FROM rows
), revisions AS (
    INSERT INTO revisions (transaction_id, number, content) SELECT id, revision, content FROM rows
), events AS (
    INSERT INTO events (id, kind, relayer_id, at, transaction_id, number, status, revision, is_canceled)
    SELECT event_id, 'transaction_update', relayer_id, created_at, id, 1, 'pending', revision, 0 FROM rows
), tallies AS (
    INSERT INTO tallies (relayer_id, status, count) SELECT relayer_id, 'pending', count(*) FROM rows GROUP BY relayer_id
    ON CONFLICT (relayer_id, status) DO UPDATE SET count = tallies.count + excluded.count
), refused AS (
    DELETE FROM idempotency_keys WHERE transaction_id = ANY ($8::text[])
)
UPDATE counters c SET accepted = n.accepted, last_created_at = n.last
FROM (SELECT relayer_id, max(seq) AS accepted, max(created_at) AS last FROM rows GROUP BY relayer_id) n
WHERE c.relayer_id = n.relayer_id"""


@dataclass(slots=True)
class _Counter:
    accepted: int
    finished: int
    last: int


async def accept_group(connection: Connection, changes: Sequence[Accept]) -> list[Outcome]:
    async with connection.transaction():
        known = await _take_keys(connection, changes)
        counters = await _lock_counters(connection, sorted({change.relayer_id for change in changes}))
        outcomes = [known.get(change.transaction_id) or _number(change, counters) for change in changes]
        await _store_accepted(connection, changes, outcomes)
        return outcomes


async def _take_keys(connection: Connection, changes: Sequence[Accept]) -> dict[str, Outcome]:
    """The duplicates. An uncommitted key of another group is waited for."""
    asked = [(change, change.idempotency) for change in changes if change.idempotency is not None]
    if not asked:
        return {}
    names = [[key.scope for _, key in asked], [change.relayer_id for change, _ in asked], [key.key for _, key in asked]]
    ids = [change.transaction_id for change, _ in asked]
    bodies = [key.body_hash for _, key in asked]
    taken = await connection.fetch(TAKE_KEYS, *names, ids, bodies, [to_micros(change.at) for change, _ in asked])
    mine = {row[0] for row in taken}
    if len(mine) == len(asked):
        return {}
    rows = await connection.fetch(KNOWN_KEYS, *names)
    made = {(row[0], row[1], row[2]): Duplicate(row[3], row[4]) for row in rows}
    return {
        change.transaction_id: made[key.scope, change.relayer_id, key.key]
        for change, key in asked
        if change.transaction_id not in mine
    }


async def _lock_counters(connection: Connection, relayers: list[str]) -> dict[str, _Counter]:
    rows = await connection.fetch(LOCK_COUNTERS, relayers)
    if len(rows) < len(relayers):
        await connection.execute(OPEN_COUNTERS, relayers)
        rows = await connection.fetch(LOCK_COUNTERS, relayers)
    return {row[0]: _Counter(row[1], row[2], row[3]) for row in rows}


def _number(change: Accept, counters: dict[str, _Counter]) -> Outcome:
    counter = counters[change.relayer_id]
    if counter.accepted - counter.finished >= change.queue_limit:
        return Full(counter.accepted - counter.finished)
    counter.accepted += 1
    counter.last = max(counter.last, to_micros(change.at))
    state = State(Status.PENDING, revision=change.revision.number)
    return Accepted(
        Transaction(change.transaction_id, change.relayer_id, counter.accepted, from_micros(counter.last), 1, 1, state)
    )


async def _store_accepted(connection: Connection, changes: Sequence[Accept], outcomes: list[Outcome]) -> None:
    stored = [
        (outcome.transaction, change.revision)
        for change, outcome in zip(changes, outcomes, strict=True)
        if isinstance(outcome, Accepted)
    ]
    refused = [
        change.transaction_id for change, outcome in zip(changes, outcomes, strict=True) if isinstance(outcome, Full)
    ]
    await connection.execute(
        STORE_ACCEPTED,
        [transaction.relayer_id for transaction, _ in stored],
        [transaction.seq for transaction, _ in stored],
        [transaction.id for transaction, _ in stored],
        [to_micros(transaction.created_at) for transaction, _ in stored],
        [revision.number for _, revision in stored],
        [json_text(revision.content) for _, revision in stored],
        [ordered_id() for _ in stored],
        refused,
    )


LOCK_LANES = "SELECT lane, epoch FROM lanes WHERE lane = ANY ($1::text[]) AND owner IS NOT NULL ORDER BY lane FOR SHARE"
RELAYERS_OF = "SELECT DISTINCT relayer_id FROM transactions WHERE id = ANY ($1::text[])"  # never changes: no lock
LOCK_ROWS = """
SELECT id, relayer_id, version, events, status FROM transactions WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE"""

STORE_ADVANCED = """
WITH moved AS (
    UPDATE transactions t SET version = n.version, events = n.events, status = n.status, reason = n.reason,
        revision = n.revision, attempt_id = n.attempt_id, sent_at = n.sent_at, confirmed_at = n.confirmed_at,
        is_canceled = n.is_canceled, intent_kind = NULL, intent_revision = NULL
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[],
                $9::bigint[], $10::bigint[])
        AS n (id, version, events, status, reason, revision, attempt_id, sent_at, confirmed_at, is_canceled)
    WHERE t.id = n.id
), told AS (
    INSERT INTO events (id, kind, relayer_id, at, transaction_id, number, status, reason, revision, attempt_id,
                        sent_at, confirmed_at, is_canceled)
    SELECT e.id, 'transaction_update', e.relayer_id, e.at, e.transaction_id, e.number, e.status, e.reason, e.revision,
           e.attempt_id, e.sent_at, e.confirmed_at, e.is_canceled
    FROM unnest($11::text[], $12::text[], $13::bigint[], $14::text[], $15::bigint[], $16::text[], $17::text[],
                $18::bigint[], $19::text[], $20::bigint[], $21::bigint[], $22::bigint[])
        AS e (id, relayer_id, at, transaction_id, number, status, reason, revision, attempt_id, sent_at, confirmed_at,
              is_canceled)
), tallied AS (
    INSERT INTO tallies (relayer_id, status, count)
    SELECT * FROM unnest($23::text[], $24::text[], $25::bigint[]) AS d (a, b, c) ORDER BY a, b
    ON CONFLICT (relayer_id, status) DO UPDATE SET count = tallies.count + excluded.count
)
UPDATE counters c SET finished = c.finished + n.count
FROM unnest($26::text[], $27::bigint[]) AS n (relayer_id, count) WHERE c.relayer_id = n.relayer_id"""


@dataclass(slots=True)
class _Row:
    relayer_id: str
    version: int
    events: int
    status: Status


@dataclass(slots=True)
class _Writes:
    """What stands of a group, column by column in the end."""

    moved: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    told: list[tuple[Any, ...]] = field(default_factory=list)
    tallies: Counter[tuple[str, str]] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)


async def advance_group(connection: Connection, changes: Sequence[Progress]) -> list[Outcome]:
    """Of a Progress the fence and the advances; a transaction may occur in several changes of a group."""
    ids = sorted({advance.transaction_id for change in changes for advance in change.advances})
    lanes = sorted({change.fence.lane for change in changes if change.fence is not None})
    async with connection.transaction():
        epochs = {row[0]: row[1] for row in await connection.fetch(LOCK_LANES, lanes)}
        relayers = sorted(row[0] for row in await connection.fetch(RELAYERS_OF, ids))
        await connection.fetch(LOCK_COUNTERS, relayers)
        found = await connection.fetch(LOCK_ROWS, ids)
        rows = {row[0]: _Row(row[1], row[2], row[3], Status(row[4])) for row in found}
        writes = _Writes()
        outcomes = [_decide(change, epochs, rows, writes) for change in changes]
        await _store_advanced(connection, writes)
        return outcomes


def _decide(change: Progress, epochs: dict[str, int], rows: dict[str, _Row], writes: _Writes) -> Outcome:
    if change.fence is not None and epochs.get(change.fence.lane) != change.fence.epoch:
        return NotOwner()
    for advance in change.advances:
        row = rows.get(advance.transaction_id)
        if row is None or row.version != advance.version or row.status.is_final:
            return Stale()
    at = to_micros(change.at)
    for advance in change.advances:
        row = rows[advance.transaction_id]
        last = advance.steps[-1]
        for number, step in enumerate(advance.steps, start=row.events + 1):
            event = (ordered_id(), row.relayer_id, at, advance.transaction_id, number, *state_columns(step))
            writes.told.append(event)
        writes.tallies[row.relayer_id, str(row.status)] -= 1
        writes.tallies[row.relayer_id, str(last.status)] += 1
        writes.finished[row.relayer_id] += last.status.is_final
        row.version, row.events, row.status = row.version + 1, row.events + len(advance.steps), last.status
        state = (row.version, row.events, *state_columns(last))
        writes.moved[advance.transaction_id] = (advance.transaction_id, *state)
    return Done()


async def _store_advanced(connection: Connection, writes: _Writes) -> None:
    await connection.execute(
        STORE_ADVANCED,
        *_columns(list(writes.moved.values()), 10),
        *_columns(writes.told, 12),
        *_columns([(*name, count) for name, count in writes.tallies.items()], 3),
        *_columns(list(writes.finished.items()), 2),
    )


def _columns(rows: Sequence[tuple[Any, ...]], width: int) -> list[list[Any]]:
    columns: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows:
        for index, value in enumerate(row):
            columns[index].append(value)
    return [columns[index] for index in range(width)]


async def take_lane(connection: Connection, lane: str, node: str) -> int:
    """The take-over updates the row that every owner's write holds FOR SHARE: it waits for them, and they see it."""
    query = """INSERT INTO lanes (lane, owner, epoch) VALUES ($1, $2, 1)
               ON CONFLICT (lane) DO UPDATE SET owner = excluded.owner, epoch = lanes.epoch + 1 RETURNING epoch"""
    return int(await connection.fetchval(query, lane, node))


async def connect(host: str) -> Connection:
    return await asyncpg.connect(host=host, user="postgres", database="postgres")
