"""Judges a database file after a fault, by SQL of its own: nothing of the store's code is used."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw

# Each finds rows that lack what belongs to them.
COMPLETENESS = {
    "a transaction without its revision": """
        SELECT t.id FROM transactions t LEFT JOIN revisions r ON r.transaction_id = t.id AND r.number = t.revision
        WHERE r.number IS NULL""",
    "a transaction whose events are not 1 to its count": """
        SELECT t.id FROM transactions t
        WHERE t.events <> (SELECT count(*) FROM events e WHERE e.transaction_id = t.id)
           OR t.events <> (SELECT max(number) FROM events e WHERE e.transaction_id = t.id)""",
    "a last event that says another status": """
        SELECT t.id FROM transactions t JOIN events e ON e.transaction_id = t.id AND e.number = t.events
        WHERE e.status <> t.status OR e.attempt_id IS NOT t.attempt_id""",
    "an event without its transaction": """
        SELECT e.id FROM events e LEFT JOIN transactions t ON t.id = e.transaction_id
        WHERE e.transaction_id IS NOT NULL AND t.id IS NULL""",
    "a revision without its transaction": """
        SELECT r.transaction_id FROM revisions r LEFT JOIN transactions t ON t.id = r.transaction_id
        WHERE t.id IS NULL""",
    "an idempotency key without its transaction": """
        SELECT k.key FROM idempotency_keys k LEFT JOIN transactions t ON t.id = k.transaction_id WHERE t.id IS NULL""",
    "a transaction that shows an attempt that is not there": """
        SELECT t.id FROM transactions t LEFT JOIN attempts a ON a.id = t.attempt_id
        WHERE t.attempt_id IS NOT NULL AND a.id IS NULL""",
    "an attempt without its slot": """
        SELECT a.id FROM attempts a
        LEFT JOIN slots s ON s.chain = a.chain AND s.account = a.account AND s.number = a.number
        WHERE a.number IS NOT NULL AND (s.number IS NULL OR s.holder IS NOT a.transaction_id)""",
    "a relayer whose numbers have holes": """
        SELECT relayer_id FROM transactions GROUP BY relayer_id HAVING max(seq) <> count(*) OR min(seq) <> 1""",
    "a counter that does not count": """
        SELECT c.relayer_id FROM counters c
        WHERE c.accepted <> (SELECT count(*) FROM transactions t WHERE t.relayer_id = c.relayer_id)""",
    "a tally that does not count": """
        SELECT n.relayer_id FROM tallies n
        WHERE n.count <> (SELECT count(*) FROM transactions t WHERE t.relayer_id = n.relayer_id AND t.status = n.status)""",
}


@dataclass(slots=True)
class Acknowledged:
    """What a client was told had been stored."""

    accepted: list[str] = field(default_factory=list)
    signed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Verdict:
    lost: list[str]
    broken: list[str]


def judge(folder: Path, acknowledged: Acknowledged) -> Verdict:
    """Looks at a copy: the store itself must find the remains as the fault left them."""
    with TemporaryDirectory(prefix="baton-judge-") as copies:
        for path in folder.glob("baton.db*"):
            shutil.copy(path, copies)
        return _judge(Path(copies) / "baton.db", acknowledged)


def _judge(path: Path, acknowledged: Acknowledged) -> Verdict:
    connection = apsw.Connection(str(path))
    try:
        integrity = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
        broken = [] if integrity == ["ok"] else integrity
        for complaint, query in COMPLETENESS.items():
            broken += [f"{complaint}: {row[0]}" for row in connection.execute(query)]
        stored = {str(row[0]) for row in connection.execute("SELECT id FROM transactions")}
        signed = {str(row[0]) for row in connection.execute("SELECT transaction_id FROM attempts")}
    finally:
        connection.close()
    lost = [name for name in acknowledged.accepted if name not in stored]
    return Verdict(lost + [name for name in acknowledged.signed if name not in signed], broken)
