"""The readers of a snapshot, written once over `fetch`: a named query and its values in, rows out."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from baton.domain.clock import from_micros, to_micros
from baton.domain.events import TransactionEvent
from baton.domain.notification import Health, Notification
from baton.domain.status import Status
from baton.domain.transaction import Attempt, Hold, Slot, Transaction, View
from baton.storage.base import ListFilter, OpenTransaction, Page, StoredRelayer, StoredSeed
from baton.storage.changes import Duplicate
from baton.storage.cipher import Cipher
from baton.storage.delivery_readers import Deliveries, Feed, Fetch
from baton.storage.rows import (
    Row,
    attempt_from,
    decode,
    event_from,
    moment,
    revision_from,
    transaction_from,
    view_from,
)

NO_FILTER = ListFilter()


class Transactions:
    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch

    async def view(self, relayer_id: str, transaction_id: str) -> View | None:
        rows = await self._fetch("view", relayer_id, transaction_id)
        return view_from(rows[0]) if rows else None

    async def transaction(self, relayer_id: str, transaction_id: str) -> Transaction | None:
        rows = await self._fetch("transaction", relayer_id, transaction_id)
        return transaction_from(rows[0]) if rows else None

    async def idempotent(self, relayer_id: str, scope: str, key: str) -> Duplicate | None:
        rows = await self._fetch("key", scope, relayer_id, key)
        return Duplicate(rows[0][0], bytes(rows[0][1])) if rows else None

    async def page(self, relayer_id: str, page: int, per_page: int, where: ListFilter = NO_FILTER) -> Page[View]:
        low, high = await self._range(relayer_id, where)
        if where.status is not None:
            return await self._page_in_status(relayer_id, page, per_page, (str(where.status), low, high))
        total = max(0, high - low + 1)
        newest = high - (page - 1) * per_page
        if per_page == 0 or newest < low:
            return Page((), total)
        rows = await self._fetch("page", relayer_id, max(low, newest - per_page + 1), newest)
        return Page(tuple(view_from(row) for row in rows), total)

    async def _range(self, relayer_id: str, where: ListFilter) -> tuple[int, int]:
        """Lowest and highest number that may be shown: numbers are dense and times never run backwards."""
        rows = await self._fetch("range", relayer_id)
        if not rows:
            return 1, 0
        low, high = rows[0]
        if where.since is not None:
            first = await self._fetch("first_since", relayer_id, to_micros(where.since))
            low = first[0][0] if first else high + 1
        if where.until is not None:
            last = await self._fetch("last_until", relayer_id, to_micros(where.until))
            high = last[0][0] if last else low - 1
        if where.hash is not None:
            of_hash = await self._fetch("seq_by_hash", relayer_id, where.hash)
            found = of_hash[0][0] if of_hash else low - 1
            low, high = (found, found) if low <= found <= high else (low, low - 1)
        return low, high

    async def _page_in_status(
        self, relayer_id: str, page: int, per_page: int, within: tuple[str, int, int]
    ) -> Page[View]:
        total = (await self._fetch("count_in_status", relayer_id, *within))[0][0]
        offset = (page - 1) * per_page
        if per_page == 0 or offset >= total:
            return Page((), total)
        rows = await self._fetch("page_in_status", relayer_id, *within, per_page, offset)
        return Page(tuple(view_from(row) for row in rows), total)

    async def last_revision(self, transaction_id: str) -> int:
        return int((await self._fetch("last_revision", transaction_id))[0][0])

    async def attempts(self, transaction_id: str) -> list[Attempt]:
        return [attempt_from(row) for row in await self._fetch("attempts", transaction_id)]

    async def events(self, transaction_id: str) -> list[TransactionEvent]:
        return [event_from(row) for row in await self._fetch("events_of", transaction_id)]

    async def by_slot(self, relayer_id: str, number: int) -> View | None:
        rows = await self._fetch("id_by_slot", relayer_id, number)
        return await self.view(relayer_id, rows[0][0]) if rows else None

    async def counts(self) -> dict[tuple[str, Status], int]:
        return {(row[0], Status(row[1])): row[2] for row in await self._fetch("counts")}


def _with_attempts(rows: list[Row], attempts: dict[str, list[Attempt]]) -> list[OpenTransaction]:
    return [
        OpenTransaction(transaction_from(row), revision_from(row[15:18]), tuple(attempts.get(row[0], ())))
        for row in rows
    ]


class Notifications:
    def __init__(self, fetch: Fetch, cipher: Cipher) -> None:
        self._fetch = fetch
        self._cipher = cipher

    async def one(self, notification_id: str) -> Notification | None:
        rows = await self._fetch("notification", notification_id)
        return self._notification(rows[0]) if rows else None

    async def page(self, page: int, per_page: int) -> Page[Notification]:
        total = (await self._fetch("count_notifications"))[0][0]
        offset = (page - 1) * per_page
        rows = await self._fetch("notifications", per_page, offset) if offset < total else []
        return Page(tuple(self._notification(row) for row in rows), total)

    def _notification(self, row: Row) -> Notification:
        return Notification(
            id=row[0],
            url=row[1],
            signing_key=self._opened(row[2], signing_key_place(row[0])),
            created_at=from_micros(row[3]),
            version=row[4],
            previous_key=self._opened(row[5], previous_key_place(row[0])),
            previous_until=moment(row[6]),
        )

    def _opened(self, sealed: bytes | None, place: str) -> str | None:
        return None if sealed is None else self._cipher.open(sealed, place)

    async def health(self, notification_id: str) -> Health:
        rows = await self._fetch("health", notification_id)
        if not rows:
            return Health()
        failures, failing_since, rest_until, disabled_reason = rows[0]
        return Health(failures, moment(failing_since), moment(rest_until), disabled_reason)

    async def ids(self) -> list[str]:
        return [row[0] for row in await self._fetch("notification_ids")]

    async def seeds(self) -> list[StoredSeed]:
        return [
            StoredSeed(row[0], row[1], self._opened(row[2], seed_hash_place(row[0])), bool(row[3]), bool(row[4]))
            for row in await self._fetch("seeds")
        ]


def signing_key_place(notification_id: str) -> str:
    """Where the secret lives: a ciphertext moved to another row cannot be opened."""
    return f"notifications|{notification_id}|signing_key"


def previous_key_place(notification_id: str) -> str:
    return f"notifications|{notification_id}|previous_key"


def seed_hash_place(notification_id: str) -> str:
    return f"notification_seeds|{notification_id}|seed_hash"


def entry_place(relayer_id: str) -> str:
    return f"relayers|{relayer_id}|entry"


class Relayers:
    def __init__(self, fetch: Fetch, cipher: Cipher) -> None:
        self._fetch = fetch
        self._cipher = cipher

    async def all(self) -> list[StoredRelayer]:
        return [self._relayer(row) for row in await self._fetch("relayers")]

    def _relayer(self, row: Row) -> StoredRelayer:
        entry = decode(self._cipher.open(row[4], entry_place(row[0])))
        return StoredRelayer(row[0], row[1], row[2], row[3], entry, bool(row[5]), row[6])

    async def chain_identity(self, network: str) -> str | None:
        rows = await self._fetch("chain_identity", network)
        return rows[0][0] if rows else None

    async def open_count(self, relayer_id: str) -> int:
        rows = await self._fetch("open_count", relayer_id)
        return rows[0][0] if rows else 0

    async def pending_before(self, relayer_id: str, seq: int) -> int:
        rows = await self._fetch("count_in_status", relayer_id, str(Status.PENDING), 0, seq - 1)
        return int(rows[0][0])

    async def last_confirmed_at(self, relayer_id: str) -> datetime | None:
        rows = await self._fetch("last_confirmed_at", relayer_id)
        return moment(rows[0][0])


class Lanes:
    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch

    async def in_status(self, relayer_id: str, status: Status, limit: int) -> list[OpenTransaction]:
        rows = await self._fetch("in_status", relayer_id, str(status), limit)
        if not rows:
            return []
        found: defaultdict[str, list[Attempt]] = defaultdict(list)
        for row in await self._fetch("open_attempts", relayer_id, str(status), rows[-1][2]):
            found[row[2]].append(attempt_from(row))
        return _with_attempts(rows, found)

    async def pending(self, relayer_id: str, limit: int) -> list[OpenTransaction]:
        return _with_attempts(await self._fetch("next_pending", relayer_id, limit), {})

    async def one(self, relayer_id: str, transaction_id: str) -> OpenTransaction | None:
        rows = await self._fetch("open_one", relayer_id, transaction_id)
        attempts = [attempt_from(row) for row in await self._fetch("attempts", transaction_id)]
        return _with_attempts(rows, {transaction_id: attempts})[0] if rows else None

    async def with_intent(self, relayer_id: str, limit: int) -> list[OpenTransaction]:
        rows = await self._fetch("with_intent", relayer_id, limit)
        return _with_attempts(
            rows, {row[0]: [attempt_from(found) for found in await self._fetch("attempts", row[0])] for row in rows}
        )

    async def amendable(self, relayer_id: str) -> list[Transaction]:
        return [transaction_from(row) for row in await self._fetch("amendable", relayer_id)]

    async def highest_slot(self, chain: str, account: str) -> int | None:
        rows = await self._fetch("highest_slot", chain, account)
        return rows[0][0] if rows else None

    async def closed_slots(self, chain: str, account: str, first: int) -> dict[int, Hold]:
        return {row[0]: Hold(row[1]) for row in await self._fetch("closed_slots", chain, account, first)}

    async def spent(self, chain: str, account: str, first: int, limit: int) -> list[Attempt]:
        return [attempt_from(row) for row in await self._fetch("spent", chain, account, first, limit)]

    async def costs_since(self, relayer_id: str, since: datetime) -> list[tuple[str, int, datetime]]:
        rows = await self._fetch("costs_since", relayer_id, to_micros(since))
        return [(row[0], int(row[1]), from_micros(row[2])) for row in rows]

    async def noops_since(self, relayer_id: str, since: datetime) -> list[Attempt]:
        return [attempt_from(row) for row in await self._fetch("noops_since", relayer_id, to_micros(since))]

    async def fillers_of(self, relayer_id: str, slot: Slot) -> list[Attempt]:
        rows = await self._fetch("fillers_of", relayer_id, slot.number, slot.chain, slot.account)
        return [attempt_from(row) for row in rows]

    async def fillers(self, chain: str, account: str) -> list[Attempt]:
        return [attempt_from(row) for row in await self._fetch("fillers", chain, account)]


@dataclass(frozen=True, slots=True)
class Readers:
    """One snapshot's readers."""

    transactions: Transactions
    notifications: Notifications
    relayers: Relayers
    lanes: Lanes
    deliveries: Deliveries
    feed: Feed

    @staticmethod
    def over(fetch: Any, cipher: Cipher) -> "Readers":
        return Readers(
            Transactions(fetch),
            Notifications(fetch, cipher),
            Relayers(fetch, cipher),
            Lanes(fetch),
            Deliveries(fetch),
            Feed(fetch),
        )
