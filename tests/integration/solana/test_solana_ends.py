"""How a version dies, and what follows: signed anew, expired, canceled, replaced. And forks, which bring back the living."""

from datetime import UTC, datetime, timedelta

import pytest
from solders.keypair import Keypair
from tests.faults.rules import Blackhole
from tests.integration.solana.conftest import Make
from tests.integration.solana.judge import landed, memos
from tests.integration.solana.rig import FINALITY, LIFE, SOL, SolanaRig, body

TO = Keypair.from_seed(bytes([9]) * 32).pubkey()
DEATH = LIFE + FINALITY + 1  # blocks after which a blockhash is proven dead


async def test_a_version_that_never_landed_is_signed_anew_after_its_blockhash_died(rig: SolanaRig) -> None:
    rig.node.set({"drop_next": 10_000})
    one = await rig.submit(body(rig.tag("again"), rig.pay(TO, SOL)))
    await rig.reaches(one, "submitted")
    rig.node.mine(LIFE)
    await rig.seen()
    assert len(await rig.attempts(one)) == 1
    rig.node.set({"drop_next": 0})
    rig.node.mine(FINALITY + 1)
    await rig.versions(one, 2)
    await rig.confirms(one)
    first, second = await rig.attempts(one)
    assert first.hash != second.hash
    assert str(first.fate) == "lapsed"
    assert memos(rig.node) == ["again"]
    assert (await rig.story(one))[:5] == ["pending", "sent", "submitted", "pending", "sent"]


async def test_a_version_lives_until_its_death_is_finalized(rig: SolanaRig) -> None:
    """At the last height it may still land in a block that is not final: no new one may be signed before that is known."""
    rig.node.set({"drop_next": 10_000})
    one = await rig.submit(body(rig.tag("edge")))
    await rig.reaches(one, "submitted")
    [attempt] = await rig.attempts(one)
    last = int(attempt.facts["last_valid_block_height"])
    newest = rig.node.node.newest
    rig.node.mine(last - newest.height + FINALITY)
    await rig.seen()
    assert (await rig.record(one))["status"] == "submitted"
    rig.node.mine()
    await rig.reaches(one, "pending", "sent", "submitted")
    await rig.versions(one, 2)


async def test_validity_over_and_the_version_dead_is_expired(rig: SolanaRig) -> None:
    rig.node.set({"drop_next": 10_000})
    soon = datetime.now(UTC) + timedelta(hours=1)
    one = await rig.submit(body(rig.tag("old"), valid_until=soon.isoformat()))
    await rig.reaches(one, "submitted")
    rig.clock.leap(3601)
    sent = len(rig.proxy.sent)
    await rig.mine(3)
    assert len(rig.proxy.sent) == sent, "it was helped along after its time"
    assert (await rig.record(one))["status"] == "submitted"
    rig.node.mine(DEATH)
    await rig.reaches(one, "expired")
    assert memos(rig.node) == []


async def test_a_cancel_waits_for_the_death_of_what_was_sent(rig: SolanaRig) -> None:
    rig.node.set({"drop_next": 10_000})
    one = await rig.submit(body(rig.tag("unwanted")))
    await rig.reaches(one, "submitted")
    assert (await rig.cancel(one))["is_canceled"] is True
    sent = len(rig.proxy.sent)
    rig.clock.leap(10)
    await rig.mine(3)
    assert len(rig.proxy.sent) == sent, "it was helped along although it is unwanted"
    rig.node.mine(DEATH)
    record = await rig.reaches(one, "canceled")
    assert "blockhash died" in record["status_reason"]
    assert memos(rig.node) == []


async def test_a_cancel_before_anything_is_signed_is_done_at_once(make_rig: Make) -> None:
    rig = await make_rig(lamports=0)
    one = await rig.submit(body(rig.tag("never")))
    await rig.reason(one, "waiting for funds")
    assert (await rig.cancel(one))["status"] == "canceled"


async def test_what_lands_before_the_cancel_took_effect_says_so(rig: SolanaRig) -> None:
    one = await rig.submit(body(rig.tag("too late")))
    await rig.reaches(one, "submitted")
    await rig.cancel(one)
    rig.node.mine()
    record = await rig.reaches(one, "mined")
    assert record["status_reason"] == "mined before the cancel took effect"
    rig.node.mine(FINALITY)
    record = await rig.reaches(one, "confirmed")
    assert record["is_canceled"] is True
    assert memos(rig.node) == ["too late"]


async def test_a_replacement_is_signed_when_the_old_version_is_dead(rig: SolanaRig) -> None:
    rig.node.set({"drop_next": 10_000})
    one = await rig.submit(body(rig.tag("old wish")))
    await rig.reaches(one, "submitted")
    await rig.replace(one, body(rig.tag("new wish")))
    rig.node.set({"drop_next": 0})
    rig.node.mine(DEATH)
    await rig.versions(one, 2)
    await rig.confirms(one)
    assert memos(rig.node) == ["new wish"]


async def test_what_lands_before_the_replacement_shows_the_content_that_landed(rig: SolanaRig) -> None:
    wanted = body(rig.tag("old wish"))
    one = await rig.submit(wanted)
    await rig.reaches(one, "submitted")
    await rig.replace(one, body(rig.tag("new wish")))
    rig.node.mine()
    record = await rig.reaches(one, "mined")
    assert record["instructions"] == wanted["instructions"]
    assert record["status_reason"] == "mined before the replacement took effect"
    rig.node.mine(FINALITY)
    await rig.reaches(one, "confirmed")
    rig.node.mine(5)
    assert memos(rig.node) == ["old wish"]


async def test_a_block_that_was_lost_with_a_fork_sends_it_back_and_the_same_bytes_land_again(rig: SolanaRig) -> None:
    await rig.mine_idle(3)  # so that the blockhash it is signed under is older than the fork
    one = await rig.submit(body(rig.tag("forked"), rig.pay(TO, SOL)))
    first = await rig.lands(one)
    await rig.mine()
    rig.node.fork(2)
    await rig.reaches(one, "submitted")
    await rig.is_sent(one, 2)
    rig.node.mine()
    second = await rig.reaches(one, "mined")
    assert second["hash"] == first["hash"]
    rig.node.mine(FINALITY)
    await rig.reaches(one, "confirmed")
    assert rig.node.balance(str(TO)) == SOL
    assert "submitted" in (await rig.story(one))[4:]


async def test_a_fork_that_loses_the_blockhash_too_ends_in_a_new_version(rig: SolanaRig) -> None:
    one = await rig.submit(body(rig.tag("forked"), rig.pay(TO, SOL)))
    await rig.lands(one)
    rig.node.fork(5)
    await rig.reaches(one, "submitted")
    rig.node.mine(DEATH + 5)
    await rig.versions(one, 2)
    await rig.confirms(one)
    assert memos(rig.node) == ["forked"]
    assert rig.node.balance(str(TO)) == SOL


async def test_what_was_relayed_over_a_fork_is_found_in_its_new_block(rig: SolanaRig) -> None:
    await rig.mine_idle(3)
    one = await rig.submit(body(rig.tag("moved")))
    await rig.lands(one)
    rig.node.fork(1, relay=True)
    rig.node.mine(FINALITY + 1)
    record = await rig.reaches(one, "confirmed")
    assert record["hash"] in landed(rig.node)


@pytest.mark.parametrize("state", ["pending", "sent", "submitted", "mined"])
async def test_a_restart_in_any_state_ends_in_one_landing(make_rig: Make, state: str) -> None:
    rig = await make_rig(lamports=0 if state == "pending" else 1000 * SOL)
    if state == "sent":
        rig.proxy.add(Blackhole(), "sendTransaction")
    one = await rig.submit(body(rig.tag("kept"), rig.pay(TO, SOL)))
    if state == "mined":
        await rig.lands(one)
    else:
        await rig.reaches(one, state)
    await rig.stop()
    rig.proxy.clear()
    rig.node.airdrop(rig.address, 1000 * SOL)
    await rig.start()
    await rig.reaches(one, "submitted", "mined")
    if state == "submitted":
        await rig.is_sent(one, 2)  # what was under way is sent again at once
    await rig.confirms(one)
    assert memos(rig.node) == ["kept"]
    assert rig.node.balance(str(TO)) == SOL
