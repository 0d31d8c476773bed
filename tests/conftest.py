"""What every suite may need. A suite's own fixtures live in its own folder's conftest."""

import asyncio
from pathlib import Path

import pytest

from baton.devnet.anvil import cache_folder, ensure_anvil


@pytest.fixture(scope="session")
def anvil_path() -> Path:
    """The anvil binary, fetched once into the checkout's cache."""
    return asyncio.run(ensure_anvil(cache_folder(), print))
