"""`PATCH /api/v1/relayers/{id}` with `custom_rpc_urls`, against `baton serve` as it runs: in force at once.

Two relayers stand on one network, with a recording proxy for each way to the chain. The network is not a local one, so
that nodes of another chain are a mistake.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from bench.service import TOKEN, service
from eth_account import Account
from tests.database import rows
from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import fresh_address

from baton.devnet.anvil import CHAIN_ID, Anvil
from baton.devnet.keys import EVM_RELAYER_KEY

MOVER, STAYER = "mover", "stayer"
DEAD = "http://127.0.0.1:9"  # nothing listens there
PATIENCE_S = 30.0
LOOK_S = 0.05  # another process: there is nothing to be woken by
OTHER_KEY = bytes(range(1, 33))

Answer = tuple[int, Any]


def configuration(rpc_url: str) -> dict[str, Any]:
    keys = {MOVER: EVM_RELAYER_KEY.hex(), STAYER: OTHER_KEY.hex()}
    return {
        "signers": [
            {"id": name, "type": "local", "config": {"key": {"type": "plain", "value": key}}}
            for name, key in keys.items()
        ],
        "networks": [
            {
                "network": "house",
                "type": "evm",
                "chain_id": CHAIN_ID,
                "required_confirmations": 1,
                "average_blocktime_ms": 500,
                "symbol": "ETH",
                "features": ["eip1559"],
                "rpc_urls": [rpc_url],
            }
        ],
        "relayers": [{"id": name, "network": "house", "network_type": "evm", "signer_id": name} for name in keys],
    }


class Client:
    """An operator with curl."""

    def __init__(self, session: ClientSession, anvil: Anvil, home: FaultProxy, other: FaultProxy, folder: Path) -> None:
        self._session = session
        self.anvil = anvil
        self.home = home  # the network's own node
        self.other = other
        self._folder = folder

    async def ask(self, method: str, path: str, body: Any = None) -> Answer:
        async with self._session.request(method, f"/api/v1/relayers/{path}", json=body) as response:
            return response.status, (await response.json()).get("data")

    async def give(self, relayer: str, *urls: str) -> Any:
        status, shown = await self.ask("PATCH", relayer, {"custom_rpc_urls": list(urls) or None})
        assert status == 200
        return shown

    async def pay(self, relayer: str) -> str:
        status, record = await self.ask("POST", f"{relayer}/transactions", {"to": fresh_address(), "value": 1})
        assert status == 200, record
        return str(record["id"])

    async def record(self, relayer: str, one: str) -> Any:
        return (await self.ask("GET", f"{relayer}/transactions/{one}"))[1]

    async def reaches(self, relayer: str, one: str, status: str) -> Any:
        async def is_there() -> bool:
            return bool((await self.record(relayer, one))["status"] == status)

        await until(is_there)
        return await self.record(relayer, one)

    async def shows_disabled(self, relayer: str, *words: str) -> None:
        async def is_so() -> bool:
            shown = (await self.ask("GET", relayer))[1]
            told = shown.get("disabled_reason", {}).get("details", "")
            return shown["system_disabled"] == bool(words) and all(word in told for word in words)

        await until(is_so)

    async def runs(self, relayer: str) -> None:
        async def is_so() -> bool:
            return (await self.ask("GET", f"{relayer}/status"))[0] == 200

        await until(is_so)

    async def falls_silent(self, proxy: FaultProxy) -> None:
        """Until nobody has asked it anything for some polls of the head."""

        async def is_so() -> bool:
            before = proxy.http_requests
            await asyncio.sleep(0.5)
            return proxy.http_requests == before

        await until(is_so)

    def epoch(self, relayer: str) -> int:
        key = {MOVER: EVM_RELAYER_KEY, STAYER: OTHER_KEY}[relayer]
        address = str(Account.from_key(key).address)
        found = rows(self._folder / "data", "SELECT epoch FROM lanes WHERE lower(lane) LIKE '%' || lower(?)", address)
        return int(found[0][0])


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await is_so():
            await asyncio.sleep(LOOK_S)


@pytest.fixture
async def anvil(anvil_path: Path, tmp_path: Path) -> AsyncIterator[Anvil]:
    node = Anvil(anvil_path, tmp_path / "anvil")
    await node.start(extra=["--no-mining"])
    await node.ask("anvil_mine", "0x3")
    await node.ask("anvil_setBalance", str(Account.from_key(OTHER_KEY).address), hex(10**20))
    yield node
    await node.kill()


@pytest.fixture
async def client(anvil: Anvil, tmp_path: Path) -> AsyncIterator[Client]:
    async with AsyncExitStack() as stack:
        home, other = [await stack.enter_async_context(FaultProxy(anvil.url)) for _ in range(2)]
        folder = tmp_path / "service"
        running = await stack.enter_async_context(service(folder, configuration(home.url)))
        base, headers = f"http://127.0.0.1:{running.target.port}", {"Authorization": f"Bearer {TOKEN}"}
        session = await stack.enter_async_context(ClientSession(base, headers=headers))
        found = Client(session, anvil, home, other, folder)
        await found.runs(MOVER)
        await found.runs(STAYER)
        yield found


async def test_new_nodes_are_used_at_once_and_null_leads_back(client: Client) -> None:
    """What is in flight is confirmed through them; a lane that stays is not disturbed; a line is shared or closed."""
    one = await client.pay(MOVER)
    sent = await client.reaches(MOVER, one, "submitted")
    shown = await client.give(MOVER, client.other.url)
    assert shown["custom_rpc_urls"] == [{"url": f"{client.other.url}/***", "weight": 100}]
    await until(lambda: _is_asked(client.other))
    await client.runs(MOVER)
    await client.anvil.ask("evm_mine")
    assert (await client.reaches(MOVER, one, "confirmed"))["hash"] == sent["hash"]
    assert (client.epoch(MOVER), client.epoch(STAYER)) == (2, 1)

    await client.give(STAYER, client.other.url)  # the same nodes: one line, and nobody left on the old one
    await client.falls_silent(client.home)
    both = [(name, await client.pay(name)) for name in (MOVER, STAYER)]
    for name, each in both:
        await client.reaches(name, each, "submitted")
    await client.anvil.ask("evm_mine")
    for name, each in both:
        await client.reaches(name, each, "confirmed")

    assert "custom_rpc_urls" not in await client.give(MOVER)
    await client.give(STAYER)
    await client.falls_silent(client.other)
    last = await client.pay(STAYER)
    await client.reaches(STAYER, last, "submitted")
    assert len(client.home.forwarded) == 2, "the first payment of the one, the last of the other"


async def _is_asked(proxy: FaultProxy) -> bool:
    return proxy.http_requests > 0


async def test_dead_nodes_are_told_of_and_mended_by_another_patch(client: Client) -> None:
    await client.give(MOVER, DEAD)
    await until(lambda: _is_not_running(client))
    one = await client.pay(MOVER)
    _, told = await client.ask("GET", f"{MOVER}/transactions/{one}/explain")
    assert "no node" in told["why"]
    await client.runs(STAYER)
    await client.give(MOVER, client.other.url)
    await client.reaches(MOVER, one, "submitted")
    await client.anvil.ask("evm_mine")
    await client.reaches(MOVER, one, "confirmed")


async def _is_not_running(client: Client) -> bool:
    return (await client.ask("GET", f"{MOVER}/status"))[0] == 503


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["--chain-id", "4711"], ["serve another chain", "4711", str(CHAIN_ID)]),
        (["--timestamp", "2000000000"], ["serve another chain", "than before"]),
    ],
    ids=["another chain id", "another first block"],
)
async def test_nodes_of_another_chain_disable_the_relayer_until_they_are_corrected(
    client: Client, anvil_path: Path, tmp_path: Path, extra: list[str], words: list[str]
) -> None:
    """Nothing in flight is given up for a mistyped address, and nothing is signed for the other chain."""
    one = await client.pay(MOVER)
    sent = await client.reaches(MOVER, one, "submitted")
    elsewhere = Anvil(anvil_path, tmp_path / "elsewhere")
    await elsewhere.start(extra=extra)
    try:
        async with FaultProxy(elsewhere.url) as wrong:
            await client.give(MOVER, wrong.url)
            await client.shows_disabled(MOVER, *words)
            refused, _ = await client.ask("POST", f"{MOVER}/transactions", {"to": fresh_address(), "value": 1})
            assert refused == 403
            await client.shows_disabled(STAYER)
            assert (await client.record(MOVER, one))["status"] == "submitted"
            assert not wrong.sent
            await client.give(MOVER, client.other.url)
            await client.shows_disabled(MOVER)
    finally:
        await elsewhere.kill()
    await client.anvil.ask("evm_mine")
    assert (await client.reaches(MOVER, one, "confirmed"))["hash"] == sent["hash"]
    await client.reaches(MOVER, await client.pay(MOVER), "submitted")
