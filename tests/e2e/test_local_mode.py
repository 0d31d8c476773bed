"""`make run` as a newcomer meets it: the printed line is sent as it stands; kill -9, start again, send again."""

import asyncio
import contextlib
import json
import os
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

PATIENCE_S = 60.0
LOOK_S = 0.05  # another process: there is nothing to be woken by
LAST_WORDS = "Ctrl-C stops it."


@dataclass(frozen=True, slots=True)
class Local:
    """A running `baton dev`, as far as what it printed tells."""

    session: ClientSession
    process: asyncio.subprocess.Process
    curl: list[str]  # the printed line, in its words

    async def send_the_printed_line(self) -> str:
        headers = dict(
            word.split(": ", 1) for flag, word in zip(self.curl, self.curl[1:], strict=False) if flag == "-H"
        )
        body = self.curl[self.curl.index("-d") + 1]
        async with self.session.post(self.curl[2], data=body, headers=headers) as answer:
            assert answer.status == 200
            return str((await answer.json())["data"]["id"])

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        base, token = self.curl[2].partition("/relayers")[0], self.curl[4].removeprefix("Authorization: Bearer ")
        headers = {"Authorization": f"Bearer {token}"}
        async with self.session.request(method, base + path, json=body, headers=headers) as answer:
            assert answer.status == 200, await answer.text()
            return (await answer.json())["data"]

    async def confirmed(self, transaction_id: str) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while (await self.ask("GET", f"/relayers/evm-local/transactions/{transaction_id}"))[
                "status"
            ] != "confirmed":
                await asyncio.sleep(LOOK_S)


@asynccontextmanager
async def started(folder: Path) -> AsyncIterator[Local]:
    """From its table on; whatever is left of it at the end is killed."""
    environ = {**os.environ, "BATON_DATA_DIR": str(folder), "APP_PORT": "0"}
    command = (sys.executable, "-m", "baton", "dev")
    process = await asyncio.create_subprocess_exec(*command, env=environ, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        printed = ""
        async with asyncio.timeout(PATIENCE_S):
            while LAST_WORDS not in printed:
                line = await process.stdout.readline()
                assert line, printed
                printed += line.decode()
        curl = shlex.split(printed.partition("first transaction:")[2].partition(LAST_WORDS)[0].replace("\\\n", " "))
        async with ClientSession() as session:
            yield Local(session, process, curl)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def test_run_send_kill_run_send_and_what_was_changed_stays_changed(tmp_path: Path) -> None:
    async with started(tmp_path) as local:
        assert json.loads(local.curl[local.curl.index("-d") + 1])["value"] == 1
        first = await local.send_the_printed_line()
        await local.confirmed(first)
        await local.ask("PATCH", "/relayers/evm-local", {"name": "Mine", "custom_rpc_urls": None})
        await local.confirmed(await local.send_the_printed_line())
        local.process.kill()
    async with started(tmp_path) as local:  # the chain is a new one, on another port; the store is not
        assert (await local.ask("GET", "/relayers/evm-local"))["name"] == "Mine"
        await local.confirmed(await local.send_the_printed_line())
        assert (await local.ask("GET", f"/relayers/evm-local/transactions/{first}"))["status"] == "confirmed"
        assert {one["id"] for one in await local.ask("GET", "/relayers")} == {
            "evm-local",
            "solana-local",
            "stellar-local",
        }
