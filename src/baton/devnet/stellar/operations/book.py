"""A simple order book: offers lie in the ledger, the best price goes first, the older one at equal price.

Trades run at the resting offer's price, rounded in its favour. Simplified against the network: no liabilities (an offer
whose seller can no longer deliver shrinks or vanishes when it is met), no liquidity pools, no rounding-error bound.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations import money, reserves
from baton.devnet.stellar.operations.base import require
from baton.devnet.stellar.view import View


@dataclass(frozen=True, slots=True)
class Trade:
    """What crossing the book came to: amounts paid and got, and the claims for the operation's result."""

    paid: int
    got: int
    claims: tuple[xdr.ClaimAtom, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """Pay one asset for another until either limit is reached, at no worse than `worst` paid for each got."""

    taker: xdr.AccountID
    pays: xdr.Asset
    gets: xdr.Asset
    most_paid: int = money.MAX_INT64
    most_got: int = money.MAX_INT64
    worst: Fraction | None = None
    spends_all: bool = False


def cross(view: View, wish: Wish, cross_self: str) -> Trade:
    """Take from the book what the wish allows. Sellers are paid here; the taker's own side is the caller's to settle."""
    paid = got = 0
    claims: list[xdr.ClaimAtom] = []
    for offer in _resting(view, wish.gets, wish.pays):
        price = Fraction(offer.price.n.int32, offer.price.d.int32)
        if wish.most_paid == paid or wish.most_got == got or (wish.worst is not None and price > wish.worst):
            break
        require(keys.raw(offer.seller_id) != keys.raw(wish.taker), cross_self)
        held = _deliverable(view, offer, price)
        purse = wish.most_paid - paid
        affordable = int(purse / price)
        take = min(held, wish.most_got - got, affordable)
        # Where all must be spent, the last offer swallows the dust that would buy nothing more.
        swallows = wish.spends_all and 0 < take < held
        cost = purse if swallows else -int(-take * price // 1)
        if take:
            money.take(view, offer.seller_id, offer.selling, take)
            money.give(view, offer.seller_id, offer.buying, cost)
            paid, got = paid + cost, got + take
            claims.append(_claim(offer, take, cost))
        if take == held:
            remove(view, offer)
        else:
            offer.amount = xdr.Int64(held - take)
            save(view, offer)
            break
    return Trade(paid, got, tuple(claims))


def _deliverable(view: View, offer: xdr.OfferEntry, price: Fraction) -> int:
    room = money.can_hold(view, offer.seller_id, offer.buying)
    return min(offer.amount.int64, money.can_give(view, offer.seller_id, offer.selling), int(room / price))


def _resting(view: View, selling: xdr.Asset, buying: xdr.Asset) -> list[xdr.OfferEntry]:
    found = [
        offer
        for offer in _offers(view, lambda offer: offer.selling == selling and offer.buying == buying)
        if offer.price.d.int32
    ]
    return sorted(found, key=lambda offer: (Fraction(offer.price.n.int32, offer.price.d.int32), offer.offer_id.int64))


def _offers(view: View, wanted: Callable[[xdr.OfferEntry], bool]) -> list[xdr.OfferEntry]:
    offers = (entry.data.offer for entry in view.scan(xdr.LedgerEntryType.OFFER))
    return [offer for offer in offers if offer is not None and wanted(offer)]


def _claim(offer: xdr.OfferEntry, sold: int, bought: int) -> xdr.ClaimAtom:
    atom = xdr.ClaimOfferAtom(
        offer.seller_id, offer.offer_id, offer.selling, xdr.Int64(sold), offer.buying, xdr.Int64(bought)
    )
    return xdr.ClaimAtom(xdr.ClaimAtomType.CLAIM_ATOM_TYPE_ORDER_BOOK, order_book=atom)


def save(view: View, offer: xdr.OfferEntry, sponsor: bytes | None = None) -> None:
    key = keys.for_offer(offer.seller_id, offer.offer_id.int64)
    view.save(key, xdr.LedgerEntryData(xdr.LedgerEntryType.OFFER, offer=offer), sponsor)


def remove(view: View, offer: xdr.OfferEntry) -> None:
    key = keys.for_offer(offer.seller_id, offer.offer_id.int64)
    sponsor = view.sponsor_of(key)
    view.remove(key)
    reserves.release(view, offer.seller_id, 1, sponsor)


def withdraw(view: View, seller: xdr.AccountID, asset: xdr.Asset) -> None:
    """Remove every offer of an account that touches an asset it may no longer hold."""
    for offer in _offers(view, lambda offer: asset in (offer.selling, offer.buying)):
        if keys.raw(offer.seller_id) == keys.raw(seller):
            remove(view, offer)
