"""`baton listen`: a small receiver of webhooks. It verifies both signatures and prints what comes."""

import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from aiohttp import web

from baton.cli.serve import asked_to_stop, run
from baton.domain.errors import Misconfigured
from baton.webhooks.signature import body_signature, standard_signature

HOST = "127.0.0.1"
DEFAULT_PORT = 8090
BODY_BYTES = 1024 * 1024
TOLERANCE_S = 300  # of a timestamp, both ways: what the Standard Webhooks libraries grant

Port = Annotated[int, typer.Option("--port", "-p", min=0, max=65_535, help="Where to listen; 0 takes a free port.")]
Key = Annotated[
    str, typer.Option("--key", "-k", envvar="BATON_LISTEN_KEY", help="The notification's signing key, to verify with.")
]
Raw = Annotated[bool, typer.Option("--raw", help="Print each body as it came, one line each.")]


def listen(port: Port = DEFAULT_PORT, key: Key = "", raw: Raw = False) -> None:
    """Receive webhooks on this machine, verify them and print them."""

    async def main() -> None:
        async with receiving(port, key, typer.echo, is_raw=raw) as url:
            checks = "checking both signatures" if key else "no --key given: signatures are not checked"
            typer.echo(f"listening on {url} ({checks}); Ctrl-C stops it")
            await asked_to_stop()

    run(main)


@asynccontextmanager
async def receiving(port: int, key: str, tell: Callable[[str], object], *, is_raw: bool = False) -> AsyncIterator[str]:
    """A receiver from enter to exit; gives its URL. What does not verify is answered 401, as a real one should."""
    seen: set[str] = set()

    async def receive(request: web.Request) -> web.Response:
        body = await request.read()
        verdict = verify(key, request.headers, body, time.time())
        event_id = request.headers.get("webhook-id", "")
        tell(body.decode("utf-8", "replace") if is_raw else line(body, verdict, is_again=event_id in seen))
        seen.add(event_id)
        return web.Response(status=200 if verdict.is_good else 401)

    app = web.Application(client_max_size=BODY_BYTES)
    app.router.add_post("/{path:.*}", receive)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port)
        try:
            await site.start()
        except OSError as error:
            raise Misconfigured([f"cannot listen on {HOST}:{port}: {error.strerror or error}"]) from error
        yield f"http://{HOST}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def receiving_for_dev(base: str, token: str) -> AsyncIterator[str]:
    """The receiver of `baton dev`; gives the words that tell how to make it hear. The same key at each start."""
    key = "dev-" + hashlib.sha256(b"dev receiver" + token.encode()).hexdigest()[:32]
    async with AsyncExitStack() as stack:
        try:
            url = await stack.enter_async_context(receiving(DEFAULT_PORT, key, typer.echo))
        except Misconfigured:  # another receiver is there already
            url = await stack.enter_async_context(receiving(0, key, typer.echo))
        body = json.dumps({"id": "dev", "url": url, "signing_key": key})
        yield (
            "webhooks, verified and printed here once this is registered:\n"
            f"  curl -s {base}/api/v1/notifications -H 'Authorization: Bearer {token}' \\\n"
            f"    -H 'Content-Type: application/json' -d '{body}'\n"
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    is_good: bool
    words: str


def verify(key: str, headers: Mapping[str, str], body: bytes, now_s: float) -> Verdict:
    """As a receiver should: constant time, any entry of a list may match, and an old timestamp is a replay."""
    if not key:
        return Verdict(is_good=True, words="not checked")
    if not hmac.compare_digest(headers.get("X-Signature", ""), body_signature(key, body)):
        return Verdict(is_good=False, words="X-Signature does not verify")
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        return Verdict(is_good=False, words="webhook-timestamp is missing")
    expected = standard_signature(key, event_id, int(timestamp), body)
    entries = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(entry.encode(), expected.encode()) for entry in entries):
        return Verdict(is_good=False, words="webhook-signature does not verify")
    if abs(now_s - int(timestamp)) > TOLERANCE_S:
        return Verdict(is_good=False, words="webhook-timestamp is too old or too new")
    return Verdict(is_good=True, words="both signatures verified")


def line(body: bytes, verdict: Verdict, *, is_again: bool = False) -> str:
    """One event in one line, for eyes."""
    mark = "✓" if verdict.is_good else "✗"
    try:
        event = json.loads(body)
        payload = event["payload"]
        subject = payload.get("relayer", {}).get("id") or payload.get("relayer_id") or payload.get("notification_id")
        parts = [event["event"], subject, payload.get("id"), payload.get("status", payload.get("payload_type"))]
        if "sequence" in event:
            parts.append(f"#{event['sequence']}")
        parts += [payload.get("hash"), payload.get("status_reason")]
    except (ValueError, KeyError, TypeError, AttributeError):
        parts = [body[:200].decode("utf-8", "replace")]
    words = "  ".join(str(part) for part in parts if part)
    again = "  (again)" if is_again else ""
    return "".join(char if char.isprintable() else "?" for char in f"webhook {mark} {words}{again}  [{verdict.words}]")
