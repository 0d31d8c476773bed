"""Many open at once: whole ledgers are read instead of asking for each, and nothing is missed."""

import pytest
from stellar_sdk import Payment
from stellar_sdk.asset import Asset
from tests.integration.stellar.rig import LUMEN, StellarRig, body, payment


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that three are many."""
    monkeypatch.setattr("baton.chains.stellar.chain.FEW", 2)


async def sponsored(rig: StellarRig, count: int) -> list[str]:
    to = await rig.account()
    ids = []
    for place in range(count):
        owner = await rig.account()
        inner = rig.build(owner, Payment(to.public_key, Asset.native(), "1"), memo=f"theirs {place}")
        inner.sign(owner)
        ids.append(await rig.submit({"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True}))
    return ids


async def test_only_what_has_landed_is_asked_for(rig: StellarRig) -> None:
    rig.node.controls.capacity = 2 * 8  # eight fee bumps a ledger
    ids = await sponsored(rig, 12)
    await rig.all_reach(ids, "submitted")
    await rig.seen()  # after a gap in the ledgers all are asked for
    asked = rig.proxy.calls["getTransaction"]
    await rig.close()
    await rig.all_reach(ids[:1], "confirmed", "submitted")
    assert rig.proxy.calls["getTransactions"] > 0
    assert rig.proxy.calls["getTransaction"] - asked <= 2 * 8, "the others were not asked for"
    await rig.close()
    await rig.all_reach(ids, "confirmed")


async def test_one_that_another_carried_in_is_found_too(rig: StellarRig) -> None:
    """Its own hash is in no ledger: the hash inside it is, under somebody else's fee bump."""
    await sponsored(rig, 3)
    owner, to, stranger = await rig.account(), await rig.account(), await rig.account()
    inner = rig.build(owner, Payment(to.public_key, Asset.native(), "5"), memo="carried")
    inner.sign(owner)
    rig.node.controls.drop_next = 1000
    sent = await rig.submit({"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True})
    await rig.reaches(sent, "submitted")
    rig.node.controls.drop_next = 0
    await rig.foreign_bump(inner, stranger)
    rig.node.close()
    await rig.closes_until(sent, "confirmed")
    assert rig.balance(to.public_key) == 105 * LUMEN
    rig.expects_foreign_landing = True


async def test_where_nodes_do_not_offer_it_everything_is_asked_for_by_hash(rig: StellarRig) -> None:
    from tests.faults.rules import RpcFault

    rule = rig.proxy.add(RpcFault(-32601, "method not found"), "getTransactions")
    ids = await sponsored(rig, 4)
    await rig.all_reach(ids, "submitted")
    await rig.close()
    await rig.all_reach(ids, "confirmed")
    assert rule.hits > 0


async def test_a_lagging_node_hides_nothing_for_good(rig: StellarRig) -> None:
    ids = await sponsored(rig, 4)
    await rig.all_reach(ids, "submitted")
    rig.node.controls.lag_ledgers = 2
    rig.node.close(2)
    rig.node.controls.lag_ledgers = 0
    rig.node.close()
    await rig.all_reach(ids, "confirmed")
    to = await rig.account()
    await rig.lands(await rig.submit(body(payment(to.public_key), tag="after")))
