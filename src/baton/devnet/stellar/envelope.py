"""A transaction as it comes in, plain or wrapped in a fee bump, with the numbers that the rules ask for.

Read from its XDR alone, without the SDK's builders in between: what was hashed and signed is what counts.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from stellar_sdk import Network, xdr

from baton.devnet.stellar import keys

Kind = xdr.EnvelopeType
SOROBAN_OPERATIONS = frozenset(
    {
        xdr.OperationType.INVOKE_HOST_FUNCTION,
        xdr.OperationType.EXTEND_FOOTPRINT_TTL,
        xdr.OperationType.RESTORE_FOOTPRINT,
    }
)


@dataclass(frozen=True, slots=True)
class Incoming:
    envelope: xdr.TransactionEnvelope
    transaction: xdr.Transaction
    hash: bytes
    inner_hash: bytes
    source: xdr.AccountID
    fee_source: xdr.AccountID
    fee_stroops: int

    @property
    def is_fee_bump(self) -> bool:
        return self.envelope.fee_bump is not None

    @property
    def signatures(self) -> Sequence[xdr.DecoratedSignature]:
        """Those on the envelope itself: the payer's, where it is a fee bump."""
        outermost = self.envelope.fee_bump or self.envelope.v1
        assert outermost is not None
        return outermost.signatures

    @property
    def inner_signatures(self) -> Sequence[xdr.DecoratedSignature]:
        if self.envelope.fee_bump is None:
            return self.signatures
        inner = self.envelope.fee_bump.tx.inner_tx.v1
        assert inner is not None
        return inner.signatures

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

    @property
    def inner_inclusion_fee_stroops(self) -> int:
        return self.transaction.fee.uint32 - self.resource_fee_stroops


def parse(text: str, passphrase: str) -> Incoming:
    """Read an envelope's base64 XDR; raises ValueError for what is none (or is of the long dead version 0)."""
    try:
        raw = base64.b64decode(text, validate=True)
        envelope = xdr.TransactionEnvelope.from_xdr_bytes(raw)
        whole = envelope.to_xdr_bytes() == raw
    except Exception as broken:  # the XDR reader raises many kinds, one of its own among them
        raise ValueError("not a transaction envelope") from broken
    if not whole or envelope.v0 is not None:
        raise ValueError("bytes behind the envelope, or one of version 0")
    network_id = Network(passphrase).network_id()
    if envelope.fee_bump is None:
        assert envelope.v1 is not None
        transaction = envelope.v1.tx
        digest = inner_digest = _digest(network_id, transaction)
        payer, fee = transaction.source_account, transaction.fee.uint32
    else:
        assert envelope.fee_bump.tx.inner_tx.v1 is not None
        transaction = envelope.fee_bump.tx.inner_tx.v1.tx
        digest, inner_digest = _digest(network_id, envelope.fee_bump.tx), _digest(network_id, transaction)
        payer, fee = envelope.fee_bump.tx.fee_source, envelope.fee_bump.tx.fee.int64
    return Incoming(
        envelope=envelope,
        transaction=transaction,
        hash=digest,
        inner_hash=inner_digest,
        source=keys.account_id(transaction.source_account),
        fee_source=keys.account_id(payer),
        fee_stroops=fee,
    )


def _digest(network_id: bytes, body: xdr.Transaction | xdr.FeeBumpTransaction) -> bytes:
    """What is signed: the transaction bound to its network."""
    if isinstance(body, xdr.FeeBumpTransaction):
        tagged = xdr.TransactionSignaturePayloadTaggedTransaction(Kind.ENVELOPE_TYPE_TX_FEE_BUMP, fee_bump=body)
    else:
        tagged = xdr.TransactionSignaturePayloadTaggedTransaction(Kind.ENVELOPE_TYPE_TX, tx=body)
    payload = xdr.TransactionSignaturePayload(xdr.Hash(network_id), tagged)
    return hashlib.sha256(payload.to_xdr_bytes()).digest()
