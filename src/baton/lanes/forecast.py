"""Forecast: why a transaction is not final yet, in one sentence, and what its lane does about it next.

The rules are those of the acts (send, post, rescue), asked about the moments to come; nothing is carried out here.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from baton.chains.seam import Ready, Stall, Step
from baton.commands.live import LaneHead, NextAction
from baton.domain.clock import to_text
from baton.domain.errors import NodeUnavailable
from baton.domain.status import Status
from baton.domain.transaction import AttemptKind, Intent
from baton.lanes.book import Entry, Mail
from baton.lanes.desk import Desk
from baton.lanes.observe import is_overdue
from baton.lanes.rescue import stall_of

HORIZON = 100  # blocks that are looked ahead

Forecast = tuple[str, NextAction | None]


@dataclass(frozen=True, slots=True)
class Case:
    desk: Desk
    entry: Entry
    pending_before: int
    head: LaneHead | None
    is_head: bool
    shortfall: str | None  # of the newest version
    block_time_s: float

    @property
    def in_flight(self) -> int:
        """What counts towards the lane's window."""
        return len(self.desk.book.unlanded)

    def after(self, action: str, blocks: int) -> NextAction:
        return NextAction(action, self._at(blocks * self.block_time_s), blocks)

    def within(self, action: str, seconds: float) -> NextAction:
        return NextAction(action, self._at(max(0.0, seconds)))

    def _at(self, seconds: float) -> str:
        return to_text(self.desk.now + timedelta(seconds=seconds))


async def forecast(case: Case) -> Forecast:
    if case.desk.tip is None:
        return "no node has told the head of the chain yet", None
    match case.entry.status:
        case Status.PENDING:
            return _pending(case)
        case Status.MINED:
            return _mined(case)
        case _:
            return await _under_way(case)


def _pending(case: Case) -> Forecast:
    desk, transaction = case.desk, case.entry.transaction
    if desk.relayer.refusal is not None:
        return f"what is queued waits: {desk.relayer.refusal}", None
    parked = desk.book.parked.get(transaction.id)
    if parked is None and case.in_flight >= int(desk.window):
        why = f"the lane has {case.in_flight} in flight, as many as it may now; {case.pending_before} are queued before it"
        return why, NextAction("price, sign and send it as soon as one of those lands")
    reason = parked or transaction.state.reason
    if reason is not None:
        return reason, case.after("look at it again", 1)
    return "its turn has not come yet", case.within("price, sign and send it", desk.settings.gather_s)


def _mined(case: Case) -> Forecast:
    desk = case.desk
    block = next((attempt.block for attempt in case.entry.attempts if attempt.block is not None), None)
    if block is None or desk.account is None or desk.tip is None:
        return "it is in a block; the lane has not looked at it since it started", case.after("look at it", 1)
    depth, needed = desk.tip.block.number - block.number + 1, desk.account.depth
    if depth >= needed:
        return "its block is deep enough; a second node has to show the same block", case.after("ask again", 1)
    why = f"it is in block {block.number}, {depth} deep of the {needed} that make it final"
    return why, case.after("confirm it", needed - depth)


async def _under_way(case: Case) -> Forecast:
    desk, entry = case.desk, case.entry
    if entry.transaction.intent is not None:
        return _amended(case, entry.transaction.intent)
    if not entry.live:
        return "no version of it can land any more", case.after("sign it anew, or end it", 1)
    newest = entry.live[-1]
    mail = desk.book.mail.get(newest.id)
    if mail is None:
        return "it is signed and stored, and about to leave", case.within("send it", 0.0)
    if not mail.is_accepted:
        rest_s = mail.sent_at + desk.settings.pause_s(mail.tries) - desk.clock.monotonic()
        return _unanswered(case, mail, is_known=newest.accepted_at is not None), case.within(
            "send the same bytes again", rest_s
        )
    return _waiting(case), await _next_step(case, mail)


def _amended(case: Case, intent: Intent) -> Forecast:
    if not case.desk.chain.has_slots:
        why = f"a {intent.kind} was accepted; it is carried out once the earlier version is dead, or has landed"
        return why, None
    why = f"a {intent.kind} was accepted and is about to be carried out in the same slot"
    return case.entry.transaction.state.reason or why, case.within(f"carry out the {intent.kind}", 0.0)


def _unanswered(case: Case, mail: Mail, *, is_known: bool) -> str:
    why = f"no node has accepted it yet (tries: {mail.tries})"
    if is_known:
        why = "a node accepted it before; it was sent again, and no node has taken it since"
    return why if case.shortfall is None else f"{why}; its offer is too low now: {case.shortfall}"


def _waiting(case: Case) -> str:
    head = case.head
    if not case.is_head and head is not None:
        who = (
            f"transaction {head.transaction_id!r} is {head.status}" if head.transaction_id else str(head.status_reason)
        )
        return f"it waits for slot {head.slot}, the head of its lane: {who}"
    if case.shortfall is not None:
        return f"its offer is too low now: {case.shortfall}"
    return "a node accepted it, and it waits for nobody: it should be in one of the next blocks"


async def _next_step(case: Case, mail: Mail) -> NextAction:
    desk, entry = case.desk, case.entry
    newest = entry.live[-1]
    if desk.chain.has_slots and newest.kind is not AttemptKind.NOOP and is_overdue(desk, entry):
        return case.within("send a no-op in its slot: its validity is over", 0.0)
    now = stall_of(desk, mail, is_head=case.is_head)
    for blocks in range(HORIZON):
        step = desk.maker.next_step(newest, _later(now, blocks, case.block_time_s), desk.relayer)
        if step is Step.RESEND:
            return case.after("send the same bytes again, to remind the nodes", blocks)
        if step is Step.BUMP or entry.id in desk.to_bump:
            return case.after(await _bump(case), blocks)
    return NextAction("watch for it in the next blocks")


def _later(now: Stall, blocks: int, block_time_s: float) -> Stall:
    return replace(
        now,
        blocks=now.blocks + blocks,
        blocks_since_sent=now.blocks_since_sent + blocks,
        seconds_since_sent=now.seconds_since_sent + blocks * block_time_s,
    )


async def _bump(case: Case) -> str:
    """A dearer version is prepared, as the lane would, and thrown away: only so is it known whether the cap allows it."""
    desk, entry = case.desk, case.entry
    try:
        if entry.live[-1].kind is AttemptKind.NOOP:
            prepared = await desk.maker.void(entry.versions, desk.relayer)
        else:
            prepared = await desk.maker.bump(entry.revision, entry.versions, desk.relayer)
    except NodeUnavailable:
        return "offer it dearer in the same slot, if the cap allows it"
    if isinstance(prepared, Ready):
        return "offer it dearer in the same slot"
    return f"send the same bytes again, because it cannot be offered dearer: {prepared.why}"
