"""Devnets whose blocks and ledgers come only when a test asks, clients for them, and funded accounts."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from stellar_sdk.soroban_server_async import SorobanServerAsync
from tests.integration.devnet.solana_wallet import SOL, Rpc
from tests.integration.devnet.stellar_wallet import Wallet

from baton.devnet.solana import SolanaDevnet
from baton.devnet.stellar import StellarDevnet


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


@pytest.fixture
def friend() -> Pubkey:
    return Keypair().pubkey()


@pytest.fixture
async def stellar() -> AsyncIterator[StellarDevnet]:
    async with await StellarDevnet().start(manual=True) as devnet:
        yield devnet


@pytest.fixture
async def wallet(stellar: StellarDevnet) -> AsyncIterator[Wallet]:
    async with SorobanServerAsync(stellar.url) as server:
        yield Wallet(stellar, server)
