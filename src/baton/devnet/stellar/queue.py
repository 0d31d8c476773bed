"""The queue before the ledger: one pending transaction for each source account, as the network has it.

    same envelope, or the inner one of a waiting fee bump   DUPLICATE
    lower sequence than the one that waits                  ERROR txBAD_SEQ
    same sequence in a fee bump, ten times the bid         replaces it
    same sequence in a fee bump, less                       ERROR txINSUFFICIENT_FEE, with the fee that would do
    anything else beside one that waits                     TRY_AGAIN_LATER

What is not taken by four ledgers in a row is banned for ten, and answered TRY_AGAIN_LATER meanwhile.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from stellar_sdk import xdr

from baton.devnet.stellar import keys, results, validity
from baton.devnet.stellar.controls import Controls
from baton.devnet.stellar.envelope import Incoming
from baton.devnet.stellar.operations.reserves import spendable
from baton.devnet.stellar.results import Code
from baton.devnet.stellar.view import View

REPLACEMENT_FACTOR = 10
PATIENCE_LEDGERS = 4
BAN_LEDGERS = 10


class Status(StrEnum):
    PENDING = "PENDING"
    DUPLICATE = "DUPLICATE"
    TRY_AGAIN_LATER = "TRY_AGAIN_LATER"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class Answer:
    status: Status
    result: xdr.TransactionResult | None = None


@dataclass(slots=True)
class Waiting:
    incoming: Incoming
    ledgers_missed: int = 0


class Queue:
    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._waiting: dict[bytes, Waiting] = {}
        self._banned: deque[frozenset[bytes]] = deque(maxlen=BAN_LEDGERS)

    def offer(self, incoming: Incoming, state: View, terms: validity.Terms) -> Answer:
        controls = self._controls
        if controls.try_later:
            controls.try_later -= 1
            return Answer(Status.TRY_AGAIN_LATER)
        if any(incoming.hash in batch for batch in self._banned):
            return Answer(Status.TRY_AGAIN_LATER)
        source = keys.raw(incoming.source)
        before = self._waiting.get(source)
        refused = self._compare(incoming, before.incoming) if before else None
        if refused is not None:
            return refused
        view = View(state)
        wrong = validity.check(incoming, view, terms) or self._check_fees(incoming, view)
        if wrong is not None:
            return Answer(Status.ERROR, wrong)
        if controls.drop_next:
            controls.drop_next -= 1
        else:
            self._waiting[source] = Waiting(incoming)
        return Answer(Status.PENDING)

    def choose(self) -> list[Incoming]:
        """Take out what the next ledger holds: bids at the price or above, the highest first, while there is room."""
        controls = self._controls
        able = [one.incoming for one in self._waiting.values() if bid(one.incoming) >= controls.price]
        able.sort(key=bid, reverse=True)
        room = controls.capacity or sum(one.operation_count for one in able)
        chosen: list[Incoming] = []
        for incoming in able:
            if incoming.operation_count <= room:
                room -= incoming.operation_count
                chosen.append(incoming)
        for incoming in chosen:
            del self._waiting[keys.raw(incoming.source)]
        self._age()
        return chosen

    def _age(self) -> None:
        for one in self._waiting.values():
            one.ledgers_missed += 1
        tired = [source for source, one in self._waiting.items() if one.ledgers_missed >= PATIENCE_LEDGERS]
        self._banned.append(frozenset(self._waiting.pop(source).incoming.hash for source in tired))

    def _compare(self, incoming: Incoming, waiting: Incoming) -> Answer | None:
        """The answer beside a waiting transaction of the same source; None lets it be replaced."""
        if incoming.hash in (waiting.hash, waiting.inner_hash):
            return Answer(Status.DUPLICATE)
        if incoming.sequence < waiting.sequence:
            return Answer(Status.ERROR, results.own(Code.txBAD_SEQ))
        if not incoming.is_fee_bump or incoming.sequence != waiting.sequence:
            return Answer(Status.TRY_AGAIN_LATER)
        if incoming.is_soroban != waiting.is_soroban:
            return Answer(Status.TRY_AGAIN_LATER)
        due = REPLACEMENT_FACTOR * waiting.inclusion_fee_stroops * incoming.operation_count
        if incoming.inclusion_fee_stroops * waiting.operation_count < due:
            least = -(-due // waiting.operation_count) + incoming.resource_fee_stroops
            return Answer(Status.ERROR, results.own(Code.txINSUFFICIENT_FEE, least))
        return None

    def _check_fees(self, incoming: Incoming, view: View) -> xdr.TransactionResult | None:
        """The payer must afford the bids of all that waits on its account, not only of this one."""
        payer, source = keys.raw(incoming.fee_source), keys.raw(incoming.source)
        others = sum(
            one.incoming.fee_stroops
            for held_by, one in self._waiting.items()
            if held_by != source and keys.raw(one.incoming.fee_source) == payer
        )
        entry = view.account(incoming.fee_source)
        assert entry is not None, "validity looked for the fee source"
        if spendable(entry) < others + incoming.fee_stroops:
            return results.own(Code.txINSUFFICIENT_BALANCE)
        return None


def bid(incoming: Incoming) -> int:
    """What a transaction offers for each of its operations."""
    return incoming.inclusion_fee_stroops // incoming.operation_count
