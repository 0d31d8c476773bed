"""Nodes that fail, lag and lie before a Solana lane. At most one landing for each id, judged on the chain; nothing stuck."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.faults.rules import (
    Blackhole,
    Duplicate,
    Fault,
    Garbage,
    Latency,
    Lie,
    LoseResponse,
    Reset,
    RpcFault,
    Stale,
    Status,
    Truncate,
)
from tests.faults.solana_rigs import Make, fault_rigs
from tests.integration.solana.judge import memos
from tests.integration.solana.rig import FINALITY, LIFE, SOL, SolanaRig, body
from tests.rounds import rounds

from baton.devnet.solana import SolanaDevnet

SLOT_MS = 10
SEND = "sendTransaction"
DEATH = LIFE + FINALITY + 1


@pytest.fixture
async def make_rig(tmp_path: Path) -> AsyncIterator[Make]:
    async with fault_rigs(tmp_path, nodes=1, slot_ms=SLOT_MS, seed=7) as make:
        yield make


async def send_some(rig: SolanaRig, count: int) -> list[str]:
    return [await rig.submit(body(rig.tag(f"wish {place}"))) for place in range(count)]


def each_once(rig: SolanaRig, count: int) -> None:
    assert sorted(memos(rig.node)) == sorted(f"wish {place}" for place in range(count))


SEND_FAULTS: dict[str, Fault] = {
    "lost responses": LoseResponse(),
    "resets": Reset(),
    "twice": Duplicate(),
    "truncated": Truncate(),
    "garbage": Garbage(),
    "a lagging node": RpcFault(
        -32002, "Transaction simulation failed: Blockhash not found", {"err": "BlockhashNotFound"}
    ),
    "an unhealthy node": RpcFault(-32005, "Node is behind by 4000 slots", {"numSlotsBehind": 4000}),
    "a limited node": Status(429, "0"),
    "a broken gateway": Status(502),
    "slow": Latency(0.05, 0.05),
}


@pytest.mark.parametrize("name", SEND_FAULTS)
async def test_faults_of_a_send_end_in_one_landing_each(make_rig: Make, name: str) -> None:
    rig = await make_rig()
    rig.proxy.add(SEND_FAULTS[name], SEND, times=3)
    ids = await send_some(rig, 5)
    await rig.all_reach(ids, "confirmed")
    each_once(rig, 5)


async def test_sends_that_are_dropped_behind_the_node_go_out_again(make_rig: Make) -> None:
    rig = await make_rig()
    rig.node.set({"drop_next": 5})
    ids = await send_some(rig, 5)
    await rig.all_reach(ids, "submitted")
    rig.clock.leap(3)
    await rig.all_reach(ids, "confirmed")
    each_once(rig, 5)


async def test_a_storm_of_everything_loses_nothing_and_lands_nothing_twice(make_rig: Make) -> None:
    rig = await make_rig(2)
    storm: list[Fault] = [
        LoseResponse(),
        Reset(),
        Truncate(),
        Garbage(),
        Status(502),
        Status(429, "0"),
        Latency(0.02, 0.1),
    ]
    for proxy in rig.proxies:
        for fault in storm:
            proxy.add(fault, probability=0.03)
        proxy.add(Duplicate(), SEND, probability=0.2)
        proxy.add(LoseResponse(), SEND, probability=0.2)
        proxy.add(Stale(), "getSignatureStatuses", probability=0.1)
    count = rounds(quick=30, full=200)
    ids = await send_some(rig, count)

    async def calm() -> None:
        """Time runs faster than the storm: pauses of nodes and of sends end soon."""
        for _ in range(40):
            await asyncio.sleep(0.1)
            rig.clock.leap(1)
        for proxy in rig.proxies:
            proxy.clear()

    calming = asyncio.create_task(calm())
    await rig.all_reach(ids, "confirmed", patience_s=60.0)
    await calming
    each_once(rig, count)


async def test_an_outage_of_any_length_makes_nothing_final(make_rig: Make) -> None:
    rig = await make_rig(manual=True)
    rig.node.set({"drop_next": 1_000})
    [one] = await send_some(rig, 1)
    await rig.reaches(one, "submitted")
    outage = rig.proxy.add(Status(503))
    rig.node.mine(3 * LIFE)
    rig.clock.leap(7 * 24 * 3600)
    await rig.struck(outage, 5)
    assert (await rig.record(one))["status"] == "submitted"
    rig.proxy.remove(outage)
    rig.node.set({"drop_next": 0})
    rig.clock.leap(60)
    await rig.versions(one, 2)
    await rig.confirms(one)


async def test_one_node_that_denies_a_landing_cannot_make_us_sign_again(make_rig: Make) -> None:
    rig = await make_rig(2, manual=True)
    liar = rig.proxies[0]  # the one that is asked first
    [one] = await send_some(rig, 1)
    await rig.lands(one)
    liar.add(Lie(_nothing_known), "getSignatureStatuses")
    rig.node.mine(DEATH + LIFE)
    await rig.seen()
    assert len(await rig.attempts(one)) == 1
    liar.clear()
    rig.node.mine()
    await rig.reaches(one, "confirmed")
    each_once(rig, 1)


async def test_one_node_that_runs_ahead_cannot_declare_a_death(make_rig: Make) -> None:
    rig = await make_rig(2, manual=True)
    rig.node.set({"drop_next": 10_000})
    [one] = await send_some(rig, 1)
    await rig.reaches(one, "submitted")
    liar = rig.proxies[0]
    liar.add(Lie(lambda height: height + 10_000), "getBlockHeight")
    liar.add(Lie(lambda info: info | {"blockHeight": info["blockHeight"] + 10_000}), "getEpochInfo")
    rig.node.mine(5)
    await rig.seen()
    assert (await rig.record(one))["status"] == "submitted"
    assert len(await rig.attempts(one)) == 1
    rig.node.set({"drop_next": 0})


async def test_one_node_that_calls_it_final_too_early_is_not_believed(make_rig: Make) -> None:
    rig = await make_rig(2, manual=True)
    liar = rig.proxies[0]
    liar.add(Lie(_all_finalized), "getSignatureStatuses")
    [one] = await send_some(rig, 1)
    await rig.lands(one)
    await rig.mine(2)
    assert (await rig.record(one))["status"] == "mined"
    rig.node.mine(FINALITY)
    await rig.reaches(one, "confirmed")


async def test_a_node_that_has_forgotten_the_past_cannot_prove_a_death(make_rig: Make) -> None:
    """Its landing is long ago, and the node keeps only a short history: unknown does not mean that it never landed."""
    rig = await make_rig(manual=True)
    [one] = await send_some(rig, 1)
    await rig.reaches(one, "submitted")
    await rig.stop()
    rig.node.mine(3 * LIFE)
    rig.proxy.add(Lie(_nothing_known), "getSignatureStatuses")
    forgetful = rig.proxy.add(Lie(lambda _: rig.slot - 10), "getFirstAvailableBlock")
    await rig.start()
    await rig.mine(3)
    assert (await rig.record(one))["status"] == "submitted"
    assert len(await rig.attempts(one)) == 1
    rig.proxy.clear()
    assert forgetful.hits > 0
    rig.node.mine()
    await rig.reaches(one, "confirmed")
    each_once(rig, 1)


async def test_a_node_that_lags_neither_confirms_nor_loses(make_rig: Make) -> None:
    rig = await make_rig(manual=True)
    rig.node.mine(20)
    [one] = await send_some(rig, 1)
    await rig.reaches(one, "submitted")
    rig.node.set({"lag_blocks": 15})
    rig.node.mine(5)
    other = await rig.submit(body(rig.tag("wish 1")))
    rig.node.set({"lag_blocks": 0})
    rig.node.mine()
    await rig.reaches(one, "mined")
    await rig.confirms(one, other)
    each_once(rig, 2)


async def test_a_send_that_nobody_answers_slows_nobody(make_rig: Make) -> None:
    """One of two nodes hangs: the other carries everything."""
    rig = await make_rig(2)
    rig.proxies[0].add(Blackhole(), SEND)
    ids = await send_some(rig, 5)
    await rig.all_reach(ids, "confirmed")
    each_once(rig, 5)


async def test_a_local_chain_that_was_started_anew_ends_what_was_open_and_goes_on(make_rig: Make) -> None:
    rig = await make_rig(manual=True)
    rig.node.set({"drop_next": 1_000})
    [old] = await send_some(rig, 1)
    await rig.reaches(old, "submitted")
    async with await SolanaDevnet().start(manual=True) as fresh:
        fresh.airdrop(rig.address, SOL)
        rig.proxy.upstream_url = fresh.url
        record = await rig.reaches(old, "failed")
        assert "started anew" in record["status_reason"]
        rig.node = fresh
        await rig.confirms(await rig.submit(body(rig.tag("after"))))
        assert memos(fresh) == ["after"]


def _nothing_known(answer: Any) -> Any:
    return answer | {"value": [None for _ in answer["value"]]}


def _all_finalized(answer: Any) -> Any:
    told = [item and item | {"confirmationStatus": "finalized", "confirmations": None} for item in answer["value"]]
    return answer | {"value": told}
