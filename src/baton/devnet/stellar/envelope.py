"""A transaction as it comes in, plain or wrapped in a fee bump, with the numbers that the rules ask for."""

from dataclasses import dataclass

from stellar_sdk import FeeBumpTransactionEnvelope, TransactionBuilder, TransactionEnvelope, xdr

from baton.devnet.stellar import keys

SOROBAN_OPERATIONS = frozenset(
    {
        xdr.OperationType.INVOKE_HOST_FUNCTION,
        xdr.OperationType.EXTEND_FOOTPRINT_TTL,
        xdr.OperationType.RESTORE_FOOTPRINT,
    }
)


@dataclass(frozen=True, slots=True)
class Incoming:
    outer: TransactionEnvelope | FeeBumpTransactionEnvelope
    inner: TransactionEnvelope
    transaction: xdr.Transaction
    hash: bytes
    inner_hash: bytes
    source: xdr.AccountID
    fee_source: xdr.AccountID
    fee_stroops: int

    @property
    def is_fee_bump(self) -> bool:
        return self.outer is not self.inner

    @property
    def operation_count(self) -> int:
        """What the fee is counted by: a fee bump counts as one operation more."""
        return len(self.transaction.operations) + self.is_fee_bump

    @property
    def sequence(self) -> int:
        return self.transaction.seq_num.sequence_number.int64

    @property
    def soroban_data(self) -> xdr.SorobanTransactionData | None:
        return self.transaction.ext.soroban_data

    @property
    def is_soroban(self) -> bool:
        return any(operation.body.type in SOROBAN_OPERATIONS for operation in self.transaction.operations)

    @property
    def resource_fee_stroops(self) -> int:
        data = self.soroban_data
        return data.resource_fee.int64 if data else 0

    @property
    def inclusion_fee_stroops(self) -> int:
        """The bid for a place in the ledger: what remains once the contract's resources are paid."""
        return self.fee_stroops - self.resource_fee_stroops


def parse(text: str, passphrase: str) -> Incoming:
    """Read an envelope's base64 XDR; raises ValueError for what is none (or is of the long dead version 0)."""
    try:
        outer = TransactionBuilder.from_xdr(text, passphrase)
    except Exception as broken:
        raise ValueError("not a transaction envelope") from broken
    if isinstance(outer, FeeBumpTransactionEnvelope):
        inner = outer.transaction.inner_transaction_envelope
        fee_source = outer.transaction.to_xdr_object().fee_source
    else:
        inner = outer
        fee_source = None
    transaction = inner.transaction.to_xdr_object()
    if not isinstance(transaction, xdr.Transaction):
        raise ValueError("version 0 envelopes are not taken")  # noqa: TRY004 - the value is wrong, not the caller's type
    source = keys.account_id(transaction.source_account)
    return Incoming(
        outer=outer,
        inner=inner,
        transaction=transaction,
        hash=outer.hash(),
        inner_hash=inner.hash(),
        source=source,
        fee_source=keys.account_id(fee_source) if fee_source else source,
        fee_stroops=outer.transaction.fee,
    )
