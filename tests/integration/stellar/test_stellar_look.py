"""What a client sees of a Stellar transaction beyond its record."""

from tests.integration.stellar.rig import StellarRig, body, payment
from tests.lane_client import RELAYER

from baton.api.look import explanation_record, receipt_record
from baton.commands import look, relayers


async def test_what_waits_tells_its_market_and_what_happens_next(rig: StellarRig) -> None:
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key, 1)))
    await rig.reaches(paid, "submitted")
    record = explanation_record(await look.explain(rig.context, RELAYER, paid))
    assert "it waits for nobody" in record["why"]
    assert record["lane"].head is None
    assert record["next_action"].in_blocks > 0
    assert record["market"]["inclusion_fee"]
    assert record["trouble"] is None


async def test_a_receipt_is_of_the_ledger_it_landed_in(rig: StellarRig) -> None:
    to = await rig.account()
    paid = await rig.submit(body(payment(to.public_key, 1)))
    done = await rig.lands(paid)
    shown = receipt_record(await look.receipt(rig.context, RELAYER, paid))
    assert shown["hash"] == done["hash"]
    assert (shown["has_succeeded"], shown["is_final"]) == (True, True)


async def test_the_status_has_the_sequence_number_of_the_ledger(rig: StellarRig) -> None:
    to = await rig.account()
    await rig.lands(await rig.submit(body(payment(to.public_key, 1))))
    status = await relayers.status(rig.context, RELAYER)
    assert status.account.next_slot - 1 == rig.sequence()
