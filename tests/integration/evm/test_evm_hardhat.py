"""The same lane on hardhat, whose pool enforces the replacement rule of real nodes: anvil's takes one wei more."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import ETHER, GWEI, fresh_address
from tests.integration.evm.contracts import KEEPER, reverting
from tests.integration.evm.hardhat import Hardhat
from tests.integration.evm.judge import judge
from tests.integration.evm.rig import Rig
from tests.integration.evm.test_evm_amend import is_a_tenth_above, prices, replaced
from tests.integration.evm.test_evm_lifecycle import WHOLE_LIFE, deployed

from baton.domain.errors import NodeUnavailable
from baton.domain.policy import EvmPolicy, Speed

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def hardhat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hardhat]:
    """One process for all: it takes seconds to start. Each test has a chain of its own."""
    node = Hardhat(tmp_path_factory.mktemp("hardhat"))
    asyncio.run(node.start())
    yield node
    asyncio.run(node.stop())


@pytest.fixture
async def strict(hardhat: Hardhat, tmp_path: Path) -> AsyncIterator[Rig]:
    await hardhat.ask("hardhat_reset")
    await hardhat.ask("hardhat_mine", "0x3")
    async with FaultProxy(hardhat.url) as proxy:
        rig = Rig(hardhat, proxy, tmp_path / "data", EvmPolicy(default_speed=Speed.FASTEST))
        await rig.start()
        try:
            yield rig
            await judge(rig)
        finally:
            await rig.stop()


async def set_base_fee(rig: Rig, wei: int) -> None:
    """Of the next block."""
    await rig.chain.ask("hardhat_setNextBlockBaseFeePerGas", hex(wei))


async def test_a_payment_lives_through_every_status(strict: Rig) -> None:
    receiver = fresh_address()
    paid = await strict.submit(to=receiver, value=5)
    await strict.reaches(paid, "submitted")
    await strict.mine()
    await strict.reaches(paid, "confirmed")
    assert await strict.story(paid) == WHOLE_LIFE
    assert await strict.chain.balance(receiver) == 5


async def test_many_are_confirmed_while_blocks_come_by_themselves(strict: Rig) -> None:
    """Interval mining; this node has no block receipts, so they are asked for in batches."""
    await strict.chain.ask("evm_setIntervalMining", 150)
    receivers = [fresh_address() for _ in range(40)]
    ids = [await strict.submit(to=receiver, value=7) for receiver in receivers]
    for one in ids:
        await strict.reaches(one, "confirmed")
    await strict.chain.ask("evm_setIntervalMining", 0)
    assert [await strict.chain.balance(receiver) for receiver in receivers] == [7] * 40
    assert [int(one["nonce"], 16) for one in await strict.chain.mined()] == list(range(40))


async def test_a_contract_and_a_reason_to_revert(strict: Rig) -> None:
    keeper, refuser = await deployed(strict, KEEPER), await deployed(strict, reverting("go away"))
    word = "0x" + "07".rjust(64, "0")
    await strict.confirmed([await strict.submit(value=0, to=keeper, data=word)])
    assert int(await strict.chain.ask("eth_getStorageAt", keeper, "0x0", "latest"), 16) == 7
    doomed = await strict.submit(value=0, to=refuser, data="0x01")
    assert "go away" in (await strict.reaches(doomed, "failed"))["status_reason"]


async def test_the_pool_is_strict_and_our_bump_passes(strict: Rig) -> None:
    """F3, judged by a pool that refuses less than a tenth."""
    stuck = await strict.submit(to=fresh_address())
    old = await strict.reaches(stuck, "submitted")
    max_fee, tip = prices(old)
    with pytest.raises(NodeUnavailable, match=r"(?i)underpriced|replacement"):
        await strict.chain.foreign(0, maxFeePerGas=max_fee * 109 // 100, maxPriorityFeePerGas=tip * 2)
    spike = 3 * max_fee
    for _ in range(3):
        await set_base_fee(strict, spike)
        await strict.mine()
    new = await replaced(strict, stuck, old)
    assert is_a_tenth_above(prices(new), prices(old))
    await set_base_fee(strict, spike)
    await strict.confirmed([stuck])
    assert (await strict.record(stuck))["hash"] == new["hash"]


async def test_a_replacement_displaces_the_original(strict: Rig) -> None:
    first, second = fresh_address(), fresh_address()
    changed = await strict.submit(to=first, value=5)
    old = await strict.reaches(changed, "submitted")
    await strict.replace(changed, to=second, value=6)
    await replaced(strict, changed, old)
    await strict.confirmed([changed])
    assert (await strict.chain.balance(first), await strict.chain.balance(second)) == (0, 6)


async def test_a_cancel_displaces_the_original(strict: Rig) -> None:
    receiver = fresh_address()
    dropped = await strict.submit(to=receiver, value=5, gas_price=30 * GWEI)
    old = await strict.reaches(dropped, "submitted")
    await strict.cancel(dropped)
    await replaced(strict, dropped, old)
    await strict.mine_to(dropped, "canceled")
    assert await strict.chain.balance(receiver) == 0


async def test_a_dropped_one_is_sent_again(strict: Rig) -> None:
    dropped = await strict.submit(to=fresh_address())
    record = await strict.reaches(dropped, "submitted")
    await strict.chain.ask("hardhat_dropTransaction", record["hash"])
    await strict.confirmed([dropped])
    assert (await strict.record(dropped))["hash"] == record["hash"]


async def test_without_funds_it_waits_and_resumes(strict: Rig) -> None:
    await strict.chain.ask("hardhat_setBalance", strict.address, hex(ETHER))
    await strict.mine()
    dear, cheap = await strict.submit(to=fresh_address(), value=2 * ETHER), await strict.submit(to=fresh_address())
    await strict.reason(dear, "waiting for funds")
    await strict.confirmed([cheap])
    await strict.chain.ask("hardhat_setBalance", strict.address, hex(10 * ETHER))
    await strict.confirmed([dear])
