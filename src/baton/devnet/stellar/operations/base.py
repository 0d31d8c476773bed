"""What every operation is given and may answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stellar_sdk import xdr

from baton.devnet.stellar.envelope import Incoming
from baton.devnet.stellar.signatures import Level
from baton.devnet.stellar.view import View

# The arms of an operation's success result beyond its code, by the SDK's field names.
Success = Mapping[str, Any] | None


class Failed(Exception):
    """An operation's own result code, without its prefix: `UNDERFUNDED` of `PAYMENT_UNDERFUNDED`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def require(holds: bool, code: str) -> None:
    if not holds:
        raise Failed(code)


@dataclass(slots=True)
class Told:
    """What a contract call leaves beside its result: value, events, and diagnostics of its failure."""

    value: xdr.SCVal | None = None
    events: list[xdr.ContractEvent] = field(default_factory=list)
    diagnostics: list[xdr.DiagnosticEvent] = field(default_factory=list)


@dataclass(slots=True)
class Scope:
    """One operation at work: its overlay, its source, and what its transaction shares."""

    view: View
    source: xdr.AccountID
    incoming: Incoming
    position: int
    closes_at_s: int
    network_id: bytes
    next_offer_id: Callable[[], int]
    sponsors: dict[bytes, bytes]
    told: Told


@dataclass(frozen=True, slots=True)
class Rule:
    """One operation type: the names of its XDR parts and its two functions.

    `check` looks at the operation alone, at submission already; `run` changes the ledger. Both raise `Failed`.
    """

    name: str
    body_arm: str | None
    result_arm: str
    run: Callable[[Scope, Any], Success]
    check: Callable[[xdr.AccountID, Any], None] | None = None
    level: Callable[[Any], Level] = lambda _: Level.MEDIUM

    def body(self, operation: xdr.Operation) -> Any:
        return getattr(operation.body, self.body_arm) if self.body_arm else None

    def result(self, kind: xdr.OperationType, code: str, success: Success = None) -> xdr.OperationResult:
        codes = getattr(xdr, f"{self.name}ResultCode")
        prefix = next(iter(codes)).name.removesuffix("SUCCESS")
        inner = getattr(xdr, f"{self.name}Result")(codes[prefix + code], **(success or {}))
        tr = xdr.OperationResultTr(kind, **{self.result_arm: inner})
        return xdr.OperationResult(xdr.OperationResultCode.opINNER, tr)
