"""`simulateTransaction`: run a contract call on a throw-away overlay and tell what it would need.

The footprint and the authorisations are what the call really touched and asked for; the resources and their fee are
constants of the simulator.
"""

import base64
from dataclasses import dataclass
from typing import Any

from stellar_sdk import xdr

from baton.devnet.stellar import authorization, host, keys, soroban
from baton.devnet.stellar.envelope import SOROBAN_OPERATIONS, Incoming
from baton.devnet.stellar.ledger import Ledger
from baton.devnet.stellar.operations.base import Told
from baton.devnet.stellar.operations.table import source_of
from baton.devnet.stellar.view import View

AUTH_MODES = ("", "enforce", "record", "record_allow_nonroot")


@dataclass(frozen=True, slots=True)
class _Footprint:
    read_only: list[xdr.LedgerKey]
    read_write: list[xdr.LedgerKey]
    archived: list[xdr.LedgerKey]


def simulate(ledger: Ledger, incoming: Incoming, auth_mode: str = "") -> dict[str, Any]:
    """The answer without `latestLedger`: either `error`, or what to put into the transaction."""
    if len(incoming.transaction.operations) != 1:
        return {"error": "Transaction contains more than one operation"}
    operation = incoming.transaction.operations[0]
    if operation.body.type not in SOROBAN_OPERATIONS:
        return {"error": f"Transaction contains unsupported operation type: {operation.body.type.name}"}
    if operation.body.invoke_host_function_op is None:
        return _rent(incoming)
    if auth_mode not in AUTH_MODES:
        return {"error": f"optional 'authMode' must be one of {','.join(AUTH_MODES[1:])} when included"}
    body = operation.body.invoke_host_function_op
    if body.auth and auth_mode.startswith("record"):
        return {"error": f"cannot set authMode to '{auth_mode}' with an auth footprint"}
    enforce = bool(body.auth) or auth_mode == "enforce"
    return _invoke(ledger, source_of(operation, incoming.source), body, enforce=enforce)


def _invoke(ledger: Ledger, source: xdr.AccountID, body: xdr.InvokeHostFunctionOp, *, enforce: bool) -> dict[str, Any]:
    view, told = View(ledger.state), Told()
    asked = list(body.auth)
    if enforce:
        authorise = authorization.enforcer(view, source, ledger.network_id, body.auth)
    else:
        authorise = authorization.recorder(view, source, asked)
    call = host.Call(view, source, ledger.network_id, authorise, told)
    try:
        value = soroban.run(call, body.host_function)
    except host.HostError as error:
        return {"error": str(error), "events": [error.diagnostic().to_xdr()]}
    footprint = _footprint(view)
    answer: dict[str, Any] = {
        "transactionData": _resources(footprint, ledger.controls.auto_restore).to_xdr(),
        "minResourceFee": str(host.INVOKE_FEE_STROOPS),
        "events": [xdr.DiagnosticEvent(True, event).to_xdr() for event in told.events],
        "results": [{"auth": [entry.to_xdr() for entry in asked], "xdr": value.to_xdr()}],
        "stateChanges": _state_changes(view),
    }
    if footprint.archived and not ledger.controls.auto_restore:
        restore = _Footprint([], footprint.archived, [])
        answer["restorePreamble"] = {
            "transactionData": _resources(restore, False, host.RENT_FEE_STROOPS).to_xdr(),
            "minResourceFee": str(host.RENT_FEE_STROOPS),
        }
    return answer


def _rent(incoming: Incoming) -> dict[str, Any]:
    """Extend and restore bring their own footprint; only resources and fee are added."""
    if incoming.soroban_data is None:
        return {"error": "SorobanTransactionData must be provided for ExtendFootprintTtl and RestoreFootprint"}
    given = incoming.soroban_data.resources.footprint
    footprint = _Footprint(given.read_only, given.read_write, [])
    data = _resources(footprint, False, host.RENT_FEE_STROOPS)
    return {"transactionData": data.to_xdr(), "minResourceFee": str(host.RENT_FEE_STROOPS), "events": []}


def _footprint(view: View) -> _Footprint:
    written = [key for key in view.written if keys.kind(key) is not xdr.LedgerEntryType.TTL]
    read = [key for key in view.read if key not in view.written and keys.kind(key) is not xdr.LedgerEntryType.TTL]
    read_only = [xdr.LedgerKey.from_xdr_bytes(key) for key in sorted(read)]
    read_write = [xdr.LedgerKey.from_xdr_bytes(key) for key in sorted(written)]
    archived = [key for key in (*read_only, *read_write) if host.is_archived(view, key)]
    return _Footprint(read_only, read_write, archived)


def _resources(
    footprint: _Footprint, restores: bool, fee_stroops: int = host.INVOKE_FEE_STROOPS
) -> xdr.SorobanTransactionData:
    """An archived entry that the call itself restores is written, so it moves to the writable side."""
    read_only, read_write = footprint.read_only, footprint.read_write
    ext = xdr.SorobanTransactionDataExt(0)
    if restores and footprint.archived:
        read_only = [key for key in read_only if key not in footprint.archived]
        read_write = [*read_write, *(key for key in footprint.archived if key not in read_write)]
        places = [xdr.Uint32(read_write.index(key)) for key in footprint.archived]
        ext = xdr.SorobanTransactionDataExt(1, resource_ext=xdr.SorobanResourcesExtV0(places))
    resources = xdr.SorobanResources(
        xdr.LedgerFootprint(read_only, read_write), xdr.Uint32(400_000), xdr.Uint32(600), xdr.Uint32(400)
    )
    return xdr.SorobanTransactionData(ext, resources, xdr.Int64(fee_stroops))


def _state_changes(view: View) -> list[dict[str, str | None]]:
    assert view.parent is not None
    told: list[dict[str, str | None]] = []
    for key, after in view.written.items():
        before = view.parent.raw(key)
        told.append(
            {
                "type": "created" if not before else "updated" if after else "deleted",
                "key": base64.b64encode(key).decode(),
                "before": base64.b64encode(before).decode() if before else None,
                "after": base64.b64encode(after).decode() if after else None,
            }
        )
    return told
