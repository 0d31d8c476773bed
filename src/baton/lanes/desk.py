"""A lane's desk: the parts that its four acts share, and the one way to write."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from baton import telemetry
from baton.chains.seam import Account, Chain, Maker, Pen, Tip
from baton.domain.clock import Clock
from baton.domain.errors import BatonError
from baton.domain.relayer import Relayer
from baton.domain.status import Status
from baton.domain.transaction import Attempt, Slot
from baton.lanes.alarms import Alarms
from baton.lanes.book import DEAD, Book
from baton.lanes.meter import count
from baton.lanes.spending import Spending
from baton.storage.base import Store
from baton.storage.changes import Done, Fence, NotOwner, Progress, Stale, Taken


class LaneLost(BatonError):
    """Another owner has this lane now: stop at once, write nothing more."""


@dataclass(frozen=True, slots=True)
class LaneSettings:
    window_start: int = 16
    window_ceiling: int = 2000  # most transactions in flight
    gather_s: float = 0.08  # under load a turn waits this long for company
    broadcast_limit: int = 200  # bytes of how many attempts leave in one batch
    read_limit: int = 1000
    retry_s: float = 0.25  # first pause after an answer that means "again later"; doubles
    retry_ceiling_s: float = 15.0

    def pause_s(self, tries: int) -> float:
        """How long bytes that no node accepted rest before they leave again."""
        return float(min(self.retry_s * 2 ** min(tries, 16), self.retry_ceiling_s))


@dataclass(slots=True)
class Desk:
    store: Store
    chain: Chain
    maker: Maker
    pen: Pen
    clock: Clock
    fence: Fence
    chain_identity: str
    relayer_of: Callable[[], Relayer]  # as it is now: policies change at run time
    settings: LaneSettings
    window: float
    alarms: Alarms = field(default_factory=Alarms)
    book: Book = field(default_factory=Book)
    tip: Tip | None = None
    account: Account | None = None
    looked_at: Tip | None = None  # the tip that `account` and the book are of
    outbox: dict[str, Attempt] = field(default_factory=dict)  # what leaves next, by attempt id
    to_bump: set[str] = field(default_factory=set)  # a node called these too cheap: transactions, or fillers' attempts
    inherited: set[str] = field(default_factory=set)  # attempts from before: whether they ever left is not known
    to_void: set[str] = field(default_factory=set)  # attempts that no node takes, though one may have them
    has_forgotten: bool = False  # a node took bytes as new that had been accepted before
    head_place: Slot | str | None = None  # what waits for nobody
    head_since: int = -1  # at which height it became that
    rescued_at: int = -1  # at which height everything under way was last looked at
    spent_sent_at: int = -1  # at which height bytes of used slots last left
    high_water: int = -1  # the highest slot number of the relayer's own account ever given
    chores: dict[str, int] = field(default_factory=dict)  # tried lately, by name: from which height on it may be again
    is_resting: bool = False  # between two turns, nothing on its way: what it was told of is done, for those who look
    spending: Spending | None = None  # once a limit was looked at
    must_look: bool = True  # ask by hash at the next look: after a start, a gap, or a "slot taken"

    @property
    def relayer(self) -> Relayer:
        return self.relayer_of()

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def note_given(self, attempts: Iterable[Attempt]) -> None:
        """Raises the mark to the slots that these were stored with; accounts that lend theirs are asked of the store."""
        own = [one.slot.number for one in attempts if one.slot and one.slot.account == self.relayer.address]
        self.high_water = max([self.high_water, *own])

    def post(self, attempts: Iterable[Attempt]) -> None:
        """Puts stored bytes into the outbox."""
        for attempt in attempts:
            self.outbox[attempt.id] = attempt

    async def commit(self, progresses: list[Progress]) -> list[bool]:
        """Writes decisions, each whole or not at all; tells which were done. The others are read again."""
        if not progresses:
            return []
        outcomes = await self.store.write_all(progresses)
        done: list[bool] = []
        stale: set[str] = set()
        for progress, outcome in zip(progresses, outcomes, strict=True):
            match outcome:
                case Done():
                    count(self.book, self.relayer.id, progress)
                    self.book.apply(progress)
                    self._note_spending(progress)
                case Stale() | Taken():
                    stale |= {advance.transaction_id for advance in progress.advances}
                case NotOwner():
                    raise LaneLost(f"lane {self.fence.lane} has another owner")
                case _:
                    raise LaneLost(f"lane {self.fence.lane}: unexpected outcome {outcome}")
            done.append(isinstance(outcome, Done))
        if stale:
            await self.reload(stale)
        return done

    def _note_spending(self, progress: Progress) -> None:
        if self.spending is None:
            return
        for attempt in progress.attempts:
            self.spending.sign(attempt)
        for advance in progress.advances:
            if advance.steps and advance.steps[-1].status.is_final:
                self.spending.end(advance.transaction_id)

    async def reload(self, transaction_ids: set[str]) -> None:
        """Reads rows again that a client changed under our hands."""
        telemetry.log.debug("lane_reload", lane=self.fence.lane, count=len(transaction_ids))
        async with self.store.read() as snapshot:
            for transaction_id in transaction_ids:
                item = await snapshot.lanes.one(self.relayer.id, transaction_id)
                if item is None or item.transaction.status.is_final or item.transaction.status is Status.PENDING:
                    self.book.drop(transaction_id)
                else:
                    self.book.put([item])

    async def load(self) -> None:
        """Fills the book from the store: after a start, a take-over or any doubt."""
        self.book = Book(parked=self.book.parked)
        self.outbox.clear()
        self.spending = None
        self.must_look = True
        async with self.store.read() as snapshot:
            for status in (Status.SENT, Status.SUBMITTED, Status.MINED):
                self.book.put(await snapshot.lanes.in_status(self.relayer.id, status, -1))
            fillers = await snapshot.lanes.fillers(self.chain_identity, self.relayer.address)
        self.book.fillers = {attempt.id: attempt for attempt in fillers if attempt.fate not in DEAD}
        self.inherited = {attempt.id for attempt in self.book.live_attempts()}
