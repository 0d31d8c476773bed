"""What nodes' answers to a broadcast, and results of the ledger, mean."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stellar_sdk import xdr

from baton.chains.base import (
    Accepted,
    AlreadyKnown,
    Broadcast,
    Busy,
    NoFunds,
    Rejected,
    SlotTaken,
    Underpriced,
    Unknown,
)
from baton.chains.rpc import RpcError
from baton.chains.stellar.answers import refused, understand
from baton.chains.stellar.verdict import Code, contract_error, verdict

HASH = "ab" * 32


def result_of(code: Code, fee: int = 100, operations: list[xdr.OperationResult] | None = None) -> xdr.TransactionResult:
    has_operations = code in (Code.txSUCCESS, Code.txFAILED)
    inner = xdr.TransactionResultResult(code, results=(operations or []) if has_operations else None)
    return xdr.TransactionResult(xdr.Int64(fee), inner, xdr.TransactionResultExt(0))


def wrapped(code: Code, operations: list[xdr.OperationResult] | None = None) -> xdr.TransactionResult:
    told = result_of(code, 0, operations).result
    inner = xdr.InnerTransactionResult(
        xdr.Int64(0),
        xdr.InnerTransactionResultResult(told.code, results=told.results),
        xdr.InnerTransactionResultExt(0),
    )
    pair = xdr.InnerTransactionResultPair(xdr.Hash(bytes(32)), inner)
    is_good = code is Code.txSUCCESS
    kind = Code.txFEE_BUMP_INNER_SUCCESS if is_good else Code.txFEE_BUMP_INNER_FAILED
    outer = xdr.TransactionResultResult(kind, inner_result_pair=pair)
    return xdr.TransactionResult(xdr.Int64(777), outer, xdr.TransactionResultExt(0))


def answer(status: str, **more: Any) -> dict[str, Any]:
    return {"status": status, "hash": HASH, "latestLedger": 5, "latestLedgerCloseTime": "1", **more}


def error(result: xdr.TransactionResult) -> Broadcast:
    return understand(answer("ERROR", errorResultXdr=result.to_xdr()), HASH)


@pytest.mark.parametrize(
    ("status", "meaning"), [("PENDING", Accepted), ("DUPLICATE", AlreadyKnown), ("TRY_AGAIN_LATER", Busy)]
)
def test_each_status_has_its_meaning(status: str, meaning: type[Broadcast]) -> None:
    assert isinstance(understand(answer(status), HASH), meaning)


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (Code.txBAD_SEQ, SlotTaken),
        (Code.txINSUFFICIENT_FEE, Underpriced),
        (Code.txINSUFFICIENT_BALANCE, NoFunds),
        (Code.txNO_ACCOUNT, NoFunds),
        (Code.txTOO_LATE, Busy),
        (Code.txTOO_EARLY, Busy),
        (Code.txMALFORMED, Rejected),
        (Code.txBAD_AUTH, Rejected),
        (Code.txBAD_AUTH_EXTRA, Rejected),
        (Code.txMISSING_OPERATION, Rejected),
        (Code.txSOROBAN_INVALID, Rejected),
        (Code.txFAILED, Rejected),
        (Code.txINTERNAL_ERROR, Unknown),
    ],
)
@pytest.mark.parametrize("make", [result_of, wrapped], ids=["plain", "inside a fee bump"])
def test_each_code_has_its_meaning(code: Code, meaning: type[Broadcast], make: Any) -> None:
    assert isinstance(error(make(code)), meaning)


def test_every_code_of_the_protocol_is_understood_without_a_crash() -> None:
    for code in Code:
        if code not in (Code.txFEE_BUMP_INNER_SUCCESS, Code.txFEE_BUMP_INNER_FAILED):
            assert error(result_of(code)).why


def test_the_fee_that_would_do_is_told() -> None:
    assert "at least 4321 stroops" in error(result_of(Code.txINSUFFICIENT_FEE, 4321)).why


def test_another_hash_means_that_we_were_not_understood() -> None:
    assert isinstance(understand(answer("PENDING") | {"hash": "cd" * 32}, HASH), Unknown)


@given(told=st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.dictionaries(st.text(), inner)))
def test_nonsense_is_maybe_sent(told: Any) -> None:
    assert isinstance(understand(told, HASH), Unknown)
    assert isinstance(understand(answer("ERROR", errorResultXdr=told), HASH), Unknown)


@pytest.mark.parametrize(
    ("code", "message", "meaning"),
    [
        (-32602, "invalid_xdr", Rejected),
        (-32602, "invalid parameters", Unknown),
        (-32603, "internal error", Unknown),
        (0, "the node gave no answer to this call", Unknown),
    ],
)
def test_only_bytes_that_cannot_be_read_are_rejected_by_an_error(
    code: int, message: str, meaning: type[Broadcast]
) -> None:
    assert isinstance(refused(RpcError(code, message)), meaning)


def test_a_verdict_names_the_operations_that_failed() -> None:
    good = xdr.OperationResult(
        xdr.OperationResultCode.opINNER,
        xdr.OperationResultTr(
            xdr.OperationType.PAYMENT, payment_result=xdr.PaymentResult(xdr.PaymentResultCode.PAYMENT_SUCCESS)
        ),
    )
    poor = xdr.OperationResult(
        xdr.OperationResultCode.opINNER,
        xdr.OperationResultTr(
            xdr.OperationType.PAYMENT, payment_result=xdr.PaymentResult(xdr.PaymentResultCode.PAYMENT_UNDERFUNDED)
        ),
    )
    unsigned = xdr.OperationResult(xdr.OperationResultCode.opBAD_AUTH)
    told = verdict(wrapped(Code.txFAILED, [good, poor, unsigned]).to_xdr())
    assert told.words == "txFAILED; operation 1: PAYMENT_UNDERFUNDED; operation 2: opBAD_AUTH"
    assert (told.code, told.fee, told.is_inner) == (Code.txFAILED, 777, True)


@given(text=st.text() | st.binary().map(lambda raw: raw.hex()))
def test_what_is_no_result_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="not a transaction's result"):
        verdict(text)


def test_a_contracts_error_is_found_wherever_nodes_put_it() -> None:
    from stellar_sdk import scval

    error_value = xdr.SCVal(
        xdr.SCValType.SCV_ERROR,
        error=xdr.SCError(xdr.SCErrorType.SCE_CONTRACT, contract_code=xdr.Uint32(7)),
    )
    topics = [scval.to_symbol("error"), error_value]
    body = xdr.ContractEventBody(0, xdr.ContractEventV0(topics, scval.to_string("too poor")))
    event = xdr.ContractEvent(xdr.ExtensionPoint(0), None, xdr.ContractEventType.DIAGNOSTIC, body)
    text = xdr.DiagnosticEvent(False, event).to_xdr()
    expected = "Error(Contract, #7) too poor"
    assert contract_error({"diagnosticEventsXdr": [text]}) == expected
    assert contract_error({"events": ["nonsense", text]}) == expected
    assert contract_error({"events": {"diagnosticEventsXdr": [text]}}) == expected
    assert contract_error({}) is None


@pytest.mark.parametrize("events", [5, True, "text", {"diagnosticEventsXdr": 7}, [5, None, "x"], {"a": [1]}])
def test_diagnostics_of_odd_types_say_nothing_and_break_nothing(events: Any) -> None:
    for key in ("diagnosticEventsXdr", "events"):
        assert contract_error({key: events}) is None
