"""Who keeps back how much: base reserves of accounts and entries, and who has promised to pay them for another.

`begin_sponsoring_future_reserves` makes every reserve of the sponsored account fall to its sponsor until the sandwich
ends. The counts are kept where the network keeps them (the account's extension, the entry's extension); moving a
sponsorship afterwards (`revoke_sponsorship`) is not modelled.
"""

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations.base import Scope, require
from baton.devnet.stellar.view import View

BASE_RESERVE_STROOPS = 5_000_000
ACCOUNT_RESERVES = 2


def new_account(account: xdr.AccountID, balance_stroops: int, sequence: int) -> xdr.AccountEntry:
    return xdr.AccountEntry(
        account,
        xdr.Int64(balance_stroops),
        xdr.SequenceNumber(xdr.Int64(sequence)),
        xdr.Uint32(0),
        None,
        xdr.Uint32(0),
        xdr.String32(b""),
        xdr.Thresholds(b"\1\0\0\0"),
        [],
        xdr.AccountEntryExt(0),
    )


def extension(entry: xdr.AccountEntry) -> xdr.AccountEntryExtensionV2 | None:
    return entry.ext.v1.ext.v2 if entry.ext.v1 else None


def min_balance(entry: xdr.AccountEntry) -> int:
    counts = extension(entry)
    promised = counts.num_sponsoring.uint32 - counts.num_sponsored.uint32 if counts else 0
    return (ACCOUNT_RESERVES + entry.num_sub_entries.uint32 + promised) * BASE_RESERVE_STROOPS


def spendable(entry: xdr.AccountEntry) -> int:
    """The balance above the reserve; liabilities of open offers are not modelled."""
    return entry.balance.int64 - min_balance(entry)


def writable_extension(entry: xdr.AccountEntry) -> xdr.AccountEntryExtensionV2:
    """The account's extension with its sponsorship counts, made where it is missing."""
    found = extension(entry)
    if found is not None:
        return found
    signers: list[xdr.SponsorshipDescriptor] = [xdr.SponsorshipDescriptor(None) for _ in entry.signers]
    made = xdr.AccountEntryExtensionV2(xdr.Uint32(0), xdr.Uint32(0), signers, xdr.AccountEntryExtensionV2Ext(0))
    entry.ext = xdr.AccountEntryExt(
        1,
        v1=xdr.AccountEntryExtensionV1(
            xdr.Liabilities(xdr.Int64(0), xdr.Int64(0)), xdr.AccountEntryExtensionV1Ext(2, v2=made)
        ),
    )
    return made


def hold(scope: Scope, owner: xdr.AccountID, count: int, low: str = "LOW_RESERVE") -> bytes | None:
    """Reserve for `count` new sub-entries of an account; answers who sponsors them, if anybody does."""
    sponsor = scope.sponsors.get(keys.raw(owner))
    if sponsor is not None:
        promise(scope.view, sponsor, count, low)
    entry = _account(scope.view, owner)
    require(sponsor is not None or spendable(entry) >= count * BASE_RESERVE_STROOPS, low)
    entry.num_sub_entries = xdr.Uint32(entry.num_sub_entries.uint32 + count)
    if sponsor is not None:
        _count_sponsored(entry, count)
    scope.view.save_account(entry)
    return sponsor


def release(view: View, owner: xdr.AccountID, count: int, sponsor: bytes | None) -> None:
    """Give back the reserve of removed sub-entries, to whoever had it held."""
    entry = _account(view, owner)
    entry.num_sub_entries = xdr.Uint32(entry.num_sub_entries.uint32 - count)
    if sponsor is not None:
        _count_sponsored(entry, -count)
    view.save_account(entry)
    if sponsor is not None:
        promise(view, sponsor, -count)


def promise(view: View, sponsor: bytes, count: int, low: str = "LOW_RESERVE") -> None:
    """Change how many reserves a sponsor holds for others."""
    entry = _account(view, keys.from_raw(sponsor))
    require(count <= 0 or spendable(entry) >= count * BASE_RESERVE_STROOPS, low)
    counts = writable_extension(entry)
    counts.num_sponsoring = xdr.Uint32(counts.num_sponsoring.uint32 + count)
    view.save_account(entry)


def _count_sponsored(entry: xdr.AccountEntry, change: int) -> None:
    counts = writable_extension(entry)
    counts.num_sponsored = xdr.Uint32(counts.num_sponsored.uint32 + change)


def _account(view: View, account: xdr.AccountID) -> xdr.AccountEntry:
    entry = view.account(account)
    assert entry is not None, "an operation's source, and a sponsor, exist"
    return entry
