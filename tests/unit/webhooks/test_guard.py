"""W5: no connection to a forbidden address. The judges: listeners on the targets, and the interpreter's own audit of connects."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
from aiohttp import web
from tests.unit.webhooks.forbidden import METADATA, forbidden_urls

from baton.config.environment import LOCAL_RANGES
from baton.domain.clock import SystemClock
from baton.webhooks import guard as guard_module
from baton.webhooks.guard import Blocked, Guard
from baton.webhooks.post import Post

_connects: list[Any] = []
_is_listening = False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _is_listening and event in {"socket.connect", "socket.sendto"}:
        _connects.append(arguments[1])


sys.addaudithook(_audit)


@pytest.fixture
def connects() -> Iterator[list[Any]]:
    """Every address that this process tried to connect to during the test."""
    global _is_listening  # noqa: PLW0603 - an audit hook can never be taken away again, only silenced
    _connects.clear()
    _is_listening = True
    yield _connects
    _is_listening = False


@asynccontextmanager
async def listening(*hosts: str) -> AsyncIterator[tuple[int, list[str]]]:
    """A port on which these hosts are listened to, and who came."""
    came: list[str] = []

    async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(str(writer.get_extra_info("sockname")))
        writer.close()

    first = await asyncio.start_server(note, hosts[0], 0)
    port = first.sockets[0].getsockname()[1]
    rest = [await asyncio.start_server(note, host, port) for host in hosts[1:]]
    try:
        yield port, came
    finally:
        for server in (first, *rest):
            server.close()


async def test_no_forbidden_url_opens_a_connection(connects: list[Any]) -> None:
    urls = forbidden_urls()
    assert len(urls) >= 150
    post = Post(SystemClock(), timeout_s=10)
    try:
        async with listening("0.0.0.0", "::1") as (port, came):
            connects.clear()
            for url in urls:
                said = await post.send(url.replace("{port}", str(port)), ["key"], "event", b"{}")
                assert said.error is not None, url
                assert said.status_code is None, url
            assert (came, connects) == ([], [])
            # the judges are awake: an allowed one is seen by both
            allowed = Post(SystemClock(), LOCAL_RANGES, timeout_s=2)
            await allowed.send(f"http://127.0.0.1:{port}/", [], "event", b"{}")
            await allowed.close()
            assert came
            assert connects
    finally:
        await post.close()


async def test_metadata_and_link_local_stay_closed_whatever_is_allowed(connects: list[Any]) -> None:
    post = Post(SystemClock(), [ip_network("0.0.0.0/0"), ip_network("::/0")], timeout_s=10)
    try:
        for host in [*METADATA, "[fe80::1]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "224.0.0.1", "[ff02::1]"]:
            said = await post.send(f"http://{host}/", [], "event", b"{}")
            assert said.error is not None, host
        assert connects == []
    finally:
        await post.close()


@pytest.mark.parametrize("text", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "192.168.1.1", "fd12::1"])
def test_the_local_mode_reaches_its_own_house(text: str) -> None:
    Guard(LOCAL_RANGES).check(ip_address(text))
    with pytest.raises(Blocked, match="WEBHOOK_ALLOWED_CIDRS"):
        Guard().check(ip_address(text))


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "172.32.0.1", "100.128.0.1"]
)
def test_a_public_address_is_open(text: str) -> None:
    Guard().check(ip_address(text))


def test_only_what_an_operator_allowed_is_open() -> None:
    guard = Guard([ip_network("10.1.0.0/16")])
    guard.check(ip_address("10.1.255.255"))
    guard.check(ip_address("::ffff:10.1.0.1"))
    with pytest.raises(Blocked):
        guard.check(ip_address("10.2.0.0"))


def answering(*answers: list[str]) -> Callable[[str, int, int], list[tuple[Any, ...]]]:
    """A name server that gives one answer after the other, then starts over."""
    asked = 0

    def look_up(_host: str, port: int, _family: int) -> list[tuple[Any, ...]]:
        nonlocal asked
        asked += 1
        return [(2, 1, 6, "", (text, port)) for text in answers[(asked - 1) % len(answers)]]

    return look_up


@pytest.mark.parametrize(
    "answers",
    [
        (["127.0.0.2"], ["127.0.0.1"]),
        (["127.0.0.1"], ["127.0.0.2"]),
        (["127.0.0.2", "127.0.0.1"],),
        (["127.0.0.1", "127.0.0.2"],),
        (["127.0.0.2"], ["127.0.0.2", "127.0.0.1"]),
    ],
)
async def test_dns_that_changes_its_answer_leads_to_no_forbidden_address(
    answers: tuple[list[str], ...], monkeypatch: pytest.MonkeyPatch, connects: list[Any]
) -> None:
    """127.0.0.2 stands for the open world, 127.0.0.1 for what is forbidden."""
    monkeypatch.setattr(guard_module, "look_up", answering(*answers))
    async with listening("127.0.0.1", "127.0.0.2") as (port, came):
        for number in range(40):
            post = Post(SystemClock(), [ip_network("127.0.0.2/32")], timeout_s=5)
            for name in (f"rebind{number}.test", "rebind.test"):
                await post.send(f"http://{name}:{port}/", [], "event", b"{}")
            await post.close()
        assert not [name for name in came if "127.0.0.1" in name]
        assert not [place for place in connects if place[0] == "127.0.0.1"]


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
async def test_a_redirect_is_a_failure_and_is_not_followed(status: int, connects: list[Any]) -> None:
    async with listening("127.0.0.1") as (port, came):

        async def redirect(_: web.Request) -> web.Response:
            return web.Response(status=status, headers={"Location": f"http://127.0.0.1:{port}/"})

        app = web.Application()
        app.router.add_route("*", "/{tail:.*}", redirect)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.2", 0)
        await site.start()
        own = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        post = Post(SystemClock(), [ip_network("127.0.0.2/32")], timeout_s=5)
        said = await post.send(f"http://127.0.0.2:{own}/", [], "event", b"{}")
        await post.close()
        await runner.cleanup()
        assert (said.status_code, said.error) == (status, f"HTTP {status}")
        assert came == []
        assert not [place for place in connects if place[0] == "127.0.0.1"]
