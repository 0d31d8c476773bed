"""The contract host's frame: its errors, its diagnostics, lives of contract entries, and who authorised a call.

There is no Wasm in here and no metering: resources and their fee are invented constants.
"""

from collections.abc import Callable
from dataclasses import dataclass

from stellar_sdk import scval, xdr

from baton.devnet.stellar.operations.base import Told
from baton.devnet.stellar.view import View

INVOKE_FEE_STROOPS = 94_000
RENT_FEE_STROOPS = 51_000
MIN_PERSISTENT_LEDGERS = 120_960
MAX_LEDGERS = 3_110_400

Authorise = Callable[[xdr.SCAddress, xdr.SorobanAuthorizedFunction], None]


class HostError(Exception):
    """A contract call went wrong: `Error(Contract, #10)` or an error of the host itself, and words to it."""

    def __init__(self, error: xdr.SCError, words: str) -> None:
        super().__init__(f"HostError: {_name(error)}\n\nEvent log (newest first):\n   0: {words}")
        self.error = error
        self.words = words

    def diagnostic(self) -> xdr.DiagnosticEvent:
        """The event by which a node tells a failed call's cause."""
        value = xdr.SCVal(xdr.SCValType.SCV_ERROR, error=self.error)
        return diagnostic_event([scval.to_symbol("error"), value], scval.to_string(self.words), succeeded=False)


def contract_error(code: int, words: str) -> HostError:
    return HostError(xdr.SCError(xdr.SCErrorType.SCE_CONTRACT, contract_code=xdr.Uint32(code)), words)


def host_error(kind: xdr.SCErrorType, code: xdr.SCErrorCode, words: str) -> HostError:
    return HostError(xdr.SCError(kind, code=code), words)


def _name(error: xdr.SCError) -> str:
    """As the host prints it: `Error(Contract, #10)`, `Error(Storage, MissingValue)`."""
    if error.contract_code is not None:
        return f"Error(Contract, #{error.contract_code.uint32})"
    assert error.code is not None
    kind = error.type.name.removeprefix("SCE_").title().replace("_", "")
    code = error.code.name.removeprefix("SCEC_").title().replace("_", "")
    return f"Error({kind}, {code})"


def diagnostic_event(topics: list[xdr.SCVal], data: xdr.SCVal, *, succeeded: bool) -> xdr.DiagnosticEvent:
    body = xdr.ContractEventBody(0, xdr.ContractEventV0(topics, data))
    event = xdr.ContractEvent(xdr.ExtensionPoint(0), None, xdr.ContractEventType.DIAGNOSTIC, body)
    return xdr.DiagnosticEvent(succeeded, event)


@dataclass(frozen=True, slots=True)
class Call:
    """One host function at work: on which state, on whose word."""

    view: View
    source: xdr.AccountID
    network_id: bytes
    authorise: Authorise
    told: Told


def is_archived(view: View, key: xdr.LedgerKey) -> bool:
    live_until = view.live_until(key)
    return live_until is not None and live_until < view.sequence and is_persistent(key)


def is_persistent(key: xdr.LedgerKey) -> bool:
    if key.contract_data is not None:
        return key.contract_data.durability is xdr.ContractDataDurability.PERSISTENT
    return key.contract_code is not None


def save_persistent(view: View, key: xdr.LedgerKey, data: xdr.LedgerEntryData) -> None:
    """Write a contract entry; a new one begins its life with the least number of ledgers."""
    view.save(key, data)
    if view.live_until(key) is None:
        view.save_ttl(key, view.sequence + MIN_PERSISTENT_LEDGERS - 1)


def contract_entry(key: xdr.LedgerKey, value: xdr.SCVal) -> xdr.LedgerEntryData:
    at = key.contract_data
    assert at is not None
    entry = xdr.ContractDataEntry(xdr.ExtensionPoint(0), at.contract, at.key, at.durability, value)
    return xdr.LedgerEntryData(xdr.LedgerEntryType.CONTRACT_DATA, contract_data=entry)
