"""The table of every operation type the simulator carries out, and how one is checked and run.

What is not in the table answers opNOT_SUPPORTED.
"""

from collections.abc import Mapping
from types import MappingProxyType

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations import (
    accounts,
    claimable,
    contracts,
    offers,
    options,
    payments,
    sponsoring,
    trust,
)
from baton.devnet.stellar.operations.base import Failed, Rule, Scope
from baton.devnet.stellar.operations.blank import blank_success
from baton.devnet.stellar.signatures import Level
from baton.devnet.stellar.view import View

_Type = xdr.OperationType
_Outer = xdr.OperationResultCode


def _low(_body: object) -> Level:
    return Level.LOW


def _high(_body: object) -> Level:
    return Level.HIGH


RULES: Mapping[xdr.OperationType, Rule] = MappingProxyType(
    {
        _Type.CREATE_ACCOUNT: Rule(
            "CreateAccount",
            "create_account_op",
            "create_account_result",
            accounts.create_account,
            accounts.check_create_account,
        ),
        _Type.PAYMENT: Rule("Payment", "payment_op", "payment_result", payments.payment, payments.check_payment),
        _Type.PATH_PAYMENT_STRICT_SEND: Rule(
            "PathPaymentStrictSend",
            "path_payment_strict_send_op",
            "path_payment_strict_send_result",
            payments.path_payment_strict_send,
            payments.check_strict_send,
        ),
        _Type.PATH_PAYMENT_STRICT_RECEIVE: Rule(
            "PathPaymentStrictReceive",
            "path_payment_strict_receive_op",
            "path_payment_strict_receive_result",
            payments.path_payment_strict_receive,
            payments.check_strict_receive,
        ),
        _Type.MANAGE_SELL_OFFER: Rule(
            "ManageSellOffer",
            "manage_sell_offer_op",
            "manage_sell_offer_result",
            offers.manage_sell_offer,
            offers.check_manage_sell_offer,
        ),
        _Type.MANAGE_BUY_OFFER: Rule(
            "ManageBuyOffer",
            "manage_buy_offer_op",
            "manage_buy_offer_result",
            offers.manage_buy_offer,
            offers.check_manage_buy_offer,
        ),
        _Type.SET_OPTIONS: Rule(
            "SetOptions",
            "set_options_op",
            "set_options_result",
            options.set_options,
            options.check_set_options,
            options.level,
        ),
        _Type.CHANGE_TRUST: Rule(
            "ChangeTrust",
            "change_trust_op",
            "change_trust_result",
            trust.change_trust,
            trust.check_change_trust,
        ),
        _Type.SET_TRUST_LINE_FLAGS: Rule(
            "SetTrustLineFlags",
            "set_trust_line_flags_op",
            "set_trust_line_flags_result",
            trust.set_trust_line_flags,
            trust.check_set_trust_line_flags,
            _low,
        ),
        _Type.CLAWBACK: Rule("Clawback", "clawback_op", "clawback_result", trust.clawback, trust.check_clawback),
        _Type.ACCOUNT_MERGE: Rule(
            "AccountMerge",
            "destination",
            "account_merge_result",
            accounts.account_merge,
            accounts.check_account_merge,
            _high,
        ),
        _Type.MANAGE_DATA: Rule(
            "ManageData",
            "manage_data_op",
            "manage_data_result",
            accounts.manage_data,
            accounts.check_manage_data,
        ),
        _Type.BUMP_SEQUENCE: Rule(
            "BumpSequence",
            "bump_sequence_op",
            "bump_seq_result",
            accounts.bump_sequence,
            accounts.check_bump_sequence,
            _low,
        ),
        _Type.CREATE_CLAIMABLE_BALANCE: Rule(
            "CreateClaimableBalance",
            "create_claimable_balance_op",
            "create_claimable_balance_result",
            claimable.create_claimable_balance,
            claimable.check_create,
        ),
        _Type.CLAIM_CLAIMABLE_BALANCE: Rule(
            "ClaimClaimableBalance",
            "claim_claimable_balance_op",
            "claim_claimable_balance_result",
            claimable.claim_claimable_balance,
            level=_low,
        ),
        _Type.BEGIN_SPONSORING_FUTURE_RESERVES: Rule(
            "BeginSponsoringFutureReserves",
            "begin_sponsoring_future_reserves_op",
            "begin_sponsoring_future_reserves_result",
            sponsoring.begin,
            sponsoring.check_begin,
        ),
        _Type.END_SPONSORING_FUTURE_RESERVES: Rule(
            "EndSponsoringFutureReserves", None, "end_sponsoring_future_reserves_result", sponsoring.end
        ),
        _Type.INVOKE_HOST_FUNCTION: Rule(
            "InvokeHostFunction",
            "invoke_host_function_op",
            "invoke_host_function_result",
            contracts.invoke_host_function,
        ),
        _Type.EXTEND_FOOTPRINT_TTL: Rule(
            "ExtendFootprintTTL",
            "extend_footprint_ttl_op",
            "extend_footprint_ttl_result",
            contracts.extend_footprint_ttl,
            contracts.check_extend,
            _low,
        ),
        _Type.RESTORE_FOOTPRINT: Rule(
            "RestoreFootprint",
            "restore_footprint_op",
            "restore_footprint_result",
            contracts.restore_footprint,
            level=_low,
        ),
    }
)


def source_of(operation: xdr.Operation, source: xdr.AccountID) -> xdr.AccountID:
    return keys.account_id(operation.source_account) if operation.source_account else source


def level_of(operation: xdr.Operation) -> Level:
    rule = RULES.get(operation.body.type)
    return rule.level(rule.body(operation)) if rule else Level.MEDIUM


def check(operation: xdr.Operation, source: xdr.AccountID) -> xdr.OperationResult | None:
    """What is wrong with an operation by itself, whatever the ledger holds; None when nothing is."""
    rule = RULES.get(operation.body.type)
    if rule is None:
        return xdr.OperationResult(_Outer.opNOT_SUPPORTED)
    if rule.check is not None:
        try:
            rule.check(source, rule.body(operation))
        except Failed as failed:
            return rule.result(operation.body.type, failed.code)
    return None


def run(scope: Scope, operation: xdr.Operation) -> tuple[xdr.OperationResult, list[xdr.LedgerEntryChange] | None]:
    """Carry one operation out in its own overlay: its result, and its changes when it went well."""
    rule = RULES[operation.body.type]
    outer = scope.view
    if outer.account(scope.source) is None:
        return xdr.OperationResult(_Outer.opNO_ACCOUNT), None
    scope.view = View(outer)
    try:
        success = rule.run(scope, rule.body(operation))
    except Failed as failed:
        return rule.result(operation.body.type, failed.code), None
    changes = scope.view.changes()
    scope.view.commit()
    return rule.result(operation.body.type, "SUCCESS", success), changes


def unfinished(operation: xdr.Operation) -> xdr.OperationResult:
    """What an operation shows that was never tried because another one stopped the transaction: a blank success."""
    kind = operation.body.type
    return RULES[kind].result(kind, "SUCCESS", blank_success(kind))
