"""One try against receivers that are slow, rude, endless or false: it ends in time, costs little, and says why."""

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.unit.webhooks.receivers import certificate, receiving, saying, status

from baton import __version__
from baton.config.environment import LOCAL_RANGES
from baton.domain.clock import SystemClock
from baton.webhooks.post import Post

BODY = b'{"id":"e"}'


@pytest.fixture
async def post() -> AsyncIterator[Post]:
    made = Post(SystemClock(), LOCAL_RANGES, timeout_s=1.0)
    yield made
    await made.close()


async def test_a_good_receiver_gets_every_header_once(post: Post) -> None:
    async with receiving(status(204)) as (url, heads):
        said = await post.send(url, ["key"], "event-1", BODY)
    assert (said.status_code, said.error) == (204, None)
    names = [line.partition(b":")[0].lower() for line in heads[0].split(b"\r\n")[1:] if line]
    assert sorted(names) == [
        b"accept", b"accept-encoding", b"content-length", b"content-type", b"host", b"user-agent", b"webhook-id",
        b"webhook-signature", b"webhook-timestamp", b"x-signature",
    ]  # fmt: skip
    assert f"User-Agent: Baton/{__version__}".encode() in heads[0]


@pytest.mark.parametrize("code", [300, 301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 502, 503, 504])
async def test_anything_but_2xx_is_a_failure_by_its_number(post: Post, code: int) -> None:
    async with receiving(status(code, "Location: http://127.0.0.1:1/", body=b"why not")) as (url, heads):
        said = await post.send(url, [], "event-1", BODY)
    assert (said.status_code, said.error, said.excerpt) == (code, f"HTTP {code}", "why not")
    assert len(heads) == 1


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("7", 7.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("-5", None), ("1e9", None), ("", None)],
)
async def test_retry_after_is_read_in_both_forms(post: Post, text: str, seconds: float | None) -> None:
    async with receiving(status(429, f"Retry-After: {text}")) as (url, _):
        assert (await post.send(url, [], "event-1", BODY)).retry_after_s == seconds


async def test_a_receiver_that_never_answers_costs_the_timeout(post: Post) -> None:
    async def hang(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async with receiving(hang) as (url, _):
        said = await post.send(url, [], "event-1", BODY)
    assert said.error == "no answer within 1 s"
    assert 900 < said.took_ms < 3000


async def test_a_receiver_that_drips_its_head_costs_the_timeout(post: Post) -> None:
    async def drip(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" * 20:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.05)

    async with receiving(drip) as (url, _):
        assert (await post.send(url, [], "event-1", BODY)).error == "no answer within 1 s"


@pytest.mark.parametrize("host", ["a..b", "..", "a" * 64 + ".example", "a\\b"])
async def test_a_host_that_is_no_name_is_said_as_such(post: Post, host: str) -> None:
    assert (await post.send(f"http://{host}/", [], "event-1", BODY)).error == "the URL cannot be used"


async def test_a_reset_is_said_as_such(post: Post) -> None:
    async def reset(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async with receiving(reset) as (url, heads):
        said = await post.send(url, [], "event-1", BODY)
    assert said.error == "the receiver closed the connection without an answer"
    assert len(heads) == 1  # a new connection that dies is not tried twice


async def test_a_gzip_bomb_stays_folded(post: Post) -> None:
    bomb = gzip.compress(bytes(200_000_000), 9)
    assert len(bomb) < 250_000
    async with receiving(status(200, "Content-Encoding: gzip", body=bomb)) as (url, _):
        tracemalloc.start()
        said = await post.send(url, [], "event-1", BODY)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert said.is_taken
    assert peak < 5_000_000
    assert len(said.excerpt) <= 256


async def test_an_endless_body_is_read_to_16_kib_and_cut(post: Post) -> None:
    sent = 0
    is_cut = asyncio.Event()

    async def endless(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        try:
            while True:
                writer.write(b"x" * 65_536)
                sent += 65_536
                await writer.drain()
        except OSError:
            is_cut.set()
            raise

    async with receiving(endless) as (url, _):
        said = await post.send(url, [], "event-1", BODY)
        await asyncio.wait_for(is_cut.wait(), 5)
    assert said.is_taken
    assert said.excerpt == "x" * 256
    assert sent < 20_000_000  # what the kernel's buffers hold, and no more


async def test_a_body_that_never_ends_changes_nothing_about_the_status(post: Post) -> None:
    async def half(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        await writer.drain()
        await asyncio.sleep(60)

    async with receiving(half) as (url, _):
        said = await post.send(url, [], "event-1", BODY)
    assert (said.status_code, said.error) == (200, None)
    assert said.took_ms < 3000


@pytest.mark.parametrize(
    "flood",
    [
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(50_000)),
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1_000_000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 50_000,
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x00\xff" * 1000,
        b"HTTP/1.1 999999 X\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nzz",
    ],
    ids=[
        "headers",
        "a header",
        "continue",
        "another language",
        "noise",
        "a long number",
        "a wrong length",
        "two lengths",
    ],
)
async def test_what_is_no_answer_is_a_failure_and_no_crash(post: Post, flood: bytes) -> None:
    async with receiving(saying(flood)) as (url, _):
        said = await post.send(url, [], "event-1", BODY)
    assert said.error is not None
    assert "127.0.0.1" not in said.error  # the URL may carry a key


@pytest.mark.parametrize("is_expired", [False, True])
async def test_a_bad_certificate_is_refused_by_name(post: Post, tmp_path: Path, is_expired: bool) -> None:
    async with receiving(status(200), certificate(tmp_path, is_expired=is_expired)) as (url, heads):
        said = await post.send(url, ["key"], "event-1", BODY)
    assert said.error is not None
    assert said.error.startswith("its certificate was refused: ")
    assert heads == []


async def test_tls_to_a_receiver_that_speaks_none_is_a_failure(post: Post) -> None:
    async with receiving(status(200)) as (url, heads):
        said = await post.send(url.replace("http:", "https:"), [], "event-1", BODY)
    assert said.error is not None
    assert heads == []


async def test_connections_are_kept_alive(post: Post) -> None:
    connections = set()

    async def note(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(writer.get_extra_info("peername"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    async with receiving(note) as (url, heads):
        for _ in range(5):
            assert (await post.send(url, [], "event-1", BODY)).is_taken
    assert (len(heads), len(connections)) == (5, 1)


async def test_a_connection_that_died_idle_costs_no_failure(post: Post) -> None:
    async def once(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if writer.get_extra_info("socket") in answered:
            writer.transport.abort()  # the second request on a connection meets a receiver that has let go
            return
        answered.append(writer.get_extra_info("socket"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    answered: list[object] = []
    async with receiving(once) as (url, heads):
        assert (await post.send(url, [], "event-1", BODY)).is_taken
        assert (await post.send(url, [], "event-1", BODY)).is_taken
    assert len(heads) == 3


async def test_no_proxy_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiving(status(200)) as (url, heads), receiving(status(200)) as (proxy, through_proxy):
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy)
        post = Post(SystemClock(), LOCAL_RANGES, timeout_s=1.0)
        assert (await post.send(url, [], "event-1", BODY)).is_taken
        await post.close()
    assert (len(heads), len(through_proxy)) == (1, 0)


async def test_cookies_are_not_kept(post: Post) -> None:
    async with receiving(status(200, "Set-Cookie: a=b")) as (url, heads):
        await post.send(url, [], "event-1", BODY)
        await post.send(url, [], "event-1", BODY)
    assert b"cookie" not in heads[1].lower()


async def test_what_a_receiver_says_is_kept_harmless(post: Post) -> None:
    async with receiving(status(500, body=b"a\x1b[31m\r\nb\x00" + b"\xff" * 10)) as (url, _):
        excerpt = (await post.send(url, [], "event-1", BODY)).excerpt
    assert excerpt.isprintable()
    assert excerpt.startswith("a")


async def test_each_try_has_a_fresh_timestamp_and_the_same_id() -> None:
    from tests.fakes import FakeClock

    clock = FakeClock()
    post = Post(clock, LOCAL_RANGES, timeout_s=5)
    async with receiving(status(200)) as (url, heads):
        await post.send(url, ["key"], "event-1", BODY)
        clock.advance(60)
        await post.send(url, ["key"], "event-1", BODY)
    await post.close()
    stamps = [line for head in heads for line in head.split(b"\r\n") if line.startswith(b"webhook-timestamp")]
    assert len(set(stamps)) == 2
    assert all(b"webhook-id: event-1\r\n" in head for head in heads)
