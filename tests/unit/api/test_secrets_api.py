"""S1 and S2: whatever goes wrong, no secret reaches an answer or the log, and a log record is one line."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from tests.asgi_client import TOKEN, Client
from tests.house import House

from baton.telemetry import configure_logging

KEY = "canary-signing-key-4711"


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    configure_logging("debug", "json", stream)
    yield stream
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


async def test_a_crash_is_logged_once_under_the_id_that_was_answered(
    house: House, client: Client, logged: io.StringIO
) -> None:
    house.store.is_down = True
    house.store.failure = ZeroDivisionError("first line\nsecond line")
    reply = await client.post("/api/v1/notifications", {"url": "http://host", "signing_key": KEY})
    assert reply.status == 500
    lines = logged.getvalue().splitlines()
    assert len(lines) == 1
    record = json.loads(lines[0])
    assert (record["event"], record["request_id"]) == ("request_crashed", reply.headers["x-request-id"])
    assert record["route"] == "/api/v1/notifications"
    assert "ZeroDivisionError" in record["exception"]
    assert TOKEN not in lines[0]
    assert KEY not in lines[0]


async def test_a_request_id_cannot_break_a_line(house: House, client: Client, logged: io.StringIO) -> None:
    house.store.is_down = True
    house.store.failure = ZeroDivisionError()
    await client.get("/api/v1/notifications", ("x-request-id", 'quote"\\u2028'))
    (line,) = logged.getvalue().splitlines()
    assert json.loads(line)["request_id"] == 'quote"\\u2028'


async def test_what_the_client_did_wrong_is_not_logged_as_ours(client: Client, logged: io.StringIO) -> None:
    await client.post("/api/v1/notifications", {"url": 5, "signing_key": KEY})
    await client.without_token().get("/api/v1/notifications", ("authorization", f"Bearer {TOKEN}x"))
    assert "error" not in logged.getvalue()
    assert KEY not in logged.getvalue()
    assert TOKEN not in logged.getvalue()
