"""From the canonical form of an operation or memo to the SDK's object. Every accepted request has been built once."""

from decimal import Decimal

import stellar_sdk as sdk

from baton.chains.octets import from_base64
from baton.chains.stellar import build_soroban
from baton.domain.json import Json

_UNIT = 7  # decimal places between a stroop and a whole coin


def operation(spec: Json) -> sdk.Operation:
    source = spec.get("source_account")
    if spec["type"] in build_soroban.KINDS:
        return build_soroban.operation(spec, source)
    return _money(spec, source) or _trade(spec, source) or _upkeep(spec, source)


def memo(spec: Json) -> sdk.Memo:
    kind = "none" if spec is None else spec["type"]
    if kind == "text":
        return sdk.TextMemo(spec["value"])
    if kind == "id":
        return sdk.IdMemo(spec["value"])
    if kind == "hash":
        return sdk.HashMemo(bytes(spec["value"]))
    if kind == "return":
        return sdk.ReturnHashMemo(bytes(spec["value"]))
    return sdk.NoneMemo()


def asset(spec: Json) -> sdk.Asset:
    return sdk.Asset.native() if spec["type"] == "native" else sdk.Asset(spec["code"], spec["issuer"])


def coins(stroops: str) -> Decimal:
    """The SDK counts in whole coins; exact, whatever the decimal context."""
    return Decimal(stroops).scaleb(-_UNIT)


def _money(spec: Json, source: str | None) -> sdk.Operation | None:
    """Operations that move an amount to somebody."""
    match spec["type"]:
        case "payment":
            return sdk.Payment(spec["destination"], asset(spec["asset"]), coins(spec["amount"]), source)
        case "create_account":
            return sdk.CreateAccount(spec["destination"], coins(spec["starting_balance"]), source)
        case "account_merge":
            return sdk.AccountMerge(spec["destination"], source)
        case "create_claimable_balance":
            claimants = [sdk.Claimant(each["destination"], _predicate(each["predicate"])) for each in spec["claimants"]]
            return sdk.CreateClaimableBalance(asset(spec["asset"]), coins(spec["amount"]), claimants, source)
        case "claim_claimable_balance":
            return sdk.ClaimClaimableBalance(spec["balance_id"], source)
        case "clawback":
            return sdk.Clawback(asset(spec["asset"]), spec["from"], coins(spec["amount"]), source)
    return None


def _trade(spec: Json, source: str | None) -> sdk.Operation | None:
    """Operations that turn one asset into another."""
    match spec["type"]:
        case "path_payment_strict_send":
            return sdk.PathPaymentStrictSend(
                destination=spec["destination"],
                send_asset=asset(spec["send_asset"]),
                send_amount=coins(spec["send_amount"]),
                dest_asset=asset(spec["dest_asset"]),
                dest_min=coins(spec["dest_min"]),
                path=[asset(each) for each in spec["path"]],
                source=source,
            )
        case "path_payment_strict_receive":
            return sdk.PathPaymentStrictReceive(
                destination=spec["destination"],
                send_asset=asset(spec["send_asset"]),
                send_max=coins(spec["send_max"]),
                dest_asset=asset(spec["dest_asset"]),
                dest_amount=coins(spec["dest_amount"]),
                path=[asset(each) for each in spec["path"]],
                source=source,
            )
        case "manage_sell_offer" | "manage_buy_offer" as kind:
            make = sdk.ManageSellOffer if kind == "manage_sell_offer" else sdk.ManageBuyOffer
            return make(
                selling=asset(spec["selling"]),
                buying=asset(spec["buying"]),
                amount=coins(spec["amount"] if kind == "manage_sell_offer" else spec["buy_amount"]),
                price=sdk.Price(spec["price"]["n"], spec["price"]["d"]),
                offer_id=int(spec["offer_id"]),
                source=source,
            )
    return None


def _upkeep(spec: Json, source: str | None) -> sdk.Operation:
    """Operations that change what an account is or keeps."""
    match spec["type"]:
        case "change_trust":
            return sdk.ChangeTrust(asset(spec["asset"]), coins(spec["limit"]), source)
        case "manage_data":
            value = from_base64(spec["value"]) if "value" in spec else None
            return sdk.ManageData(spec["name"], value, source)
        case "bump_sequence":
            return sdk.BumpSequence(int(spec["bump_to"]), source)
        case "begin_sponsoring_future_reserves":
            return sdk.BeginSponsoringFutureReserves(spec["sponsored_id"], source)
        case "end_sponsoring_future_reserves":
            return sdk.EndSponsoringFutureReserves(source)
        case "set_trust_line_flags":
            return sdk.SetTrustLineFlags(
                trustor=spec["trustor"],
                asset=asset(spec["asset"]),
                clear_flags=sdk.TrustLineFlags(spec.get("clear_flags", 0)),
                set_flags=sdk.TrustLineFlags(spec.get("set_flags", 0)),
                source=source,
            )
        case _:
            return _set_options(spec, source)


def _set_options(spec: Json, source: str | None) -> sdk.SetOptions:
    given = {key: value for key, value in spec.items() if key not in ("type", "source_account", "signer")}
    for flags in given.keys() & {"set_flags", "clear_flags"}:
        given[flags] = sdk.AuthorizationFlag(given[flags])
    signer = spec.get("signer")
    if signer is not None:
        given["signer"] = sdk.Signer(sdk.SignerKey.from_encoded_signer_key(signer["key"]), signer["weight"])
    return sdk.SetOptions(**given, source=source)


def _predicate(spec: Json) -> sdk.ClaimPredicate:
    make = sdk.ClaimPredicate
    match spec["type"]:
        case "and":
            left, right = map(_predicate, spec["predicates"])
            return make.predicate_and(left, right)
        case "or":
            left, right = map(_predicate, spec["predicates"])
            return make.predicate_or(left, right)
        case "not":
            return make.predicate_not(_predicate(spec["predicate"]))
        case "before_absolute_time":
            return make.predicate_before_absolute_time(spec["abs_before"])
        case "before_relative_time":
            return make.predicate_before_relative_time(spec["seconds"])
        case _:
            return make.predicate_unconditional()
