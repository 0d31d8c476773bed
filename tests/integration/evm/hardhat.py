"""A hardhat node: stricter than anvil about replacements, and without block receipts. Needs Node.js; fetched once."""

import asyncio
import os
import re
import subprocess
from pathlib import Path

import aiohttp
from tests.integration.devnet.node_packages import installed_packages, node_program

from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json

PACKAGES = ["hardhat@2.29.1"]
CONFIG = """module.exports = { networks: { hardhat: { chainId: 31337, mining: { auto: false, interval: 0 } } } };
"""
_LISTENING = re.compile(rb"server at http://127\.0\.0\.1:(\d+)")
_START_TIMEOUT_S = 60


class Hardhat:
    """Mines when told, like the anvil of the other tests; its first account is the same."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = folder / "hardhat.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def ws_url(self) -> str:
        return f"ws://127.0.0.1:{self._port}"

    async def start(self) -> None:
        packages = await asyncio.to_thread(installed_packages, PACKAGES)
        self._folder.mkdir(parents=True, exist_ok=True)
        config = packages / "hardhat.config.js"  # hardhat runs only from where it is installed
        await asyncio.to_thread(config.write_text, CONFIG)
        command = [node_program(), "node_modules/hardhat/internal/cli/bootstrap.js", "node"]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: ASYNC220 - it must outlive the loop that started it
                [*command, "--hostname", "127.0.0.1", "--port", "0"],
                cwd=packages,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={"HOME": str(self._folder), "PATH": os.defpath, "HARDHAT_DISABLE_TELEMETRY_PROMPT": "true"},
            )
        async with asyncio.timeout(_START_TIMEOUT_S):
            while not (told := _LISTENING.search(self._log.read_bytes())):
                if not self.is_running:
                    raise NodeUnavailable(f"hardhat ended at once: {self._log.read_text()[-400:]}")
                await asyncio.sleep(0.05)
        self._port = int(told[1])

    async def ask(self, method: str, *params: Json) -> Json:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        async with aiohttp.ClientSession() as session, session.post(self.url, json=body) as response:
            answer = await response.json()
        if "error" in answer:
            raise NodeUnavailable(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    async def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
