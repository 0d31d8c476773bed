"""kill -9 of the whole service under load: nothing acknowledged is lost, and the chain saw each transaction once.

The judge is the chain: every request pays one wei to an address of its own, so a balance says how often it landed.
"""

import asyncio
import json
import os
import random
import signal
from pathlib import Path

import pytest
from bench.load import Target, exchange, get_json
from bench.service import Service, document, service
from tests.rounds import rounds

from baton.devnet.anvil import Anvil
from baton.devnet.keys import EVM_RELAYER_KEY
from baton.domain.json import Json

CONNECTIONS = 8
PATH = "/api/v1/relayers/bench-0/transactions"


class Client:
    """Posts until its connection dies; remembers what was acknowledged, and what may have been."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, str] = {}  # id → receiver
        self.asked: list[str] = []

    async def post(self, target: Target, stop: asyncio.Event) -> None:
        try:
            reader, writer = await asyncio.open_connection(target.host, target.port)
            while not stop.is_set():
                receiver = f"0x{random.getrandbits(160):040x}"
                self.asked.append(receiver)
                body = json.dumps({"to": receiver, "value": 1, "speed": "fast"}).encode()
                status, answer = await exchange(reader, writer, target.request("POST", PATH, body))
                assert status == 200, answer
                self.acknowledged[json.loads(answer)["data"]["id"]] = receiver
            writer.close()
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # killed: what was asked last exists once or not at all


async def _until_killed(running: Service, client: Client, posts: int) -> None:
    """Loads the service, and kills it as soon as it has acknowledged so many more."""
    wanted = len(client.acknowledged) + posts
    posting = [asyncio.create_task(client.post(running.target, asyncio.Event())) for _ in range(CONNECTIONS)]
    while len(client.acknowledged) < wanted:
        await asyncio.sleep(0)
    os.kill(running.pid, signal.SIGKILL)
    await asyncio.gather(*posting)


async def _settled(target: Target) -> list[Json]:
    """Every record, once all are final."""
    async with asyncio.timeout(120):
        while True:
            first = await get_json(target, f"{PATH}/?per_page=1000")
            pages = range(2, first["pagination"]["total_items"] // 1000 + 2)
            records = first["data"] + [
                record
                for page in pages
                for record in (await get_json(target, f"{PATH}/?per_page=1000&page={page}"))["data"]
            ]
            if all(record["status"] in ("confirmed", "failed", "expired", "canceled") for record in records):
                return list(records)
            await asyncio.sleep(0.1)


@pytest.mark.torture
async def test_a_killed_service_carries_every_acknowledged_transaction_once(anvil_path: Path, tmp_path: Path) -> None:
    """D1, D2, D3, E1, N3: whatever the instruction at which it is killed."""
    anvil = Anvil(anvil_path, tmp_path / "anvil")
    await anvil.start(block_time_s=0.2)
    config = document([EVM_RELAYER_KEY.hex()], anvil.url)
    dice, client = random.Random(3), Client()
    try:
        for _ in range(rounds(quick=3, full=100)):
            async with service(tmp_path / "service", config) as running:
                await _until_killed(running, client, dice.randint(1, 150))
        async with service(tmp_path / "service", config) as running:
            records = await _settled(running.target)
        by_id = {record["id"]: record for record in records}
        assert client.acknowledged.keys() <= by_id.keys()
        assert {record["status"] for record in records} == {"confirmed"}
        receivers = [record["to"] for record in records]
        assert len(set(receivers)) == len(receivers), "a request without an answer exists once or not at all"
        landed = {one: int(await anvil.ask("eth_getBalance", one, "latest"), 16) for one in client.asked}
        assert {one for one, wei in landed.items() if wei} == set(receivers)
        assert max(landed.values()) == 1
        nonces = sorted(record["nonce"] for record in records)
        assert len(set(nonces)) == len(nonces)
    finally:
        await anvil.stop()
