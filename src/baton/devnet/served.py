"""A devnet as a server of the loopback in the caller's event loop: how it is started, left and stopped."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from typing import Self

from aiohttp import web

from baton.domain.errors import Bug

HOST = "127.0.0.1"
_SHUTDOWN_S = 1.0


class Served(ABC):
    def __init__(self) -> None:
        self._runner: web.AppRunner | None = None
        self._beat: asyncio.Task[None] | None = None  # what makes its blocks by the clock

    @abstractmethod
    async def start(self) -> Self:
        """Returns when it listens."""

    @property
    def port(self) -> int:
        if self._runner is None:
            raise Bug("this devnet does not run")
        return int(self._runner.addresses[0][1])

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    async def _serve(self, app: web.Application, port: int) -> None:
        """`port` 0 takes a free one."""
        if self._runner is not None:
            raise Bug("this devnet runs already")
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_S)
        await self._runner.setup()
        await self._listen(port)

    async def _listen(self, port: int) -> None:
        assert self._runner is not None
        await web.TCPSite(self._runner, HOST, port).start()

    async def stop(self) -> None:
        """Twice is no harm."""
        if self._beat is not None:
            self._beat.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._beat
            self._beat = None
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        return self if self._runner is not None else await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
