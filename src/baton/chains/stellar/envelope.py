"""Envelopes: the transaction inside, the fee bump around it, what is signed of each, and what the record keeps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import stellar_sdk as sdk
from stellar_sdk import xdr as stellar_xdr

from baton.chains.octets import base64_text
from baton.chains.stellar.fees import LEAST_BID
from baton.domain.json import Json
from baton.domain.transaction import Slot

HINT_BYTES = 4
AnyEnvelope = sdk.TransactionEnvelope | sdk.FeeBumpTransactionEnvelope


@dataclass(frozen=True, slots=True)
class Body:
    """What a transaction does, whichever account lends its sequence number."""

    source: str  # whose operations they are, where they do not say; G… or M…
    operations: tuple[sdk.Operation, ...]
    memo: sdk.Memo
    ledger_bounds: sdk.LedgerBounds | None = None
    min_time: int = 0
    extra_signers: tuple[sdk.SignerKey, ...] = ()
    soroban: stellar_xdr.SorobanTransactionData | None = None

    @property
    def resources(self) -> int:
        """Stroops for what a contract uses; the bid comes on top."""
        return 0 if self.soroban is None else self.soroban.resource_fee.int64


def transaction(body: Body, slot: Slot, fee: int, max_time: int, passphrase: str) -> sdk.TransactionEnvelope:
    """Unsigned. Operations keep `body.source` as theirs when another account lends the sequence number."""
    conditions = sdk.Preconditions(
        time_bounds=sdk.TimeBounds(body.min_time, max_time),
        ledger_bounds=body.ledger_bounds,
        extra_signers=list(body.extra_signers),
    )
    is_own = sdk.MuxedAccount.from_account(body.source).account_id == slot.account
    operations = body.operations if is_own else tuple(_of(body.source, each) for each in body.operations)
    made = sdk.Transaction(
        source=body.source if is_own else slot.account,
        sequence=slot.number,
        fee=fee,
        operations=operations,
        memo=body.memo,
        preconditions=conditions,
        soroban_data=body.soroban,
    )
    return sdk.TransactionEnvelope(made, passphrase)


def _of(source: str, operation: sdk.Operation) -> sdk.Operation:
    if operation.source is not None:
        return operation
    copy = sdk.Operation.from_xdr_object(operation.to_xdr_object())
    copy.source = sdk.MuxedAccount.from_account(source)
    return copy


def fee_bump(inner: sdk.TransactionEnvelope, payer: str, fee: int) -> sdk.FeeBumpTransactionEnvelope:
    """Unsigned, around an inner one that is signed."""
    return sdk.FeeBumpTransactionEnvelope(sdk.FeeBumpTransaction(payer, fee, inner), inner.network_passphrase)


def inner_fee(body: Body) -> int:
    """What a transaction bids itself when a fee bump bids for it: the least that is valid."""
    return LEAST_BID * len(body.operations) + body.resources


def attach(envelope: AnyEnvelope, public_key: bytes, signature: bytes) -> None:
    envelope.signatures.append(sdk.DecoratedSignature(public_key[-HINT_BYTES:], signature))


def parsed(raw: bytes, passphrase: str) -> AnyEnvelope:
    text = base64_text(raw)
    if sdk.FeeBumpTransactionEnvelope.is_fee_bump_transaction_envelope(raw):
        return sdk.FeeBumpTransactionEnvelope.from_xdr(text, passphrase)
    return sdk.TransactionEnvelope.from_xdr(text, passphrase)


def inner_of(envelope: AnyEnvelope) -> sdk.TransactionEnvelope:
    if isinstance(envelope, sdk.FeeBumpTransactionEnvelope):
        return envelope.transaction.inner_transaction_envelope
    return envelope


def max_time_of(transaction: sdk.Transaction) -> int:
    """0: it has no end."""
    bounds = transaction.preconditions.time_bounds if transaction.preconditions else None
    return 0 if bounds is None else bounds.max_time


def facts_of(envelope: AnyEnvelope) -> dict[str, Json]:
    """What is kept of a signed version: what the record shows, and what judging and raising it needs."""
    inner = inner_of(envelope)
    made = inner.transaction
    is_wrapped = inner is not envelope
    fee = envelope.transaction.fee
    resources = 0 if made.soroban_data is None else made.soroban_data.resource_fee.int64
    return {
        "fee": fee,
        "inclusion_fee": fee - resources,
        "operation_count": len(made.operations) + is_wrapped,
        "sequence_number": str(made.sequence),
        "sequence_account": made.source.account_id,
        "max_time": max_time_of(made),
        "transaction_xdr": envelope.to_xdr(),
        **({"inner_hash": inner.hash_hex()} if is_wrapped else {}),
    }


def with_auth(body: Body, auth: Sequence[stellar_xdr.SorobanAuthorizationEntry]) -> Body:
    """The authorisations that a simulation recorded, where none were given."""
    (operation,) = body.operations
    if not isinstance(operation, sdk.InvokeHostFunction) or operation.auth:
        return body
    copy = sdk.InvokeHostFunction(operation.host_function, list(auth), operation.source)
    return replace(body, operations=(copy,))
