"""Channel accounts: many transactions in one ledger, the relayer still the one who acts and pays."""

import pytest
from stellar_sdk import FeeBumpTransactionEnvelope, Keypair
from tests.integration.stellar.conftest import Make
from tests.integration.stellar.judge import landed, tags
from tests.integration.stellar.rig import LUMEN, StellarRig, body, payment

from baton.domain.policy import StellarPolicy


@pytest.fixture
async def rig(make_rig: Make) -> StellarRig:
    return await make_rig(StellarPolicy(channel_accounts=5))


async def wide(rig: StellarRig) -> list[str]:
    """The channels, made by a first payment."""
    to = await rig.account()
    await rig.closes_until(await rig.submit(body(payment(to.public_key))), "confirmed")
    assert rig.desk is not None
    assert rig.desk.account is not None
    sources = rig.desk.account.sources
    assert sources is not None
    return [source.address for source in sources]


async def test_channels_are_made_once_ruled_by_the_relayer_alone_and_hold_nothing(rig: StellarRig) -> None:
    channels = await wide(rig)
    assert len(channels) == 5
    for address in channels:
        entry = rig.node.ledger.state.account(Keypair.from_public_key(address).xdr_account_id())
        assert entry is not None
        assert entry.balance.int64 == 0
        assert entry.thresholds.thresholds == bytes([0, 1, 1, 1])
        signers = [(one.key.ed25519.uint256 if one.key.ed25519 else b"", one.weight.uint32) for one in entry.signers]
        assert signers == [(rig.key.raw_public_key(), 1)]
    count = len(landed(rig.node))
    await rig.restart()
    assert await wide(rig) == channels
    assert len(landed(rig.node)) == count + 2, "a stranger's funding and a payment: no channel was made again"


async def test_as_many_as_there_are_channels_land_in_one_ledger(rig: StellarRig) -> None:
    channels = await wide(rig)
    to = await rig.account()
    ids = [await rig.submit(body(payment(to.public_key), tag=f"n{n}")) for n in range(7)]
    await rig.all_reach(ids[:5], "submitted")
    assert [(await rig.record(one))["status"] for one in ids[5:]] == ["pending"] * 2
    assert len(rig.node.close().landed) == 5
    done = await rig.all_reach(ids[:5], "confirmed")
    await rig.all_reach(ids[5:], "submitted")
    rig.node.close()
    await rig.all_reach(ids[5:], "confirmed")
    assert rig.balance(to.public_key) == 107 * LUMEN
    for record in done:
        outer = FeeBumpTransactionEnvelope.from_xdr(record["transaction_xdr"], rig.node.passphrase)
        inner = outer.transaction.inner_transaction_envelope.transaction
        assert outer.hash_hex() == record["hash"]
        assert outer.transaction.fee_source.account_id == rig.address == record["source_account"]
        assert inner.source.account_id in channels
        assert len(outer.transaction.inner_transaction_envelope.signatures) == 1, "one signature serves both"


async def test_a_channels_number_that_died_is_given_again(rig: StellarRig) -> None:
    await wide(rig)
    to = await rig.account()
    rig.node.controls.drop_next = 1
    paid = await rig.submit(body(payment(to.public_key), tag="anew"))
    await rig.reaches(paid, "submitted")
    rig.node.controls.ahead_s = 301
    await rig.close()
    await rig.closes_until(paid, "confirmed")
    first, second = await rig.attempts(paid)
    assert first.slot == second.slot


async def test_in_a_surge_a_channels_transaction_is_wrapped_anew(rig: StellarRig) -> None:
    await wide(rig)
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key), tag="surge"))
    await rig.reaches(paid, "submitted")
    rig.node.controls.surge = 900
    await rig.closes_until(paid, "confirmed")
    first, second = await rig.attempts(paid)
    assert first.facts["inner_hash"] == second.facts["inner_hash"]
    assert tags(rig.node)["surge"] == 1


async def test_a_cancel_displaces_a_channels_transaction(rig: StellarRig) -> None:
    await wide(rig)
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key), tag="gone"))
    await rig.reaches(paid, "submitted")
    await rig.cancel(paid)
    await rig.is_sent(paid, 2)
    rig.node.close()
    await rig.reaches(paid, "canceled")
    assert "gone" not in tags(rig.node)


async def test_an_inner_transaction_that_someone_else_wraps_is_ours_all_the_same(rig: StellarRig) -> None:
    """Whoever sees our bytes may pay for them: the payment is made, once."""
    await wide(rig)
    to, stranger = await rig.account(), await rig.account()
    rig.node.controls.drop_next = 1
    paid = await rig.submit(body(payment(to.public_key), tag="theirs"))
    sent = await rig.reaches(paid, "submitted")
    ours = FeeBumpTransactionEnvelope.from_xdr(sent["transaction_xdr"], rig.node.passphrase)
    await rig.foreign_bump(ours.transaction.inner_transaction_envelope, stranger)
    rig.node.close()
    await rig.reaches(paid, "confirmed")
    assert rig.balance(to.public_key) == 101 * LUMEN
    rig.expects_foreign_landing = True


async def test_channels_that_cannot_be_paid_for_do_not_stop_the_lane(make_rig: Make) -> None:
    """Five channels lock 7.5 lumens; with less, the relayer's own number does."""
    rig = await make_rig(StellarPolicy(channel_accounts=5), lumens=6)
    to = await rig.account()
    await rig.lands(await rig.submit(body(payment(to.public_key), tag="narrow")))
    await rig.lands(await rig.submit(body(payment(to.public_key), tag="still narrow")))


async def test_a_restart_with_many_in_flight_lands_each_once(rig: StellarRig) -> None:
    await wide(rig)
    to = await rig.account()
    ids = [await rig.submit(body(payment(to.public_key), tag=f"n{n}")) for n in range(5)]
    await rig.all_reach(ids, "submitted")
    await rig.stop()
    rig.node.close()
    await rig.start()
    await rig.all_reach(ids, "confirmed")
    assert rig.balance(to.public_key) == 105 * LUMEN


async def test_fewer_channels_by_policy_still_finish_what_the_others_carry(rig: StellarRig) -> None:
    await wide(rig)
    to = await rig.account()
    ids = [await rig.submit(body(payment(to.public_key), tag=f"n{n}")) for n in range(5)]
    await rig.all_reach(ids, "submitted")
    rig.set_policy(channel_accounts=0)
    rig.node.close()
    await rig.all_reach(ids, "confirmed")
    plain = await rig.lands(await rig.submit(body(payment(to.public_key), tag="plain")))
    assert int(plain["sequence_number"]) == rig.sequence()
