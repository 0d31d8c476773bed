"""Transaction results as XDR, plain or nested inside a fee bump's."""

from collections.abc import Sequence

from stellar_sdk import xdr

from baton.devnet.stellar.envelope import Incoming

Code = xdr.TransactionResultCode
_WITH_OPERATIONS = (Code.txSUCCESS, Code.txFAILED)


def own(code: Code, fee_stroops: int = 0, operations: Sequence[xdr.OperationResult] = ()) -> xdr.TransactionResult:
    """The result of the envelope itself: of a plain transaction, or of a fee bump refused on its own account."""
    results = list(operations) if code in _WITH_OPERATIONS else None
    body = xdr.TransactionResultResult(code, results=results)
    return xdr.TransactionResult(xdr.Int64(fee_stroops), body, xdr.TransactionResultExt(0))


def of_inner(
    incoming: Incoming, code: Code, fee_stroops: int = 0, operations: Sequence[xdr.OperationResult] = ()
) -> xdr.TransactionResult:
    """The result of the transaction inside, reported through its fee bump where it has one."""
    if not incoming.is_fee_bump:
        return own(code, fee_stroops, operations)
    results = list(operations) if code in _WITH_OPERATIONS else None
    inner = xdr.InnerTransactionResult(
        xdr.Int64(0), xdr.InnerTransactionResultResult(code, results=results), xdr.InnerTransactionResultExt(0)
    )
    outer_code = Code.txFEE_BUMP_INNER_SUCCESS if code is Code.txSUCCESS else Code.txFEE_BUMP_INNER_FAILED
    pair = xdr.InnerTransactionResultPair(xdr.Hash(incoming.inner_hash), inner)
    body = xdr.TransactionResultResult(outer_code, inner_result_pair=pair)
    return xdr.TransactionResult(xdr.Int64(fee_stroops), body, xdr.TransactionResultExt(0))
