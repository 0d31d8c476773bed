"""Solana: 200 transactions a second through one relayer on the local node with 400 ms slots; from POST to the cluster's vote.

Two relayers on two views of the same chain: one counts a landing as final when a supermajority has voted for its block,
which measures the way there; the other waits for finality, which measures what a lane carries.
"""

import asyncio
import base64
import json
import time
from datetime import datetime
from pathlib import Path

from baton.chains.solana.wire import address_of
from baton.devnet.keys import development_seed
from baton.devnet.process import DevnetProcess
from baton.domain.curve import Curve
from baton.domain.json import Json
from baton.signers.local import LocalSigner
from bench.load import get_json, paced, percentile
from bench.report import Report
from bench.service import Service, service

SLOT_S = 0.4
VOTED, FINAL = "voted", "final"
SEEDS = {name: development_seed(f"bench {name}") for name in (VOTED, FINAL)}
ADDRESSES = {name: address_of(LocalSigner(Curve.ED25519, seed).public_key) for name, seed in SEEDS.items()}
RECEIVER = address_of(LocalSigner(Curve.ED25519, development_seed("bench receiver")).public_key)


async def run(folder: Path, seconds: float) -> None:
    report = Report("Solana (local node, 400 ms slots)").start()
    node = DevnetProcess("baton.devnet.solana", folder / "devnet")
    funded = [part for address in (*ADDRESSES.values(), RECEIVER) for part in ("--fund", address)]
    try:
        url = await node.start(*funded)
        async with service(folder, _document(url)) as running:
            await _latency(report, running, min(seconds, 20.0))
            await _sustained(report, running, per_s=200, seconds=seconds)
    finally:
        await node.stop()


def _document(url: str) -> Json:
    return {
        "signers": [
            {"id": name, "type": "local", "config": {"key": {"type": "plain", "value": seed.hex()}}}
            for name, seed in SEEDS.items()
        ],
        "networks": [
            {"type": "solana", "network": VOTED, "from": "local", "tags": ["confirmed-is-final"]},
            {"type": "solana", "network": FINAL, "from": "local"},
        ],
        "relayers": [
            {
                "id": name,
                "network": name,
                "network_type": "solana",
                "signer_id": name,
                "custom_rpc_urls": [url, "ws" + url.removeprefix("http")],
            }
            for name in SEEDS
        ],
    }


def _post(running: Service, name: str, number: int) -> bytes:
    """Equal ones among them: every thousandth pays the same."""
    data = (2).to_bytes(4, "little") + (1 + number % 1000).to_bytes(8, "little")
    accounts = [
        {"pubkey": ADDRESSES[name], "is_signer": True, "is_writable": True},
        {"pubkey": RECEIVER, "is_signer": False, "is_writable": True},
    ]
    instruction = {
        "program_id": "11111111111111111111111111111111",
        "accounts": accounts,
        "data": base64.b64encode(data).decode(),
    }
    body = json.dumps({"instructions": [instruction]}).encode()
    return running.target.request("POST", f"/api/v1/relayers/{name}/transactions", body)


async def _latency(report: Report, running: Service, seconds: float) -> None:
    measured = await paced(running.target, lambda n: _post(running, VOTED, n), per_s=50, seconds=seconds)
    count = len(measured.latencies)
    await _all_confirmed(running, VOTED, count)
    waits = []
    for page in range(1, count // 1000 + 2):
        path = f"/api/v1/relayers/{VOTED}/transactions/?per_page=1000&page={page}"
        for record in (await get_json(running.target, path))["data"]:
            created = datetime.fromisoformat(record["created_at"])
            waits.append((datetime.fromisoformat(record["confirmed_at"]) - created).total_seconds() / SLOT_S)
    report.add("POST → confirmed commitment, p50 at 50/s", f"{percentile(waits, 0.5):.1f} slots")
    report.add("  p99", f"{percentile(waits, 0.99):.1f} slots")


async def _sustained(report: Report, running: Service, *, per_s: float, seconds: float) -> None:
    cpu, begun = running.cpu_s(), time.perf_counter()
    measured = await paced(running.target, lambda n: _post(running, FINAL, n), per_s=per_s, seconds=seconds)
    sent = len(measured.latencies)
    await _all_confirmed(running, FINAL, sent)
    wall_s = time.perf_counter() - begun
    rest_s = wall_s - measured.wall_s
    report.add(
        f"1 lane, {per_s:.0f} tx/s offered for {seconds:.0f} s: accepted",
        f"{sent / measured.wall_s:,.0f} tx/s",
        f"at least {per_s:.0f}",
    )
    report.add("  last finalized after the last POST", f"{rest_s:.1f} s", "about 13 s, the finality of the chain")
    report.add("  server CPU per transaction", f"{(running.cpu_s() - cpu) / sent * 1e6:,.0f} µs")


async def _all_confirmed(running: Service, name: str, count: int) -> None:
    path = f"/api/v1/relayers/{name}/transactions/?per_page=0&status=confirmed"
    async with asyncio.timeout(300):
        while (await get_json(running.target, path))["pagination"]["total_items"] < count:
            await asyncio.sleep(0.2)
