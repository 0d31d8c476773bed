"""A transaction enters the ledger: fee and sequence first, whatever follows; then its operations, all or none."""

from collections.abc import Callable
from dataclasses import dataclass

from stellar_sdk import xdr

from baton.devnet.stellar import results
from baton.devnet.stellar.envelope import Incoming
from baton.devnet.stellar.operations import table
from baton.devnet.stellar.operations.base import Scope, Told
from baton.devnet.stellar.results import Code
from baton.devnet.stellar.validity import Terms
from baton.devnet.stellar.view import View


@dataclass(frozen=True, slots=True)
class Ground:
    """The ledger that is being closed, as its transactions find it."""

    view: View
    terms: Terms
    price_stroops: int
    network_id: bytes
    next_offer_id: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Landed:
    """A transaction in a closed ledger, as a node tells it."""

    hash: str
    inner_hash: str
    succeeded: bool
    is_fee_bump: bool
    is_soroban: bool
    ledger: int
    closed_at_s: int
    order: int
    paid_stroops: int
    envelope_xdr: str
    result_xdr: str
    meta_xdr: str
    diagnostics_xdr: tuple[str, ...]
    events_xdr: tuple[tuple[str, ...], ...]

    @property
    def hashes(self) -> tuple[str, str]:
        return self.hash, self.inner_hash


@dataclass(frozen=True, slots=True)
class _Run:
    """What the operations came to."""

    code: Code
    results: list[xdr.OperationResult]
    changes: list[list[xdr.LedgerEntryChange]]
    told: Told


def land(incoming: Incoming, ground: Ground, order: int) -> Landed:
    place = min(ground.price_stroops * incoming.operation_count, incoming.inclusion_fee_stroops)
    fee = place + incoming.resource_fee_stroops
    _charge(ground.view, incoming, fee)
    before = _take_sequence(ground.view, incoming)
    done = _run(incoming, ground)
    meta = _meta(before, done)
    succeeded = done.code is Code.txSUCCESS
    events = [tuple(event.to_xdr() for event in done.told.events) if succeeded else () for _ in done.changes]
    return Landed(
        hash=incoming.hash.hex(),
        inner_hash=incoming.inner_hash.hex(),
        succeeded=succeeded,
        is_fee_bump=incoming.is_fee_bump,
        is_soroban=incoming.is_soroban,
        ledger=ground.terms.sequence,
        closed_at_s=ground.terms.closes_at_s,
        order=order,
        paid_stroops=place // incoming.operation_count,
        envelope_xdr=incoming.envelope.to_xdr(),
        result_xdr=results.of_inner(incoming, done.code, fee, done.results).to_xdr(),
        meta_xdr=meta.to_xdr(),
        diagnostics_xdr=tuple(event.to_xdr() for event in done.told.diagnostics),
        events_xdr=tuple(events),
    )


def _charge(ledger: View, incoming: Incoming, fee_stroops: int) -> None:
    view = View(ledger)
    payer = view.account(incoming.fee_source)
    assert payer is not None, "validity looked for the fee source"
    payer.balance = xdr.Int64(payer.balance.int64 - fee_stroops)
    view.save_account(payer)
    view.commit()


def _take_sequence(ledger: View, incoming: Incoming) -> list[xdr.LedgerEntryChange]:
    view = View(ledger)
    source = view.account(incoming.source)
    assert source is not None, "validity looked for the source"
    source.seq_num = incoming.transaction.seq_num
    view.save_account(source)
    changes = view.changes()
    view.commit()
    return changes


def _run(incoming: Incoming, ground: Ground) -> _Run:
    view, sponsors, told = View(ground.view), dict[bytes, bytes](), Told()
    outcomes: list[xdr.OperationResult] = []
    changes: list[list[xdr.LedgerEntryChange]] = []
    good = True
    for position, operation in enumerate(incoming.transaction.operations):
        source = table.source_of(operation, incoming.source)
        scope = Scope(
            view=view,
            source=source,
            incoming=incoming,
            position=position,
            closes_at_s=ground.terms.closes_at_s,
            network_id=ground.network_id,
            next_offer_id=ground.next_offer_id,
            sponsors=sponsors,
            told=told,
        )
        outcome, changed = table.run(scope, operation)
        outcomes.append(outcome)
        changes.append(changed or [])
        good = good and changed is not None
    if good and sponsors:
        return _Run(Code.txBAD_SPONSORSHIP, [], [], told)
    if not good:
        return _Run(Code.txFAILED, outcomes, [[] for _ in changes], told)
    view.commit()
    return _Run(Code.txSUCCESS, outcomes, changes, told)


def _meta(before: list[xdr.LedgerEntryChange], done: _Run) -> xdr.TransactionMeta:
    point = xdr.ExtensionPoint(0)
    events = done.told.events if done.code is Code.txSUCCESS else []
    steps = [xdr.OperationMetaV2(point, xdr.LedgerEntryChanges(changed), events) for changed in done.changes]
    value = done.told.value if done.code is Code.txSUCCESS else None
    soroban = xdr.SorobanTransactionMetaV2(xdr.SorobanTransactionMetaExt(0), value) if value else None
    v4 = xdr.TransactionMetaV4(
        point,
        xdr.LedgerEntryChanges(before),
        steps,
        xdr.LedgerEntryChanges([]),
        soroban,
        [],
        done.told.diagnostics,
    )
    return xdr.TransactionMeta(4, v4=v4)
