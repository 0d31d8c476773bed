"""Everything that can go wrong between a lane and its node, on every kind of question, under load.

While it lasts nothing becomes final that the chain does not show; when it ends, everything becomes final, once.
"""

import asyncio
from collections.abc import AsyncIterator
from itertools import count as count_from
from pathlib import Path

import pytest
from tests.faults import rules
from tests.faults.evm_judge import judge_everything
from tests.faults.evm_rig import BLOCK_S, FaultRig
from tests.faults.proxy import FaultProxy
from tests.rounds import rounds

from baton.devnet.anvil import Anvil
from baton.domain.json import Json
from baton.domain.policy import EvmPolicy


def _mixed_up() -> rules.Lie:
    """Each answer is the one to the question before."""
    told: list[Json] = []

    def transform(answer: Json) -> Json:
        told.append(answer)
        return told[-2] if len(told) > 1 else answer

    return rules.Lie(transform)


FAULTS: dict[str, rules.Fault] = {
    "timeout": rules.Blackhole(),
    "reset": rules.Reset(),
    "503": rules.Status(503),
    "429": rules.Status(429, retry_after="1"),
    "garbage": rules.Garbage(),
    "truncated": rules.Truncate(),
    "stale": rules.Stale(),
    "duplicated": rules.Duplicate(),
    "response lost": rules.LoseResponse(),
    "null": rules.NullResult(),
    "internal error": rules.RpcFault(),
    "rate limited": rules.RpcFault(-32005, "limit exceeded"),
    "mixed up": _mixed_up(),
    "slow": rules.Latency(0.3, 0.3),
    "no such method": rules.RpcFault(-32601, "the method does not exist"),  # last: it is remembered for a while
}
# The questions of a lane, and how many transactions it takes before it asks them.
QUESTIONS = {
    "eth_sendRawTransaction": 10,
    "eth_getTransactionReceipt": 10,
    "eth_getBlockReceipts": 40,
    "eth_getBlockByNumber": 10,
    "eth_getTransactionCount": 10,
    "eth_getBalance": 10,
    "eth_feeHistory": 10,
    "eth_call": 10,
}
DEPTH = 3
HITS = 4
LONGEST = 12  # blocks; a fault that strikes less often is over by then
FAR_TOO_LONG = 200  # blocks; one that has not struck by then never does


@pytest.fixture
async def rig(anvil: Anvil, tmp_path: Path) -> AsyncIterator[FaultRig]:
    async with FaultProxy(anvil.url) as proxy:
        rig = FaultRig(anvil, [proxy], tmp_path / "data", EvmPolicy(confirmations=DEPTH))
        await rig.start()
        yield rig
        proxy.clear()
        await rig.stop()


@pytest.mark.torture
@pytest.mark.parametrize("method", QUESTIONS)
async def test_whatever_a_node_does_to_one_kind_of_question_each_is_paid_once(rig: FaultRig, method: str) -> None:
    """D3, D6, E1, E5, N1, N2, C1, C6."""
    paid = await rig.pay(3)
    await rig.settled(list(paid))  # so that there are old answers to give again
    sample = rounds(quick=8, full=1)
    for name in list(FAULTS)[list(QUESTIONS).index(method) % sample :: sample]:
        now = await rig.pay(3)
        async with rig.mining():
            now |= await _pay_under(rig, FAULTS[name], method, QUESTIONS[method])
            # C6: while it lasts, nothing ends in any other way than by being mined.
            assert set(await rig.statuses(list(now))) <= {"pending", "sent", "submitted", "mined", "confirmed"}
        rig.proxy.clear()
        records = await rig.settled(list(now))
        told = {f"{record['status']}: {record['status_reason']}" for record in records}
        assert {record["status"] for record in records} == {"confirmed"}, f"{name} of {method}: {told}"
        paid |= now
    await judge_everything(rig, {one: [receiver] for one, receiver in paid.items()}, depth=DEPTH)


async def _pay_under(rig: FaultRig, fault: rules.Fault, method: str, count: int) -> dict[str, str]:
    """Asks for payments while the fault lasts, until it has struck a few times."""
    rule = rig.proxy.add(fault, method)
    paid = await rig.pay(count)
    for block in count_from():
        has_struck = rule.hits > 0 or fault == rules.Stale()  # not every question is asked twice
        if rule.hits >= HITS or (block >= LONGEST and has_struck):
            return paid
        assert block < FAR_TOO_LONG, f"{fault} never struck {method}"
        await asyncio.sleep(BLOCK_S)
        paid |= await rig.pay(count // 8)  # some questions are asked once a block, and for new ones only
    return paid


@pytest.mark.torture
async def test_an_outage_of_everything_makes_nothing_final_and_ends_without_a_trace(rig: FaultRig) -> None:
    """C6, D3: also what was in a block already, and what was accepted meanwhile."""
    before = await rig.pay(5)
    await rig.until(lambda: _are(rig, list(before), "submitted"))
    rule = rig.proxy.add(rules.Blackhole())
    meanwhile = await rig.pay(5)
    async with rig.mining():
        await rig.struck(rule, rounds(quick=4, full=16))
    told = await rig.statuses([*before, *meanwhile])
    assert set(told[:5]) <= {"submitted", "mined"}
    assert told[5:] == ["pending"] * 5
    rig.proxy.remove(rule)
    records = await rig.settled([*before, *meanwhile])
    assert {record["status"] for record in records} == {"confirmed"}
    await judge_everything(rig, {one: [receiver] for one, receiver in (before | meanwhile).items()}, depth=DEPTH)


async def _are(rig: FaultRig, ids: list[str], status: str) -> bool:
    return set(await rig.statuses(ids)) == {status}


@pytest.mark.torture
@pytest.mark.parametrize("is_restarted", [False, True], ids=["in one go", "with a restart"])
async def test_a_refusal_after_an_answer_that_was_lost_ends_nothing(rig: FaultRig, is_restarted: bool) -> None:
    """C6, E1, E5: the node had it already when it said that it could never take it."""
    lost = rig.proxy.add(rules.LoseResponse(), "eth_sendRawTransaction")
    paid = await rig.pay(1)
    await rig.struck(lost, 2)  # one on the connection that is kept, one on a new one
    refusal = rig.proxy.add(rules.RpcFault(-32000, "intrinsic gas too low"), "eth_sendRawTransaction", times=2)
    rig.proxy.remove(lost)
    if is_restarted:
        await rig.restart()
    await rig.struck(refusal, 2)
    records = await rig.settled(list(paid))
    assert [record["status"] for record in records] == ["confirmed"]
    await judge_everything(rig, {one: [receiver] for one, receiver in paid.items()}, depth=DEPTH)


@pytest.mark.torture
async def test_bytes_that_no_node_takes_from_the_first_try_on_fail_and_leave_no_hole(rig: FaultRig) -> None:
    """N2, C6: nobody ever had them, so they are known to be dead."""
    rig.proxy.add(rules.RpcFault(-32000, "intrinsic gas too low"), "eth_sendRawTransaction", times=1)
    paid = await rig.pay(1)
    assert (await rig.reaches(next(iter(paid)), "failed"))["status_reason"].startswith("no node can take it")
    paid |= await rig.pay(2)
    records = await rig.settled(list(paid))
    assert [record["status"] for record in records] == ["failed", "confirmed", "confirmed"]
    await judge_everything(rig, {one: [receiver] for one, receiver in paid.items()}, depth=DEPTH)


@pytest.mark.torture
async def test_a_node_that_serves_another_chain_at_the_start_is_asked_again(rig: FaultRig) -> None:
    """D3, C6: it looks like a chain that was exchanged; what is under way waits for the right one."""
    paid = await rig.pay(3)
    await rig.until(lambda: _are(rig, list(paid), "submitted"))
    await rig.stop()
    lie = rules.Lie(lambda block: block and block | {"hash": "0x" + "ee" * 32})
    rule = rig.proxy.add(lie, "eth_getBlockByNumber")
    await rig.start()
    paid |= await rig.pay(3)
    async with rig.mining():
        await rig.struck(rule, 3)  # asked again, and again
    assert await rig.statuses(list(paid)) == ["submitted"] * 3 + ["pending"] * 3
    rig.proxy.clear()
    records = await rig.settled(list(paid))
    assert {record["status"] for record in records} == {"confirmed"}
    await judge_everything(rig, {one: [receiver] for one, receiver in paid.items()}, depth=DEPTH)
