"""A relayer's nodes are changed while its lane runs: it goes on with the new ones at once, and nothing is lost or doubled.

Two recording proxies stand before one chain, so that it shows who was asked.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.database import rows
from tests.faults.proxy import FaultProxy
from tests.faults.rules import Blackhole
from tests.integration.evm.chain import fresh_address
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_rescue import many
from tests.integration.evm.test_evm_restart import NEW_CHAIN
from tests.lane_client import RELAYER
from tests.moves import moving, old_lines_closed, running, stranded

from baton.devnet.anvil import Anvil
from baton.domain.errors import NodeUnavailable
from baton.telemetry import REGISTRY

DEAD_HOST = "127.0.0.1:9"
DEAD = f"http://{DEAD_HOST}"  # nothing listens there


@pytest.fixture
async def other(anvil: Anvil, rig: Rig) -> AsyncIterator[FaultProxy]:
    """Another way to the same chain; what is sent by it is in the database too."""
    async with FaultProxy(anvil.url) as proxy:
        yield proxy
        stored = {"0x" + raw.hex() for (raw,) in rows(rig.folder, "SELECT raw FROM attempts")}
        assert {sent.raw for sent in proxy.sent} <= stored
        await rig.stop()


def owners(rig: Rig) -> list[tuple[str | None, int]]:
    return [(owner, epoch) for owner, epoch in rows(rig.folder, "SELECT owner, epoch FROM lanes")]


async def test_what_is_in_flight_is_confirmed_through_the_new_nodes(rig: Rig, other: FaultProxy) -> None:
    """E5, N3: as it was signed, in the slots it had; the old nodes hear nothing more."""
    ids = await many(rig, 5)
    hashes = [(await rig.record(one))["hash"] for one in ids]
    async with moving(rig):
        rig.set_nodes(other.url)
    asked = rig.proxy.http_requests
    ids.append(await rig.submit(to=fresh_address()))
    found = await rig.confirmed(ids)
    assert [record["hash"] for record in found[:5]] == hashes
    assert [record["nonce"] for record in found] == [0, 1, 2, 3, 4, 5]
    assert [len(await rig.attempts(one)) for one in ids] == [1] * 6
    assert rig.proxy.http_requests == asked
    assert [epoch for _, epoch in owners(rig)] == [2], "handed back and taken anew, once"


async def test_what_was_signed_and_never_sent_leaves_by_the_new_nodes(rig: Rig, other: FaultProxy) -> None:
    rule = rig.proxy.add(Blackhole(), "eth_sendRawTransaction")
    one = await rig.submit(to=fresh_address())
    await rig.reaches(one, "sent")
    await rig.until(lambda: _hit(rule.hits))
    async with moving(rig):
        rig.set_nodes(other.url)
    await rig.confirmed([one])
    [attempt] = await rig.attempts(one)
    assert other.forwarded == ["0x" + attempt.raw.hex()]


async def _hit(hits: int) -> bool:
    return hits > 0


async def test_null_leads_back_to_the_nodes_of_the_network(rig: Rig, other: FaultProxy) -> None:
    async with moving(rig):
        rig.set_nodes(other.url)
    async with moving(rig):
        rig.set_nodes()
    asked = other.http_requests
    await rig.confirmed(await many(rig, 3))
    assert other.http_requests == asked


async def test_dead_nodes_make_a_lane_wait_and_living_ones_mend_it(rig: Rig, other: FaultProxy) -> None:
    """What is asked meanwhile is accepted, and told why it waits."""
    under_way = await many(rig, 2)
    rig.set_nodes(DEAD)
    await stranded(rig)
    waiting = await rig.submit(to=fresh_address())
    relayer = rig.context.relayers.get(RELAYER).relayer
    with pytest.raises(NodeUnavailable, match="not running"):
        await rig.context.live.account(relayer)
    assert "no node" in (await rig.context.live.sight(relayer, waiting)).why
    await rig.until(lambda: _is_down(1.0))
    assert (await rig.record(waiting))["status"] == "pending"
    rig.set_nodes(other.url)
    await running(rig)
    await old_lines_closed(rig)
    assert await _is_down(None), "nobody is alarmed for a node that is not asked any more"
    await rig.confirmed([*under_way, waiting])
    assert (await rig.context.live.account(relayer)).next_slot == 3


async def _is_down(value: float | None) -> bool:
    return REGISTRY.get_sample_value("baton_rpc_node_down", {"node": DEAD_HOST}) == value


async def test_nodes_that_hang_do_not_hold_a_lane_back(rig: Rig, other: FaultProxy) -> None:
    """The likeliest reason of all to give a relayer other nodes."""
    under_way = await many(rig, 2)
    rule = rig.proxy.add(Blackhole())
    waiting = await rig.submit(to=fresh_address())
    await rig.until(lambda: _hit(rule.hits))
    async with asyncio.timeout(8):  # less than one call's patience with a node that hangs
        async with moving(rig):
            rig.set_nodes(other.url)
    await rig.confirmed([*under_way, waiting])


@pytest.mark.parametrize("ticks", [0, 1, 2, 3, 5, 8, 13, 21, 34, 55])
async def test_of_two_changes_in_quick_succession_the_last_one_counts(rig: Rig, other: FaultProxy, ticks: int) -> None:
    under_way = await many(rig, 2)
    async with moving(rig):
        rig.set_nodes(DEAD)
        await pass_by(ticks)
        rig.set_nodes(other.url)
    asked = rig.proxy.http_requests
    await rig.confirmed([*under_way, await rig.submit(to=fresh_address())])
    assert rig.proxy.http_requests == asked


async def pass_by(ticks: int) -> None:
    """Lets the loop turn so often: each is another place where a move may be met."""
    for _ in range(ticks):
        await asyncio.sleep(0)


async def test_the_same_nodes_again_are_no_move(rig: Rig, other: FaultProxy) -> None:
    async with moving(rig):
        rig.set_nodes(other.url)
    desk = rig.desk
    rig.set_nodes(DEAD)
    rig.set_nodes(other.url)
    rig.set_paused(True)
    rig.set_paused(False)
    await rig.confirmed(await many(rig, 2))
    assert rig.desk is desk
    assert [epoch for _, epoch in owners(rig)] == [2]


@pytest.mark.parametrize("ticks", [0, 1, 2, 3, 5, 8, 13, 21, 34, 55])
@pytest.mark.parametrize("is_alive", [True, False], ids=["to living nodes", "to dead nodes"])
async def test_a_stop_during_a_move_hands_the_lane_back(
    rig: Rig, other: FaultProxy, ticks: int, *, is_alive: bool
) -> None:
    ids = await many(rig, 3)
    ids.append(await rig.submit(to=fresh_address()))
    rig.set_nodes(other.url if is_alive else DEAD)
    await pass_by(ticks)
    await rig.stop()
    assert [owner for owner, _ in owners(rig)] == [None]
    asked = rig.proxy.http_requests, other.http_requests
    await rig.chain.mine()
    assert (rig.proxy.http_requests, other.http_requests) == asked, "nobody watches any more"
    await rig.start()
    await rig.confirmed(ids)
    assert [len(await rig.attempts(one)) for one in ids] == [1] * 4


async def test_another_local_chain_counts_as_one_that_was_started_anew(
    rig: Rig, other: FaultProxy, anvil_path: Path, tmp_path: Path
) -> None:
    [lost] = await many(rig, 1)
    elsewhere = Anvil(anvil_path, tmp_path / "elsewhere")
    await elsewhere.start(extra=NEW_CHAIN)
    try:
        async with moving(rig):
            rig.set_nodes(elsewhere.url)
        assert "started anew" in (await rig.reaches(lost, "failed"))["status_reason"]
        async with moving(rig):
            rig.set_nodes(other.url)
        await rig.confirmed([await rig.submit(to=fresh_address())])
    finally:
        await rig.stop()
        await elsewhere.kill()
