"""Our Solana devnet beside Surfpool: what a relayer leans on must be the same at both."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from tests.integration.devnet.solana_wallet import FEE, PROCESSED, SOL, Rpc, RpcFailed, encoded, memo, pay, sign
from tests.integration.devnet.surfpool import Surfpool

from baton.devnet.solana import SolanaDevnet


@pytest.fixture(params=["devnet", pytest.param("surfpool", marks=pytest.mark.node)])
async def node(request: pytest.FixtureRequest) -> AsyncIterator[SolanaDevnet | Surfpool]:
    node = await SolanaDevnet().start(slot_ms=50) if request.param == "devnet" else await Surfpool.start(slot_ms=50)
    yield node
    await node.stop()


@pytest.fixture
async def rpc(node: SolanaDevnet | Surfpool) -> AsyncIterator[Rpc]:
    async with aiohttp.ClientSession() as session:
        yield Rpc(node.url, session)


@pytest.fixture
async def payer(rpc: Rpc) -> Keypair:
    keypair = Keypair()
    await seen(rpc, await rpc.ask("requestAirdrop", str(keypair.pubkey()), 100 * SOL))
    return keypair


@pytest.fixture
def friend() -> Pubkey:
    return Keypair().pubkey()


async def seen(rpc: Rpc, signature: str) -> Any:
    """The status once there is one; nodes offer no signal that both speak, so this asks again."""
    async with asyncio.timeout(20):
        while (status := await rpc.status(signature)) is None:
            await asyncio.sleep(0.02)
    return status


async def balance(rpc: Rpc, address: Pubkey) -> int:
    lamports: int = await rpc.value("getBalance", str(address), PROCESSED)
    return lamports


async def test_a_transfer_with_a_priority_fee_costs_the_same(rpc: Rpc, payer: Keypair, friend: Pubkey) -> None:
    budget = [set_compute_unit_limit(2_000), set_compute_unit_price(1_000_000)]
    transaction = sign(payer, [*budget, pay(payer, friend, SOL)], await rpc.blockhash())
    tried = await rpc.value("simulateTransaction", encoded(transaction), {**PROCESSED, "encoding": "base64"})
    assert (tried["err"], tried["unitsConsumed"]) == (None, 450)
    status = await seen(rpc, await rpc.send(transaction))
    assert status["err"] is None
    assert await balance(rpc, friend) == SOL
    assert await balance(rpc, payer.pubkey()) == 99 * SOL - FEE - 2_000


async def test_a_failing_instruction_is_told_alike(rpc: Rpc, payer: Keypair, friend: Pubkey) -> None:
    transaction = sign(payer, [memo(payer, "m"), pay(payer, friend, 500 * SOL)], await rpc.blockhash())
    with pytest.raises(RpcFailed, match="Error processing Instruction 1: custom program error: 0x1") as refused:
        await rpc.send(transaction, skipPreflight=False)
    assert refused.value.code == -32002
    assert refused.value.data["err"] == {"InstructionError": [1, {"Custom": 1}]}
    assert any("insufficient lamports" in line for line in refused.value.data["logs"])


async def test_an_unknown_blockhash_is_told_alike(rpc: Rpc, payer: Keypair, friend: Pubkey) -> None:
    nowhere = str(Keypair().pubkey())
    with pytest.raises(RpcFailed, match="Blockhash not found") as refused:
        await rpc.send(sign(payer, [pay(payer, friend, SOL)], nowhere), skipPreflight=False)
    assert refused.value.code == -32002


async def test_an_unknown_program_is_told_alike(rpc: Rpc, payer: Keypair, friend: Pubkey) -> None:
    transaction = sign(payer, [Instruction(friend, b"", [])], await rpc.blockhash())
    with pytest.raises(RpcFailed) as refused:
        await rpc.send(transaction, skipPreflight=False)
    assert refused.value.code == -32002
    assert refused.value.data["err"] in ("ProgramAccountNotFound", "InvalidProgramForExecution")


async def test_a_duplicate_lands_once(rpc: Rpc, payer: Keypair, friend: Pubkey) -> None:
    transaction = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash())
    signature = await rpc.send(transaction)
    await seen(rpc, signature)
    with pytest.raises(RpcFailed, match="already been processed"):
        await rpc.send(transaction, skipPreflight=False)
    assert await balance(rpc, friend) == SOL
