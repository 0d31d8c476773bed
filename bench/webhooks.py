"""Webhooks: how long from a change to its receiver, what hanging receivers cost the others, and events per second and core.

10,000 events to 50 receivers, of which 5 hang; then the same to the 45 healthy ones alone; then as fast as it goes.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

import uvloop

from baton.chains.evm.language import EvmLanguage
from baton.commands.registry import Relayers
from baton.domain.clock import SystemClock
from baton.domain.ids import ordered_id, random_id
from baton.domain.network import Family, Network
from baton.domain.notification import Notification
from baton.domain.policy import EvmPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Revision
from baton.storage.changes import Accept, CreateNotification
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore
from baton.webhooks.telling import TellingSettings, telling
from bench.report import Report

HEALTHY, HANGING = 45, 5
EVENTS = 10_000
PER_S = 250  # of the paced runs
TICK_S = 0.02
CONTENT = {"to": "0x" + "11" * 20, "value": "1", "data": None, "speed": None}


@dataclass
class Receivers:
    process: asyncio.subprocess.Process
    ports: list[int]

    async def ages_ms(self) -> list[float]:
        """Of everything that arrived since the last question, sorted."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"\n")
        return sorted(age * 1000 for age in json.loads(await self.process.stdout.readline()))


@asynccontextmanager
async def receivers() -> AsyncIterator[Receivers]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.receivers", str(HEALTHY), str(HANGING),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=64 * 1024 * 1024,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield Receivers(process, json.loads(await process.stdout.readline()))
    finally:
        process.kill()
        await process.wait()


@dataclass
class Load:
    """A store with one relayer for each receiver, and everything that tells of it."""

    store: SqliteStore
    clock: SystemClock

    async def accept(self, names: list[str]) -> None:
        revision = Revision(1, CONTENT, None)
        await self.store.write_all([Accept(ordered_id(), name, revision, self.clock.now(), 10**9) for name in names])


def relayer(number: int) -> Relayer:
    name = f"r{number}"
    address = f"0x{number:040x}"
    return Relayer(name, name, "local", Family.EVM, "s", address, EvmPolicy(), notification_ids=(f"n{number}",))


@asynccontextmanager
async def telling_to(folder: Path, ports: list[int]) -> AsyncIterator[Load]:
    clock = SystemClock()
    language = EvmLanguage(Network("local", Family.EVM, chain_id=31337, is_local=True))
    relayers = Relayers(lambda _: language, [relayer(number) for number in range(len(ports))])
    store = await SqliteStore.open(folder, Cipher(bytes(32)))
    for number, port in enumerate(ports):
        notification = Notification(f"n{number}", f"http://127.0.0.1:{port}/", clock.now(), "key-" * 8)
        await store.write(CreateNotification(notification))
    settings = TellingSettings([ip_network("127.0.0.0/8")])
    async with telling(store, relayers, clock, random_id(), settings):
        yield Load(store, clock)
    await store.close()


async def paced(folder: Path, hears: Receivers, ports: list[int]) -> list[float]:
    """Ages on arrival, in ms, of everything that healthy receivers got."""
    async with telling_to(folder, ports) as load:
        names = [f"r{number % len(ports)}" for number in range(EVENTS)]
        began = time.monotonic()
        for first in range(0, EVENTS, int(PER_S * TICK_S)):
            await load.accept(names[first : first + int(PER_S * TICK_S)])
            await asyncio.sleep(max(0.0, began + (first / PER_S) + TICK_S - time.monotonic()))
        wanted = sum(int(name[1:]) < HEALTHY for name in names)
        return await arrived(hears, wanted)


async def arrived(hears: Receivers, wanted: int) -> list[float]:
    ages_ms: list[float] = []
    async with asyncio.timeout(120):
        while len(ages_ms) < wanted:
            await asyncio.sleep(0.05)
            ages_ms += await hears.ages_ms()
    return sorted(ages_ms)


async def at_full_speed(folder: Path, hears: Receivers, ports: list[int]) -> tuple[float, float]:
    """Events per second, and per second of processor time (accepting them is not counted)."""
    async with telling_to(folder, ports) as load:
        names = [f"r{number % len(ports)}" for number in range(EVENTS)]
        for first in range(0, EVENTS, 1000):
            await load.accept(names[first : first + 1000])
        began, began_cpu, already = time.monotonic(), time.process_time(), len(await hears.ages_ms())
        await arrived(hears, EVENTS - already)
        count = EVENTS - already
        return count / (time.monotonic() - began), count / (time.process_time() - began_cpu)


def percentile(ages_ms: list[float], share: float) -> float:
    return round(ages_ms[min(len(ages_ms) - 1, int(len(ages_ms) * share))], 1)


async def run(folder: Path | None = None) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="baton-bench-") as made:
        place = folder or Path(made)
        async with receivers() as hears:
            with_bad = await paced(place / "with", hears, hears.ports)
            without = await paced(place / "without", hears, hears.ports[:HEALTHY])
            per_s, per_core_s = await at_full_speed(place / "full", hears, hears.ports[:HEALTHY])
    figures = {
        "p50_ms": percentile(without, 0.5),
        "p99_ms": percentile(without, 0.99),
        "p50_with_hanging_ms": percentile(with_bad, 0.5),
        "p99_with_hanging_ms": percentile(with_bad, 0.99),
        "delivered_per_s": round(per_s),
        "delivered_per_core_s": round(per_core_s),
    }
    report(figures)
    return figures


def report(figures: dict[str, float]) -> None:
    lines = Report(f"webhooks: {EVENTS} events to {HEALTHY + HANGING} receivers, {PER_S} a second").start()
    lines.add("from the change to the receiver, p50", f"{figures['p50_ms']} ms")
    lines.add("from the change to the receiver, p99", f"{figures['p99_ms']} ms")
    lines.add(f"the same while {HANGING} receivers hang, p50", f"{figures['p50_with_hanging_ms']} ms")
    lines.add(f"the same while {HANGING} receivers hang, p99", f"{figures['p99_with_hanging_ms']} ms")
    lines.add("delivered, as fast as it goes", f"{figures['delivered_per_s']}/s")
    lines.add("delivered per second of one core", f"{figures['delivered_per_core_s']}/s")


def main() -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())


if __name__ == "__main__":
    main()
