"""Random walks: clients, faults, blocks, reorganisations and restarts in any order; at the end every invariant is judged.

A walk is told by its seed alone, as far as the order of things goes; the seed is in the test's name.
"""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from tests.faults import rules
from tests.faults.evm_judge import judge_everything
from tests.faults.evm_rig import FaultRig
from tests.faults.proxy import FaultProxy
from tests.faults.test_evm_two_nodes import FIRST_BLOCK, LIES
from tests.integration.evm.chain import GWEI, fresh_address
from tests.lane_client import FINAL
from tests.rounds import rounds

from baton.devnet.anvil import Anvil
from baton.domain.errors import Refused
from baton.domain.policy import EvmPolicy

STEPS = 60
DEPTH = 3
CAP = 200 * GWEI
METHODS = (
    rules.ANY,
    "eth_sendRawTransaction",
    "eth_getTransactionReceipt",
    "eth_getBlockByNumber",
    "eth_getTransactionCount",
    "eth_feeHistory",
    "eth_call",
)
FAULTS: tuple[Callable[[], rules.Fault], ...] = (
    rules.Blackhole,
    rules.Reset,
    lambda: rules.Status(503),
    lambda: rules.Status(429, retry_after="1"),
    rules.Garbage,
    rules.Truncate,
    rules.Stale,
    rules.Duplicate,
    rules.LoseResponse,
    rules.NullResult,
    rules.RpcFault,
    lambda: rules.RpcFault(-32000, "replacement transaction underpriced"),
    lambda: rules.RpcFault(-32000, "txpool is full"),
    lambda: rules.RpcFault(-32000, "nonce too low"),
    lambda: rules.RpcFault(-32000, "intrinsic gas too low"),
    lambda: rules.Latency(0.2, 0.2),
)


class Walk:
    def __init__(self, rig: FaultRig, seed: int) -> None:
        self._rig = rig
        self._dice = random.Random(seed)
        self.receivers: dict[str, list[str]] = {}
        self.strangers = 0  # transactions that someone else sent with our key
        self._acts: tuple[tuple[int, Callable[[], Awaitable[None]]], ...] = (
            (10, self._pay),
            (3, self._replace),
            (3, self._cancel),
            (10, self._mine),
            (5, self._fault),
            (4, self._heal),
            (1, self._reorganise),
            (2, self._drop),
            (2, self._spike),
            (1, self._restart),
            (1, self._stranger),
            (3, self._lie),
        )

    async def go(self) -> None:
        weights = [weight for weight, _ in self._acts]
        for _ in range(STEPS):
            _, act = self._dice.choices(self._acts, weights)[0]
            await act()
        self._clear()
        await self._rig.chain.set_base_fee(GWEI)
        await self._rig.settled(list(self.receivers), timeout_s=60)

    async def _pay(self) -> None:
        for _ in range(self._dice.randint(1, 4)):
            receiver = fresh_address()
            self.receivers[await self._rig.submit(to=receiver, speed=self._speed())] = [receiver]

    def _speed(self) -> str:
        return self._dice.choice(["fastest", "fast", "average"])

    async def _some_open(self) -> str | None:
        ids = [one for one in self.receivers if (await self._rig.record(one))["status"] not in FINAL]
        return self._dice.choice(ids) if ids else None

    async def _replace(self) -> None:
        one = await self._some_open()
        if one is None:
            return
        receiver = fresh_address()
        self.receivers[one].append(receiver)
        try:
            await self._rig.replace(one, to=receiver, speed=self._speed())
        except Refused:
            self.receivers[one].pop()

    async def _cancel(self) -> None:
        one = await self._some_open()
        try:
            if one is not None:
                await self._rig.cancel(one)
        except Refused:
            pass

    async def _mine(self) -> None:
        for _ in range(self._dice.randint(1, 3)):
            await self._rig.chain.mine()
            await self._rest()

    async def _rest(self) -> None:
        """Long enough for the lane to look, or not."""
        await self._rig.beat(self._dice.choice([0.0, 0.05, 0.15]))

    async def _fault(self) -> None:
        proxy = self._dice.choice(self._rig.proxies)
        fault, method = self._dice.choice(FAULTS)(), self._dice.choice(METHODS)
        proxy.add(fault, method, times=self._dice.choice([1, 2, 5, None]), probability=self._dice.choice([0.3, 1.0]))
        await self._rest()

    async def _heal(self) -> None:
        self._clear()
        await self._rest()

    def _clear(self) -> None:
        for proxy in self._rig.proxies:
            proxy.clear()

    async def _reorganise(self) -> None:
        """Fewer blocks than what is final takes: what they held is forgotten by the node."""
        await self._rig.chain.ask("anvil_reorg", self._dice.randint(1, DEPTH - 1), [])
        await self._rest()

    async def _drop(self) -> None:
        waiting = sorted((await self._rig.chain.pool()).items())
        if waiting:
            await self._rig.chain.ask("anvil_dropTransaction", self._dice.choice(waiting)[1]["hash"])

    async def _spike(self) -> None:
        await self._rig.chain.set_base_fee(self._dice.choice([1, 5, 30, 150, 400]) * GWEI)
        await self._mine()

    async def _restart(self) -> None:
        await self._rig.restart()

    async def _stranger(self) -> None:
        """Someone else uses the key, for the very next number."""
        nonce = await self._rig.chain.nonce()
        if nonce not in await self._rig.chain.pool():
            await self._rig.chain.foreign(nonce)
            self.strangers += 1

    async def _lie(self) -> None:
        """Only where another node could tell the truth."""
        if len(self._rig.proxies) > 1:
            methods, fault = LIES[self._dice.choice(list(LIES))]
            for method in methods.split():
                self._rig.proxies[0].add(fault(), method, times=self._dice.choice([3, 30]))


@pytest.fixture
async def walked(anvil: Anvil, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[FaultRig]:
    """Before one node, or before two ways to it."""
    async with FaultProxy(anvil.url, seed=1) as one, FaultProxy(anvil.url, seed=2) as other:
        proxies = [one, other] if request.param % 2 else [one]
        rig = FaultRig(anvil, proxies, tmp_path / "data", EvmPolicy(confirmations=DEPTH, gas_price_cap=CAP))
        FIRST_BLOCK[:] = [(await anvil.ask("eth_getBlockByNumber", "0x1", False))["hash"]]
        await rig.start()
        yield rig
        await rig.stop()


@pytest.mark.torture
@pytest.mark.parametrize(("walked", "seed"), [(seed, seed) for seed in range(rounds(2, 30))], indirect=["walked"])
async def test_after_any_walk_everything_is_final_once_and_true(walked: FaultRig, seed: int) -> None:
    """D3, D4, D6, E1, E2, E4, N1, N2, C1, C2, F1, F3."""
    walk = Walk(walked, seed)
    await walk.go()
    await judge_everything(walked, walk.receivers, cap=CAP, depth=DEPTH, foreign=walk.strangers)
