"""Listing: a page of a relayer with a million transactions against one with a thousand, in one run."""

import time
from pathlib import Path

import apsw

from bench.accept import KEY, NOWHERE
from bench.load import Target, exchange, percentile
from bench.report import Report
from bench.service import document, service

SMALL, LARGE = 1_000, 1_000_000
ROUNDS = 300


async def run(folder: Path) -> None:
    report = Report("List (a page of 10, one core)").start()
    config = document([KEY, KEY[:-1] + "1"], NOWHERE)
    async with service(folder, config):
        pass  # makes the schema
    _fill(folder / "data" / "baton.db", "bench-0", SMALL)
    _fill(folder / "data" / "baton.db", "bench-1", LARGE)
    async with service(folder, config) as running:
        few = await _page_ms(running.target, "bench-0", 1)
        first = await _page_ms(running.target, "bench-1", 1)
        deep = await _page_ms(running.target, "bench-1", 50_000)
        report.add("first page of 1,000", f"{few:.2f} ms")
        report.add("first page of 1,000,000", f"{first:.2f} ms", f"at most twice: {first / few:.2f}")
        report.add("page 50,000 of 1,000,000", f"{deep:.2f} ms", f"at most twice: {deep / few:.2f}")


async def _page_ms(target: Target, relayer: str, page: int) -> float:
    import asyncio

    request = target.request("GET", f"/api/v1/relayers/{relayer}/transactions/?page={page}")
    reader, writer = await asyncio.open_connection(target.host, target.port)
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        status, _ = await exchange(reader, writer, request)
        times.append((time.perf_counter() - begun) * 1e3)
        assert status == 200
    writer.close()
    return percentile(times, 0.5)


def _fill(path: Path, relayer: str, count: int) -> None:
    """Rows as Accept writes them, in bulk."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA synchronous = OFF; BEGIN")
    values = (relayer, count)
    connection.execute(
        "INSERT OR REPLACE INTO counters (relayer_id, accepted, finished, last_created_at) VALUES (?1, ?2, ?2, 1700000000000000)",
        values,
    )
    connection.execute("INSERT OR REPLACE INTO tallies VALUES (?1, 'canceled', ?2)", values)
    connection.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
        INSERT INTO transactions (relayer_id, seq, id, created_at, version, events, status, revision)
        SELECT ?1, i, printf('%s-%012d', ?1, i), 1700000000000000 + i, 1, 1, 'canceled', 1 FROM n
        """,
        values,
    )
    connection.execute(
        """
        INSERT INTO revisions (transaction_id, number, content)
        SELECT id, 1, '{"value":"1","to":"0x000000000000000000000000000000000000dEaD","speed":"fast"}'
        FROM transactions WHERE relayer_id = ?1
        """,
        (relayer,),
    )
    connection.execute("COMMIT")
    connection.close()
