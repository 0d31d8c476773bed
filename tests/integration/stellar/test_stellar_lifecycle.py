"""From accepted to confirmed on a simulated ledger, and what the record says at every step."""

from datetime import datetime

from stellar_sdk import Keypair, TransactionEnvelope
from tests.integration.stellar.rig import LUMEN, StellarRig, body, payment

WHOLE_LIFE = ["pending", "sent", "submitted", "mined", "confirmed"]


async def test_a_payment_walks_through_every_status_and_arrives_once(rig: StellarRig) -> None:
    to = await rig.account()
    before = rig.balance(to.public_key)
    paid = await rig.submit(body(payment(to.public_key, 1234), tag="once"))
    sent = await rig.reaches(paid, "submitted")
    assert sent["sent_at"] is not None
    assert sent["confirmed_at"] is None
    assert sent["transaction_result_xdr"] is None
    rig.node.close()
    done = await rig.reaches(paid, "confirmed")
    assert done["hash"] == sent["hash"]
    assert datetime.fromisoformat(done["sent_at"]) <= datetime.fromisoformat(done["confirmed_at"])
    assert await rig.story(paid) == WHOLE_LIFE
    assert rig.balance(to.public_key) == before + 1234


async def test_a_record_shows_what_was_signed_and_what_came_of_it(rig: StellarRig) -> None:
    to = Keypair.random().public_key
    number = rig.sequence()
    made = await rig.submit(body({"type": "create_account", "destination": to, "starting_balance": 5 * LUMEN}))
    done = await rig.lands(made)
    signed = TransactionEnvelope.from_xdr(done["transaction_xdr"], rig.node.passphrase)
    assert signed.hash_hex() == done["hash"]
    assert signed.transaction.sequence == number + 1 == int(done["sequence_number"])
    assert signed.transaction.fee == done["fee"]
    assert done["source_account"] == rig.address == done["from"]
    assert done["transaction_result_xdr"] == rig.node.ledger.by_hash[done["hash"]].result_xdr
    assert rig.balance(to) == 5 * LUMEN
