"""The application behind a real socket, with limits small enough to be reached in a test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.asgi_client import TOKEN
from tests.house import House, open_house

from baton.api.limits import Limits
from baton.api.server import serving

PATIENCE_S = 20
LIMITS = Limits(head_s=0.3, body_s=0.3, keep_alive_s=3, connections=8, rate_burst=10_000)


@dataclass(frozen=True)
class Answered:
    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """One connection, spoken by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def say(self, *parts: bytes | str) -> None:
        for part in parts:
            self.writer.write(part if isinstance(part, bytes) else part.replace("\n", "\r\n").encode())
        await self.writer.drain()

    async def hear(self) -> Answered:
        head = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE_S)).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return Answered(int(head[0].split()[1]), headers, body)

    async def is_closed(self) -> bool:
        """Waits for the other side to close; false if it sends something more instead."""
        return await asyncio.wait_for(self.reader.read(1), PATIENCE_S) == b""

    async def close(self) -> None:
        self.writer.close()


Dial = Callable[[], Awaitable[Wire]]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path, LIMITS) as opened:
        yield opened


@pytest.fixture
async def port(house: House) -> AsyncIterator[int]:
    async with serving(house.api, "127.0.0.1", 0, LIMITS, drain_s=2) as listening:
        yield listening


@pytest.fixture
async def dial(port: int) -> AsyncIterator[Dial]:
    wires: list[Wire] = []

    async def dial_one() -> Wire:
        wire = Wire(*await asyncio.open_connection("127.0.0.1", port))
        wires.append(wire)
        return wire

    yield dial_one
    for wire in wires:
        await wire.close()


def post(body: bytes, path: str = "/api/v1/relayers/evm-local/transactions", extra: str = "") -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n{extra}"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
