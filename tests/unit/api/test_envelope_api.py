"""Section 2.1: one envelope around every answer."""

import re

import pytest
from tests.asgi_client import Client
from tests.house import House

SEND = "/api/v1/relayers/evm-local/transactions"
ABSENT = "/api/v1/relayers/evm-local/transactions/absent"


async def test_a_success_has_success_true_and_its_data(client: Client) -> None:
    """interface §2.1: `success` is true on success, `data` is the result."""
    reply = await client.post(SEND, {"value": 0})
    assert reply.status == 200
    assert set(reply.json) == {"success", "data"}
    assert reply.json["success"] is True
    assert isinstance(reply.json["data"], dict)
    assert reply.headers["content-type"] == "application/json"


async def test_a_failure_has_success_false_null_data_and_a_message(client: Client) -> None:
    """interface §2.1: `success` is false on failure, `data` is null, `message` is present."""
    reply = await client.get(ABSENT)
    assert reply.json["success"] is False
    assert reply.json["data"] is None
    assert reply.json["message"] == "Not found"


async def test_the_error_names_what_is_wrong_with_this_request(client: Client) -> None:
    """interface §2.1: `error` is a string; here it names the field, the finding and the expectation."""
    reply = await client.post(SEND, {"value": -1})
    assert re.search(r"value: found -1, expected an integer from 0 to 2\^128-1", reply.error)


@pytest.mark.parametrize("path", [SEND + "/", "/api/v1/notifications"])
async def test_a_list_has_its_pagination(client: Client, path: str) -> None:
    """interface §2.1: `pagination` has `current_page`, `per_page` and `total_items`, all integers."""
    reply = await client.get(path)
    assert reply.json["data"] == []
    assert reply.json["pagination"] == {"current_page": 1, "per_page": 10, "total_items": 0}


async def test_what_does_not_apply_is_left_out_of_the_envelope(client: Client) -> None:
    """interface §2.1: `metadata` and `pagination` are objects; they are sent when there is something in them."""
    reply = await client.post(SEND, {"value": 0})
    assert "metadata" not in reply.json
    assert "pagination" not in reply.json


FAILURES: list[tuple[str, str, bytes, str, tuple[int, str]]] = [
    ("GET", "/nowhere", b"", "", (404, "Not found")),
    ("GET", "/api/v1/relayers//transactions", b"", "", (404, "Not found")),
    ("GET", "/api/v1/relayers/%ff/transactions", b"", "", (404, "Not found")),
    ("PUT", SEND, b"{}", "application/json", (405, "Method Not Allowed")),
    ("POST", SEND, b"{}", "text/plain", (415, "Unsupported Media Type")),
    ("POST", SEND, b"{}", "", (415, "Unsupported Media Type")),
    ("POST", SEND, b"{", "application/json", (400, "Bad Request")),
    ("POST", SEND, b"", "application/json", (400, "Bad Request")),
    ("POST", SEND, b"[]", "application/json", (400, "Bad Request")),
    ("POST", SEND, b" " * 600_000, "application/json", (413, "Payload Too Large")),
    ("GET", "/api/v1/signers", b"", "", (501, "Not Implemented")),
]


@pytest.mark.parametrize(("method", "path", "body", "media", "expected"), FAILURES)
async def test_every_failure_wears_the_envelope(
    client: Client, method: str, path: str, body: bytes, media: str, expected: tuple[int, str]
) -> None:
    """interface §2.1: every response uses the envelope, also those that no endpoint answers."""
    headers = [("content-type", media)] if media else []
    reply = await client.send(method, path, (body,), headers)
    assert (reply.status, reply.message) == expected
    assert reply.headers["content-type"] == "application/json"


async def test_a_crash_wears_the_envelope_and_tells_nothing(house: House, client: Client) -> None:
    """interface §7: `Internal Server Error` on all endpoints."""
    house.store.is_down = True
    house.store.failure = ZeroDivisionError("the secret of the house")
    reply = await client.get("/api/v1/notifications")
    assert (reply.status, reply.message) == (500, "Internal Server Error")
    assert "secret" not in reply.body.decode()
    assert "x-request-id" in reply.error


async def test_an_unreachable_store_is_answered_503(house: House, client: Client) -> None:
    house.store.is_down = True
    for reply in [await client.post(SEND, {"value": 0}), await client.get("/api/v1/notifications")]:
        assert (reply.status, reply.message) == (503, "Service Unavailable")
        assert reply.headers["retry-after"] == "1"
    house.store.is_down = False
    assert (await client.post(SEND, {"value": 0})).status == 200


async def test_a_sane_request_id_is_echoed(client: Client) -> None:
    reply = await client.get("/nowhere", ("x-request-id", "order-4711"))
    assert reply.headers["x-request-id"] == "order-4711"
    longest = "a" * 128
    assert (await client.get("/", ("x-request-id", longest))).headers["x-request-id"] == longest


@pytest.mark.parametrize("given", ["", "two words", "a" * 129, "line\u0085", "tab\t"])
async def test_another_request_id_is_replaced(client: Client, given: str) -> None:
    made = (await client.get("/nowhere", ("x-request-id", given))).headers["x-request-id"]
    assert made != given
    assert re.fullmatch(r"[0-9a-f-]{36}", made)


async def test_each_request_gets_an_id_of_its_own(client: Client) -> None:
    ids = {(await client.get("/api/v1/health")).headers["x-request-id"] for _ in range(10)}
    assert len(ids) == 10
