"""The host functions: call a contract, make one, upload Wasm.

Only asset contracts run. Uploaded Wasm is stored and contracts of it are registered, so that these operations can be
carried end to end; calling one answers with a host error, and its constructor is not run.
"""

import hashlib

from stellar_sdk import Address, StrKey, scval, xdr

from baton.devnet.stellar import asset_contract, keys
from baton.devnet.stellar.host import Call, contract_entry, host_error, save_persistent
from baton.devnet.stellar.view import View

Kind = xdr.HostFunctionType
Error, ErrorCode = xdr.SCErrorType, xdr.SCErrorCode
Executable = xdr.ContractExecutableType


def run(call: Call, function: xdr.HostFunction) -> xdr.SCVal:
    """Carry out one host function; raises `HostError`. What it read and wrote is in the call's view."""
    match function.type:
        case Kind.HOST_FUNCTION_TYPE_INVOKE_CONTRACT:
            assert function.invoke_contract is not None
            return _invoke(call, function.invoke_contract)
        case Kind.HOST_FUNCTION_TYPE_UPLOAD_CONTRACT_WASM:
            assert function.wasm is not None
            return _upload(call.view, function.wasm)
        case _:
            arguments = function.create_contract or function.create_contract_v2
            assert arguments is not None
            return _create(call, arguments)


def _invoke(call: Call, invocation: xdr.InvokeContractArgs) -> xdr.SCVal:
    entry = call.view.load(keys.for_instance(invocation.contract_address))
    name = Address.from_xdr_sc_address(invocation.contract_address).address
    if entry is None or entry.data.contract_data is None or entry.data.contract_data.val.instance is None:
        raise host_error(Error.SCE_STORAGE, ErrorCode.SCEC_MISSING_VALUE, f"contract {name} does not exist")
    instance = entry.data.contract_data.val.instance
    asset = asset_contract.asset_key(instance)
    if asset is None:
        raise host_error(Error.SCE_WASM_VM, ErrorCode.SCEC_INVALID_ACTION, "this simulator does not run Wasm")
    return asset_contract.invoke(call, asset, invocation)


def _upload(view: View, wasm: bytes) -> xdr.SCVal:
    if not wasm.startswith(b"\0asm"):
        raise host_error(Error.SCE_WASM_VM, ErrorCode.SCEC_INVALID_ACTION, "not a Wasm module")
    digest = hashlib.sha256(wasm).digest()
    code = xdr.ContractCodeEntry(xdr.ContractCodeEntryExt(0), xdr.Hash(digest), wasm)
    data = xdr.LedgerEntryData(xdr.LedgerEntryType.CONTRACT_CODE, contract_code=code)
    save_persistent(view, keys.for_code(digest), data)
    return scval.to_bytes(digest)


def _create(call: Call, arguments: xdr.CreateContractArgs | xdr.CreateContractArgsV2) -> xdr.SCVal:
    preimage, executable = arguments.contract_id_preimage, arguments.executable
    contract = contract_address(call.network_id, preimage)
    key = keys.for_instance(contract)
    if preimage.from_asset is not None:
        instance = asset_contract.new_instance(preimage.from_asset)
    else:
        assert preimage.from_address is not None
        call.authorise(preimage.from_address.address, _creating(arguments))
        if executable.wasm_hash is None or call.view.load(keys.for_code(executable.wasm_hash.hash)) is None:
            raise host_error(Error.SCE_STORAGE, ErrorCode.SCEC_MISSING_VALUE, "Wasm does not exist")
        instance = xdr.SCVal(xdr.SCValType.SCV_CONTRACT_INSTANCE, instance=xdr.SCContractInstance(executable, None))
    if call.view.load(key) is not None:
        raise host_error(Error.SCE_STORAGE, ErrorCode.SCEC_EXISTING_VALUE, "contract already exists")
    save_persistent(call.view, key, contract_entry(key, instance))
    return xdr.SCVal(xdr.SCValType.SCV_ADDRESS, address=contract)


def _creating(arguments: xdr.CreateContractArgs | xdr.CreateContractArgsV2) -> xdr.SorobanAuthorizedFunction:
    kinds = xdr.SorobanAuthorizedFunctionType
    if isinstance(arguments, xdr.CreateContractArgs):
        kind = kinds.SOROBAN_AUTHORIZED_FUNCTION_TYPE_CREATE_CONTRACT_HOST_FN
        return xdr.SorobanAuthorizedFunction(kind, create_contract_host_fn=arguments)
    kind = kinds.SOROBAN_AUTHORIZED_FUNCTION_TYPE_CREATE_CONTRACT_V2_HOST_FN
    return xdr.SorobanAuthorizedFunction(kind, create_contract_v2_host_fn=arguments)


def contract_address(network_id: bytes, preimage: xdr.ContractIDPreimage) -> xdr.SCAddress:
    """A contract's address follows from the network and from what it is made of."""
    bound = xdr.HashIDPreimageContractID(xdr.Hash(network_id), preimage)
    whole = xdr.HashIDPreimage(xdr.EnvelopeType.ENVELOPE_TYPE_CONTRACT_ID, contract_id=bound)
    digest = hashlib.sha256(whole.to_xdr_bytes()).digest()
    return Address(StrKey.encode_contract(digest)).to_xdr_sc_address()


def deploy_native(view: View, network_id: bytes) -> None:
    """The native asset's contract, which a network of some age has; contracts of other assets are for users to make."""
    native = xdr.Asset(xdr.AssetType.ASSET_TYPE_NATIVE)
    preimage = xdr.ContractIDPreimage(xdr.ContractIDPreimageType.CONTRACT_ID_PREIMAGE_FROM_ASSET, from_asset=native)
    key = keys.for_instance(contract_address(network_id, preimage))
    save_persistent(view, key, contract_entry(key, asset_contract.new_instance(native)))
