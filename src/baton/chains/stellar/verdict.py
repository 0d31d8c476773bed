"""Results of the ledger in words: which operation failed and why, with a contract's own error where there is one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stellar_sdk import xdr as stellar_xdr

from baton.chains.stellar.wire import UNREADABLE
from baton.domain.json import Json

Code = stellar_xdr.TransactionResultCode
SUCCESSES = frozenset({Code.txSUCCESS, Code.txFEE_BUMP_INNER_SUCCESS})
LONGEST = 300  # characters of a reason


@dataclass(frozen=True, slots=True)
class Verdict:
    code: Code  # of the transaction itself, inside a fee bump
    fee: int  # charged, or for `txINSUFFICIENT_FEE` the fee that would do
    words: str
    is_inner: bool = False  # said of the transaction inside a fee bump


def verdict(result_xdr: str) -> Verdict:
    """Raises `ValueError` for what is no result."""
    try:
        result = stellar_xdr.TransactionResult.from_xdr(result_xdr)
        return _verdict(result)
    except UNREADABLE as error:
        raise ValueError(f"not a transaction's result: {str(error)[:80]}") from None


def _verdict(result: stellar_xdr.TransactionResult) -> Verdict:
    inner = result.result.inner_result_pair
    if inner is None:
        return Verdict(result.result.code, result.fee_charged.int64, _words(result.result.code, result.result.results))
    told = inner.result.result
    return Verdict(told.code, result.fee_charged.int64, _words(told.code, told.results), is_inner=True)


def _words(code: Code, results: Sequence[stellar_xdr.OperationResult] | None) -> str:
    failures = [f"operation {place}: {name}" for place, name in _failures(results or ())]
    return "; ".join([str(code.name), *failures])[:LONGEST]


def _failures(results: Sequence[stellar_xdr.OperationResult]) -> Iterator[tuple[int, str]]:
    """Every operation that did not succeed, by the protocol's own name."""
    for place, result in enumerate(results):
        if result.tr is None:
            yield place, str(result.code.name)
            continue
        told = _code_of(result.tr)
        if told is not None and not told.endswith("_SUCCESS"):
            yield place, told


def _code_of(result: stellar_xdr.OperationResultTr) -> str | None:
    """The union's one arm that is set, whose `code` names what happened."""
    for name, arm in vars(result).items():
        code = getattr(arm, "code", None)
        if name.endswith("_result") and code is not None:
            return str(code.name)
    return None


def contract_error(answer: Json) -> str | None:
    """What a contract said when it failed, from the diagnostic events of an answer; the first is the cause."""
    events = answer.get("diagnosticEventsXdr") or answer.get("events")
    if isinstance(events, dict):
        events = events.get("diagnosticEventsXdr")
    for text in events if isinstance(events, list) else ():
        told = _error_of(text)
        if told is not None:
            return told
    return None


def _error_of(text: Json) -> str | None:
    try:
        body = stellar_xdr.DiagnosticEvent.from_xdr(text).event.body.v0
    except UNREADABLE:
        return None
    if body is None or len(body.topics) < 2 or body.topics[1].error is None:  # noqa: PLR2004 - "error" and the error
        return None
    said = body.data.str.sc_string.decode("utf-8", "replace") if body.data.str is not None else ""
    return f"{_error_name(body.topics[1].error)} {said}".strip()[:LONGEST]


def _error_name(error: stellar_xdr.SCError) -> str:
    """As the host prints it: `Error(Contract, #10)`, `Error(Storage, MissingValue)`."""
    if error.contract_code is not None:
        return f"Error(Contract, #{error.contract_code.uint32})"
    kind = error.type.name.removeprefix("SCE_").title().replace("_", "")
    code = "" if error.code is None else error.code.name.removeprefix("SCEC_").title().replace("_", "")
    return f"Error({kind}, {code})"
