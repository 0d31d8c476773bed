"""Surfpool, the second Solana node: another hand's RPC server over the real SVM, where Node.js is present.

It differs from a validator in ways of its own (`docs/devnets.md`): a test that holds on both nodes leans on neither.
"""

import asyncio
import json
import platform
import shutil
from pathlib import Path
from typing import Self

import pytest
from tests.integration.devnet.node_packages import installed_packages, node_program

_PACKAGE = "@solana/surfpool-linux-x64-gnu"
_VERSION = "1.5.0"
_SCRIPT = Path(__file__).with_suffix(".cjs")
_START_TIMEOUT_S = 30
_STOP_TIMEOUT_S = 5


class Surfpool:
    def __init__(self, process: asyncio.subprocess.Process, url: str, ws_url: str) -> None:
        self._process = process
        self.url = url
        self.ws_url = ws_url

    @classmethod
    async def start(cls, slot_ms: int = 100) -> Self:
        """Returns when it answers; skips the test where it cannot run."""
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            pytest.skip(f"Surfpool is pinned for Linux on x86_64, this is {platform.system()} on {platform.machine()}")
        folder = await asyncio.to_thread(installed_packages, [f"{_PACKAGE}@{_VERSION}"])
        script = folder / _SCRIPT.name
        await asyncio.to_thread(shutil.copyfile, _SCRIPT, script)
        process = await asyncio.create_subprocess_exec(
            node_program(),
            str(script),
            str(slot_ms),
            cwd=folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), _START_TIMEOUT_S)
        assert line, "Surfpool ended before it said where it listens"
        told = json.loads(line)
        return cls(process, told["url"], told["ws_url"])

    async def stop(self) -> None:
        """Twice is no harm."""
        if self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _STOP_TIMEOUT_S)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
