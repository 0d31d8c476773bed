"""The simulator's order book: offers made, changed and crossed, and payments along a path through them."""

import pytest
from stellar_sdk import (
    Asset,
    AuthorizationFlag,
    Price,
    xdr,
)
from stellar_sdk.operation import (
    ChangeTrust,
    ManageBuyOffer,
    ManageSellOffer,
    PathPaymentStrictReceive,
    PathPaymentStrictSend,
    Payment,
)
from tests.integration.devnet.stellar_wallet import LUMEN, Wallet, first_result, line, trusting
from tests.integration.devnet.stellar_wallet import operation_codes as told

NATIVE = Asset.native()
REVOCABLE = AuthorizationFlag.AUTHORIZATION_REVOCABLE
CLAWBACK = AuthorizationFlag.AUTHORIZATION_CLAWBACK_ENABLED


async def test_offers_are_made_changed_and_deleted(wallet: Wallet) -> None:
    asset, seller = await trusting(wallet, await wallet.account())
    made = first_result(await wallet.do(seller, ManageSellOffer(asset, NATIVE, "50", Price(2, 1))))
    assert made.manage_sell_offer_result
    assert made.manage_sell_offer_result.success
    offer = made.manage_sell_offer_result.success.offer
    assert offer.effect is xdr.ManageOfferEffect.MANAGE_OFFER_CREATED
    assert offer.offer
    number = offer.offer.offer_id.int64
    changed = first_result(await wallet.do(seller, ManageSellOffer(asset, NATIVE, "20", Price(3, 1), number)))
    assert changed.manage_sell_offer_result
    assert changed.manage_sell_offer_result.success
    assert changed.manage_sell_offer_result.success.offer.offer
    assert changed.manage_sell_offer_result.success.offer.offer.amount.int64 == 20 * LUMEN
    gone = ManageSellOffer(asset, NATIVE, "0", Price(3, 1), number)
    assert told(await wallet.do(seller, gone)) == ["MANAGE_SELL_OFFER_SUCCESS"]
    assert told(await wallet.do(seller, gone)) == ["MANAGE_SELL_OFFER_NOT_FOUND"]
    too_much = ManageSellOffer(asset, NATIVE, "101", Price(2, 1))
    assert told(await wallet.do(seller, too_much)) == ["MANAGE_SELL_OFFER_UNDERFUNDED"]
    stranger = await wallet.account()
    buy = ManageBuyOffer(NATIVE, asset, "1", Price(2, 1))
    assert told(await wallet.do(stranger, buy)) == ["MANAGE_BUY_OFFER_BUY_NO_TRUST"]


async def test_crossing_offers_trade_at_the_resting_price_best_first(wallet: Wallet) -> None:
    issuer = await wallet.account()
    asset, dear = await trusting(wallet, issuer)
    _, cheap = await trusting(wallet, issuer)
    _, buyer = await trusting(wallet, issuer, amount="1")
    await wallet.do(dear, ManageSellOffer(asset, NATIVE, "10", Price(3, 1)))
    await wallet.do(cheap, ManageSellOffer(asset, NATIVE, "10", Price(2, 1)))
    purse = wallet.balance(buyer.public_key)
    done = await wallet.do(buyer, ManageBuyOffer(NATIVE, asset, "15", Price(3, 1)))
    assert told(done) == ["MANAGE_BUY_OFFER_SUCCESS"]
    bought = first_result(done).manage_buy_offer_result
    assert bought
    assert bought.success
    assert [atom.order_book.amount_sold.int64 for atom in bought.success.offers_claimed if atom.order_book] == [
        10 * LUMEN,
        5 * LUMEN,
    ]
    assert bought.success.offer.effect is xdr.ManageOfferEffect.MANAGE_OFFER_DELETED
    assert line(wallet, buyer, asset) == 16 * LUMEN
    assert wallet.balance(buyer.public_key) == purse - (20 + 15) * LUMEN - 100
    own = ManageSellOffer(NATIVE, asset, "1", Price(1, 3))
    assert told(await wallet.do(dear, own)) == ["MANAGE_SELL_OFFER_CROSS_SELF"]


async def test_what_a_bid_cannot_buy_rests_in_the_book(wallet: Wallet) -> None:
    issuer = await wallet.account()
    asset, seller = await trusting(wallet, issuer)
    _, buyer = await trusting(wallet, issuer, amount="1")
    await wallet.do(buyer, ManageBuyOffer(NATIVE, asset, "8", Price(2, 1)))
    done = await wallet.do(seller, ManageSellOffer(asset, NATIVE, "20", Price(1, 1)))
    sold = first_result(done).manage_sell_offer_result
    assert sold
    assert sold.success
    assert sold.success.offer.offer
    assert sold.success.offer.offer.amount.int64 == 12 * LUMEN
    assert line(wallet, buyer, asset) == 9 * LUMEN


async def test_a_path_payment_delivers_exactly_or_sends_exactly(wallet: Wallet) -> None:
    issuer = await wallet.account()
    usd, maker = await trusting(wallet, issuer)
    eur, _ = await trusting(wallet, issuer, "EUR")
    await wallet.do(maker, ChangeTrust(eur))
    await wallet.do(issuer, Payment(maker.public_key, eur, "100"))
    _, payee = await trusting(wallet, issuer, "EUR", "1")
    payer = await wallet.account()
    await wallet.do(maker, ManageSellOffer(usd, NATIVE, "50", Price(2, 1)))
    await wallet.do(maker, ManageSellOffer(eur, usd, "50", Price(5, 4)))
    receive = PathPaymentStrictReceive(payee.public_key, NATIVE, "20", eur, "4", [usd])
    purse = wallet.balance(payer.public_key)
    assert told(await wallet.do(payer, receive)) == ["PATH_PAYMENT_STRICT_RECEIVE_SUCCESS"]
    assert line(wallet, payee, eur) == 5 * LUMEN
    assert wallet.balance(payer.public_key) == purse - 10 * LUMEN - 100
    send = PathPaymentStrictSend(payee.public_key, NATIVE, "5", eur, "2", [usd])
    done = await wallet.do(payer, send)
    assert told(done) == ["PATH_PAYMENT_STRICT_SEND_SUCCESS"]
    result = first_result(done).path_payment_strict_send_result
    assert result
    assert result.success
    assert result.success.last.amount.int64 == 2 * LUMEN
    assert line(wallet, payee, eur) == 7 * LUMEN
    assert wallet.balance(payer.public_key) == purse - 15 * LUMEN - 200


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (
            lambda to, usd: PathPaymentStrictSend(to, NATIVE, "5", usd, "9", []),
            "PATH_PAYMENT_STRICT_SEND_UNDER_DESTMIN",
        ),
        (
            lambda to, usd: PathPaymentStrictReceive(to, NATIVE, "5", usd, "9", []),
            "PATH_PAYMENT_STRICT_RECEIVE_OVER_SENDMAX",
        ),
        (
            lambda to, usd: PathPaymentStrictReceive(to, NATIVE, "500", usd, "51", []),
            "PATH_PAYMENT_STRICT_RECEIVE_TOO_FEW_OFFERS",
        ),
        (
            lambda to, usd: PathPaymentStrictSend(to, usd, "1", NATIVE, "1", []),
            "PATH_PAYMENT_STRICT_SEND_SRC_NO_TRUST",
        ),
    ],
)
async def test_a_path_payment_fails_by_name(wallet: Wallet, build: object, expected: str) -> None:
    issuer = await wallet.account()
    usd, maker = await trusting(wallet, issuer)
    _, payee = await trusting(wallet, issuer, amount="1")
    await wallet.do(maker, ManageSellOffer(usd, NATIVE, "50", Price(1, 1)))
    assert callable(build)
    assert told(await wallet.do(await wallet.account(), build(payee.public_key, usd))) == [expected]


async def test_a_path_payment_without_a_change_of_asset_needs_no_book(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    direct = PathPaymentStrictSend(payee.public_key, NATIVE, "5", NATIVE, "5", [])
    assert told(await wallet.do(payer, direct)) == ["PATH_PAYMENT_STRICT_SEND_SUCCESS"]
    assert wallet.balance(payee.public_key) == 1005 * LUMEN
