"""A lane's figures are read off what was committed."""

from datetime import UTC, datetime, timedelta

from baton.domain.status import Status
from baton.domain.transaction import Attempt, AttemptKind, Block, Fate, Revision, State, Transaction, moved
from baton.lanes.book import Book, Entry, Mail
from baton.lanes.meter import count
from baton.storage.changes import Advance, AttemptNews, Progress
from baton.telemetry import render_metrics

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _attempt(kind: AttemptKind, transaction_id: str | None = "tx") -> Attempt:
    return Attempt("a", "metered", transaction_id, 1, kind, "0x1", None, 1, {}, NOW)


def _page() -> str:
    return render_metrics()[0].decode()


def test_a_bump_and_a_filler_are_told_apart() -> None:
    attempts = (_attempt(AttemptKind.BUMP), _attempt(AttemptKind.NOOP, None))
    count(Book(), "metered", Progress(NOW, attempts=attempts))
    assert 'baton_attempts_total{kind="bump",relayer="metered"} 1.0' in _page()
    assert 'baton_attempts_total{kind="filler",relayer="metered"} 1.0' in _page()


def test_blocks_are_counted_from_the_first_broadcast() -> None:
    book = Book(mail={"a": Mail(first_height=5, height=7)})
    count(book, "metered-blocks", Progress(NOW, news=(AttemptNews("a", Fate.INCLUDED, Block(8, "0x8")),)))
    assert 'baton_blocks_to_inclusion_sum{relayer="metered-blocks"} 3.0' in _page()


def test_a_status_is_timed_from_when_it_began() -> None:
    state = State(Status.SENT, attempt_id="a")
    entry = Entry(Transaction("tx", "r", 1, NOW, 1, 1, state), Revision(1, {}), [], since=NOW)
    step = moved(state, Status.SUBMITTED)
    progress = Progress(NOW + timedelta(seconds=2), advances=(Advance("tx", 1, (step,)),))
    count(Book({"tx": entry}), "metered-status", progress)
    assert 'baton_status_seconds_sum{relayer="metered-status",status="sent"} 2.0' in _page()
