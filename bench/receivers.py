"""Receivers in a process of their own: some answer at once, some never do. They note how old each event is on arrival.

python -m bench.receivers HEALTHY HANGING     →  a line with the ports; after a line on stdin, what was noted
"""

import asyncio
import json
import re
import sys
import time
from datetime import datetime
from functools import partial
from typing import cast

import uvloop

_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_TIMESTAMP = re.compile(rb'"timestamp":"([^"]+)"')
_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Receiver(asyncio.Protocol):
    """One connection. Reads requests one after the other; answers unless it hangs."""

    def __init__(self, ages_s: list[float], *, hangs: bool) -> None:
        self._ages_s = ages_s
        self._hangs = hangs
        self._held = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one in all but name

    def data_received(self, data: bytes) -> None:
        self._held += data
        while (end := self._held.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self._held[:end])
            size = end + 4 + (int(length[1]) if length else 0)
            if len(self._held) < size:
                return
            body, self._held = self._held[end + 4 : size], self._held[size:]
            if self._hangs:
                continue
            stamp = _TIMESTAMP.search(body)
            assert stamp is not None
            self._ages_s.append(time.time() - datetime.fromisoformat(stamp[1].decode()).timestamp())
            assert self._transport is not None
            self._transport.write(_OK)


async def main(healthy: int, hanging: int) -> None:
    loop = asyncio.get_running_loop()
    ages_s: list[float] = []
    ports = []
    for number in range(healthy + hanging):
        make = partial(Receiver, ages_s, hangs=number >= healthy)
        server = await loop.create_server(make, "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
    print(json.dumps(ports), flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(ages_s), flush=True)
        ages_s.clear()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), int(sys.argv[2])))
