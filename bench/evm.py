"""EVM: from POST to mined and confirmed on anvil with 1 s blocks; throughput of one lane and of four.

anvil's own limit is measured in the same run: presigned bytes straight to it, nothing of ours between.
"""

import asyncio
import json
import time
from datetime import datetime
from pathlib import Path

import aiohttp

from baton.chains.evm import build, keys, wire
from baton.chains.evm.ask import Ask
from baton.chains.evm.price import Dynamic
from baton.devnet.anvil import Anvil, cache_folder, ensure_anvil
from baton.domain.curve import Curve
from baton.domain.json import Json
from baton.signers.local import LocalSigner
from bench.load import Measured, get_json, paced, percentile
from bench.report import Report
from bench.service import Service, document, service

GWEI = 10**9
MORE = 1.06
# The accounts that every anvil funds at its start; public keys of a development chain.
KEYS = (
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    "7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    "47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
)


async def run(folder: Path, seconds: float) -> None:
    report = Report("EVM (anvil, 1 s blocks)").start()
    binary = await ensure_anvil(cache_folder(), print)
    anvil = Anvil(binary, folder / "anvil")
    await anvil.start(block_time_s=1, extra=("--gas-limit", "100000000"))
    try:
        own_limit = await _own_limit(anvil, min(seconds, 10.0))
        report.add("anvil alone, presigned bytes straight to it", f"{own_limit:,.0f} tx/s")
        async with service(folder, document(KEYS[:4], anvil.url)) as running:
            await _latency(report, running, min(seconds, 20.0))
            await _burst(report, running, 1000)
            await _sustained(report, running, anvil, lanes=1, aim=500, seconds=seconds)
            await _sustained(report, running, anvil, lanes=4, aim=850, seconds=seconds)
    finally:
        await anvil.stop()


def _post(running: Service, lane: int, number: int) -> bytes:
    body = {"to": f"0x{number % 1000 + 0xBA70:040x}", "value": 1, "speed": "fast"}
    return running.target.request("POST", f"/api/v1/relayers/bench-{lane}/transactions", json.dumps(body).encode())


async def _latency(report: Report, running: Service, seconds: float) -> None:
    measured = await paced(running.target, lambda n: _post(running, 0, n), per_s=50, seconds=seconds)
    ids = _ids(measured)
    await _all_confirmed(running, 1, len(ids))
    mined, confirmed = [], []
    for record in await _records(running, 0, len(ids)):
        if record["id"] in ids:
            created = datetime.fromisoformat(record["created_at"])
            confirmed.append((datetime.fromisoformat(record["confirmed_at"]) - created).total_seconds())
            mined.append(confirmed[-1])
    report.add(
        "POST → mined and confirmed (1 confirmation), p50 at 50/s", f"{percentile(mined, 0.5):.2f} s", "at most 0.75 s"
    )
    report.add("  p99", f"{percentile(confirmed, 0.99):.2f} s")


async def _burst(report: Report, running: Service, count: int) -> None:
    before = await _confirmed(running, 1)
    begun = time.perf_counter()
    await paced(running.target, lambda n: _post(running, 0, n), per_s=100_000, seconds=count / 100_000)
    await _all_confirmed(running, 1, before + count)
    report.add(f"burst of {count:,} on one lane, all confirmed", f"{time.perf_counter() - begun:.1f} s")


async def _sustained(report: Report, running: Service, anvil: Anvil, *, lanes: int, aim: float, seconds: float) -> None:
    """What is carried counts until the last one is confirmed, so a little more than the aim is offered."""
    per_s = aim * MORE
    before, cpu = await _confirmed(running, lanes), running.cpu_s()
    calls = await _round_trips(running)
    begun = time.perf_counter()
    measured = await paced(running.target, lambda n: _post(running, n % lanes, n), per_s=per_s, seconds=seconds)
    sent = len(measured.latencies)
    await _all_confirmed(running, lanes, before + sent)
    wall_s = time.perf_counter() - begun
    cpu, calls = running.cpu_s() - cpu, await _round_trips(running) - calls
    report.add(
        f"{lanes} lane(s), {per_s:.0f} tx/s offered for {seconds:.0f} s: carried",
        f"{sent / wall_s:,.0f} tx/s",
        f"at least {aim:.0f}",
    )
    report.add("  last confirmed after the last POST", f"{wall_s - measured.wall_s:.1f} s")
    report.add("  server CPU per transaction", f"{cpu / sent * 1e6:,.0f} µs")
    report.add("  HTTP round trips to the node per transaction", f"{calls / sent:.3f}", "below 0.1")
    assert anvil.is_running


def _ids(measured: Measured) -> set[str]:
    return {json.loads(body)["data"]["id"] for body in measured.bodies}


async def _records(running: Service, lane: int, count: int) -> list[Json]:
    path = f"/api/v1/relayers/bench-{lane}/transactions/?per_page=1000&page="
    pages = [await get_json(running.target, f"{path}{page}") for page in range(1, count // 1000 + 2)]
    return [record for page in pages for record in page["data"]]


async def _confirmed(running: Service, lanes: int) -> int:
    paths = [f"/api/v1/relayers/bench-{lane}/transactions/?per_page=0&status=confirmed" for lane in range(lanes)]
    return sum([(await get_json(running.target, path))["pagination"]["total_items"] for path in paths])


async def _all_confirmed(running: Service, lanes: int, count: int) -> None:
    async with asyncio.timeout(300):
        while await _confirmed(running, lanes) < count:
            await asyncio.sleep(0.1)


async def _round_trips(running: Service) -> float:
    """HTTP requests to nodes so far, from the service's own metrics."""
    from bench.load import get

    text = (await get(running.target, "/metrics")).decode()
    lines = [line for line in text.splitlines() if line.startswith("baton_rpc_request_seconds_count")]
    return sum(float(line.rpartition(" ")[2]) for line in lines)


async def _own_limit(anvil: Anvil, seconds: float) -> float:
    """How many presigned transfers a second anvil takes and mines by itself."""
    signer = LocalSigner(Curve.SECP256K1, bytes.fromhex(KEYS[4]))
    count = int(1500 * seconds)
    plain = [
        wire.unsigned(build.envelope(Ask(1, "0x" + "ba" * 20), 31337, n, 21000, Dynamic(20 * GWEI, GWEI)))
        for n in range(count)
    ]
    signatures = await signer.sign([one.digest for one in plain])
    raws = [wire.attach(one, s, signer.public_key).raw for one, s in zip(plain, signatures, strict=True)]
    address = keys.address(signer.public_key)
    begun = time.perf_counter()
    async with aiohttp.ClientSession() as session:
        for start in range(0, count, 200):
            batch = [
                {"jsonrpc": "2.0", "id": n, "method": "eth_sendRawTransaction", "params": ["0x" + raw.hex()]}
                for n, raw in enumerate(raws[start : start + 200])
            ]
            async with session.post(anvil.url, json=batch) as answer:
                await answer.read()
    while int(await anvil.ask("eth_getTransactionCount", address, "latest"), 16) < count:
        await asyncio.sleep(0.05)
    return count / (time.perf_counter() - begun)
