"""One node of several that lies to a Solana lane: it ends nothing, drains nothing and stops nobody for good."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.faults.rules import Lie, NullResult, RpcFault
from tests.faults.solana_rigs import Make, fault_rigs
from tests.integration.solana.judge import memos
from tests.integration.solana.rig import FINALITY, LIFE, MEMO, SOL, SolanaRig, body

from baton.domain.policy import SolanaPolicy

SIMULATE = "simulateTransaction"


@pytest.fixture
async def make_rig(tmp_path: Path) -> AsyncIterator[Make]:
    async with fault_rigs(tmp_path, nodes=2, slot_ms=20, funds=10 * SOL) as make:
        yield make


def failing(told: Any) -> Any:
    error = {"InstructionError": [2, {"Custom": 7}]}
    return told | {"value": told["value"] | {"err": error}}


def giving_away(told: Any, address: str) -> Any:
    info = {"account": address, "owner": str(MEMO)}
    inner = [{"index": 0, "instructions": [{"program": "system", "parsed": {"type": "assign", "info": info}}]}]
    return told | {"value": told["value"] | {"innerInstructions": inner}}


async def test_one_node_that_sees_failures_cannot_end_a_transaction(make_rig: Make) -> None:
    """C5: a simulation ends a transaction only by the word of two."""
    rig = await make_rig()
    lie = rig.proxies[0].add(Lie(failing), SIMULATE)
    await rig.reaches(await rig.submit(body(rig.tag("sound"))), "confirmed")
    assert lie.hits > 0
    assert memos(rig.node) == ["sound"]


async def test_two_nodes_that_see_a_failure_end_it(make_rig: Make) -> None:
    rig = await make_rig()
    for proxy in rig.proxies:
        proxy.add(Lie(failing), SIMULATE)
    record = await rig.reaches(await rig.submit(body(rig.tag("unsound"))), "failed")
    assert "custom program error 0x7" in record["status_reason"]


async def test_bytes_that_one_node_cannot_read_are_not_the_end_either(make_rig: Make) -> None:
    rig = await make_rig()
    fault = rig.proxies[0].add(RpcFault(-32602, "invalid params"), SIMULATE)
    await rig.reaches(await rig.submit(body(rig.tag("sound"))), "confirmed")
    assert fault.hits > 0


async def test_an_owner_that_changes_from_within_is_refused_where_lamports_are_limited(make_rig: Make) -> None:
    """The new owner could take everything without any call that a simulation shows."""
    rig = await make_rig(1, SolanaPolicy(max_lamports=SOL))
    rig.proxy.add(Lie(lambda told: giving_away(told, rig.address)), SIMULATE)
    record = await rig.reaches(await rig.submit(body(rig.tag("a drain"))), "failed")
    assert "another owner" in record["status_reason"]


async def test_nodes_that_disagree_about_a_drain_sign_nothing(make_rig: Make) -> None:
    rig = await make_rig(2, SolanaPolicy(max_lamports=SOL))
    lie = rig.proxies[0].add(Lie(lambda told: giving_away(told, rig.address)), SIMULATE)
    one = await rig.submit(body(rig.tag("doubtful")))
    await rig.reason(one, "do not agree")
    assert await rig.attempts(one) == []
    rig.proxies[0].remove(lie)
    await rig.reaches(one, "confirmed")


async def test_a_node_that_does_not_tell_what_programs_do_is_not_trusted_with_a_limit(make_rig: Make) -> None:
    rig = await make_rig(1, SolanaPolicy(max_lamports=SOL))
    silence = rig.proxy.add(Lie(lambda told: told | {"value": told["value"] | {"innerInstructions": None}}), SIMULATE)
    one = await rig.submit(body(rig.tag("untold")))
    await rig.reason(one, "does not tell")
    rig.proxy.remove(silence)
    await rig.reaches(one, "confirmed")


def ending(error: Any) -> Callable[[Any], Any]:
    def lie(told: Any) -> Any:
        return told | {"value": [one if one is None else one | {"err": error} for one in told["value"]]}

    return lie


async def test_one_node_cannot_say_how_a_transaction_ended(make_rig: Make) -> None:
    """C5: it landed well, and the node that is asked first calls it a failure, at any depth."""
    rig = await make_rig(2, manual=True)
    lie = rig.proxies[0].add(Lie(ending({"InstructionError": [0, {"Custom": 7}]})), "getSignatureStatuses")
    one = await rig.submit(body(rig.tag("well")))
    await rig.lands(one)
    await rig.mine(FINALITY + 3)
    assert (await rig.record(one))["status"] == "mined"
    rig.proxies[0].remove(lie)
    rig.node.mine()
    await rig.reaches(one, "confirmed")


async def test_two_honest_nodes_of_three_outweigh_a_liar(make_rig: Make) -> None:
    rig = await make_rig(3, manual=True)
    lie = rig.proxies[0].add(Lie(ending({"InstructionError": [0, {"Custom": 7}]})), "getSignatureStatuses")
    one = await rig.submit(body(rig.tag("well")))
    await rig.lands(one)
    rig.node.mine(FINALITY)
    await rig.reaches(one, "confirmed")
    assert lie.hits > 0


def living_until(change: int) -> Callable[[Any], Any]:
    def lie(told: Any) -> Any:
        value = told["value"]
        return told | {"value": value | {"lastValidBlockHeight": value["lastValidBlockHeight"] + change}}

    return lie


async def test_a_blockhash_that_a_node_calls_short_lived_is_not_dead_before_its_time(make_rig: Make) -> None:
    """C5, E2: a second version while the first could still land would be paid twice."""
    rig = await make_rig(2, manual=True)
    rig.node.set({"drop_next": 10_000})
    rig.proxies[0].add(Lie(living_until(40 - LIFE)), "getLatestBlockhash")
    one = await rig.submit(body(rig.tag("once")))
    await rig.reaches(one, "submitted")
    rig.node.mine(40 + FINALITY + 5)
    await rig.looked(rig.slot)
    assert (await rig.record(one))["status"] == "submitted"
    rig.proxies[0].clear()
    rig.node.mine(LIFE)
    await rig.until(lambda: has_attempts(rig, one, 2))
    rig.node.set({"drop_next": 0})
    await rig.confirms(one)
    assert memos(rig.node) == ["once"]


async def test_a_blockhash_that_a_node_calls_immortal_dies_all_the_same(make_rig: Make) -> None:
    rig = await make_rig(1, manual=True)
    rig.node.set({"drop_next": 10_000})
    rig.proxy.add(Lie(living_until(10**9)), "getLatestBlockhash", times=1)
    one = await rig.submit(body(rig.tag("once")))
    await rig.reaches(one, "submitted")
    rig.node.mine(LIFE + 2 * FINALITY + 5)
    await rig.until(lambda: has_attempts(rig, one, 2))
    rig.node.set({"drop_next": 0})
    await rig.confirms(one)


async def has_attempts(rig: SolanaRig, transaction_id: str, count: int) -> bool:
    return len(await rig.attempts(transaction_id)) == count


async def test_a_slot_that_a_node_made_up_does_not_stop_the_lane_for_ever(make_rig: Make) -> None:
    rig = await make_rig(1)
    await rig.reaches(await rig.submit(body(rig.tag("before"))), "confirmed")
    lie = Lie(lambda info: info | {"absoluteSlot": 10**12, "blockHeight": 10**12})
    rule = rig.proxy.add(lie, "getEpochInfo", times=1)

    async def has_struck() -> bool:
        return rule.hits >= 1

    await rig.until(has_struck)
    await rig.reaches(await rig.submit(body(rig.tag("after"))), "confirmed", patience_s=30.0)


async def test_answers_of_odd_types_are_waited_out(make_rig: Make) -> None:
    rig = await make_rig(1)
    for method in (SIMULATE, "getLatestBlockhash", "getBalance", "getEpochInfo", "getSignatureStatuses"):
        rig.proxy.add(NullResult(), method, times=1)
        rig.proxy.add(Lie(lambda _: {"context": 5, "value": [True]}), method, times=1)
        rig.proxy.add(Lie(lambda _: True), method, times=1)
    await rig.reaches(await rig.submit(body(rig.tag("odd"))), "confirmed")
