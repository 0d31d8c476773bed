"""Transactions that clients bring: unsigned for us to sign, or signed by others for us to pay."""

import pytest
from stellar_sdk import BumpSequence, FeeBumpTransactionEnvelope, Payment, TransactionEnvelope
from stellar_sdk.asset import Asset
from tests.integration.stellar.conftest import Make
from tests.integration.stellar.rig import LUMEN, StellarRig, body, payment

from baton.domain.errors import Invalid
from baton.domain.policy import StellarPolicy


async def test_an_unsigned_transaction_gets_our_number_fee_time_and_signature(rig: StellarRig) -> None:
    to = await rig.account()
    made = rig.build(rig.key, Payment(to.public_key, Asset.native(), "1"), ahead=41, memo="unsigned")
    done = await rig.lands(await rig.submit({"network": "local", "transaction_xdr": made.to_xdr()}))
    signed = TransactionEnvelope.from_xdr(done["transaction_xdr"], rig.node.passphrase)
    assert signed.transaction.sequence == rig.sequence()
    conditions = signed.transaction.preconditions
    assert conditions is not None
    assert conditions.time_bounds is not None
    assert conditions.time_bounds.max_time > 0
    assert rig.balance(to.public_key) == 101 * LUMEN


async def test_a_transaction_that_another_signed_is_wrapped_and_paid_for(rig: StellarRig) -> None:
    owner, to = await rig.account(), await rig.account()
    inner = rig.build(owner, Payment(to.public_key, Asset.native(), "5"), memo="sponsored")
    inner.sign(owner)
    before, ours = rig.balance(owner.public_key), rig.balance(rig.address)
    sent = await rig.submit({"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True})
    done = await rig.lands(sent)
    outer = FeeBumpTransactionEnvelope.from_xdr(done["transaction_xdr"], rig.node.passphrase)
    assert outer.hash_hex() == done["hash"] != inner.hash_hex()
    assert outer.transaction.inner_transaction_envelope.to_xdr() == inner.to_xdr()
    assert rig.balance(owner.public_key) == before - 5 * LUMEN, "the fee is ours"
    assert 0 < ours - rig.balance(rig.address) <= done["fee"]
    assert done["sequence_number"] == str(inner.transaction.sequence)
    assert done["source_account"] == owner.public_key


async def test_many_sponsored_transactions_share_a_ledger_with_one_of_our_own(rig: StellarRig) -> None:
    """They bring numbers of their own: our own number is not in the way, and theirs not in ours."""
    to = await rig.account()
    ids = [await rig.submit(body(payment(to.public_key), tag="own"))]
    for place in range(5):
        owner = await rig.account()
        inner = rig.build(owner, Payment(to.public_key, Asset.native(), "1"), memo=f"theirs {place}")
        inner.sign(owner)
        ids.append(await rig.submit({"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True}))
    await rig.all_reach(ids, "submitted")
    assert len(rig.node.close().landed) == 6
    await rig.all_reach(ids, "confirmed")


async def test_a_sponsored_transaction_whose_number_is_used_by_its_owner_expires(rig: StellarRig) -> None:
    owner, to = await rig.account(), await rig.account()
    inner = rig.build(owner, Payment(to.public_key, Asset.native(), "5"), memo="outrun")
    inner.sign(owner)
    faster = rig.build(owner, BumpSequence(0))
    faster.sign(owner)
    await rig.foreign(faster)
    rig.node.close()
    sent = await rig.submit({"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True})
    done = await rig.reaches(sent, "expired")
    assert "was used by another transaction" in done["status_reason"]


async def test_a_sponsored_transaction_that_someone_else_carries_in_is_confirmed_all_the_same(rig: StellarRig) -> None:
    owner, to = await rig.account(), await rig.account()
    inner = rig.build(owner, Payment(to.public_key, Asset.native(), "5"), memo="carried")
    inner.sign(owner)
    rig.node.controls.drop_next = 1
    sent = await rig.submit({"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True})
    await rig.reaches(sent, "submitted")
    await rig.foreign(inner)
    rig.node.close()
    await rig.reaches(sent, "confirmed")
    assert rig.balance(to.public_key) == 105 * LUMEN
    rig.expects_foreign_landing = True


async def test_a_sponsored_transaction_dies_with_its_time_bound(rig: StellarRig) -> None:
    owner, to = await rig.account(), await rig.account()
    ends = rig.node.ledger.next_terms().closes_at_s + 30
    inner = rig.build(owner, Payment(to.public_key, Asset.native(), "5"), memo="late", max_time=ends)
    inner.sign(owner)
    rig.node.controls.drop_next = 100
    sent = await rig.submit({"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True})
    await rig.reaches(sent, "submitted")
    rig.node.controls.ahead_s = 60
    rig.node.close()
    assert "time bound passed" in (await rig.reaches(sent, "expired"))["status_reason"]


async def test_the_same_signed_bytes_are_carried_for_one_transaction_only(rig: StellarRig) -> None:
    owner, to = await rig.account(), await rig.account()
    inner = rig.build(owner, Payment(to.public_key, Asset.native(), "5"))
    inner.sign(owner)
    wish = {"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True}
    first = await rig.submit(wish)
    with pytest.raises(Invalid, match=first):
        await rig.submit(wish)
    await rig.lands(first)


async def test_a_fee_bump_never_costs_more_than_the_policy_allows(make_rig: Make) -> None:
    rig = await make_rig(StellarPolicy(max_fee=500))
    owner, to = await rig.account(), await rig.account()
    inner = rig.build(owner, Payment(to.public_key, Asset.native(), "5"), fee=200)
    inner.sign(owner)
    sent = await rig.submit({"network": "local", "transaction_xdr": inner.to_xdr(), "fee_bump": True})
    assert 400 <= (await rig.lands(sent))["fee"] <= 500
