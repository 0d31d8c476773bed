"""Claimable balances: put aside for others under conditions of time, and claimed by one of them."""

import hashlib

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations import money, reserves
from baton.devnet.stellar.operations.base import Failed, Scope, Success, require

Kind = xdr.ClaimPredicateType
PAY = money.TakeCodes("NO_TRUST", "NOT_AUTHORIZED")
MAX_DEPTH = 4


def check_create(_source: xdr.AccountID, body: xdr.CreateClaimableBalanceOp) -> None:
    claimants = [claimant.v0 for claimant in body.claimants if claimant.v0 is not None]
    require(body.amount.int64 > 0 and bool(claimants), "MALFORMED")
    require(len({keys.raw(claimant.destination) for claimant in claimants}) == len(claimants), "MALFORMED")
    require(all(_is_sound(claimant.predicate) for claimant in claimants), "MALFORMED")


def create_claimable_balance(scope: Scope, body: xdr.CreateClaimableBalanceOp) -> Success:
    view = scope.view
    money.take(view, scope.source, body.asset, body.amount.int64, PAY)
    sponsor = scope.sponsors.get(keys.raw(scope.source), keys.raw(scope.source))
    reserves.promise(view, sponsor, len(body.claimants))
    balance_id = balance_id_of(scope)
    entry = xdr.ClaimableBalanceEntry(
        balance_id,
        [_dated(claimant, scope.closes_at_s) for claimant in body.claimants],
        body.asset,
        body.amount,
        xdr.ClaimableBalanceEntryExt(0),
    )
    data = xdr.LedgerEntryData(xdr.LedgerEntryType.CLAIMABLE_BALANCE, claimable_balance=entry)
    view.save(keys.for_claimable_balance(balance_id), data, sponsor)
    return {"balance_id": balance_id}


def claim_claimable_balance(scope: Scope, body: xdr.ClaimClaimableBalanceOp) -> Success:
    view, key = scope.view, keys.for_claimable_balance(body.balance_id)
    found = view.load(key)
    if found is None or found.data.claimable_balance is None:
        raise Failed("DOES_NOT_EXIST")
    entry = found.data.claimable_balance
    mine = [claimant.v0.predicate for claimant in entry.claimants if _names(claimant, scope.source) and claimant.v0]
    require(any(_holds(predicate, scope.closes_at_s) for predicate in mine), "CANNOT_CLAIM")
    money.give(view, scope.source, entry.asset, entry.amount.int64)
    sponsor = view.sponsor_of(key)
    view.remove(key)
    if sponsor is not None and view.account(keys.from_raw(sponsor)) is not None:
        reserves.promise(view, sponsor, -len(entry.claimants))
    return None


def balance_id_of(scope: Scope) -> xdr.ClaimableBalanceID:
    """The id follows from the transaction's source, its sequence and the operation's place."""
    operation = xdr.HashIDPreimageOperationID(
        scope.incoming.source, scope.incoming.transaction.seq_num, xdr.Uint32(scope.position)
    )
    preimage = xdr.HashIDPreimage(xdr.EnvelopeType.ENVELOPE_TYPE_OP_ID, operation_id=operation)
    digest = hashlib.sha256(preimage.to_xdr_bytes()).digest()
    return xdr.ClaimableBalanceID(xdr.ClaimableBalanceIDType.CLAIMABLE_BALANCE_ID_TYPE_V0, v0=xdr.Hash(digest))


def _names(claimant: xdr.Claimant, account: xdr.AccountID) -> bool:
    return claimant.v0 is not None and keys.raw(claimant.v0.destination) == keys.raw(account)


def _dated(claimant: xdr.Claimant, now_s: int) -> xdr.Claimant:
    assert claimant.v0 is not None
    return xdr.Claimant(
        claimant.type, v0=xdr.ClaimantV0(claimant.v0.destination, _absolute(claimant.v0.predicate, now_s))
    )


def _absolute(predicate: xdr.ClaimPredicate, now_s: int) -> xdr.ClaimPredicate:
    """Relative times become points in time when the balance is made."""
    match predicate.type:
        case Kind.CLAIM_PREDICATE_BEFORE_RELATIVE_TIME:
            assert predicate.rel_before is not None
            until = xdr.Int64(min(now_s + predicate.rel_before.int64, money.MAX_INT64))
            return xdr.ClaimPredicate(Kind.CLAIM_PREDICATE_BEFORE_ABSOLUTE_TIME, abs_before=until)
        case Kind.CLAIM_PREDICATE_AND:
            return xdr.ClaimPredicate(predicate.type, and_predicates=[_absolute(p, now_s) for p in _parts(predicate)])
        case Kind.CLAIM_PREDICATE_OR:
            return xdr.ClaimPredicate(predicate.type, or_predicates=[_absolute(p, now_s) for p in _parts(predicate)])
        case Kind.CLAIM_PREDICATE_NOT:
            return xdr.ClaimPredicate(predicate.type, not_predicate=_absolute(_parts(predicate)[0], now_s))
        case _:
            return predicate


def _holds(predicate: xdr.ClaimPredicate, now_s: int) -> bool:
    match predicate.type:
        case Kind.CLAIM_PREDICATE_UNCONDITIONAL:
            return True
        case Kind.CLAIM_PREDICATE_AND:
            return all(_holds(part, now_s) for part in _parts(predicate))
        case Kind.CLAIM_PREDICATE_OR:
            return any(_holds(part, now_s) for part in _parts(predicate))
        case Kind.CLAIM_PREDICATE_NOT:
            return not _holds(_parts(predicate)[0], now_s)
        case _:
            assert predicate.abs_before is not None, "relative times became absolute"
            return now_s < predicate.abs_before.int64


def _is_sound(predicate: xdr.ClaimPredicate, depth: int = 1) -> bool:
    parts = _parts(predicate)
    match predicate.type:
        case Kind.CLAIM_PREDICATE_AND | Kind.CLAIM_PREDICATE_OR:
            shaped = len(parts) == 2  # noqa: PLR2004 - exactly two parts is the network's rule
        case Kind.CLAIM_PREDICATE_NOT:
            shaped = len(parts) == 1
        case _:
            moment = predicate.abs_before or predicate.rel_before
            shaped = moment is None or moment.int64 >= 0
    return shaped and depth <= MAX_DEPTH and all(_is_sound(part, depth + 1) for part in parts)


def _parts(predicate: xdr.ClaimPredicate) -> list[xdr.ClaimPredicate]:
    if predicate.not_predicate is not None:
        return [predicate.not_predicate]
    return list(predicate.and_predicates or predicate.or_predicates or [])
