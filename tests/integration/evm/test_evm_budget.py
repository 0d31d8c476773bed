"""The rescue budget: a no-op above the cap, so that one that is stuck does not hold up the rest (F1)."""

import pytest
from tests.integration.evm.chain import GWEI, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.rig import Rig

from baton.domain.policy import EvmPolicy

CAP = 10 * GWEI
LOW = {"max_fee_per_gas": 95 * GWEI // 10, "max_priority_fee_per_gas": GWEI}  # a tenth more is over the cap
HIGH = {"max_fee_per_gas": CAP, "max_priority_fee_per_gas": GWEI}
BASE_FEE = 97 * GWEI // 10  # between the two


async def spike(rig: Rig, wei: int, blocks: int) -> None:
    for _ in range(blocks):
        await rig.chain.set_base_fee(wei)
        await rig.mine()


async def spike_until_confirmed(rig: Rig, transaction_id: str) -> None:
    """At the spike's price until it is confirmed: a rescue may leave the lane just after a block."""

    async def is_confirmed() -> bool:
        await rig.chain.set_base_fee(BASE_FEE)
        return bool((await rig.record(transaction_id))["status"] == "confirmed")

    await rig.mine_until(is_confirmed, blocks=12)


async def stuck_before_another(rig: Rig, first: str, second: str) -> tuple[str, str]:
    """One that the base fee has left behind, and one after it that could be mined at once."""
    low = await rig.submit(LOW, to=first, value=5)
    await rig.reaches(low, "submitted")
    high = await rig.submit(HIGH, to=second, value=6)
    await rig.reaches(high, "submitted")
    return low, high


async def test_the_budget_voids_what_is_stuck_and_it_is_sent_again_later(make_rig: Make) -> None:
    """E1: its old slot is used by our no-op; it returns to pending and is mined in another."""
    rig = await make_rig(EvmPolicy(gas_price_cap=CAP, rescue_budget_24h=21_000 * 10 * GWEI))
    first, second = fresh_address(), fresh_address()
    low, high = await stuck_before_another(rig, first, second)
    await spike_until_confirmed(rig, high)
    await rig.restart()  # what happened in its old slot is over, and is not taken for its end
    over = [one for one in await rig.chain.mined() if int(one["maxFeePerGas"], 16) > CAP]
    assert [(one["to"].lower(), int(one["nonce"], 16)) for one in over] == [(rig.chain.address, 0)]
    await spike(rig, GWEI, 2)
    assert (await rig.confirmed([low]))[0]["nonce"] == 2
    assert (await rig.story(low)).count("pending") >= 2
    assert (await rig.chain.balance(first), await rig.chain.balance(second)) == (5, 6)


@pytest.mark.parametrize("budget", [0, 1000 * GWEI], ids=["none", "too little"])
async def test_without_enough_budget_nothing_leaves_above_the_cap(make_rig: Make, budget: int) -> None:
    """F1, judged by everything that the node was shown; it ends by itself when the price is back."""
    rig = await make_rig(EvmPolicy(gas_price_cap=CAP, rescue_budget_24h=budget))
    low, high = await stuck_before_another(rig, fresh_address(), fresh_address())
    await spike(rig, BASE_FEE, 6)
    assert len(set(rig.proxy.sent)) < 20
    assert len(await rig.attempts(low)) == 1
    assert (await rig.record(high))["status"] == "submitted"
    await spike(rig, GWEI, 2)
    await rig.confirmed([low, high])


async def test_the_budget_is_not_spent_where_it_helps_nobody(make_rig: Make) -> None:
    """Alone in its lane: nobody waits behind it."""
    rig = await make_rig(EvmPolicy(gas_price_cap=CAP, rescue_budget_24h=21_000 * 10 * GWEI))
    low = await rig.submit(LOW, to=fresh_address())
    await rig.reaches(low, "submitted")
    await spike(rig, BASE_FEE, 6)
    assert len(await rig.attempts(low)) == 1
    await spike(rig, GWEI, 2)
    await rig.confirmed([low])


async def test_what_the_budget_has_paid_is_remembered_over_a_restart(make_rig: Make) -> None:
    """The budget is for 24 hours, not for a process: the second one stays stuck."""
    once = 21_000 * 6 * GWEI // 10  # 1.1 x 9.5 Gwei is 0.45 over the cap
    rig = await make_rig(EvmPolicy(gas_price_cap=CAP, rescue_budget_24h=once))
    low, high = await stuck_before_another(rig, fresh_address(), fresh_address())
    await spike_until_confirmed(rig, high)
    await rig.cancel(low)
    await rig.restart()
    await spike(rig, GWEI, 2)
    low, high = await stuck_before_another(rig, fresh_address(), fresh_address())
    await spike(rig, BASE_FEE, 6)
    assert (await rig.record(high))["status"] == "submitted"
    assert len(await rig.attempts(low)) == 1
    rig.clock.jump(25 * 3600)
    await spike_until_confirmed(rig, high)
