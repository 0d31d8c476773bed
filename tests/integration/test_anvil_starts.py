"""The real anvil: it starts, mines as asked, and leaves nothing behind."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from baton.devnet.anvil import CHAIN_ID, Anvil
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json

ANVIL_ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
PATIENCE_S = 20
TRANSFER: Json = {"from": ANVIL_ACCOUNT, "to": "0x" + "11" * 20, "value": "0x1"}


@pytest.fixture
async def anvil(anvil_path: Path, tmp_path: Path) -> AsyncIterator[Anvil]:
    node = Anvil(anvil_path, tmp_path)
    yield node
    await node.kill()


async def mined(anvil: Anvil, hash_: str) -> dict[str, Json]:
    """The receipt; anvil answers the sender before it has made the block."""
    async with asyncio.timeout(PATIENCE_S):
        while not (receipt := await anvil.ask("eth_getTransactionReceipt", hash_)):
            await asyncio.sleep(0.02)
    return dict(receipt)


async def test_it_answers_as_soon_as_start_returns(anvil: Anvil) -> None:
    await anvil.start()
    assert await anvil.ask("eth_chainId") == hex(CHAIN_ID)
    assert await anvil.ask("eth_accounts") != []


async def test_without_a_block_time_a_transaction_makes_its_block(anvil: Anvil) -> None:
    await anvil.start()
    first = await mined(anvil, await anvil.ask("eth_sendTransaction", TRANSFER))
    second = await mined(anvil, await anvil.ask("eth_sendTransaction", TRANSFER))
    assert [first["blockNumber"], second["blockNumber"]] == ["0x1", "0x2"]
    assert await anvil.ask("eth_blockNumber") == "0x2"


async def test_with_a_block_time_blocks_come_without_transactions(anvil: Anvil) -> None:
    await anvil.start(block_time_s=0.2)
    sent = await anvil.ask("eth_sendTransaction", TRANSFER)
    async with asyncio.timeout(PATIENCE_S):
        while int(await anvil.ask("eth_blockNumber"), 16) < 3:
            await asyncio.sleep(0.05)
    assert (await mined(anvil, sent))["status"] == "0x1"


async def test_extra_arguments_reach_the_node(anvil: Anvil) -> None:
    await anvil.start(extra=["--chain-id", "777"])
    assert await anvil.ask("eth_chainId") == hex(777)


async def test_two_nodes_take_ports_of_their_own(anvil: Anvil, anvil_path: Path, tmp_path: Path) -> None:
    other = Anvil(anvil_path, tmp_path / "other")
    await asyncio.gather(anvil.start(), other.start())
    try:
        assert anvil.port != other.port
    finally:
        await other.kill()


async def test_a_taken_port_is_refused_with_the_nodes_own_words(anvil: Anvil, anvil_path: Path, tmp_path: Path) -> None:
    await anvil.start()
    other = Anvil(anvil_path, tmp_path / "other")
    with pytest.raises(NodeUnavailable, match="in use"):
        await other.start(port=anvil.port)
    assert not other.is_running


async def test_a_killed_node_starts_again_on_its_port_with_a_new_chain(anvil: Anvil) -> None:
    await anvil.start()
    port = anvil.port
    await anvil.ask("anvil_mine", "0x5")
    await anvil.kill()
    await anvil.start(port=port)
    assert anvil.port == port
    assert await anvil.ask("eth_blockNumber") == "0x0"


async def test_a_stopped_node_comes_back_with_its_state(anvil: Anvil, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    await anvil.start(state=state)
    await anvil.ask("anvil_mine", "0x5")
    await anvil.stop()
    await anvil.start(state=state)
    assert await anvil.ask("eth_blockNumber") == "0x5"


async def test_its_home_and_log_are_in_its_own_folder(anvil: Anvil, tmp_path: Path) -> None:
    await anvil.start()
    home = (tmp_path / "home").resolve()
    assert f"HOME={home}".encode() in Path(f"/proc/{anvil.pid}/environ").read_bytes().split(b"\0")
    assert anvil.log.is_relative_to(tmp_path)


PARENT = """
import asyncio, sys, time
from pathlib import Path
from baton.devnet.anvil import Anvil
anvil = Anvil(Path(sys.argv[1]), Path(sys.argv[2]))
asyncio.run(anvil.start())
print(anvil.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
async def test_it_dies_with_a_killed_parent(anvil_path: Path, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(anvil_path), str(tmp_path), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    child = int(await process.stdout.readline())
    process.kill()
    await process.wait()
    async with asyncio.timeout(PATIENCE_S):
        while _is_alive(child):
            await asyncio.sleep(0.02)


def _is_alive(pid: int) -> bool:
    """A zombie is dead: whoever inherited it has not looked yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
