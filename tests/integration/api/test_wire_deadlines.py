"""Half-sent heads and bodies are cut off, however steadily they drip."""

import asyncio
import json

from tests.asgi_client import TOKEN
from tests.integration.api.conftest import Dial, post

BODY = b'{"value": 1, "to": "0x1111111111111111111111111111111111111111"}'


async def test_a_connection_that_sends_nothing_is_closed(dial: Dial) -> None:
    wire = await dial()
    assert await wire.is_closed()


async def test_a_half_sent_head_is_answered_408_and_closed(dial: Dial) -> None:
    wire = await dial()
    await wire.say("GET /api/v1/notifications HTTP/1.1\nhost: x\n")
    answer = await wire.hear()
    assert answer.status == 408
    assert json.loads(answer.body)["message"] == "Request Timeout"
    assert answer.headers["x-request-id"]
    assert await wire.is_closed()


async def test_dripping_bytes_buy_a_head_no_time(dial: Dial) -> None:
    wire = await dial()

    async def drip() -> None:
        for letter in "GET / HTTP/1.1\nx-slow: " + "a" * 1000:
            await wire.say(letter)
            await asyncio.sleep(0.02)

    dripping = asyncio.create_task(drip())
    assert (await wire.hear()).status == 408
    dripping.cancel()


async def test_a_head_after_an_answer_has_its_own_deadline(dial: Dial) -> None:
    wire = await dial()
    await wire.say("GET /api/v1/health HTTP/1.1\nhost: x\n\n")
    assert (await wire.hear()).status == 200
    await wire.say("GET /api/v1/health HTTP/1.1\nho")
    assert (await wire.hear()).status == 408
    assert await wire.is_closed()


async def test_blank_lines_do_not_keep_a_connection_open(dial: Dial) -> None:
    wire = await dial()
    await wire.say("GET /api/v1/health HTTP/1.1\nhost: x\n\n")
    await wire.hear()
    await wire.say("\n")
    assert (await wire.hear()).status == 408
    assert await wire.is_closed()


async def test_an_idle_connection_is_kept_for_the_keep_alive_time(dial: Dial) -> None:
    wire = await dial()
    await wire.say("GET /api/v1/health HTTP/1.1\nhost: x\n\n")
    await wire.hear()
    await asyncio.sleep(0.6)  # twice the head's deadline: what must not happen needs time to not happen
    await wire.say("GET /api/v1/health HTTP/1.1\nhost: x\n\n")
    assert (await wire.hear()).status == 200


async def test_a_half_sent_body_is_answered_408_and_closed(dial: Dial) -> None:
    wire = await dial()
    await wire.say(post(BODY)[:-10])
    answer = await wire.hear()
    assert answer.status == 408
    assert "body" in json.loads(answer.body)["error"]
    assert await wire.is_closed()


async def test_a_body_that_nobody_reads_is_cut_off_too(dial: Dial) -> None:
    wire = await dial()
    await wire.say("POST /api/v1/notifications HTTP/1.1\nhost: x\ncontent-length: 1000\n\nabc")
    assert (await wire.hear()).status == 401
    assert await wire.is_closed()


async def test_a_whole_body_in_two_parts_is_read(dial: Dial) -> None:
    wire = await dial()
    message = post(BODY)
    await wire.say(message[:-10])
    await asyncio.sleep(0.05)  # so that the two parts arrive apart
    await wire.say(message[-10:])
    assert (await wire.hear()).status == 200


async def test_a_chunked_body_is_read(dial: Dial) -> None:
    wire = await dial()
    await wire.say(
        f"POST /api/v1/relayers/evm-local/transactions HTTP/1.1\nhost: x\nauthorization: Bearer {TOKEN}\n"
        "content-type: application/json\ntransfer-encoding: chunked\n\n",
        b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY),
    )
    assert (await wire.hear()).status == 200
