"""Soroban operations as part of a transaction: footprint kept, archived entries restored, life prolonged."""

import hashlib

from stellar_sdk import xdr

from baton.devnet.stellar import authorization, host, keys, soroban
from baton.devnet.stellar.operations.base import Failed, Scope, Success, require
from baton.devnet.stellar.view import View


def invoke_host_function(scope: Scope, body: xdr.InvokeHostFunctionOp) -> Success:
    data = _paid(scope, host.INVOKE_FEE_STROOPS)
    footprint = data.resources.footprint
    _wake(scope.view, data)
    view = View(scope.view)
    authorise = authorization.enforcer(view, scope.source, scope.network_id, body.auth)
    call = host.Call(view, scope.source, scope.network_id, authorise, scope.told)
    try:
        value = soroban.run(call, body.host_function)
        _check_footprint(view, footprint)
    except host.HostError as error:
        scope.told.events.clear()
        scope.told.diagnostics.append(error.diagnostic())
        raise Failed("TRAPPED") from error
    view.commit()
    scope.told.value = value
    told = xdr.InvokeHostFunctionSuccessPreImage(value, scope.told.events)
    return {"success": xdr.Hash(hashlib.sha256(told.to_xdr_bytes()).digest())}


def extend_footprint_ttl(scope: Scope, body: xdr.ExtendFootprintTTLOp) -> Success:
    data = _paid(scope, host.RENT_FEE_STROOPS)
    until = scope.view.sequence + body.extend_to.uint32
    for key in data.resources.footprint.read_only:
        live_until = scope.view.live_until(key)
        if live_until is not None and scope.view.sequence <= live_until < until:
            scope.view.save_ttl(key, until)
    return None


def check_extend(_source: xdr.AccountID, body: xdr.ExtendFootprintTTLOp) -> None:
    require(0 < body.extend_to.uint32 < host.MAX_LEDGERS, "MALFORMED")


def restore_footprint(scope: Scope, _body: xdr.RestoreFootprintOp) -> Success:
    data = _paid(scope, host.RENT_FEE_STROOPS)
    for key in data.resources.footprint.read_write:
        _restore(scope.view, key)
    return None


def _paid(scope: Scope, fee_stroops: int) -> xdr.SorobanTransactionData:
    data = scope.incoming.soroban_data
    assert data is not None, "validity refuses a contract call without resources"
    require(data.resource_fee.int64 >= fee_stroops, "INSUFFICIENT_REFUNDABLE_FEE")
    return data


def _wake(view: View, data: xdr.SorobanTransactionData) -> None:
    """Archived entries of the footprint are restored where the transaction names them, else they stop it."""
    footprint = data.resources.footprint
    named = data.ext.resource_ext.archived_soroban_entries if data.ext.resource_ext else []
    for place in named:
        require(place.uint32 < len(footprint.read_write), "MALFORMED")
        _restore(view, footprint.read_write[place.uint32])
    sleeping = [key for key in (*footprint.read_only, *footprint.read_write) if host.is_archived(view, key)]
    require(not sleeping, "ENTRY_ARCHIVED")


def _restore(view: View, key: xdr.LedgerKey) -> None:
    if host.is_archived(view, key):
        view.save_ttl(key, view.sequence + host.MIN_PERSISTENT_LEDGERS - 1)


def _check_footprint(view: View, footprint: xdr.LedgerFootprint) -> None:
    writable = {key.to_xdr_bytes() for key in footprint.read_write}
    readable = writable | {key.to_xdr_bytes() for key in footprint.read_only}
    outside = (set(view.written) - writable) | (view.read - readable)
    if any(keys.kind(key) is not xdr.LedgerEntryType.TTL for key in outside):
        raise host.host_error(
            xdr.SCErrorType.SCE_STORAGE,
            xdr.SCErrorCode.SCEC_EXCEEDED_LIMIT,
            "trying to access a ledger entry outside of the footprint",
        )
