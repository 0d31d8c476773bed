"""Runs the application on a socket, inside our own composition root: no signals, no logging set-up of its own."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from baton.api.asgi import Api
from baton.api.limits import Limits
from baton.api.protocol import GuardedProtocol
from baton.domain.errors import Misconfigured

_BACKLOG = 2048


@asynccontextmanager
async def serving(app: Api, host: str, port: int, limits: Limits, drain_s: int = 10) -> AsyncIterator[int]:
    """Listens from enter to exit, and gives the port. At exit it takes nothing new, finishes what is being answered
    (for `drain_s` at most) and closes."""
    protocol = type("LimitedProtocol", (GuardedProtocol,), {"limits": limits})
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=limits.keep_alive_s,
        timeout_graceful_shutdown=drain_s,
    )
    with _listener(host, port) as listener:
        server = _Server(config)
        running = asyncio.create_task(server.serve_quietly(listener))
        try:
            await server.up.wait()
            yield int(listener.getsockname()[1])
        finally:
            server.should_exit = True
            await running


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise Misconfigured([f"cannot listen on {host}:{port}: {error.strerror or error}"]) from error


class _Server(uvicorn.Server):
    """uvicorn's server; signals stay with whoever runs us."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def serve_quietly(self, listener: socket.socket) -> None:
        await self._serve([listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()
