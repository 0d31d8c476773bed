"""Contract operations and values as the SDK's objects.

Authorisation by the source account is left empty here: the simulation knows which calls need it and fills it in.
"""

from collections.abc import Callable, Iterable

import stellar_sdk as sdk
from stellar_sdk import scval as make
from stellar_sdk import xdr as stellar_xdr

from baton.chains.octets import from_base64
from baton.domain.json import Json

KINDS = frozenset({"invoke_contract", "create_contract", "upload_wasm", "extend_footprint_ttl", "restore_footprint"})

_FunctionType = stellar_xdr.HostFunctionType


class _Entries(dict[stellar_xdr.SCVal, stellar_xdr.SCVal]):
    """Entries for the SDK to sort as the ledger wants them. It asks for a dict, whose keys cannot be vectors or maps;
    it only walks through the items, so these are kept apart."""

    def __init__(self, pairs: Iterable[tuple[stellar_xdr.SCVal, stellar_xdr.SCVal]]) -> None:
        super().__init__()
        self._pairs = list(pairs)

    def items(self) -> list[tuple[stellar_xdr.SCVal, stellar_xdr.SCVal]]:  # type: ignore[override]
        return self._pairs


def operation(spec: Json, source: str | None) -> sdk.Operation:
    if spec["type"] == "extend_footprint_ttl":
        return sdk.ExtendFootprintTTL(spec["extend_to"], source)
    if spec["type"] == "restore_footprint":
        return sdk.RestoreFootprint(source)
    return sdk.InvokeHostFunction(host_function(spec), _auth(spec["auth"]), source)


def host_function(spec: Json) -> stellar_xdr.HostFunction:
    match spec["type"]:
        case "invoke_contract":
            call = stellar_xdr.InvokeContractArgs(
                contract_address=sdk.Address(spec["contract_address"]).to_xdr_sc_address(),
                function_name=stellar_xdr.SCSymbol(spec["function_name"].encode()),
                args=[scval(each) for each in spec["args"]],
            )
            return stellar_xdr.HostFunction(_FunctionType.HOST_FUNCTION_TYPE_INVOKE_CONTRACT, invoke_contract=call)
        case "create_contract":
            kind = _FunctionType.HOST_FUNCTION_TYPE_CREATE_CONTRACT_V2
            return stellar_xdr.HostFunction(kind, create_contract_v2=_creation(spec))
        case _:
            code = from_base64(spec["wasm"]["base64"])
            return stellar_xdr.HostFunction(_FunctionType.HOST_FUNCTION_TYPE_UPLOAD_CONTRACT_WASM, wasm=code)


def footprint_keys(spec: Json) -> list[stellar_xdr.LedgerKey]:
    """The entries that an extension or a restoration is about."""
    return [stellar_xdr.LedgerKey.from_xdr(each) for each in spec["ledger_keys"]]


def scval(spec: Json) -> stellar_xdr.SCVal:
    if spec == "void":
        return make.to_void()
    ((kind, inner),) = spec.items()
    if kind == "vec":
        return make.to_vec([scval(each) for each in inner])
    if kind == "map":
        return make.to_map(_Entries((scval(each["key"]), scval(each["val"])) for each in inner))
    if kind in _NUMBERS:
        return _NUMBERS[kind](int(inner))
    return _LEAVES[kind](inner)


_NUMBERS: dict[str, Callable[[int], stellar_xdr.SCVal]] = {
    "u32": make.to_uint32,
    "i32": make.to_int32,
    "u64": make.to_uint64,
    "i64": make.to_int64,
    "timepoint": make.to_timepoint,
    "duration": make.to_duration,
    "u128": make.to_uint128,
    "i128": make.to_int128,
    "u256": make.to_uint256,
    "i256": make.to_int256,
}
_LEAVES: dict[str, Callable[[Json], stellar_xdr.SCVal]] = {
    "bool": make.to_bool,
    "bytes": lambda inner: make.to_bytes(bytes.fromhex(inner)),
    "string": make.to_string,
    "symbol": make.to_symbol,
    "address": make.to_address,
}


def _creation(spec: Json) -> stellar_xdr.CreateContractArgsV2:
    creator = spec["source"]
    preimage = stellar_xdr.ContractIDPreimage(
        stellar_xdr.ContractIDPreimageType.CONTRACT_ID_PREIMAGE_FROM_ADDRESS,
        from_address=stellar_xdr.ContractIDPreimageFromAddress(
            address=sdk.Address(creator[creator["from"]]).to_xdr_sc_address(),
            salt=stellar_xdr.Uint256(bytes.fromhex(spec["salt"])),
        ),
    )
    code = stellar_xdr.ContractExecutable(
        stellar_xdr.ContractExecutableType.CONTRACT_EXECUTABLE_WASM,
        stellar_xdr.Hash(bytes.fromhex(spec["wasm_hash"])),
    )
    return stellar_xdr.CreateContractArgsV2(preimage, code, [scval(each) for each in spec["constructor_args"]])


def _auth(spec: Json) -> list[stellar_xdr.SorobanAuthorizationEntry]:
    entries = spec.get("entries", [])
    return [stellar_xdr.SorobanAuthorizationEntry.from_xdr(each) for each in entries]
