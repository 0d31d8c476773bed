"""A lean HTTP/1.1 client on raw streams: a benchmark must not measure its own client library."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from baton.domain.json import Json


@dataclass(frozen=True, slots=True)
class Target:
    host: str
    port: int
    token: str

    def request(self, method: str, path: str, body: bytes = b"") -> bytes:
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


@dataclass(slots=True)
class Measured:
    """What a run of requests saw. Times are seconds."""

    latencies: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    bodies: list[bytes] = field(default_factory=list)
    wall_s: float = 0.0

    @property
    def per_s(self) -> float:
        return len(self.latencies) / self.wall_s

    def percentile(self, share: float) -> float:
        return percentile(self.latencies, share)


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> tuple[int, bytes]:
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head[9:12])
    lower = head.lower()
    at = lower.index(b"content-length:") + 15
    size = int(lower[at : lower.index(b"\r\n", at)])
    return status, await reader.readexactly(size)


async def get(target: Target, path: str) -> bytes:
    reader, writer = await asyncio.open_connection(target.host, target.port)
    try:
        _, body = await exchange(reader, writer, target.request("GET", path))
        return body
    finally:
        writer.close()


async def get_json(target: Target, path: str) -> Json:
    return json.loads(await get(target, path))


async def flood(target: Target, make: Callable[[int], bytes], *, connections: int, seconds: float) -> Measured:
    """As fast as answers come, on so many connections at once."""
    measured, counter = Measured(), iter(range(10**9))
    stop_at = time.perf_counter() + seconds

    async def one() -> None:
        reader, writer = await asyncio.open_connection(target.host, target.port)
        while (begun := time.perf_counter()) < stop_at:
            status, _ = await exchange(reader, writer, make(next(counter)))
            measured.latencies.append(time.perf_counter() - begun)
            measured.statuses[status] = measured.statuses.get(status, 0) + 1
        writer.close()

    begun = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(connections)))
    measured.wall_s = time.perf_counter() - begun
    return measured


async def paced(
    target: Target, make: Callable[[int], bytes], *, per_s: float, seconds: float, connections: int = 64
) -> Measured:
    """At a steady rate; a latency counts from the moment the request was due, so that a stall is not hidden."""
    measured = Measured()
    due: asyncio.Queue[tuple[int, float] | None] = asyncio.Queue()

    async def one() -> None:
        reader, writer = await asyncio.open_connection(target.host, target.port)
        while (item := await due.get()) is not None:
            number, at = item
            status, body = await exchange(reader, writer, make(number))
            measured.latencies.append(time.perf_counter() - at)
            measured.statuses[status] = measured.statuses.get(status, 0) + 1
            measured.bodies.append(body)
        writer.close()

    workers = [asyncio.create_task(one()) for _ in range(connections)]
    begun = time.perf_counter()
    for number in range(int(per_s * seconds)):
        at = begun + number / per_s
        pause_s = at - time.perf_counter()
        if pause_s > 0:
            await asyncio.sleep(pause_s)
        due.put_nowait((number, at))
    for _ in workers:
        due.put_nowait(None)
    await asyncio.gather(*workers)
    measured.wall_s = time.perf_counter() - begun
    return measured
