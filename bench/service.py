"""The service as a process of its own, on one core, with a configuration made for the benchmark."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from baton.domain.json import Json
from bench.load import Target, get

TOKEN = "benchmark-token-benchmark-token-benchmark"
TICKS = os.sysconf("SC_CLK_TCK")
LIFTED = {
    "API_KEY": TOKEN,
    "HOST": "127.0.0.1",
    "APP_PORT": "0",
    "RATE_LIMIT_REQUESTS_PER_SECOND": "1000000",
    "RATE_LIMIT_BURST_SIZE": "1000000",
    "BATON_QUEUE_LIMIT": "10000000",
    "LOG_LEVEL": "info",
    "LOG_FORMAT": "json",
}


@dataclass(frozen=True, slots=True)
class Service:
    target: Target
    pid: int

    def cpu_s(self) -> float:
        """Processor time of the service so far, user and system."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


def document(keys: Sequence[str], rpc_url: str, network: Json | None = None) -> Json:
    """One relayer `bench-N` for each key, on the local EVM network."""
    return {
        "signers": [
            {"id": f"key-{n}", "type": "local", "config": {"key": {"type": "plain", "value": key}}}
            for n, key in enumerate(keys)
        ],
        "networks": [network] if network else [],
        "relayers": [
            {
                "id": f"bench-{n}",
                "network": "local",
                "network_type": "evm",
                "signer_id": f"key-{n}",
                "custom_rpc_urls": [rpc_url],
            }
            for n, _ in enumerate(keys)
        ],
    }


@asynccontextmanager
async def service(folder: Path, config: Json, environ: dict[str, str] | None = None) -> AsyncIterator[Service]:
    """Starts `baton serve` on the first core and waits until it answers."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "config.json"
    file.write_text(json.dumps(config))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "baton",
        "serve",
        "--config",
        str(file),
        env={**os.environ, **LIFTED, "BATON_DATA_DIR": str(folder / "data"), **(environ or {})},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        with contextlib.suppress(AttributeError, OSError):
            os.sched_setaffinity(process.pid, {0})
        port = await _port(process)
        drain = asyncio.create_task(_drain(process, folder / "service.log"))
        target = Target("127.0.0.1", port, TOKEN)
        await get(target, "/api/v1/health")
        yield Service(target, process.pid)
        drain.cancel()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def _port(process: asyncio.subprocess.Process) -> int:
    """From the log record that says where it listens."""
    assert process.stdout is not None
    seen = []
    while line := await process.stdout.readline():
        seen.append(line)
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            if record.get("event") == "listening":
                return int(record["port"])
    raise RuntimeError("the service did not start:\n" + b"".join(seen).decode())


async def _drain(process: asyncio.subprocess.Process, log: Path) -> None:
    assert process.stdout is not None
    with log.open("wb") as file:
        while line := await process.stdout.readline():
            file.write(line)
            file.flush()
