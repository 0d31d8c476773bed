"""Ledger entries of accounts, as far as a lane needs them: sequence, what can be spent, who may sign."""

from collections.abc import Mapping
from dataclasses import dataclass

import stellar_sdk as sdk
from stellar_sdk import xdr as stellar_xdr

BASE_RESERVE = 5_000_000  # stroops kept back for each entry; validators could change it, and never have since 2019
ACCOUNT_ENTRIES = 2  # an account counts as two of them


@dataclass(frozen=True, slots=True)
class AccountEntry:
    sequence: int
    spendable: int  # stroops above the reserve and what open offers have promised
    master_weight: int
    signers: Mapping[str, int]  # other keys, with their weights


def account_key(address: str) -> str:
    key = stellar_xdr.LedgerKey(
        stellar_xdr.LedgerEntryType.ACCOUNT,
        account=stellar_xdr.LedgerKeyAccount(sdk.Keypair.from_public_key(address).xdr_account_id()),
    )
    return key.to_xdr()


def account_entry(text: str) -> tuple[str, AccountEntry]:
    """An account's address and entry, from the base64 XDR that a node shows."""
    found = stellar_xdr.LedgerEntryData.from_xdr(text).account
    if found is None:
        raise ValueError("not an account")
    key = found.account_id.account_id.ed25519
    if key is None:
        raise ValueError("an account without a key")
    entry = AccountEntry(
        sequence=found.seq_num.sequence_number.int64,
        spendable=found.balance.int64 - _reserved(found),
        master_weight=found.thresholds.thresholds[0],
        signers={sdk.SignerKey.from_xdr_object(one.key).encoded_signer_key: one.weight.uint32 for one in found.signers},
    )
    return sdk.StrKey.encode_ed25519_public_key(key.uint256), entry


def _reserved(entry: stellar_xdr.AccountEntry) -> int:
    count, promised = ACCOUNT_ENTRIES + entry.num_sub_entries.uint32, 0
    first = entry.ext.v1
    if first is not None:
        promised = first.liabilities.selling.int64
        if first.ext.v2 is not None:
            count += first.ext.v2.num_sponsoring.uint32 - first.ext.v2.num_sponsored.uint32
    return count * BASE_RESERVE + promised
