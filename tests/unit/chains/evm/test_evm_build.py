"""The envelope carries what was asked, in the kind that its price and its lists call for."""

import pytest

from baton.chains.evm import build
from baton.chains.evm.ask import Ask
from baton.chains.evm.price import Dynamic, Legacy
from baton.chains.evm.wire import Authorization, Envelope
from baton.domain.errors import Bug

OWN = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
TO = "0x5e87fD270D40C47266B7E3c822f4a9d21043012D"
ACCESS = ((bytes(20), (bytes(32),)),)
LEAVE = (Authorization(1, bytes(20), 0, 0, 1, 1),)


def test_every_field_of_the_request_is_carried() -> None:
    ask = Ask(7, TO, "0xAb", access_list=ACCESS)
    assert build.envelope(ask, 5, 3, 30_000, Dynamic(9, 2)) == Envelope(
        chain_id=5,
        nonce=3,
        gas_limit=30_000,
        to=bytes.fromhex(TO[2:]),
        value=7,
        data=b"\xab",
        max_fee_per_gas=9,
        max_priority_fee_per_gas=2,
        access_list=ACCESS,
    )


@pytest.mark.parametrize(
    ("ask", "price", "kind"),
    [
        (Ask(0, TO), Legacy(1), 0),
        (Ask(0, TO, access_list=ACCESS), Legacy(1), 1),
        (Ask(0, TO), Dynamic(1, 1), 2),
        (Ask(0, TO, access_list=ACCESS), Dynamic(1, 1), 2),
        (Ask(0, TO, authorizations=LEAVE), Dynamic(1, 1), 4),
    ],
)
def test_the_kind_follows_price_and_lists(ask: Ask, price: Legacy | Dynamic, kind: int) -> None:
    assert build.envelope(ask, 1, 0, 100_000, price).kind == kind


def test_authorizations_at_a_legacy_price_are_our_own_mistake() -> None:
    with pytest.raises(Bug):
        build.envelope(Ask(0, TO, authorizations=LEAVE), 1, 0, 100_000, Legacy(1))


def test_a_no_op_moves_nothing() -> None:
    filler = build.noop(OWN, 1, 8, Legacy(4))
    assert (filler.to, filler.value, filler.data) == (bytes.fromhex(OWN[2:]), 0, b"")
    assert (filler.nonce, filler.max_cost) == (8, 84_000)
