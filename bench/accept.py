"""Accepting: durable POSTs a second on one core, and their latency at a steady rate."""

import json
from pathlib import Path

from bench.load import flood, paced
from bench.report import Report
from bench.service import document, service

PATH = "/api/v1/relayers/bench-0/transactions"
KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
NOWHERE = "http://127.0.0.1:9"  # no node answers there: accepting asks none


def body(number: int) -> bytes:
    return json.dumps({"to": f"0x{number + 1:040x}", "value": 1, "speed": "fast", "data": "0x"}).encode()


async def run(folder: Path, seconds: float) -> None:
    report = Report("Accept (one process, one core, SQLite, synchronous=FULL)").start()
    async with service(folder, document([KEY], NOWHERE)) as running:
        target = running.target
        cpu = running.cpu_s()
        measured = await flood(target, lambda n: target.request("POST", PATH, body(n)), connections=64, seconds=seconds)
        cpu = running.cpu_s() - cpu
        report.add("durable accepts/s, 64 connections", f"{measured.per_s:,.0f}", "at least 2,000")
        report.add("  p50 / p99", f"{measured.percentile(0.5) * 1e3:.1f} / {measured.percentile(0.99) * 1e3:.1f} ms")
        report.add("  server CPU per accept", f"{cpu / len(measured.latencies) * 1e6:,.0f} µs")
        report.add("  answers", str(measured.statuses), "all 200")
        steady = await paced(target, lambda n: target.request("POST", PATH, body(n)), per_s=500, seconds=seconds)
        report.add("p99 at 500/s", f"{steady.percentile(0.99) * 1e3:.1f} ms", "at most 40 ms")
        report.add("p50 at 500/s", f"{steady.percentile(0.5) * 1e3:.1f} ms")
