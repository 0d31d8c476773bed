"""What a client sees of a Solana transaction beyond its record."""

from solders.pubkey import Pubkey
from tests.integration.solana.rig import SOL, SolanaRig, body
from tests.lane_client import RELAYER

from baton.api.look import explanation_record, receipt_record
from baton.commands import look, relayers

TO = Pubkey.new_unique()


async def test_what_waits_has_no_lane_head_and_is_sent_again_soon(rig: SolanaRig) -> None:
    paid = await rig.submit(body(rig.pay(TO, SOL)))
    await rig.reaches(paid, "submitted")
    record = explanation_record(await look.explain(rig.context, RELAYER, paid))
    assert "it waits for nobody" in record["why"]
    assert record["lane"].head is None
    assert record["lane"].next_slot is None
    assert "again" in record["next_action"].action
    assert record["market"]["compute_unit_price"]
    assert set(record["attempts"][0]["nodes"]) == {proxy.url for proxy in rig.proxies}
    assert record["trouble"] is None


async def test_a_receipt_tells_slot_fee_and_logs(rig: SolanaRig) -> None:
    paid = await rig.submit(body(rig.pay(TO, SOL), rig.tag("hello")))
    await rig.confirms(paid)
    shown = receipt_record(await look.receipt(rig.context, RELAYER, paid))
    assert (shown["has_succeeded"], shown["is_final"]) == (True, True)
    assert shown["block_number"] == shown["slot"]
    assert any("hello" in line for line in shown["logs"])


async def test_the_balance_is_what_the_chain_has(rig: SolanaRig) -> None:
    await rig.confirms(await rig.submit(body(rig.pay(TO, SOL))))
    _, balance = await relayers.balance(rig.context, RELAYER)
    assert balance == rig.node.balance(rig.address)
