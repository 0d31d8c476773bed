"""Explain: what a lane sees of one transaction at this moment. It only looks: no lane and no row changes by it."""

from collections.abc import Mapping
from dataclasses import dataclass

from baton.chains.seam import Account, Outlook
from baton.commands.live import Funds, LaneHead, LaneNow, Offer, Sight, not_running
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import Family, Network
from baton.domain.relayer import Relayer
from baton.domain.status import Status
from baton.domain.transaction import Attempt, Fate
from baton.lanes.book import Entry
from baton.lanes.desk import Desk
from baton.lanes.forecast import Case, forecast

Nodes = Mapping[str, Mapping[str, bool]]  # of each hash, which nodes know it


class LaneSight:
    """The running lanes, for those who only look."""

    def __init__(self, desks: Mapping[str, Desk], networks: Mapping[tuple[Family, str], Network]) -> None:
        self._desks = desks
        self._networks = networks

    async def account(self, relayer: Relayer) -> Account:
        desk = self._desks.get(relayer.id)
        if desk is None or desk.tip is None:
            raise NodeUnavailable(not_running(relayer))
        try:
            return await desk.chain.account(relayer, desk.tip)
        except NodeUnavailable:
            if desk.account is None:
                raise
            return desk.account

    async def logs(self, relayer: Relayer, tx_hash: str) -> list[Json] | None:
        desk = self._desks.get(relayer.id)
        try:
            return None if desk is None else await desk.chain.logs(tx_hash)
        except NodeUnavailable:
            return None

    async def sight(self, relayer: Relayer, transaction_id: str) -> Sight:
        desk = self._desks.get(relayer.id)
        if desk is None:
            return Sight(not_running(relayer), None)
        async with desk.store.read() as snapshot:
            item = await snapshot.lanes.one(relayer.id, transaction_id)
            if item is None or item.transaction.status.is_final:
                return Sight("it has just become final", None)
            pending_before = await snapshot.relayers.pending_before(relayer.id, item.transaction.seq)
        entry = Entry(item.transaction, item.revision, list(item.attempts))
        return await self._look(desk, entry, pending_before)

    async def _look(self, desk: Desk, entry: Entry, pending_before: int) -> Sight:
        relayer = desk.relayer
        network = self._networks[relayer.family, relayer.network]
        view = await _ask(desk, [attempt for attempt in entry.attempts if attempt.fate is Fate.OPEN])
        head = head_of(desk)
        is_head = head is None or head.transaction_id == entry.id or entry.place <= head.slot
        shortfall = None if not view.offers else view.offers[-1].shortfall
        case = Case(desk, entry, pending_before, head, is_head, shortfall, network.block_time_ms / 1000)
        why, next_action = await forecast(case)
        return Sight(
            why,
            next_action,
            lane=_lane(case),
            funds=None if desk.account is None else _funds(desk, desk.account, entry),
            market=None if view.outlook is None else view.outlook.market,
            cap=None if view.outlook is None or view.outlook.cap is None else str(view.outlook.cap),
            offers=view.offers,
            trouble=view.trouble,
        )


@dataclass(frozen=True, slots=True)
class _View:
    """What nodes say now."""

    outlook: Outlook | None
    offers: tuple[Offer, ...]
    trouble: str | None


async def _ask(desk: Desk, attempts: list[Attempt]) -> _View:
    """Of attempts that could still land; each half may fail by itself."""
    outlook, nodes, troubles = None, None, []
    try:
        outlook = await desk.maker.outlook(attempts, desk.relayer)
    except NodeUnavailable as outage:
        troubles.append(str(outage))
    try:
        nodes = await desk.chain.knows([attempt.hash for attempt in attempts]) if attempts else {}
    except NodeUnavailable as outage:
        troubles.append(str(outage))
    shortfalls = [None] * len(attempts) if outlook is None else outlook.shortfalls
    offers = tuple(
        Offer(attempt.id, attempt.hash, shortfall, _known(nodes, attempt.hash))
        for attempt, shortfall in zip(attempts, shortfalls, strict=True)
    )
    return _View(outlook, offers, "; ".join(troubles) or None)


def _known(nodes: Nodes | None, tx_hash: str) -> Mapping[str, bool] | None:
    return (nodes or {}).get(tx_hash) or None


def head_of(desk: Desk) -> LaneHead | None:
    """The lowest slot that is not used yet: of a transaction, of a no-op of our own, or of nobody.

    None where nothing waits for another: without slots, or where each source has one under way at a time.
    """
    account = desk.account
    if not desk.chain.has_slots or (account is not None and account.sources is not None):
        return None
    heads = [_head(entry) for entry in desk.book.unlanded.values() if entry.live]
    heads += [
        LaneHead(filler.slot.number, None, None, "a no-op of the relayer's own fills this slot", filler.hash)
        for filler in desk.book.fillers.values()
        if filler.slot is not None and filler.fate is Fate.OPEN
    ]
    lowest = min(heads, key=lambda head: head.slot, default=None)
    if account is None or not (account.next_slot <= desk.high_water) or account.next_slot in desk.book.numbers():
        return lowest
    if lowest is not None and lowest.slot < account.next_slot:
        return lowest
    return LaneHead(
        account.next_slot, None, None, "nothing holds this slot; it is filled at the lane's next turn", None
    )


def _head(entry: Entry) -> LaneHead:
    state = entry.transaction.state
    return LaneHead(entry.place, entry.id, str(state.status), state.reason, entry.live[-1].hash)


def _lane(case: Case) -> LaneNow:
    desk = case.desk
    return LaneNow(
        height=None if desk.tip is None else desk.tip.block.number,
        in_flight=case.in_flight,
        window=int(desk.window),
        next_slot=desk.account.next_slot if desk.account is not None and desk.chain.has_slots else None,
        pending_before=case.pending_before,
        is_head=case.is_head and case.entry.status is not Status.PENDING,
        head=case.head,
    )


def _funds(desk: Desk, account: Account, entry: Entry) -> Funds:
    reserved, least = desk.book.reserved(), desk.relayer.policy.min_balance
    available = account.balance - reserved - least
    is_open = bool(entry.live) and not entry.has_landed  # then its own cost is part of what is reserved
    return Funds(str(account.balance), str(reserved), str(least), str(available), available >= 0 if is_open else None)
