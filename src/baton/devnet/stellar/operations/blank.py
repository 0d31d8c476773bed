"""Success results with nothing in them: XDR wants every arm filled even where nothing has happened."""

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations.base import Success

_Type = xdr.OperationType
_ZERO = bytes(32)


def blank_success(kind: xdr.OperationType) -> Success:
    match kind:
        case _Type.ACCOUNT_MERGE:
            return {"source_account_balance": xdr.Int64(0)}
        case _Type.CREATE_CLAIMABLE_BALANCE:
            v0 = xdr.ClaimableBalanceIDType.CLAIMABLE_BALANCE_ID_TYPE_V0
            return {"balance_id": xdr.ClaimableBalanceID(v0, v0=xdr.Hash(_ZERO))}
        case _Type.INVOKE_HOST_FUNCTION:
            return {"success": xdr.Hash(_ZERO)}
        case _Type.PATH_PAYMENT_STRICT_SEND:
            return {"success": xdr.PathPaymentStrictSendResultSuccess([], _no_payment())}
        case _Type.PATH_PAYMENT_STRICT_RECEIVE:
            return {"success": xdr.PathPaymentStrictReceiveResultSuccess([], _no_payment())}
        case _Type.MANAGE_SELL_OFFER | _Type.MANAGE_BUY_OFFER:
            none = xdr.ManageOfferSuccessResultOffer(xdr.ManageOfferEffect.MANAGE_OFFER_DELETED)
            return {"success": xdr.ManageOfferSuccessResult([], none)}
        case _:
            return None


def _no_payment() -> xdr.SimplePaymentResult:
    native = xdr.Asset(xdr.AssetType.ASSET_TYPE_NATIVE)
    return xdr.SimplePaymentResult(keys.from_raw(_ZERO), native, xdr.Int64(0))
