"""Section 8 and the order of checks: what is counted, what comes first."""

from pathlib import Path

import pytest
from tests.asgi_client import Client
from tests.bodies import EVM_BODY, path_of
from tests.fakes import FakeClock
from tests.house import House, open_house

from baton.api.limits import Buckets, Limits
from baton.domain.errors import TooMany
from baton.storage.changes import Full

SEND = path_of("evm-local")
NOTIFICATIONS = "/api/v1/notifications"


async def test_too_many_requests_are_answered_429_with_a_time(tmp_path: Path) -> None:
    """interface §4.1, §4.2, §4.3, §7, §8: `Too Many Requests` on the relayer endpoints."""
    async with open_house(tmp_path, Limits(rate_per_s=2, rate_burst=3)) as house:
        client = house.client
        assert (await client.post(SEND, EVM_BODY)).status == 200
        assert (await client.get(SEND)).status == 200
        assert (await client.get(path_of("evm-local", "x"))).status == 404
        for method, path in (("POST", SEND), ("GET", SEND + "/"), ("PUT", SEND + "/x"), ("DELETE", SEND + "/x")):
            reply = await client.send(method, path)
            assert (reply.status, reply.message) == (429, "Too Many Requests")
            assert reply.headers["retry-after"] == "1"
            assert reply.chunks_read == 0
        assert (await client.get(NOTIFICATIONS)).status == 200
        assert (await client.without_token().get(SEND)).status == 401
        house.clock.advance(0.5)
        assert (await client.get(SEND)).status == 200
        assert (await client.get(SEND)).status == 429


def test_a_bucket_holds_its_burst_and_refills_steadily() -> None:
    clock = FakeClock()
    buckets = Buckets(100, 300, clock)
    for _ in range(300):
        buckets.take("key")
    with pytest.raises(TooMany) as refused:
        buckets.take("key")
    assert refused.value.retry_after_s == pytest.approx(0.01)
    buckets.take("another key")
    clock.advance(1)
    for _ in range(100):
        buckets.take("key")
    with pytest.raises(TooMany):
        buckets.take("key")
    clock.advance(1000)
    for _ in range(300):
        buckets.take("key")
    with pytest.raises(TooMany):
        buckets.take("key")


async def test_a_full_queue_is_answered_429(tmp_path: Path) -> None:
    """interface §7: `Too Many Requests`; the queue of a relayer is a limit too."""
    async with open_house(tmp_path, queue_limit=2) as house:
        statuses = [(await house.client.post(SEND, EVM_BODY)).status for _ in range(2)]
        reply = await house.client.post(SEND, EVM_BODY)
        assert [*statuses, reply.status] == [200, 200, 429]
        assert reply.message == "Too Many Requests"
        assert reply.headers["retry-after"] == "5"


@pytest.mark.parametrize("size", [524_288, 524_289])
@pytest.mark.parametrize("chunk", [524_289, 65_536])
@pytest.mark.parametrize("has_length", [True, False])
async def test_a_body_may_have_512_kib_and_no_byte_more(
    client: Client, size: int, chunk: int, has_length: bool
) -> None:
    """A4: limits hold at the limit and one past it."""
    body = b'{"value": 0}' + b" " * (size - 12)
    chunks = [body[start : start + chunk] for start in range(0, size, chunk)]
    length = [("content-length", str(size))] if has_length else []
    reply = await client.send("POST", SEND, chunks, [("content-type", "application/json"), *length])
    assert reply.status == (200 if size <= 524_288 else 413)
    if size > 524_288 and has_length:
        assert reply.chunks_read == 0


async def test_a_client_that_leaves_in_the_middle_of_its_body_leaves_nothing(house: House) -> None:
    """D2: a request without success exists not at all."""
    media = [("content-type", "application/json")]
    reply = await house.client.send("POST", SEND, (b'{"value": 0}',), media, leaves=True)
    assert reply.status == 408
    assert house.store.written == []


async def test_the_order_of_checks(house: House) -> None:
    """401, path 404, 405, 415/413, JSON syntax 400, relayer 404, paused 403, fields 400, queue 429."""
    client, nobody = house.client, house.client.without_token()
    json_media = ("content-type", "application/json")
    assert (await nobody.send("PUT", "/nowhere", (b"{",))).status == 401
    assert (await client.send("PUT", "/nowhere", (b"{",))).status == 404
    assert (await client.send("PUT", path_of("nobody"), (b"{",))).status == 405
    assert (await client.send("POST", path_of("nobody"), (b"{",))).status == 415
    assert (await client.send("POST", path_of("nobody"), (b"{" * 600_000,), [json_media])).status == 413
    assert (await client.send("POST", path_of("nobody"), (b"{",), [json_media])).status == 400
    assert (await client.post(path_of("nobody"), {"value": -1})).status == 404
    assert (await client.post(path_of("paused"), {"value": -1})).status == 403
    house.store.answers = [Full(1)]
    assert (await client.post(SEND, {"value": -1})).status == 400
    assert (await client.post(SEND, EVM_BODY)).status == 429


async def test_a_paused_relayer_refuses_new_work_and_says_so(client: Client) -> None:
    reply = await client.post(path_of("paused"), EVM_BODY)
    assert (reply.status, reply.message) == (403, "Forbidden")
    assert "paused" in reply.error
    assert (await client.get(path_of("paused"))).status == 200
