"""`manage_sell_offer` and `manage_buy_offer`: create, change and delete offers, crossing the book first."""

from dataclasses import dataclass
from fractions import Fraction

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations import book, money, reserves
from baton.devnet.stellar.operations.base import Failed, Scope, Success, require

SELL = money.TakeCodes("SELL_NO_TRUST", "SELL_NOT_AUTHORIZED")
BUY = money.GiveCodes("BUY_NO_TRUST", "BUY_NOT_AUTHORIZED")


@dataclass(frozen=True, slots=True)
class Terms:
    """Both operations in one form: what is sold for what, the least price, and at most how much of either."""

    selling: xdr.Asset
    buying: xdr.Asset
    price: xdr.Price
    most_sold: int
    most_bought: int
    offer_id: int


def check_manage_sell_offer(_source: xdr.AccountID, body: xdr.ManageSellOfferOp) -> None:
    _check(body, body.amount.int64)


def check_manage_buy_offer(_source: xdr.AccountID, body: xdr.ManageBuyOfferOp) -> None:
    _check(body, body.buy_amount.int64)


def _check(body: xdr.ManageSellOfferOp | xdr.ManageBuyOfferOp, amount: int) -> None:
    require(body.selling != body.buying and amount >= 0, "MALFORMED")
    require(body.price.n.int32 > 0 and body.price.d.int32 > 0, "MALFORMED")
    require(body.offer_id.int64 >= 0 and (bool(body.offer_id.int64) or amount > 0), "MALFORMED")


def manage_sell_offer(scope: Scope, body: xdr.ManageSellOfferOp) -> Success:
    amount = body.amount.int64
    return _manage(
        scope, Terms(body.selling, body.buying, body.price, amount, money.MAX_INT64, body.offer_id.int64), amount
    )


def manage_buy_offer(scope: Scope, body: xdr.ManageBuyOfferOp) -> Success:
    """A wish to buy rests in the book as the offer to sell that it amounts to."""
    amount = body.buy_amount.int64
    cost = amount * body.price.n.int32 // body.price.d.int32
    inverse = xdr.Price(body.price.d, body.price.n)
    return _manage(scope, Terms(body.selling, body.buying, inverse, cost, amount, body.offer_id.int64), amount)


def _manage(scope: Scope, terms: Terms, amount: int) -> Success:
    view, source = scope.view, scope.source
    old = _existing(scope, terms)
    if not amount:
        assert old is not None
        book.remove(view, old)
        return _success((), xdr.ManageOfferEffect.MANAGE_OFFER_DELETED, None)
    _check_sides(scope, terms)
    worst = Fraction(terms.price.d.int32, terms.price.n.int32)
    wish = book.Wish(source, terms.selling, terms.buying, terms.most_sold, terms.most_bought, worst)
    trade = book.cross(view, wish, "CROSS_SELF")
    money.give(view, source, terms.buying, trade.got, BUY)
    money.take(view, source, terms.selling, trade.paid, SELL)
    rest = _rest(terms, trade)
    if not rest:
        if old is not None:
            book.remove(view, old)
        return _success(trade.claims, xdr.ManageOfferEffect.MANAGE_OFFER_DELETED, None)
    sponsor = None if old else reserves.hold(scope, source, 1)
    offer = xdr.OfferEntry(
        source,
        xdr.Int64(old.offer_id.int64 if old else scope.next_offer_id()),
        terms.selling,
        terms.buying,
        xdr.Int64(rest),
        terms.price,
        xdr.Uint32(0),
        xdr.OfferEntryExt(0),
    )
    book.save(view, offer, sponsor)
    effect = xdr.ManageOfferEffect.MANAGE_OFFER_UPDATED if old else xdr.ManageOfferEffect.MANAGE_OFFER_CREATED
    return _success(trade.claims, effect, offer)


def _existing(scope: Scope, terms: Terms) -> xdr.OfferEntry | None:
    if not terms.offer_id:
        return None
    entry = scope.view.load(keys.for_offer(scope.source, terms.offer_id))
    if entry is None or entry.data.offer is None:
        raise Failed("NOT_FOUND")
    return entry.data.offer


def _check_sides(scope: Scope, terms: Terms) -> None:
    """The seller must hold what is offered and have room for what is asked."""
    view, source = scope.view, scope.source
    for asset, no_trust, not_authorized in (
        (terms.selling, SELL.no_trust, SELL.not_authorized),
        (terms.buying, BUY.no_trust, BUY.not_authorized),
    ):
        if not keys.is_native(asset) and not keys.is_issuer(source, asset):
            money.usable_line(view, source, asset, no_trust, not_authorized)
    require(money.can_give(view, source, terms.selling) >= terms.most_sold, "UNDERFUNDED")
    asked = min(terms.most_bought, terms.most_sold * terms.price.n.int32 // terms.price.d.int32)
    require(money.can_hold(view, source, terms.buying) >= asked, "LINE_FULL")


def _rest(terms: Terms, trade: book.Trade) -> int:
    """What of the offer stays in the book, in units of the asset sold."""
    if trade.got >= terms.most_bought:
        return 0
    left = terms.most_sold - trade.paid
    if terms.most_bought == money.MAX_INT64:
        return left
    return min(left, (terms.most_bought - trade.got) * terms.price.d.int32 // terms.price.n.int32)


def _success(claims: tuple[xdr.ClaimAtom, ...], effect: xdr.ManageOfferEffect, offer: xdr.OfferEntry | None) -> Success:
    left = xdr.ManageOfferSuccessResultOffer(effect, offer=offer)
    return {"success": xdr.ManageOfferSuccessResult(list(claims), left)}
