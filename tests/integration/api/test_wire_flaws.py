"""What the HTTP parser refuses wears the envelope too, and never cuts into another answer."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.asgi_client import TOKEN
from tests.house import House
from tests.integration.api.conftest import LIMITS, Answered, Dial, post

from baton.api.server import serving
from baton.domain.errors import Misconfigured

BODY = b'{"value": 1, "to": "0x1111111111111111111111111111111111111111"}'


def check_failure(answer: Answered, status: int, message: str) -> None:
    assert answer.status == status
    envelope = json.loads(answer.body)
    assert envelope["success"] is False
    assert envelope["data"] is None
    assert envelope["message"] == message
    assert envelope["error"]
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize(
    "flawed",
    [
        "NONSENSE\n\n",
        "GET  HTTP/1.1\n\n",
        "GET / HTTP/9.9\n\n",
        "GET / HTTP/1.1\nbad header\n\n",
        "GET / HTTP/1.1\nhost: a\nbad\0name: x\n\n",
        "POST / HTTP/1.1\nhost: x\ncontent-length: -5\n\n",
        "POST / HTTP/1.1\nhost: x\ncontent-length: 5\ncontent-length: 6\n\nabcdef",
        "POST / HTTP/1.1\nhost: x\ncontent-length: 5\ntransfer-encoding: chunked\n\n0\n\n",
        "POST /\xff HTTP/1.1\nhost: x\n\n",
        "CONNECT example.com:443 HTTP/1.1\nhost: x\n\n",
        "PRI * HTTP/2.0\n\nSM\n\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
async def test_a_malformed_request_is_answered_400_in_the_envelope(dial: Dial, flawed: str) -> None:
    """interface §2.1: every response uses the envelope; §7: `Bad Request`."""
    wire = await dial()
    await wire.say(flawed)
    check_failure(await wire.hear(), 400, "Bad Request")
    assert await wire.is_closed()


async def test_bad_chunking_is_answered_400_in_the_envelope(dial: Dial) -> None:
    wire = await dial()
    await wire.say(
        f"POST /api/v1/relayers/evm-local/transactions HTTP/1.1\nhost: x\nauthorization: Bearer {TOKEN}\n"
        "content-type: application/json\ntransfer-encoding: chunked\n\n",
        "zz\n{}\n",
    )
    check_failure(await wire.hear(), 400, "Bad Request")
    assert await wire.is_closed()


async def test_garbage_behind_a_request_leaves_its_answer_whole(dial: Dial) -> None:
    wire = await dial()
    await wire.say(post(BODY), "NONSENSE\n\n")
    assert (await wire.hear()).status == 200
    assert await wire.is_closed()


async def test_pipelined_requests_are_answered_in_order(dial: Dial) -> None:
    wire = await dial()
    await wire.say(post(BODY) * 3)
    answers = [await wire.hear() for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert len({json.loads(answer.body)["data"]["id"] for answer in answers}) == 3


async def test_a_client_that_says_no_more_after_its_request_is_answered(dial: Dial) -> None:
    wire = await dial()
    await wire.say(post(BODY) * 2)
    wire.writer.write_eof()
    assert [(await wire.hear()).status for _ in range(2)] == [200, 200]
    assert await wire.is_closed()


@pytest.mark.parametrize("cut", [10, len(post(BODY)) - len(BODY), len(post(BODY)) - 1])
async def test_a_client_that_says_no_more_in_the_middle_is_refused(dial: Dial, house: House, cut: int) -> None:
    wire = await dial()
    await wire.say(post(BODY)[:cut])
    wire.writer.write_eof()
    check_failure(await wire.hear(), 400, "Bad Request")
    assert await wire.is_closed()
    assert house.store.written == []


async def test_a_client_that_says_nothing_at_all_is_let_go(dial: Dial) -> None:
    wire = await dial()
    wire.writer.write_eof()
    assert await wire.is_closed()


def head_of(size: int) -> str:
    empty = "GET /api/v1/health HTTP/1.1\r\nhost: x\r\nx-pad: \r\n\r\n"
    return empty.replace("x-pad: ", "x-pad: " + "a" * (size - len(empty)))


async def test_a_head_of_exactly_the_limit_is_taken(dial: Dial) -> None:
    wire = await dial()
    await wire.say(head_of(LIMITS.head_bytes).encode())
    assert (await wire.hear()).status == 200


async def test_a_head_of_one_byte_more_is_refused(dial: Dial) -> None:
    wire = await dial()
    await wire.say(head_of(LIMITS.head_bytes + 1).encode())
    check_failure(await wire.hear(), 431, "Request Header Fields Too Large")
    assert await wire.is_closed()


async def test_a_head_without_end_is_refused_before_it_ends(dial: Dial) -> None:
    wire = await dial()
    await wire.say("GET /" + "a" * (LIMITS.head_bytes + 1))
    check_failure(await wire.hear(), 431, "Request Header Fields Too Large")
    assert await wire.is_closed()


async def test_a_body_beyond_the_limit_is_answered_although_it_is_still_being_sent(dial: Dial) -> None:
    wire = await dial()
    size = LIMITS.body_bytes * 3
    await wire.say(post(b"", extra="").replace(b"content-length: 0", b"content-length: %d" % size))
    sending = asyncio.create_task(wire.say(b"a" * size))
    check_failure(await wire.hear(), 413, "Payload Too Large")
    await sending
    await wire.say("GET /api/v1/health HTTP/1.1\nhost: x\n\n")
    assert (await wire.hear()).body == b"OK"


async def test_a_client_that_waits_for_100_continue_gets_it(dial: Dial) -> None:
    wire = await dial()
    message = post(BODY, extra="expect: 100-continue\r\n")
    await wire.say(message[: -len(BODY)])
    assert (await wire.hear()).status == 100
    await wire.say(BODY)
    assert (await wire.hear()).status == 200


async def test_a_refused_client_that_waits_for_100_continue_is_not_left_in_doubt(dial: Dial) -> None:
    wire = await dial()
    await wire.say("POST /api/v1/notifications HTTP/1.1\nhost: x\nexpect: 100-continue\ncontent-length: 1000\n\n")
    answer = await wire.hear()
    check_failure(answer, 401, "Unauthorized")
    assert answer.headers["connection"] == "close"
    assert await wire.is_closed()


H2C = "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n"


async def test_an_offer_to_upgrade_is_not_taken(dial: Dial) -> None:
    wire = await dial()
    await wire.say(f"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n{H2C}\r\n".encode())
    assert (await wire.hear()).body == b"OK"
    assert await wire.is_closed()


async def test_an_offer_to_upgrade_with_a_body_is_refused_with_the_reason(dial: Dial) -> None:
    wire = await dial()
    await wire.say(post(BODY, extra=H2C))
    answer = await wire.hear()
    check_failure(answer, 400, "Bad Request")
    assert "Upgrade" in json.loads(answer.body)["error"]


async def test_connections_beyond_the_limit_are_answered_503(dial: Dial) -> None:
    for _ in range(LIMITS.connections):
        wire = await dial()
        await wire.say("GET /api/v1/health HTTP/1.1\nhost: x\n\n")
        assert (await wire.hear()).status == 200
    check_failure(await (await dial()).hear(), 503, "Service Unavailable")


async def test_no_server_software_is_named(dial: Dial) -> None:
    wire = await dial()
    await wire.say("GET /api/v1/health HTTP/1.1\nhost: x\n\n")
    assert "server" not in (await wire.hear()).headers


async def test_a_taken_port_is_a_mistake_with_its_reason(house: House, port: int, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=f"127.0.0.1:{port}: .*in use"):
        async with serving(house.api, "127.0.0.1", port, LIMITS):
            pass


async def test_a_stop_finishes_what_is_being_answered(house: House) -> None:
    async with serving(house.api, "127.0.0.1", 0, LIMITS, drain_s=2) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        message = post(BODY)
        writer.write(message[:-1])
        await writer.drain()
        await asyncio.sleep(0.05)  # the head must have arrived before the stop begins
        asyncio.get_running_loop().call_later(0.05, writer.write, message[-1:])
    assert (await reader.read()).startswith(b"HTTP/1.1 200 OK")
    writer.close()
