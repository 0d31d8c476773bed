"""Moving an asset in and out of an account, with the result codes that the asking operation wants."""

from dataclasses import dataclass

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations.base import Failed, require
from baton.devnet.stellar.operations.reserves import spendable
from baton.devnet.stellar.view import View

MAX_INT64 = 2**63 - 1
AUTHORIZED = xdr.TrustLineFlags.AUTHORIZED_FLAG.value


@dataclass(frozen=True, slots=True)
class TakeCodes:
    no_trust: str = "SRC_NO_TRUST"
    not_authorized: str = "SRC_NOT_AUTHORIZED"
    short: str = "UNDERFUNDED"


@dataclass(frozen=True, slots=True)
class GiveCodes:
    no_trust: str = "NO_TRUST"
    not_authorized: str = "NOT_AUTHORIZED"
    full: str = "LINE_FULL"


PAY = TakeCodes()
RECEIVE = GiveCodes()


def take(view: View, account: xdr.AccountID, asset: keys.AnyAsset, amount: int, codes: TakeCodes = PAY) -> None:
    if keys.is_native(asset):
        entry = _holder(view, account)
        require(spendable(entry) >= amount, codes.short)
        entry.balance = xdr.Int64(entry.balance.int64 - amount)
        view.save_account(entry)
    elif not keys.is_issuer(account, asset):
        line = usable_line(view, account, asset, codes.no_trust, codes.not_authorized)
        require(line.balance.int64 >= amount, codes.short)
        line.balance = xdr.Int64(line.balance.int64 - amount)
        view.save_trust_line(line)


def give(view: View, account: xdr.AccountID, asset: keys.AnyAsset, amount: int, codes: GiveCodes = RECEIVE) -> None:
    if keys.is_native(asset):
        entry = _holder(view, account)
        require(entry.balance.int64 + amount <= MAX_INT64, codes.full)
        entry.balance = xdr.Int64(entry.balance.int64 + amount)
        view.save_account(entry)
    elif not keys.is_issuer(account, asset):
        line = usable_line(view, account, asset, codes.no_trust, codes.not_authorized)
        require(line.balance.int64 + amount <= line.limit.int64, codes.full)
        line.balance = xdr.Int64(line.balance.int64 + amount)
        view.save_trust_line(line)


def usable_line(
    view: View, account: xdr.AccountID, asset: keys.AnyAsset, no_trust: str, not_authorized: str
) -> xdr.TrustLineEntry:
    line = view.trust_line(account, asset)
    if line is None:
        raise Failed(no_trust)
    require(bool(line.flags.uint32 & AUTHORIZED), not_authorized)
    return line


def can_give(view: View, account: xdr.AccountID, asset: keys.AnyAsset) -> int:
    """The most an account could pay of an asset now; an issuer's purse has no bottom."""
    if keys.is_native(asset):
        entry = view.account(account)
        return max(0, spendable(entry)) if entry else 0
    if keys.is_issuer(account, asset):
        return MAX_INT64
    line = view.trust_line(account, asset)
    return line.balance.int64 if line and line.flags.uint32 & AUTHORIZED else 0


def can_hold(view: View, account: xdr.AccountID, asset: keys.AnyAsset) -> int:
    """The most an account could receive of an asset now."""
    if keys.is_native(asset):
        entry = view.account(account)
        return MAX_INT64 - entry.balance.int64 if entry else 0
    if keys.is_issuer(account, asset):
        return MAX_INT64
    line = view.trust_line(account, asset)
    return line.limit.int64 - line.balance.int64 if line and line.flags.uint32 & AUTHORIZED else 0


def _holder(view: View, account: xdr.AccountID) -> xdr.AccountEntry:
    entry = view.account(account)
    assert entry is not None, "callers look for the account first"
    return entry
