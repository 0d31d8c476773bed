"""May a transaction enter the ledger: bounds, fee, sequence, signatures, balance; in the order in which a node asks.

Not modelled, and refused as txNOT_SUPPORTED rather than waved through: extra signers and minimum sequence age or gap.
"""

from dataclasses import dataclass

from stellar_sdk import xdr

from baton.devnet.stellar import results
from baton.devnet.stellar.envelope import Incoming
from baton.devnet.stellar.operations import table
from baton.devnet.stellar.operations.reserves import spendable
from baton.devnet.stellar.results import Code
from baton.devnet.stellar.signatures import Level, Signatures
from baton.devnet.stellar.view import View

MAX_OPERATIONS = 100


@dataclass(frozen=True, slots=True)
class Terms:
    """The ledger that a transaction would enter."""

    sequence: int
    closes_at_s: int
    base_fee_stroops: int


def check(incoming: Incoming, view: View, terms: Terms) -> xdr.TransactionResult | None:
    """The result of a transaction that may not enter, or None for one that may."""
    if incoming.is_fee_bump:
        refused = _check_fee_bump(incoming, view, terms)
        if refused is not None:
            return refused
    code = _check_inner(incoming, view, terms)
    if code is not None:
        due = least_fee(incoming, terms) if code is Code.txINSUFFICIENT_FEE else 0
        return results.of_inner(incoming, code, due)
    signatures = Signatures(incoming.inner_hash, incoming.inner_signatures)
    source = view.account(incoming.source)
    assert source is not None
    if not signatures.reach(source, Level.LOW):
        return results.of_inner(incoming, Code.txBAD_AUTH)
    if not incoming.is_fee_bump and spendable(source) < incoming.fee_stroops:
        return results.of_inner(incoming, Code.txINSUFFICIENT_BALANCE)
    failures = _check_operations(incoming, view, signatures)
    if failures is not None:
        return results.of_inner(incoming, Code.txFAILED, 0, failures)
    return None if signatures.all_used else results.of_inner(incoming, Code.txBAD_AUTH_EXTRA)


def least_fee(incoming: Incoming, terms: Terms) -> int:
    return terms.base_fee_stroops * incoming.operation_count + incoming.resource_fee_stroops


def _check_fee_bump(incoming: Incoming, view: View, terms: Terms) -> xdr.TransactionResult | None:
    """The wrapper's own duties: at least the inner transaction's bid for each operation, and the means to pay."""
    inner_count = max(1, incoming.operation_count - 1)
    inner_bid = incoming.inner_inclusion_fee_stroops
    rate_due = -(-inner_bid * incoming.operation_count // inner_count) + incoming.resource_fee_stroops
    due = max(least_fee(incoming, terms), rate_due)
    if incoming.fee_stroops < due:
        return results.own(Code.txINSUFFICIENT_FEE, due)
    payer = view.account(incoming.fee_source)
    if payer is None:
        return results.own(Code.txNO_ACCOUNT)
    signatures = Signatures(incoming.hash, incoming.signatures)
    if not signatures.reach(payer, Level.LOW):
        return results.own(Code.txBAD_AUTH)
    if spendable(payer) < incoming.fee_stroops:
        return results.own(Code.txINSUFFICIENT_BALANCE)
    return None if signatures.all_used else results.own(Code.txBAD_AUTH_EXTRA)


def _check_inner(incoming: Incoming, view: View, terms: Terms) -> Code | None:
    """Everything before the signatures."""
    shape = _check_shape(incoming)
    if shape is not None:
        return shape
    bounds = _check_bounds(incoming.transaction.cond, terms)
    if bounds is not None:
        return bounds
    bid = incoming.inner_inclusion_fee_stroops
    count = len(incoming.transaction.operations)
    if bid < (0 if incoming.is_fee_bump else terms.base_fee_stroops * count):
        return Code.txINSUFFICIENT_FEE
    source = view.account(incoming.source)
    if source is None:
        return Code.txNO_ACCOUNT
    return None if _is_next(incoming, source.seq_num.sequence_number.int64) else Code.txBAD_SEQ


def _check_shape(incoming: Incoming) -> Code | None:
    count = len(incoming.transaction.operations)
    if not count:
        return Code.txMISSING_OPERATION
    if count > MAX_OPERATIONS or incoming.is_soroban != (incoming.soroban_data is not None):
        return Code.txMALFORMED
    if incoming.is_soroban and count > 1:
        return Code.txMALFORMED
    extra = incoming.transaction.cond.v2
    if extra and (extra.extra_signers or extra.min_seq_age.duration.uint64 or extra.min_seq_ledger_gap.uint32):
        return Code.txNOT_SUPPORTED
    return None


def _check_bounds(cond: xdr.Preconditions, terms: Terms) -> Code | None:
    times = cond.time_bounds or (cond.v2.time_bounds if cond.v2 else None)
    if times is not None:
        until = times.max_time.time_point.uint64
        if times.min_time.time_point.uint64 > terms.closes_at_s:
            return Code.txTOO_EARLY
        if until and until < terms.closes_at_s:
            return Code.txTOO_LATE
    ledgers = cond.v2.ledger_bounds if cond.v2 else None
    if ledgers is not None:
        if terms.sequence < ledgers.min_ledger.uint32:
            return Code.txTOO_EARLY
        if ledgers.max_ledger.uint32 and terms.sequence >= ledgers.max_ledger.uint32:
            return Code.txTOO_LATE
    return None


def _is_next(incoming: Incoming, current: int) -> bool:
    cond = incoming.transaction.cond.v2
    if cond is not None and cond.min_seq_num is not None:
        return cond.min_seq_num.sequence_number.int64 <= current < incoming.sequence
    return incoming.sequence == current + 1


def _check_operations(incoming: Incoming, view: View, signatures: Signatures) -> list[xdr.OperationResult] | None:
    """Signatures and soundness of each operation; the results of all when one of them is wrong."""
    verdicts: list[xdr.OperationResult | None] = []
    for operation in incoming.transaction.operations:
        source = table.source_of(operation, incoming.source)
        entry = view.account(source)
        level = table.level_of(operation)
        signed = signatures.reach(entry, level) if entry else signatures.reach_alone(source)
        bad_auth = xdr.OperationResult(xdr.OperationResultCode.opBAD_AUTH)
        verdicts.append(table.check(operation, source) if signed else bad_auth)
    if all(verdict is None for verdict in verdicts):
        return None
    return [
        verdict or table.unfinished(operation)
        for verdict, operation in zip(verdicts, incoming.transaction.operations, strict=True)
    ]
