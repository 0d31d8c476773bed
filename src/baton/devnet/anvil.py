"""One local EVM chain: an anvil process with its address, its log and its end.

It listens on 127.0.0.1 only. anvil takes a free port itself and tells it in its log, so no other process can slip
in between choosing and listening, and an answer on that port is surely ours.
"""

import asyncio
import ctypes
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import aiohttp

from baton.devnet.fetch import ANVIL_VERSION, cache_folder, ensure_anvil
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json

__all__ = ["ANVIL_VERSION", "Anvil", "cache_folder", "ensure_anvil"]

CHAIN_ID = 31337  # anvil's own

_START_TIMEOUT_S = 20
_STOP_TIMEOUT_S = 5
_LISTENING = re.compile(rb"^Listening on 127\.0\.0\.1:(\d+)", re.MULTILINE)
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Anvil:
    """`folder` holds the process's home and its log; nothing outside it is written."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self._binary = binary
        self._home = folder / "home"
        self.log = folder / "anvil.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._running().pid

    @property
    def port(self) -> int:
        """Stays the same after the end, so that a test can start the node again where its clients look for it."""
        return self._port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def ws_url(self) -> str:
        return f"ws://127.0.0.1:{self._port}"

    async def start(
        self,
        *,
        port: int = 0,
        block_time_s: float | None = None,
        state: Path | None = None,
        extra: Sequence[str] = (),
    ) -> None:
        """Returns when the node answers. Without `block_time_s` each transaction is mined at once.

        `port` 0 takes a free one. `state` is read if it exists, and written by `stop` (not by `kill`).
        """
        if self.is_running:
            raise NodeUnavailable(f"anvil {self.pid} runs already; stop it first")
        arguments = ["--host", "127.0.0.1", "--port", str(port), "--color", "never", *extra]
        if block_time_s is not None:
            arguments += ["--block-time", str(block_time_s)]
        if state is not None:
            arguments += ["--state", str(state)]
        self._spawn(arguments)
        try:
            await self._until_answering()
        except BaseException:  # a start that was given up leaves no process behind
            await self.kill()
            raise

    async def ask(self, method: str, *params: Json) -> Json:
        """One JSON-RPC call, for tests and set-up. Relayers use their own client."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        async with aiohttp.ClientSession() as session, session.post(self.url, json=body) as response:
            answer = await response.json()
        if "error" in answer:
            raise NodeUnavailable(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    async def stop(self) -> None:
        """Ends it in good order (the state is written). Twice is no harm."""
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        """Ends it as a crash would."""
        await self._end(signal.SIGKILL)

    async def _end(self, how: signal.Signals) -> None:
        process = self._process
        if process is None:
            return
        process.send_signal(how)
        try:
            await asyncio.to_thread(process.wait, _STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)
        self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise NodeUnavailable("anvil is not running")
        return self._process

    def _spawn(self, arguments: list[str]) -> None:
        """A process of the standard library's plain kind: it may outlive the event loop that started it.

        It has a session of its own, so that a Ctrl-C at the terminal reaches us alone and we can finish our work
        with the node before we stop it. It gets none of our environment: that may hold secrets.
        """
        self._home.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own binary, our own arguments
                [self._binary, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={"HOME": str(self._home), "PATH": os.defpath},
                start_new_session=True,
                preexec_fn=_die_with_parent if _LIBC else None,  # noqa: PLW1509 - one system call, no lock
            )

    async def _until_answering(self) -> None:
        try:
            async with asyncio.timeout(_START_TIMEOUT_S):
                self._port = await self._told_port()
                # A line for each request would cost time and disk under load.
                await self.ask("anvil_setLoggingEnabled", False)
                await self.ask("eth_chainId")
        except TimeoutError:
            raise NodeUnavailable(f"anvil did not answer in {_START_TIMEOUT_S} s: {self._last_words()}") from None
        except aiohttp.ClientError as error:
            raise NodeUnavailable(f"anvil does not answer: {error}") from error

    async def _told_port(self) -> int:
        """Waits for the log's own words. The file is asked every 10 ms: anvil is up after about 150."""
        while not (told := _LISTENING.search(self.log.read_bytes())):
            if self._running().poll() is not None:
                raise NodeUnavailable(f"anvil ended at once: {self._last_words()}")
            await asyncio.sleep(0.01)
        return int(told[1])

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return " / ".join(lines[-4:]) or "it said nothing"


def _die_with_parent() -> None:
    """Runs in the child before anvil does: a killed parent leaves no orphan. Only Linux offers this."""
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
