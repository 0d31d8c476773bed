"""Stellar: transactions for each ledger of 1 s on the simulator, one account alone and with 20 channel accounts."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from baton.chains.stellar.wire import address_of
from baton.devnet.keys import development_seed
from baton.devnet.process import DevnetProcess
from baton.domain.curve import Curve
from baton.domain.json import Json
from baton.signers.local import LocalSigner
from bench.load import get_json, paced
from bench.report import Report
from bench.service import Service, service

CHANNELS = 20
SEEDS = {"narrow": development_seed("bench-narrow"), "wide": development_seed("bench-wide")}
DESTINATION = address_of(LocalSigner(Curve.ED25519, development_seed("bench-receiver")).public_key)


@dataclass(frozen=True, slots=True)
class Carried:
    count: int
    ledgers: int

    @property
    def per_ledger(self) -> float:
        return self.count / max(self.ledgers, 1)


async def run(folder: Path, seconds: float) -> None:
    report = Report("Stellar (simulator, 1 s ledgers)").start()
    node = DevnetProcess("baton.devnet.stellar", folder)
    funded = [_address(seed) for seed in SEEDS.values()] + [DESTINATION]
    url = await node.start("--close-ms", "1000", *(word for address in funded for word in ("--fund", address)))
    try:
        async with service(folder, document(url)) as running:
            alone = await _sustained(running, url, "narrow", per_s=2, seconds=min(seconds, 30.0))
            report.add("one account, offered 2 a second", f"{alone.per_ledger:.2f} a ledger", "1 a ledger")
            await _warm(running)
            many = await _sustained(running, url, "wide", per_s=CHANNELS * 1.5, seconds=seconds)
            report.add(
                f"{CHANNELS} channels, offered {CHANNELS * 1.5:.0f} a second for {seconds:.0f} s",
                f"{many.per_ledger:.1f} a ledger",
                "at least 15",
            )
    finally:
        await node.stop()


def document(url: str) -> Json:
    return {
        "signers": [
            {"id": name, "type": "local", "config": {"key": {"type": "plain", "value": seed.hex()}}}
            for name, seed in SEEDS.items()
        ],
        "relayers": [
            {
                "id": name,
                "network": "local",
                "network_type": "stellar",
                "signer_id": name,
                "custom_rpc_urls": [url],
                "policies": {"channel_accounts": CHANNELS if name == "wide" else 0},
            }
            for name in SEEDS
        ],
    }


def _address(seed: bytes) -> str:
    return address_of(LocalSigner(Curve.ED25519, seed).public_key)


def _post(running: Service, relayer: str, number: int) -> bytes:
    asset = {"type": "native"}
    operation = {"type": "payment", "destination": DESTINATION, "asset": asset, "amount": number + 1}
    wish = {"network": "local", "operations": [operation], "memo": {"type": "id", "value": number}}
    return running.target.request("POST", f"/api/v1/relayers/{relayer}/transactions", json.dumps(wish).encode())


async def _sustained(running: Service, url: str, relayer: str, *, per_s: float, seconds: float) -> Carried:
    """Counts over the time in which more is offered than fits; what is left in the queue is not waited for."""
    load = asyncio.create_task(
        paced(running.target, lambda n: _post(running, relayer, n), per_s=per_s, seconds=seconds, connections=2)
    )
    while not await _confirmed(running, relayer):
        await asyncio.sleep(0.05)
    first, begun = await _ledger(url), await _confirmed(running, relayer)
    await load
    return Carried(await _confirmed(running, relayer) - begun, await _ledger(url) - first)


async def _warm(running: Service) -> None:
    """Channels are made with the first transaction."""
    await paced(running.target, lambda n: _post(running, "wide", n), per_s=10, seconds=0.1, connections=1)
    while not await _confirmed(running, "wide"):
        await asyncio.sleep(0.1)


async def _confirmed(running: Service, relayer: str) -> int:
    path = f"/api/v1/relayers/{relayer}/transactions/?per_page=0&status=confirmed"
    return int((await get_json(running.target, path))["pagination"]["total_items"])


async def _ledger(url: str) -> int:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "getLatestLedger"}
    async with aiohttp.ClientSession() as session, session.post(url, json=asked) as answer:
        return int((await answer.json())["result"]["sequence"])
