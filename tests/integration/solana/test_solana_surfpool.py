"""The same lane before another hand's node: Surfpool, where Node.js is present. Judged by balances that the node tells."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from tests.integration.devnet.solana_wallet import CONFIRMED, Rpc
from tests.integration.devnet.surfpool import Surfpool
from tests.integration.solana.rig import MEMO, SEED, SOL, body, parts
from tests.lane_rig import LaneRig

pytestmark = pytest.mark.node

KEY = Keypair.from_seed(SEED)
TO = Keypair.from_seed(bytes([78]) * 32).pubkey()
PATIENCE_S = 40.0


@pytest.fixture
async def surfpool() -> AsyncIterator[Surfpool]:
    node = await Surfpool.start(slot_ms=50)
    yield node
    await node.stop()


@pytest.fixture
async def rpc(surfpool: Surfpool) -> AsyncIterator[Rpc]:
    async with aiohttp.ClientSession() as session:
        found = Rpc(surfpool.url, session)
        for account in (KEY.pubkey(), TO):
            await found.ask("requestAirdrop", str(account), 10 * SOL)
        yield found


@pytest.fixture
async def lane(surfpool: Surfpool, rpc: Rpc, tmp_path: Path) -> AsyncIterator[LaneRig]:
    rig = LaneRig(parts(surfpool.url, surfpool.ws_url, block_time_ms=50), tmp_path)
    await rig.start()
    yield rig
    await rig.stop()


def pay(lamports: int) -> Instruction:
    from solders.system_program import TransferParams, transfer

    return transfer(TransferParams(from_pubkey=KEY.pubkey(), to_pubkey=TO, lamports=lamports))


async def test_equal_transfers_land_each_on_another_node_too(lane: LaneRig, rpc: Rpc) -> None:
    before = await rpc.value("getBalance", str(TO), CONFIRMED)
    ids = [await lane.submit(body(pay(1000))) for _ in range(10)]
    await lane.all_reach(ids, "confirmed", patience_s=PATIENCE_S)
    assert await rpc.value("getBalance", str(TO), CONFIRMED) - before == 10_000


async def test_a_refused_program_call_is_told_with_its_logs_by_another_node_too(lane: LaneRig) -> None:
    bad = Instruction(MEMO, b"\xff", [AccountMeta(KEY.pubkey(), True, False)])
    record = await lane.reaches(await lane.submit(body(bad)), "failed", patience_s=PATIENCE_S)
    assert "instruction 0 failed" in record["status_reason"]
    assert "logs: " in record["status_reason"]


async def test_money_that_a_program_takes_from_within_is_counted_on_another_node_too(lane: LaneRig, rpc: Rpc) -> None:
    """It shows inner calls parsed, our own devnet shows them compiled."""
    from solders.pubkey import Pubkey
    from tests.integration.solana.programs import SYSTEM, TOKEN
    from tests.integration.solana.test_solana_programs import ASSOCIATED

    mint = Pubkey.from_string("So11111111111111111111111111111111111111112")  # wrapped SOL, which every chain has
    account, _ = Pubkey.find_program_address([bytes(TO), bytes(TOKEN), bytes(mint)], ASSOCIATED)
    metas = [
        AccountMeta(KEY.pubkey(), True, True),
        AccountMeta(account, False, True),
        AccountMeta(TO, False, False),
        AccountMeta(mint, False, False),
        AccountMeta(SYSTEM, False, False),
        AccountMeta(TOKEN, False, False),
    ]
    one = await lane.submit(body(Instruction(ASSOCIATED, b"", metas)))
    await lane.reaches(one, "confirmed", patience_s=PATIENCE_S)
    [attempt] = await lane.attempts(one)
    rent = await rpc.value("getBalance", str(account), CONFIRMED)
    assert attempt.max_cost == int(attempt.facts["fee"]) + rent


async def test_a_program_without_inner_calls_passes_under_a_limit_on_another_node_too(lane: LaneRig) -> None:
    """The node tells that there were none; saying nothing at all would be another thing."""
    lane.set_policy(max_lamports=1)
    memo = Instruction(MEMO, b"limited", [AccountMeta(KEY.pubkey(), True, False)])
    await lane.reaches(await lane.submit(body(memo)), "confirmed", patience_s=PATIENCE_S)
