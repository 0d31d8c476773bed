"""The life of a Solana transaction, from accepted to final, on a real virtual machine. Money is counted on the chain."""

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from tests.integration.solana.conftest import Make
from tests.integration.solana.judge import memos
from tests.integration.solana.rig import FINALITY, SOL, SolanaRig, body

from baton.domain.errors import Invalid
from baton.domain.policy import SolanaPolicy

TO = Keypair.from_seed(bytes([9]) * 32).pubkey()


async def test_a_transfer_goes_from_pending_to_confirmed(rig: SolanaRig) -> None:
    one = await rig.submit(body(rig.pay(TO, SOL)))
    [record] = await rig.confirms(one)
    assert rig.node.balance(str(TO)) == SOL
    assert await rig.story(one) == ["pending", "sent", "submitted", "mined", "confirmed"]
    assert record["hash"] == record["signature"]
    assert record["from"] == rig.address
    assert record["confirmed_at"] is not None


async def test_mined_is_confirmed_only_when_it_is_finalized(rig: SolanaRig) -> None:
    one = await rig.submit(body(rig.pay(TO, SOL)))
    await rig.lands(one)
    await rig.mine(FINALITY - 1)
    assert (await rig.record(one))["status"] == "mined"
    await rig.mine()
    await rig.reaches(one, "confirmed")


async def test_a_network_may_trust_the_vote_of_a_supermajority(make_rig: Make) -> None:
    rig = await make_rig(tags=frozenset({"confirmed-is-final"}))
    one = await rig.submit(body(rig.pay(TO, SOL)))
    await rig.lands(one)
    rig.node.mine()
    await rig.reaches(one, "confirmed")


async def test_a_hundred_equal_transfers_are_a_hundred_landings(rig: SolanaRig) -> None:
    rig.node.airdrop(str(TO), SOL)
    before = rig.node.balance(str(TO))
    ids = [await rig.submit(body(rig.pay(TO, 1000))) for _ in range(100)]
    records = await rig.confirms(*ids)
    assert rig.node.balance(str(TO)) - before == 100 * 1000
    assert len({record["hash"] for record in records}) == 100


async def test_several_instructions_land_together_or_not_at_all(rig: SolanaRig) -> None:
    other = Pubkey.new_unique()
    one = await rig.submit(body(rig.tag("both"), rig.pay(TO, SOL), rig.pay(other, 2 * SOL)))
    await rig.confirms(one)
    assert (rig.node.balance(str(TO)), rig.node.balance(str(other))) == (SOL, 2 * SOL)
    assert memos(rig.node) == ["both"]


async def test_a_memo_is_on_chain_as_it_was_asked_for(rig: SolanaRig) -> None:
    await rig.confirms(await rig.submit(body(rig.tag("grüezi"))))
    assert memos(rig.node) == ["grüezi"]


async def test_a_program_that_refuses_fails_it_with_its_logs_before_anything_is_signed(rig: SolanaRig) -> None:
    bad = Instruction(Pubkey.from_string(str(rig.tag("x").program_id)), b"\xff\xfe", [])
    one = await rig.submit(body(rig.tag("fine"), bad))
    record = await rig.reaches(one, "failed")
    assert "instruction 1 failed" in record["status_reason"]
    assert "invalid utf-8 sequence" in record["status_reason"]
    assert await rig.attempts(one) == []


async def test_a_failure_on_chain_is_told_with_its_logs_once_it_is_final(rig: SolanaRig) -> None:
    """It passes the simulation, and by the time it lands the money it moves is gone."""
    purse = Keypair.from_seed(bytes([5]) * 32)
    rig.node.airdrop(str(purse.pubkey()), SOL)
    one = await rig.submit(body(rig.tag("late"), rig.pay(TO, 999 * SOL)))
    await rig.reaches(one, "submitted")
    rig.node.node.bank.grant(rig.key.pubkey(), -500 * SOL)
    rig.node.mine()
    await rig.reaches(one, "mined")
    rig.node.mine(FINALITY)
    record = await rig.reaches(one, "failed")
    assert "failed on chain: instruction 1 failed: custom program error 0x1" in record["status_reason"]
    assert "insufficient lamports" in record["status_reason"]
    assert rig.node.balance(str(TO)) == 0


async def test_what_the_balance_does_not_cover_waits_and_says_so(make_rig: Make) -> None:
    rig = await make_rig(lamports=SOL)
    one = await rig.submit(body(rig.pay(TO, 2 * SOL)))
    await rig.reason(one, "waiting for funds")
    small = await rig.submit(body(rig.pay(TO, SOL // 10)))
    await rig.confirms(small)
    rig.node.airdrop(rig.address, 2 * SOL)
    await rig.mine()
    await rig.confirms(one)
    assert rig.node.balance(str(TO)) == 2 * SOL + SOL // 10


async def test_an_empty_account_waits_for_its_first_money(make_rig: Make) -> None:
    rig = await make_rig(lamports=0)
    one = await rig.submit(body(rig.tag("broke")))
    await rig.reason(one, "waiting for funds")
    rig.node.airdrop(rig.address, SOL)
    await rig.mine()
    await rig.confirms(one)


async def test_what_is_in_flight_is_not_promised_twice(make_rig: Make) -> None:
    rig = await make_rig(lamports=SOL)
    first = await rig.submit(body(rig.pay(TO, 6 * SOL // 10)))
    await rig.reaches(first, "submitted")
    second = await rig.submit(body(rig.pay(TO, 6 * SOL // 10)))
    await rig.reason(second, "waiting for funds")
    await rig.confirms(first)
    assert (await rig.record(second))["status"] == "pending"


async def test_the_fee_is_the_one_that_the_record_of_the_attempt_names(rig: SolanaRig) -> None:
    before = rig.node.balance(rig.address)
    one = await rig.submit(body(rig.tag("price"), speed="fastest"))
    await rig.confirms(one)
    [attempt] = await rig.attempts(one)
    assert before - rig.node.balance(rig.address) == int(attempt.facts["fee"])
    assert attempt.max_cost == int(attempt.facts["fee"])
    assert attempt.facts["compute_unit_price"] == 100_000


async def test_a_dear_market_is_paid_up_to_the_cap(make_rig: Make) -> None:
    rig = await make_rig(SolanaPolicy(max_allowed_fee_lamports=6_000))
    rig.node.set({"prioritization_fee": 10**9})
    before = rig.node.balance(rig.address)
    one = await rig.submit(body(rig.tag("dear")))
    await rig.confirms(one)
    paid = before - rig.node.balance(rig.address)
    assert 5_900 < paid <= 6_000


async def test_a_cap_below_the_signatures_cost_holds_it_back_until_it_is_raised(make_rig: Make) -> None:
    rig = await make_rig(SolanaPolicy(max_allowed_fee_lamports=4_999))
    one = await rig.submit(body(rig.tag("dear")))
    await rig.reason(one, "over the relayer's cap")
    rig.set_policy(max_allowed_fee_lamports=5_000)
    await rig.mine()
    await rig.confirms(one)


async def test_a_program_that_the_policy_does_not_name_is_refused(make_rig: Make) -> None:
    rig = await make_rig(SolanaPolicy(allowed_programs=("11111111111111111111111111111111",)))
    with pytest.raises(Invalid, match="a program that the relayer's policy allows"):
        await rig.submit(body(rig.tag("no")))
    await rig.confirms(await rig.submit(body(rig.pay(TO, SOL))))


async def test_an_unknown_program_fails_before_anything_is_signed(rig: SolanaRig) -> None:
    nobody = Instruction(Pubkey.new_unique(), b"", [AccountMeta(rig.key.pubkey(), True, False)])
    one = await rig.submit(body(nobody))
    record = await rig.reaches(one, "failed")
    assert "invalid program for execution" in record["status_reason"]
