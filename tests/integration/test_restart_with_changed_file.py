"""The real service, started again and again with a file that changes: the file seeds, the store rules.

The judge is the receiver: where a test event comes, and whose signatures are on it.
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web
from bench.load import Target, exchange
from bench.service import service
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from baton.domain.json import Json

PATH = "/api/v1/notifications/hook"
KEYS = ("the first key of the receiver", "the second key of the receiver")


@dataclass
class Receiver:
    """Writes down where each event came, and which of the keys verify it."""

    url: str = ""
    came: list[tuple[str, list[str]]] = field(default_factory=list)

    async def receive(self, request: web.Request) -> web.Response:
        body = await request.read()
        verifying = []
        for key in KEYS:
            try:
                Webhook("whsec_" + base64.b64encode(key.encode()).decode()).verify(body, dict(request.headers))
                verifying.append(key)
            except WebhookVerificationError:
                continue
        self.came.append((request.path, verifying))
        return web.Response()


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/{any}", receiver.receive)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield receiver
    finally:
        await runner.cleanup()


async def ask(target: Target, method: str, path: str, body: Json = None) -> int:
    reader, writer = await asyncio.open_connection(target.host, target.port)
    try:
        content = b"" if body is None else json.dumps(body).encode()
        status, _ = await exchange(reader, writer, target.request(method, path, content))
        return status
    finally:
        writer.close()


async def test_each_start_applies_what_changed_in_the_file_and_keeps_the_rest(tmp_path: Path) -> None:
    async with receiving() as receiver:
        hook = {"id": "hook", "url": f"{receiver.url}/first", "signing_key": {"type": "env", "value": "HOOK_KEY"}}

        @asynccontextmanager
        async def started(entry: Json, key: str) -> AsyncIterator[Target]:
            environ = {"HOOK_KEY": key, "WEBHOOK_ALLOWED_CIDRS": "127.0.0.0/8"}
            async with service(tmp_path, {"notifications": [entry]}, environ) as running:
                yield running.target

        async def told(target: Target) -> tuple[str, list[str]]:
            assert await ask(target, "POST", f"{PATH}/test") == 200
            return receiver.came[-1]

        async with started(hook, KEYS[0]) as target:
            assert await told(target) == ("/first", [KEYS[0]])
            assert await ask(target, "PATCH", PATH, {"url": f"{receiver.url}/patched"}) == 200
        async with started(hook, KEYS[0]) as target:
            assert await told(target) == ("/patched", [KEYS[0]]), "an unchanged entry keeps what the API changed"
        async with started(hook, KEYS[1]) as target:
            assert await told(target) == ("/first", [*KEYS]), "a changed one is applied again; the old key signs on"
            assert await ask(target, "DELETE", PATH) == 200
        async with started(hook, KEYS[1]) as target:
            assert await ask(target, "GET", PATH) == 404, "an unchanged entry does not bring back what was deleted"
        async with started({**hook, "url": f"{receiver.url}/second"}, KEYS[1]) as target:
            assert await told(target) == ("/second", [KEYS[1]])
