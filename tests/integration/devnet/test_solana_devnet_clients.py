"""The official clients take the Solana devnet for a node: solana-py, @solana/kit and @solana/web3.js."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed, Processed
from solana.rpc.core import RPCException
from solana.rpc.models import TxOpts
from solana.rpc.websocket_api import SolanaWsClient
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.rpc.responses import RpcSignatureResponse, SignatureNotification, SlotNotification
from solders.transaction import VersionedTransaction
from solders.transaction_status import TransactionConfirmationStatus
from tests.integration.devnet.node_packages import run_script
from tests.integration.devnet.solana_wallet import FEE, SOL, pay

from baton.devnet.solana import SolanaDevnet

HERE = Path(__file__).parent
KIT = ("@solana/kit@8.4.0", "@solana-program/system@0.14.1")
WEB3 = ("@solana/web3.js@1.99.0",)


@pytest.fixture
async def running() -> AsyncIterator[SolanaDevnet]:
    devnet = await SolanaDevnet().start(slot_ms=50)
    yield devnet
    await devnet.stop()


@pytest.fixture
async def client(running: SolanaDevnet) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(running.url, commitment=Confirmed) as client:
        yield client


def signed(payer: Keypair, to: Pubkey, lamports: int, blockhash: Hash) -> VersionedTransaction:
    return VersionedTransaction(
        MessageV0.try_compile(payer.pubkey(), [pay(payer, to, lamports)], [], blockhash), [payer]
    )


async def test_solana_py_reads_the_chain(client: AsyncClient, running: SolanaDevnet) -> None:
    assert await client.is_connected()
    assert str((await client.get_genesis_hash()).value) == running.genesis_hash
    assert (await client.get_version()).value.solana_core
    assert (await client.get_epoch_info()).value.absolute_slot > 0
    slot = (await client.get_slot()).value
    assert (await client.get_block_time(slot)).value is not None
    assert (await client.get_block(slot, max_supported_transaction_version=0)).value is not None
    assert (await client.get_minimum_balance_for_rent_exemption(0)).value == 890_880
    assert len((await client.get_recent_prioritization_fees()).value) == 150
    missing = Keypair().pubkey()
    assert (await client.get_account_info(missing)).value is None
    assert (await client.get_multiple_accounts([missing])).value == [None]


async def test_solana_py_sends_and_confirms_a_transfer(client: AsyncClient, running: SolanaDevnet) -> None:
    payer, friend = Keypair(), Keypair().pubkey()
    airdrop = (await client.request_airdrop(payer.pubkey(), 5 * SOL)).value
    await client.confirm_transaction(airdrop, Confirmed, sleep_seconds=0.05)
    latest = (await client.get_latest_blockhash()).value
    transaction = signed(payer, friend, 2 * SOL, latest.blockhash)
    assert isinstance(transaction.message, MessageV0)
    assert (await client.get_fee_for_message(transaction.message)).value == FEE
    assert (await client.simulate_transaction(transaction, sig_verify=True)).value.units_consumed == 150
    signature = (await client.send_transaction(transaction)).value
    await client.confirm_transaction(
        signature, Confirmed, sleep_seconds=0.05, last_valid_block_height=latest.last_valid_block_height
    )
    status = (await client.get_signature_statuses([signature])).value[0]
    assert status is not None
    assert status.err is None
    assert status.confirmation_status != TransactionConfirmationStatus.Processed
    landed = (await client.get_transaction(signature, max_supported_transaction_version=0)).value
    assert landed is not None
    assert landed.transaction.meta is not None
    assert landed.transaction.meta.fee == FEE
    assert running.balance(str(friend)) == 2 * SOL
    assert (await client.get_balance(payer.pubkey())).value == 3 * SOL - FEE
    assert len((await client.get_signatures_for_address(friend)).value) == 1


async def test_solana_py_reads_a_failed_preflight(client: AsyncClient, running: SolanaDevnet) -> None:
    payer, friend = Keypair(), Keypair().pubkey()
    running.airdrop(str(payer.pubkey()), SOL)
    blockhash = (await client.get_latest_blockhash()).value.blockhash
    with pytest.raises(RPCException, match="custom program error: 0x1"):
        await client.send_transaction(signed(payer, friend, 2 * SOL, blockhash))


async def test_solana_py_hears_of_slots_and_of_its_signature(client: AsyncClient, running: SolanaDevnet) -> None:
    payer, friend = Keypair(), Keypair().pubkey()
    running.airdrop(str(payer.pubkey()), 5 * SOL)
    blockhash = (await client.get_latest_blockhash()).value.blockhash
    transaction = signed(payer, friend, SOL, blockhash)
    async with asyncio.timeout(20), SolanaWsClient(running.ws_url) as listener:
        slots = await listener.slot_subscribe()
        first = await listener.recv()
        assert isinstance(first, SlotNotification)
        assert first.result.slot > 0
        await listener.unsubscribe(slots)
        await listener.signature_subscribe(signature=transaction.signatures[0], commitment=Processed)
        await client.send_transaction(transaction, TxOpts(skip_preflight=True))
        while isinstance(news := await listener.recv(), SlotNotification):
            pass
        assert isinstance(news, SignatureNotification)
        assert isinstance(news.result.value, RpcSignatureResponse)
        assert news.result.value.err is None
    assert running.balance(str(friend)) == SOL


@pytest.fixture
def port_with_a_free_neighbour() -> int:
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            with contextlib.suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port


@pytest.mark.node
async def test_kit_sends_and_confirms_through_subscriptions(running: SolanaDevnet) -> None:
    friend = Keypair().pubkey()
    told = json.loads(await run_script(HERE / "kit_client.mjs", KIT, running.url, running.ws_url, str(friend)))
    assert running.balance(str(friend)) == 2 * SOL
    assert (told["left"], told["fee"]) == (str(3 * SOL - FEE), str(FEE))
    assert running.node.bank.blocks.find(told["signature"], running.node.newest) is not None


@pytest.mark.node
async def test_web3_js_finds_the_socket_beside_the_port_and_reads_a_failure(port_with_a_free_neighbour: int) -> None:
    friend = Keypair().pubkey()
    async with await SolanaDevnet().start(port=port_with_a_free_neighbour, slot_ms=50) as devnet:
        told = json.loads(await run_script(HERE / "web3_client.cjs", WEB3, devnet.url, str(friend)))
        assert devnet.balance(str(friend)) == 2 * SOL
    assert told["left"] == 3 * SOL - FEE
    assert told["complaint"]["name"] == "SendTransactionError"
    assert "custom program error: 0x1" in told["complaint"]["message"]
    assert any("insufficient lamports" in line for line in told["complaint"]["logs"])
