"""A transaction that the client built: unsigned, for the relayer to sign; or signed by others, for a fee bump."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import stellar_sdk as sdk

from baton.chains.stellar.outline import Deed, deed
from baton.chains.stellar.wire import base_account, envelope_of, read_or_refuse
from baton.domain.clock import to_text
from baton.domain.errors import Invalid

PATH = "transaction_xdr"
LEAST_FEE = 100  # stroops for each operation; a fee bump counts as one more
_LAST_SECOND = 253_402_300_799  # the end of the year 9999, the last that a date can say


@dataclass(frozen=True, slots=True)
class Prebuilt:
    source: str
    deeds: tuple[Deed, ...]
    has_memo: bool
    valid_until: datetime | None
    hash: str


def prebuilt(text: str, passphrase: str, *, is_bump: bool, now: datetime) -> tuple[Prebuilt, sdk.Transaction]:
    envelope = envelope_of(text, passphrase, PATH)
    transaction = envelope.transaction
    if not transaction.operations:
        raise Invalid(PATH, "a transaction without operations", "at least one operation")
    if is_bump and not envelope.signatures:
        raise Invalid("fee_bump", "true with an unsigned transaction_xdr", "a transaction_xdr that is signed")
    if not is_bump and envelope.signatures:
        expected = "an unsigned one, or fee_bump: true (else the relayer would neither sign nor pay)"
        raise Invalid(PATH, "a signed transaction", expected)
    drawn = Prebuilt(
        source=transaction.source.universal_account_id,
        deeds=tuple(
            read_or_refuse(partial(deed, each, f"{PATH}.operations[{i}]"), PATH, "readable operations")
            for i, each in enumerate(transaction.operations)
        ),
        has_memo=not isinstance(transaction.memo, sdk.NoneMemo),
        valid_until=_end(transaction, now),
        hash=envelope.hash_hex(),
    )
    return drawn, transaction


def check_source(drawn: Prebuilt, relayer_address: str) -> None:
    if base_account(drawn.source) != relayer_address:
        raise Invalid(PATH, f"source {drawn.source}", f"the relayer's address {relayer_address} as source")


def check_stranger(transaction: sdk.Transaction, relayer_address: str) -> None:
    """What the relayer signed itself is under way already, as a transaction of its own: it is not paid for twice."""
    for i, each in enumerate(transaction.operations):
        source = each.source or transaction.source
        if source.account_id == relayer_address:
            expected = "operations of others: for its own the relayer does not sign inside a fee bump"
            raise Invalid(f"{PATH}.operations[{i}]", "the relayer as source", expected)


def check_bump_fee(transaction: sdk.Transaction, most: int) -> None:
    """The network takes a fee bump only at the inner transaction's rate or above, one operation more."""
    count = len(transaction.operations)
    resources = transaction.soroban_data.resource_fee.int64 if transaction.soroban_data else 0
    inclusion = max(transaction.fee - resources, LEAST_FEE * count)
    needed = resources - (-inclusion * (count + 1) // count)
    if needed > most:
        raise Invalid("max_fee", f"{most} stroops", f"at least {needed}, which this fee bump costs")


def _end(transaction: sdk.Transaction, now: datetime) -> datetime | None:
    bounds = transaction.preconditions.time_bounds if transaction.preconditions else None
    if bounds is None or not 0 < bounds.max_time <= _LAST_SECOND:
        return None
    end = datetime.fromtimestamp(bounds.max_time, UTC)
    if end <= now:
        raise Invalid(PATH, f"a time bound that ended at {to_text(end)}", f"one in the future (it is {to_text(now)})")
    return end
