"""Odd nodes and an endpoint on one of them."""

from collections.abc import AsyncIterator

import pytest
from tests.fakes import FakeClock
from tests.unit.chains.rpc.odd_node import OddNode, odd_node

from baton.chains.rpc import Endpoint, RpcSettings
from baton.chains.rpc.transport import Transport

SETTINGS = RpcSettings(timeout_s=5, batch_limit=20, concurrency=4, response_limit_bytes=100_000)


@pytest.fixture
async def node() -> AsyncIterator[OddNode]:
    async with odd_node() as found:
        yield found


@pytest.fixture
async def other() -> AsyncIterator[OddNode]:
    async with odd_node() as found:
        yield found


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def endpoint(node: OddNode, clock: FakeClock) -> AsyncIterator[Endpoint]:
    transport = Transport(SETTINGS, clock)
    yield Endpoint(node.url, transport, SETTINGS, clock)
    await transport.close()
