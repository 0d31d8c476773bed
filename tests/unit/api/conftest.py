"""Each test of the API gets a house of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.asgi_client import Client
from tests.house import House, open_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture
def client(house: House) -> Client:
    return house.client
