"""Operations on an account itself: create, merge, bump its sequence, keep data under it."""

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations import money, reserves
from baton.devnet.stellar.operations.base import Failed, Scope, Success, require

IMMUTABLE = xdr.AccountFlags.AUTH_IMMUTABLE_FLAG.value


def check_create_account(source: xdr.AccountID, body: xdr.CreateAccountOp) -> None:
    require(body.starting_balance.int64 >= 0, "MALFORMED")
    require(keys.raw(body.destination) != keys.raw(source), "MALFORMED")


def create_account(scope: Scope, body: xdr.CreateAccountOp) -> Success:
    view, new, balance = scope.view, body.destination, body.starting_balance.int64
    require(view.account(new) is None, "ALREADY_EXIST")
    sponsor = scope.sponsors.get(keys.raw(new))
    least = 0 if sponsor else reserves.ACCOUNT_RESERVES * reserves.BASE_RESERVE_STROOPS
    require(balance >= least, "LOW_RESERVE")
    money.take(view, scope.source, xdr.Asset(xdr.AssetType.ASSET_TYPE_NATIVE), balance)
    entry = reserves.new_account(new, balance, view.sequence << 32)
    if sponsor:
        reserves.promise(view, sponsor, reserves.ACCOUNT_RESERVES)
        reserves.writable_extension(entry).num_sponsored = xdr.Uint32(reserves.ACCOUNT_RESERVES)
    view.save_account(entry, sponsor)
    return None


def check_account_merge(source: xdr.AccountID, destination: xdr.MuxedAccount) -> None:
    require(keys.raw(keys.account_id(destination)) != keys.raw(source), "MALFORMED")


def account_merge(scope: Scope, destination: xdr.MuxedAccount) -> Success:
    view, heir = scope.view, keys.account_id(destination)
    entry = view.account(scope.source)
    assert entry is not None
    require(view.account(heir) is not None, "NO_ACCOUNT")
    require(not entry.flags.uint32 & IMMUTABLE, "IMMUTABLE_SET")
    require(entry.num_sub_entries.uint32 == len(entry.signers), "HAS_SUB_ENTRIES")
    counts = reserves.extension(entry)
    require(counts is None or not counts.num_sponsoring.uint32, "IS_SPONSOR")
    require(entry.seq_num.sequence_number.int64 < view.sequence << 32, "SEQNUM_TOO_FAR")
    key = keys.for_account(scope.source)
    sponsor = view.sponsor_of(key)
    view.remove(key)
    if sponsor:
        reserves.promise(view, sponsor, -reserves.ACCOUNT_RESERVES)
    for payer in counts.signer_sponsoring_i_ds if counts else ():
        if payer.sponsorship_descriptor is not None:
            reserves.promise(view, keys.raw(payer.sponsorship_descriptor), -1)
    money.give(
        view,
        heir,
        xdr.Asset(xdr.AssetType.ASSET_TYPE_NATIVE),
        entry.balance.int64,
        money.GiveCodes(full="DEST_FULL"),
    )
    return {"source_account_balance": entry.balance}


def check_bump_sequence(_source: xdr.AccountID, body: xdr.BumpSequenceOp) -> None:
    require(body.bump_to.sequence_number.int64 >= 0, "BAD_SEQ")


def bump_sequence(scope: Scope, body: xdr.BumpSequenceOp) -> Success:
    entry = scope.view.account(scope.source)
    assert entry is not None
    if body.bump_to.sequence_number.int64 > entry.seq_num.sequence_number.int64:
        entry.seq_num = body.bump_to
        scope.view.save_account(entry)
    return None


def check_manage_data(_source: xdr.AccountID, body: xdr.ManageDataOp) -> None:
    name = body.data_name.string64
    require(bool(name) and name.isascii(), "INVALID_NAME")


def manage_data(scope: Scope, body: xdr.ManageDataOp) -> Success:
    view, key = scope.view, keys.for_data(scope.source, body.data_name)
    found = view.load(key)
    if body.data_value is None:
        if found is None:
            raise Failed("NAME_NOT_FOUND")
        sponsor = view.sponsor_of(key)
        view.remove(key)
        reserves.release(view, scope.source, 1, sponsor)
        return None
    sponsor = None if found else reserves.hold(scope, scope.source, 1)
    data = xdr.DataEntry(scope.source, body.data_name, body.data_value, xdr.DataEntryExt(0))
    view.save(key, xdr.LedgerEntryData(xdr.LedgerEntryType.DATA, data=data), sponsor)
    return None
