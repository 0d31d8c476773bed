"""What a lane's work looks like in figures. Read off what was committed, so that no act has to count."""

from functools import cache

from prometheus_client import Counter, Histogram

from baton import telemetry
from baton.lanes.book import LANDED, Book
from baton.storage.changes import Progress

# Looking a meter up by its labels costs more than counting with it.


@cache
def _signed(relayer_id: str, kind: str) -> Counter:
    return telemetry.ATTEMPTS.labels(relayer_id, kind)


@cache
def _blocks(relayer_id: str) -> Histogram:
    return telemetry.BLOCKS_TO_INCLUSION.labels(relayer_id)


@cache
def _status_seconds(relayer_id: str, status: str) -> Histogram:
    return telemetry.STATUS_SECONDS.labels(relayer_id, status)


def count(book: Book, relayer_id: str, progress: Progress) -> None:
    """Called with the book as it was before the progress is applied to it."""
    for attempt in progress.attempts:
        kind = "filler" if attempt.transaction_id is None else str(attempt.kind)
        _signed(relayer_id, kind).inc()
    for news in progress.news:
        mail = book.mail.get(news.attempt_id)
        if news.fate in LANDED and news.block is not None and mail is not None:
            waited = max(0, news.block.number - mail.first_height)
            _blocks(relayer_id).observe(waited)
    for advance in progress.advances:
        entry = book.entries.get(advance.transaction_id)
        if entry is not None and advance.steps and advance.steps[-1].status is not entry.status:
            seconds = (progress.at - (entry.since or entry.transaction.created_at)).total_seconds()
            _status_seconds(relayer_id, entry.status).observe(max(0.0, seconds))


def gauge(book: Book, relayer_id: str, queued: int) -> None:
    """Once a turn that had work."""
    telemetry.IN_FLIGHT.labels(relayer_id).set(len(book.unlanded))
    telemetry.QUEUED.labels(relayer_id).set(max(0, queued - len(book.entries)))
