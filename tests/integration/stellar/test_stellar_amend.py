"""Replace and cancel: only a fee bump at ten times the bid displaces what waits; else the old version is waited for."""

import pytest
from stellar_sdk import Payment
from stellar_sdk.asset import Asset
from tests.integration.stellar.conftest import Make
from tests.integration.stellar.judge import landed, tags
from tests.integration.stellar.rig import LUMEN, StellarRig, body, payment

from baton.domain.errors import Invalid
from baton.domain.policy import StellarPolicy


async def test_a_replacement_displaces_what_waits_and_lands_instead(rig: StellarRig) -> None:
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key, LUMEN), tag="old"))
    old = await rig.reaches(paid, "submitted")
    await rig.replace(paid, body(payment(to.public_key, 2 * LUMEN), tag="new"))
    await rig.is_sent(paid, 2)
    rig.node.close()
    done = await rig.reaches(paid, "confirmed")
    assert done["hash"] != old["hash"]
    assert done["sequence_number"] == old["sequence_number"]
    assert done["operations"][0]["amount"] == str(2 * LUMEN)
    assert done["fee"] == 2000
    assert dict(tags(rig.node)) == {"new": 1}
    assert rig.balance(to.public_key) == 102 * LUMEN


async def test_a_cancel_displaces_what_waits_by_a_no_op(rig: StellarRig) -> None:
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key), tag="gone"))
    await rig.reaches(paid, "submitted")
    assert (await rig.cancel(paid))["is_canceled"]
    await rig.is_sent(paid, 2)
    rig.node.close()
    done = await rig.reaches(paid, "canceled")
    assert "no-op" in done["status_reason"]
    assert not tags(rig.node)
    after = await rig.submit(body(payment(to.public_key), tag="after"))
    await rig.lands(after)


async def test_a_cancel_that_comes_too_late_says_so(rig: StellarRig) -> None:
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key), tag="mined"))
    sent = await rig.reaches(paid, "submitted")
    await rig.stop()
    rig.node.close()
    await rig.start()
    done = await rig.reaches(paid, "confirmed")
    assert done["hash"] == sent["hash"]
    with pytest.raises(Invalid):
        await rig.cancel(paid)


async def test_a_cancel_over_the_cap_waits_until_the_time_bound_has_passed(make_rig: Make) -> None:
    rig = await make_rig(StellarPolicy(max_fee=1000))
    to = await rig.account()
    rig.node.controls.drop_next = 100
    paid = await rig.submit(body(payment(to.public_key), tag="patient"))
    await rig.reaches(paid, "submitted")
    await rig.cancel(paid)
    await rig.reason(paid, "displacing it is too dear")
    sent = await rig.times_sent(paid)
    await rig.close(4)
    assert await rig.times_sent(paid) == sent, "what is not wanted any more is not helped along"
    rig.node.controls.ahead_s = 301
    await rig.close()
    assert "time bound passed" in (await rig.reaches(paid, "canceled"))["status_reason"]
    assert len(await rig.attempts(paid)) == 1


async def test_a_replacement_over_the_cap_is_sent_once_the_old_version_is_dead(make_rig: Make) -> None:
    rig = await make_rig(StellarPolicy(max_fee=1000))
    to = await rig.account()
    rig.node.controls.drop_next = 1
    paid = await rig.submit(body(payment(to.public_key, LUMEN), tag="old"))
    await rig.reaches(paid, "submitted")
    await rig.replace(paid, body(payment(to.public_key, 2 * LUMEN), tag="new"))
    await rig.reason(paid, "too dear")
    rig.node.controls.ahead_s = 301
    await rig.close()
    await rig.closes_until(paid, "confirmed")
    assert dict(tags(rig.node)) == {"new": 1}


async def test_a_replacement_that_waits_while_the_old_version_lands_leaves_that_one(make_rig: Make) -> None:
    rig = await make_rig(StellarPolicy(max_fee=1000))
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key, LUMEN), tag="old"))
    old = await rig.reaches(paid, "submitted")
    await rig.replace(paid, body(payment(to.public_key, 2 * LUMEN), tag="new"))
    await rig.reason(paid, "too dear")
    rig.node.close()
    done = await rig.reaches(paid, "confirmed")
    assert done["hash"] == old["hash"]
    assert done["operations"][0]["amount"] == str(LUMEN)
    assert len(landed(rig.node)) == 3, "two fundings and one payment"


async def test_a_sponsored_transaction_is_replaced_only_once_it_is_dead(rig: StellarRig) -> None:
    owner, to = await rig.account(), await rig.account()
    ends = rig.node.ledger.next_terms().closes_at_s + 60
    inner = rig.build(owner, Payment(to.public_key, Asset.native(), "5"), memo="theirs", max_time=ends)
    inner.sign(owner)
    rig.node.controls.drop_next = 100
    paid = await rig.submit({"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True})
    await rig.reaches(paid, "submitted")
    await rig.replace(paid, body(payment(to.public_key, LUMEN), tag="ours"))
    await rig.reason(paid, "what others signed keeps its sequence number")
    sent = await rig.times_sent(paid)
    await rig.close(4)
    assert await rig.times_sent(paid) == sent
    rig.node.controls.drop_next = 0
    rig.node.controls.ahead_s = 120
    await rig.close()
    await rig.closes_until(paid, "confirmed")
    assert dict(tags(rig.node)) == {"ours": 1}
