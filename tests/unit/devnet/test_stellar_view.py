"""Overlays on the ledger's entries: read through, keep apart, commit or forget."""

import pytest
from stellar_sdk import Keypair, xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations.reserves import new_account
from baton.devnet.stellar.view import View

ALICE, BOB, SPONSOR = (Keypair.random() for _ in range(3))


@pytest.fixture
def root() -> View:
    root = View()
    root.sequence = 7
    view = View(root)
    view.save_account(new_account(ALICE.xdr_account_id(), 10, 0))
    view.commit()
    return root


def balance(view: View, keypair: Keypair) -> int | None:
    entry = view.account(keypair.xdr_account_id())
    return entry.balance.int64 if entry else None


def test_a_write_shows_above_and_not_below_until_it_is_committed(root: View) -> None:
    middle = View(root)
    top = View(middle)
    top.save_account(new_account(ALICE.xdr_account_id(), 99, 0))
    assert (balance(top, ALICE), balance(middle, ALICE), balance(root, ALICE)) == (99, 10, 10)
    top.commit()
    assert (balance(middle, ALICE), balance(root, ALICE)) == (99, 10)
    middle.commit()
    assert balance(root, ALICE) == 99


def test_a_removed_entry_is_gone_for_good_once_committed_to_the_root(root: View) -> None:
    view = View(root)
    view.remove(keys.for_account(ALICE.xdr_account_id()))
    assert balance(view, ALICE) is None
    assert balance(root, ALICE) == 10
    view.commit()
    assert root.written == {}


def test_changes_tell_created_updated_and_removed_entries(root: View) -> None:
    view = View(root)
    view.save_account(new_account(ALICE.xdr_account_id(), 11, 0))
    view.save_account(new_account(BOB.xdr_account_id(), 12, 0))
    assert [change.type.name.removeprefix("LEDGER_ENTRY_") for change in view.changes()] == [
        "STATE",
        "UPDATED",
        "CREATED",
    ]
    view.commit()
    gone = View(root)
    gone.remove(keys.for_account(BOB.xdr_account_id()))
    assert [change.type.name.removeprefix("LEDGER_ENTRY_") for change in gone.changes()] == ["STATE", "REMOVED"]


def test_an_entry_remembers_its_ledger_and_keeps_its_sponsor_through_changes(root: View) -> None:
    view = View(root)
    view.save_account(new_account(BOB.xdr_account_id(), 1, 0), SPONSOR.raw_public_key())
    view.save_account(new_account(BOB.xdr_account_id(), 2, 0))
    key = keys.for_account(BOB.xdr_account_id())
    entry = view.load(key)
    assert entry is not None
    assert entry.last_modified_ledger_seq.uint32 == 7
    assert view.sponsor_of(key) == SPONSOR.raw_public_key()


def test_a_scan_sees_every_layer_once_and_nothing_removed(root: View) -> None:
    view = View(root)
    view.save_account(new_account(ALICE.xdr_account_id(), 5, 0))
    view.save_account(new_account(BOB.xdr_account_id(), 6, 0))
    top = View(view)
    top.remove(keys.for_account(BOB.xdr_account_id()))
    found = [entry.data.account.balance.int64 for entry in top.scan(xdr.LedgerEntryType.ACCOUNT) if entry.data.account]
    assert found == [5]
