"""A Solana devnet whose blocks come only when a test asks, a client for it, and a funded account."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from solders.keypair import Keypair
from tests.integration.devnet.solana_wallet import SOL, Rpc

from baton.devnet.solana import SolanaDevnet


@pytest.fixture
async def solana() -> AsyncIterator[SolanaDevnet]:
    devnet = await SolanaDevnet().start(manual=True)
    yield devnet
    await devnet.stop()


@pytest.fixture
async def rpc(solana: SolanaDevnet) -> AsyncIterator[Rpc]:
    async with aiohttp.ClientSession() as session:
        yield Rpc(solana.url, session)


@pytest.fixture
def payer(solana: SolanaDevnet) -> Keypair:
    keypair = Keypair()
    solana.airdrop(str(keypair.pubkey()), 100 * SOL)
    return keypair
