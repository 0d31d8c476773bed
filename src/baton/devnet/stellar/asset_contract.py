"""The Stellar Asset Contract's `transfer`, `balance`, `decimals`, `name` and `symbol`, on the entries they really touch.

An account's balance is its account or trust line; another contract's balance is a data entry of the asset contract.
"""

from collections.abc import Callable

from stellar_sdk import Address, scval, xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.host import Call, HostError, contract_entry, contract_error, host_error, save_persistent
from baton.devnet.stellar.operations import money
from baton.devnet.stellar.operations.base import Failed
from baton.devnet.stellar.view import View

DECIMALS = 7
# The asset contract's own error numbers.
NEGATIVE_AMOUNT = 8
ACCOUNT_MISSING = 6
BALANCE = 10
TRUST_LINE_MISSING = 13
BALANCE_DEAUTHORIZED = 11
TRANSFER_ARGUMENTS = 3


def asset_key(instance: xdr.SCContractInstance) -> xdr.Asset | None:
    """Which asset an instance stands for; the simulator keeps its XDR in the instance's storage."""
    for pair in instance.storage.sc_map if instance.storage else ():
        if pair.key == scval.to_symbol("Asset"):
            return xdr.Asset.from_xdr_bytes(scval.from_bytes(pair.val))
    return None


def new_instance(asset: xdr.Asset) -> xdr.SCVal:
    executable = xdr.ContractExecutable(xdr.ContractExecutableType.CONTRACT_EXECUTABLE_STELLAR_ASSET)
    storage = xdr.SCMap([xdr.SCMapEntry(scval.to_symbol("Asset"), scval.to_bytes(asset.to_xdr_bytes()))])
    return xdr.SCVal(xdr.SCValType.SCV_CONTRACT_INSTANCE, instance=xdr.SCContractInstance(executable, storage))


def invoke(call: Call, asset: xdr.Asset, invocation: xdr.InvokeContractArgs) -> xdr.SCVal:
    name = invocation.function_name.sc_symbol.decode()
    reading: dict[str, Callable[[], xdr.SCVal]] = {
        "decimals": lambda: scval.to_uint32(DECIMALS),
        "name": lambda: scval.to_string(keys.asset_text(asset)),
        "symbol": lambda: scval.to_string(keys.asset_code(asset)),
    }
    if name in reading and not invocation.args:
        return reading[name]()
    if name == "balance" and len(invocation.args) == 1:
        return scval.to_int128(_balance(call.view, invocation.contract_address, asset, _address(invocation.args[0])))
    if name == "transfer" and len(invocation.args) == TRANSFER_ARGUMENTS:
        return _transfer(call, asset, invocation)
    raise host_error(
        xdr.SCErrorType.SCE_WASM_VM,
        xdr.SCErrorCode.SCEC_MISSING_VALUE,
        f"trying to invoke a function that the simulated asset contract does not have: {name}",
    )


def _transfer(call: Call, asset: xdr.Asset, invocation: xdr.InvokeContractArgs) -> xdr.SCVal:
    payer, payee = _address(invocation.args[0]), _address(invocation.args[1])
    try:
        amount = scval.from_int128(invocation.args[2])
    except ValueError as wrong:
        raise _bad_argument("amount") from wrong
    if amount < 0:
        raise contract_error(NEGATIVE_AMOUNT, "negative amount is not allowed")
    call.authorise(payer, contract_function(invocation))
    if amount > money.MAX_INT64:
        raise contract_error(BALANCE, "balance is not sufficient to spend")
    _spend(call, invocation.contract_address, asset, payer, amount)
    _receive(call, invocation.contract_address, asset, payee, amount)
    topics = [scval.to_symbol("transfer"), *invocation.args[:2], scval.to_string(keys.asset_text(asset))]
    body = xdr.ContractEventBody(0, xdr.ContractEventV0(topics, invocation.args[2]))
    contract = invocation.contract_address.contract_id
    call.told.events.append(xdr.ContractEvent(xdr.ExtensionPoint(0), contract, xdr.ContractEventType.CONTRACT, body))
    return xdr.SCVal(xdr.SCValType.SCV_VOID)


def contract_function(invocation: xdr.InvokeContractArgs) -> xdr.SorobanAuthorizedFunction:
    kind = xdr.SorobanAuthorizedFunctionType.SOROBAN_AUTHORIZED_FUNCTION_TYPE_CONTRACT_FN
    return xdr.SorobanAuthorizedFunction(kind, contract_fn=invocation)


def _spend(call: Call, token: xdr.SCAddress, asset: xdr.Asset, holder: xdr.SCAddress, amount: int) -> None:
    if holder.account_id is None:
        _set_contract_balance(call.view, token, holder, -amount)
        return
    if call.view.account(holder.account_id) is None and keys.is_native(asset):
        raise contract_error(ACCOUNT_MISSING, "account entry is missing")
    try:
        money.take(call.view, holder.account_id, asset, amount)
    except Failed as failed:
        raise _translated(failed) from failed


def _receive(call: Call, token: xdr.SCAddress, asset: xdr.Asset, holder: xdr.SCAddress, amount: int) -> None:
    if holder.account_id is None:
        _set_contract_balance(call.view, token, holder, amount)
        return
    if call.view.account(holder.account_id) is None and keys.is_native(asset):
        raise contract_error(ACCOUNT_MISSING, "account entry is missing")
    try:
        money.give(call.view, holder.account_id, asset, amount)
    except Failed as failed:
        raise _translated(failed) from failed


def _translated(failed: Failed) -> HostError:
    match failed.code:
        case "SRC_NO_TRUST" | "NO_TRUST":
            return contract_error(TRUST_LINE_MISSING, "trustline entry is missing for account")
        case "SRC_NOT_AUTHORIZED" | "NOT_AUTHORIZED":
            return contract_error(BALANCE_DEAUTHORIZED, "balance is deauthorized")
        case "LINE_FULL":
            return contract_error(BALANCE, "resulting balance is not within the allowed range")
        case _:
            return contract_error(BALANCE, "balance is not sufficient to spend")


def _balance(view: View, token: xdr.SCAddress, asset: xdr.Asset, holder: xdr.SCAddress) -> int:
    if holder.account_id is None:
        return _contract_balance(view, token, holder)
    if keys.is_native(asset):
        entry = view.account(holder.account_id)
        return entry.balance.int64 if entry else 0
    line = view.trust_line(holder.account_id, asset)
    return line.balance.int64 if line else 0


def _contract_balance(view: View, token: xdr.SCAddress, holder: xdr.SCAddress) -> int:
    entry = view.load(keys.for_contract_balance(token, holder))
    if entry is None or entry.data.contract_data is None:
        return 0
    found = scval.to_native(entry.data.contract_data.val)
    assert isinstance(found, dict)
    amount = found["amount"]
    assert isinstance(amount, int)
    return amount


def _set_contract_balance(view: View, token: xdr.SCAddress, holder: xdr.SCAddress, change: int) -> None:
    amount = _contract_balance(view, token, holder) + change
    if amount < 0:
        raise contract_error(BALANCE, "balance is not sufficient to spend")
    key = keys.for_contract_balance(token, holder)
    value = {"amount": scval.to_int128(amount), "authorized": scval.to_bool(True), "clawback": scval.to_bool(False)}
    fields = {scval.to_symbol(name): held for name, held in value.items()}
    save_persistent(view, key, contract_entry(key, scval.to_map(fields)))


def _address(value: xdr.SCVal) -> xdr.SCAddress:
    if value.address is None:
        raise _bad_argument("address")
    Address.from_xdr_sc_address(value.address)
    return value.address


def _bad_argument(what: str) -> HostError:
    return host_error(
        xdr.SCErrorType.SCE_VALUE, xdr.SCErrorCode.SCEC_UNEXPECTED_TYPE, f"an argument is not of its type: {what}"
    )
