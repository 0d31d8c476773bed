"""Reorganisations at every status: back to `submitted`, the same bytes again, final only at depth (C1 to C3)."""

import pytest
from tests.integration.evm.chain import fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_amend import replaced
from tests.integration.evm.test_evm_rescue import many

from baton.domain.policy import EvmPolicy


@pytest.fixture
async def deep(make_rig: Make) -> Rig:
    """A lane that wants three confirmations."""
    return await make_rig(EvmPolicy(confirmations=3))


async def test_a_block_that_is_reorganised_away_brings_its_transactions_back(deep: Rig) -> None:
    """C2: the node has forgotten it, so it is sent again, as it was."""
    receiver = fresh_address()
    paid = await deep.submit(to=receiver, value=5)
    await deep.reaches(paid, "submitted")
    await deep.mine()
    record = await deep.reaches(paid, "mined")
    await deep.chain.ask("anvil_reorg", 1, [])
    again = await deep.reaches(paid, "submitted")
    assert "reorganised" in again["status_reason"]
    await deep.in_pool(record["hash"])
    await deep.mine()
    await deep.reaches(paid, "mined")
    await deep.mine(2)
    done = await deep.reaches(paid, "confirmed")
    assert done["hash"] == record["hash"]
    assert done["status_reason"] is None
    assert await deep.story(paid) == ["pending", "sent", "submitted", "mined", "submitted", "mined", "confirmed"]
    assert len(set(deep.proxy.forwarded)) == 1
    assert await deep.chain.balance(receiver) == 5


async def test_a_reorganisation_that_mines_it_elsewhere_starts_its_depth_anew(deep: Rig) -> None:
    """C1: counted from the block that is canonical now."""
    paid = await deep.submit(to=fresh_address())
    await deep.reaches(paid, "submitted")
    await deep.mine(2)
    await deep.reaches(paid, "mined")
    attempt = (await deep.attempts(paid))[0]
    await deep.chain.ask("anvil_reorg", 2, [["0x" + attempt.raw.hex(), 1]])
    await deep.seen()
    await deep.mine()
    assert (await deep.record(paid))["status"] == "mined"
    await deep.mine()
    await deep.reaches(paid, "confirmed")
    receipt = await deep.chain.receipt(attempt.hash)
    assert receipt is not None
    assert await deep.chain.height() - int(receipt["blockNumber"], 16) + 1 == 3


async def test_a_reorganisation_while_it_is_in_the_pool_changes_nothing(deep: Rig) -> None:
    await deep.mine(2)
    paid = await deep.submit(to=fresh_address())
    record = await deep.reaches(paid, "submitted")
    await deep.chain.ask("anvil_reorg", 2, [])
    await deep.confirmed([paid], blocks=6)
    assert (await deep.record(paid))["hash"] == record["hash"]


async def test_many_in_the_same_lost_block_all_come_back(deep: Rig) -> None:
    ids = await many(deep, 30)
    await deep.mine()
    for one in ids:
        await deep.reaches(one, "mined")
    await deep.chain.ask("anvil_reorg", 1, [])
    for one in ids:
        await deep.reaches(one, "submitted")
    await deep.confirmed(ids, blocks=6)
    assert await deep.chain.nonce() == 30


async def test_final_stays_final_though_its_block_is_gone_and_the_chain_is_mended(deep: Rig) -> None:
    """C3: deeper than what was asked for; the record stays, and its bytes are sent again for those behind it."""
    old = await many(deep, 2)
    await deep.confirmed(old, blocks=5)
    depth = 3
    await deep.chain.ask("anvil_reorg", depth, [])
    assert await deep.chain.nonce() == 0
    new = await deep.submit(to=fresh_address())
    await deep.confirmed([new], blocks=8)
    assert (await deep.record(new))["nonce"] == 2
    assert [int(one["nonce"], 16) for one in await deep.chain.mined()] == [0, 1, 2]
    for one in old:
        assert (await deep.story(one))[-1] == "confirmed"


async def test_a_no_op_that_is_reorganised_away_is_sent_again_and_cancels_at_depth(deep: Rig) -> None:
    """C1, C2 for the no-op of a cancel."""
    receiver = fresh_address()
    dropped = await deep.submit(to=receiver, value=5)
    old = await deep.reaches(dropped, "submitted")
    await deep.cancel(dropped)
    new = await replaced(deep, dropped, old)
    await deep.mine(2)
    assert (await deep.record(dropped))["status"] == "submitted"
    await deep.chain.ask("anvil_reorg", 2, [])
    await deep.seen()
    await deep.in_pool(new["hash"])
    await deep.mine_to(dropped, "canceled", blocks=6)
    assert await deep.chain.balance(receiver) == 0


async def test_when_a_reorganisation_swaps_the_no_op_for_the_content_the_record_follows(deep: Rig) -> None:
    """C4, E4: whichever version is deep enough settles it."""
    receiver = fresh_address()
    dropped = await deep.submit(to=receiver, value=5)
    old = await deep.reaches(dropped, "submitted")
    await deep.cancel(dropped)
    await replaced(deep, dropped, old)
    await deep.mine()
    content = (await deep.attempts(dropped))[0]
    await deep.chain.ask("anvil_reorg", 1, [["0x" + content.raw.hex(), 0]])
    done = await deep.mine_to(dropped, "confirmed", blocks=6)
    assert done["hash"] == content.hash
    assert await deep.chain.balance(receiver) == 5


async def test_when_a_reorganisation_swaps_the_content_for_the_no_op_it_is_canceled(deep: Rig) -> None:
    receiver = fresh_address()
    dropped = await deep.submit(to=receiver, value=5)
    old = await deep.reaches(dropped, "submitted")
    await deep.cancel(dropped)
    await replaced(deep, dropped, old)
    content, noop = await deep.attempts(dropped)
    await deep.chain.ask("anvil_dropTransaction", noop.hash)
    await deep.chain.ask("eth_sendRawTransaction", "0x" + content.raw.hex())
    await deep.chain.mine()
    await deep.reaches(dropped, "mined")
    await deep.chain.ask("anvil_reorg", 1, [["0x" + noop.raw.hex(), 0]])
    await deep.mine_to(dropped, "canceled", blocks=6)
    assert await deep.chain.balance(receiver) == 0


async def test_a_chain_that_gets_shorter_stops_nobody(deep: Rig) -> None:
    """C2: the block is gone and nothing stands at its height yet; others are sent meanwhile."""
    paid = await deep.submit(to=fresh_address())
    await deep.reaches(paid, "submitted")
    await deep.mine(2)
    await deep.reaches(paid, "mined")
    await deep.chain.ask("anvil_rollback", 2)
    other = await deep.submit(to=fresh_address())
    await deep.reaches(other, "submitted")
    await deep.confirmed([paid, other], blocks=8)
    assert await deep.chain.nonce() == 2
