"""Payments: direct, and along a path through the order book."""

from itertools import pairwise

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations import book, money
from baton.devnet.stellar.operations.base import Scope, Success, require


def check_payment(_source: xdr.AccountID, body: xdr.PaymentOp) -> None:
    require(body.amount.int64 > 0, "MALFORMED")


def payment(scope: Scope, body: xdr.PaymentOp) -> Success:
    destination = _destination(scope, body.destination)
    money.give(scope.view, destination, body.asset, body.amount.int64)
    money.take(scope.view, scope.source, body.asset, body.amount.int64)
    return None


def check_strict_send(_source: xdr.AccountID, body: xdr.PathPaymentStrictSendOp) -> None:
    require(body.send_amount.int64 > 0 and body.dest_min.int64 > 0, "MALFORMED")


def path_payment_strict_send(scope: Scope, body: xdr.PathPaymentStrictSendOp) -> Success:
    """Pay an exact amount and see what arrives: hop after hop from the sender's side."""
    view = scope.view
    destination = _destination(scope, body.destination)
    money.take(view, scope.source, body.send_asset, body.send_amount.int64)
    amount = body.send_amount.int64
    claims: list[xdr.ClaimAtom] = []
    for pays, gets in _hops(body.send_asset, body.path, body.dest_asset):
        wish = book.Wish(scope.source, pays, gets, most_paid=amount, spends_all=True)
        trade = book.cross(view, wish, "OFFER_CROSS_SELF")
        require(trade.paid == amount and trade.got > 0, "TOO_FEW_OFFERS")
        amount = trade.got
        claims.extend(trade.claims)
    require(amount >= body.dest_min.int64, "UNDER_DESTMIN")
    money.give(view, destination, body.dest_asset, amount)
    last = xdr.SimplePaymentResult(destination, body.dest_asset, xdr.Int64(amount))
    return {"success": xdr.PathPaymentStrictSendResultSuccess(claims, last)}


def check_strict_receive(_source: xdr.AccountID, body: xdr.PathPaymentStrictReceiveOp) -> None:
    require(body.send_max.int64 > 0 and body.dest_amount.int64 > 0, "MALFORMED")


def path_payment_strict_receive(scope: Scope, body: xdr.PathPaymentStrictReceiveOp) -> Success:
    """Deliver an exact amount and see what it costs: hop before hop from the receiver's side."""
    view = scope.view
    destination = _destination(scope, body.destination)
    money.give(view, destination, body.dest_asset, body.dest_amount.int64)
    amount = body.dest_amount.int64
    claims: list[xdr.ClaimAtom] = []
    for pays, gets in reversed(_hops(body.send_asset, body.path, body.dest_asset)):
        wish = book.Wish(scope.source, pays, gets, most_got=amount)
        trade = book.cross(view, wish, "OFFER_CROSS_SELF")
        require(trade.got == amount, "TOO_FEW_OFFERS")
        amount = trade.paid
        claims[:0] = trade.claims
    require(amount <= body.send_max.int64, "OVER_SENDMAX")
    money.take(view, scope.source, body.send_asset, amount)
    last = xdr.SimplePaymentResult(destination, body.dest_asset, body.dest_amount)
    return {"success": xdr.PathPaymentStrictReceiveResultSuccess(claims, last)}


def _hops(send: xdr.Asset, path: list[xdr.Asset], arrive: xdr.Asset) -> list[tuple[xdr.Asset, xdr.Asset]]:
    stops = [send, *path, arrive]
    return [(pays, gets) for pays, gets in pairwise(stops) if pays != gets]


def _destination(scope: Scope, destination: xdr.MuxedAccount) -> xdr.AccountID:
    account = keys.account_id(destination)
    require(scope.view.account(account) is not None, "NO_DESTINATION")
    return account
