"""A local chain of ours as a process of its own: it works beside the service and does not slow its event loop.

The chain takes a free port itself and tells its address in its log, so an answer there is surely ours.
"""

import asyncio
import ctypes
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from baton.domain.errors import NodeUnavailable

_START_TIMEOUT_S = 30
_STOP_TIMEOUT_S = 5
_ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+")
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def _die_with_parent() -> None:
    """Runs in the child first: a killed parent leaves no orphan. Only Linux offers this."""
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class DevnetProcess:
    """`python -m module`, until it is stopped. Its words go to a log in `folder`."""

    def __init__(self, module: str, folder: Path) -> None:
        self._module = module
        self.log = folder / f"{module.rpartition('.')[2]}.log"
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self, *arguments: str) -> str:
        """Returns the address once it listens."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        # None of our environment but the way to the code: it may hold secrets.
        environment = {"PATH": os.defpath} | {k: v for k, v in os.environ.items() if k == "PYTHONPATH"}
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - ours, and started in a moment
                [sys.executable, "-m", self._module, "--port", "0", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # a Ctrl-C at the terminal reaches us alone, and we end it in good order
                preexec_fn=_die_with_parent if _LIBC else None,  # noqa: PLW1509 - one system call, no lock
            )
        try:
            async with asyncio.timeout(_START_TIMEOUT_S):
                return await self._told_address(self._process)
        except TimeoutError:
            await self.stop()
            raise NodeUnavailable(f"{self._module} did not start in {_START_TIMEOUT_S} s: see {self.log}") from None
        except BaseException:  # a start that was given up leaves no process behind
            await self.stop()
            raise

    async def stop(self) -> None:
        """Twice is no harm."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            await asyncio.to_thread(process.wait, _STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)

    async def _told_address(self, process: subprocess.Popen[bytes]) -> str:
        while not (told := _ADDRESS.search(self.log.read_bytes())):
            if process.poll() is not None:
                raise NodeUnavailable(f"{self._module} ended at once: see {self.log}")
            await asyncio.sleep(0.02)
        return told[0].decode()
