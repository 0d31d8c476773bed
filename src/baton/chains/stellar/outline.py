"""What an operation does, as far as a policy cares: one shape for operations and for XDR.

Amounts that a contract moves are not seen here; `allowed_contracts` says which ones may be called at all.
"""

from dataclasses import dataclass

import stellar_sdk as sdk
from stellar_sdk import xdr as stellar_xdr

from baton.chains.stellar.wire import base_account

NATIVE = "native"
_ASSET_FIELDS = ("asset", "send_asset", "dest_asset", "selling", "buying")
_HOST_FUNCTIONS = {
    stellar_xdr.HostFunctionType.HOST_FUNCTION_TYPE_INVOKE_CONTRACT: "invoke_contract",
    stellar_xdr.HostFunctionType.HOST_FUNCTION_TYPE_CREATE_CONTRACT: "create_contract",
    stellar_xdr.HostFunctionType.HOST_FUNCTION_TYPE_CREATE_CONTRACT_V2: "create_contract",
    stellar_xdr.HostFunctionType.HOST_FUNCTION_TYPE_UPLOAD_CONTRACT_WASM: "upload_wasm",
}
_CONTRACT_KINDS = frozenset({*_HOST_FUNCTIONS.values(), "extend_footprint_ttl", "restore_footprint"})


@dataclass(frozen=True, slots=True)
class Deed:
    path: str
    kind: str
    destinations: tuple[str, ...]  # accounts that receive, without a muxed number
    assets: tuple[str, ...]  # "native" or "CODE:ISSUER"
    spends: tuple[str, int] | None  # an asset and how many stroops of it
    is_boundless: bool  # takes an amount that only the ledger knows
    contract: str | None

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
    )


def _kind(operation: sdk.Operation) -> str:
    if isinstance(operation, sdk.InvokeHostFunction):
        return _HOST_FUNCTIONS[operation.host_function.type]
    return operation.to_xdr_object().body.type.name.lower()


def _destinations(operation: sdk.Operation) -> tuple[str, ...]:
    if isinstance(operation, sdk.CreateClaimableBalance):
        return tuple(claimant.destination for claimant in operation.claimants)
    to = getattr(operation, "destination", None)
    if to is None:
        return ()
    return (to.account_id if isinstance(to, sdk.MuxedAccount) else base_account(to),)


def _assets(operation: sdk.Operation) -> tuple[str, ...]:
    named = [getattr(operation, field, None) for field in _ASSET_FIELDS]
    if isinstance(operation, sdk.CreateAccount | sdk.AccountMerge):
        named.append(sdk.Asset.native())
    return tuple(_label(each) for each in named if each is not None)


def _label(asset: sdk.Asset | sdk.LiquidityPoolAsset) -> str:
    if isinstance(asset, sdk.LiquidityPoolAsset):
        return "liquidity pool"
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
