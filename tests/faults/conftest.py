"""A node of their own for the tests of an EVM lane before nodes that fail."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.integration.evm.chain import patient_anvil

from baton.devnet.anvil import Anvil


@pytest.fixture
async def anvil(anvil_path: Path, tmp_path: Path) -> AsyncIterator[Anvil]:
    async with patient_anvil(anvil_path, tmp_path / "anvil", blocks=6) as node:
        yield node
