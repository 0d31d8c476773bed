"""What an operation does, as far as a policy cares: one shape for operations and for XDR.

What a contract moves is not seen here: where money is limited in any way, `allowed_contracts` must name the contract.
"""

from dataclasses import dataclass

import stellar_sdk as sdk
from stellar_sdk import xdr as stellar_xdr

from baton.chains.stellar.wire import base_account

NATIVE = "native"
POOL = "liquidity pool"
_ASSET_FIELDS = ("asset", "send_asset", "dest_asset", "selling", "buying")
_HOST_FUNCTIONS = {
    stellar_xdr.HostFunctionType.HOST_FUNCTION_TYPE_INVOKE_CONTRACT: "invoke_contract",
    stellar_xdr.HostFunctionType.HOST_FUNCTION_TYPE_CREATE_CONTRACT: "create_contract",
    stellar_xdr.HostFunctionType.HOST_FUNCTION_TYPE_CREATE_CONTRACT_V2: "create_contract",
    stellar_xdr.HostFunctionType.HOST_FUNCTION_TYPE_UPLOAD_CONTRACT_WASM: "upload_wasm",
}
_CODE_KINDS = frozenset({"invoke_contract", "create_contract"})
_POOL_OPERATIONS = (sdk.LiquidityPoolDeposit, sdk.LiquidityPoolWithdraw)
_CONTRACT_KINDS = frozenset({*_HOST_FUNCTIONS.values(), "extend_footprint_ttl", "restore_footprint"})


@dataclass(frozen=True, slots=True)
class Deed:
    path: str
    kind: str
    destinations: tuple[
        str, ...
    ]  # accounts that receive, without a muxed number; keys that may sign for the account too
    assets: tuple[str, ...]  # "native" or "CODE:ISSUER"
    spends: tuple[str, int] | None  # an asset and how many stroops of it
    is_boundless: bool  # takes an amount that only the ledger knows
    contract: str | None
    is_handover: bool = False  # lets another key rule the account

    @property
    def runs_code(self) -> bool:
        """A new contract may run a constructor."""
        return self.kind in _CODE_KINDS

    @property
    def is_soroban(self) -> bool:
        return self.kind in _CONTRACT_KINDS


def deed(operation: sdk.Operation, path: str) -> Deed:
    return Deed(
        path=path,
        kind=_kind(operation),
        destinations=_destinations(operation),
        assets=_assets(operation),
        spends=_spends(operation),
        is_boundless=isinstance(operation, sdk.AccountMerge | sdk.LiquidityPoolDeposit),
        contract=_contract(operation),
        is_handover=_new_signer(operation) is not None,
    )


def _kind(operation: sdk.Operation) -> str:
    if isinstance(operation, sdk.InvokeHostFunction):
        return _HOST_FUNCTIONS[operation.host_function.type]
    return operation.to_xdr_object().body.type.name.lower()


def _destinations(operation: sdk.Operation) -> tuple[str, ...]:
    if isinstance(operation, sdk.CreateClaimableBalance):
        return tuple(claimant.destination for claimant in operation.claimants)
    signer = _new_signer(operation)
    if signer is not None:
        return (signer,)
    to = getattr(operation, "destination", None)
    if to is None:
        return ()
    return (to.account_id if isinstance(to, sdk.MuxedAccount) else base_account(to),)


def _new_signer(operation: sdk.Operation) -> str | None:
    signer = operation.signer if isinstance(operation, sdk.SetOptions) else None
    return signer.signer_key.encoded_signer_key if signer is not None and signer.weight > 0 else None


def _assets(operation: sdk.Operation) -> tuple[str, ...]:
    named = [getattr(operation, field, None) for field in _ASSET_FIELDS]
    if isinstance(operation, sdk.CreateAccount | sdk.AccountMerge):
        named.append(sdk.Asset.native())
    pools = (POOL,) if isinstance(operation, _POOL_OPERATIONS) else ()
    return (*(_label(each) for each in named if each is not None), *pools)


def _label(asset: sdk.Asset | sdk.LiquidityPoolAsset) -> str:
    if isinstance(asset, sdk.LiquidityPoolAsset):
        return POOL
    return NATIVE if asset.is_native() else f"{asset.code}:{asset.issuer}"


def _spends(operation: sdk.Operation) -> tuple[str, int] | None:
    match operation:
        case sdk.Payment() | sdk.CreateClaimableBalance():
            return _label(operation.asset), _stroops(operation.amount)
        case sdk.CreateAccount():
            return NATIVE, _stroops(operation.starting_balance)
        case sdk.PathPaymentStrictSend():
            return _label(operation.send_asset), _stroops(operation.send_amount)
        case sdk.PathPaymentStrictReceive():
            return _label(operation.send_asset), _stroops(operation.send_max)
        case sdk.ManageSellOffer() | sdk.CreatePassiveSellOffer():
            return _label(operation.selling), _stroops(operation.amount)
        case sdk.ManageBuyOffer():
            price = operation.to_xdr_object().body.manage_buy_offer_op
            assert price is not None
            n, d = price.price.n.int32, price.price.d.int32
            return _label(operation.selling), -(-_stroops(operation.amount) * n // d)
    return None


def _stroops(coins: str) -> int:
    return sdk.Operation.to_xdr_amount(coins)


def _contract(operation: sdk.Operation) -> str | None:
    if not isinstance(operation, sdk.InvokeHostFunction) or operation.host_function.invoke_contract is None:
        return None
    return sdk.Address.from_xdr_sc_address(operation.host_function.invoke_contract.contract_address).address
