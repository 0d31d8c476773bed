"""The same suite before every family's real local node, each behind a recording proxy. Blocks come only when told."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.contract.chains.bench import Bench
from tests.contract.chains.driver import Driver
from tests.contract.chains.evm_driver import EvmDriver
from tests.contract.chains.solana_driver import SolanaDriver
from tests.contract.chains.stellar_driver import StellarDriver
from tests.faults.proxy import FaultProxy
from tests.lane_rig import LaneRig

from baton.devnet.anvil import Anvil
from baton.devnet.solana import SolanaDevnet
from baton.devnet.stellar import StellarDevnet


@pytest.fixture
async def proxy() -> AsyncIterator[FaultProxy]:
    async with FaultProxy("") as one:
        yield one


@pytest.fixture(params=["evm", "solana", "stellar"])
async def driver(
    request: pytest.FixtureRequest, proxy: FaultProxy, tmp_path: Path, anvil_path: Path
) -> AsyncIterator[Driver]:
    found: Driver
    if request.param == "evm":
        anvil = Anvil(anvil_path, tmp_path / "anvil")
        await anvil.start(extra=["--no-mining", "--order", "fees"])
        await anvil.ask("anvil_mine", "0x5")
        proxy.upstream_url = anvil.url
        found = EvmDriver(anvil, proxy)
    elif request.param == "solana":
        solana = await SolanaDevnet().start(manual=True)
        proxy.upstream_url = solana.url
        found = SolanaDriver(solana, proxy)
    else:
        stellar = await StellarDevnet().start(manual=True)
        proxy.upstream_url = stellar.url
        found = await StellarDriver(stellar, proxy).ready()
    yield found
    await found.close()


@pytest.fixture
async def bench(driver: Driver) -> AsyncIterator[Bench]:
    one = Bench(driver)
    await one.start()
    yield one
    await one.stop()


@pytest.fixture
async def rig(driver: Driver, tmp_path: Path) -> AsyncIterator[LaneRig]:
    async with AsyncExitStack() as stack:
        one = LaneRig(driver.parts, tmp_path / "data")
        stack.push_async_callback(one.stop)
        await one.start()
        yield one
