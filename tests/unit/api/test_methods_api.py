"""HEAD, OPTIONS, wrong methods, and the paths of the wider API that are not served yet."""

import pytest
from tests.asgi_client import Client
from tests.bodies import path_of

from baton.api.unserved import PATHS

SEND = path_of("evm-local")


@pytest.mark.parametrize("path", ["/api/v1/notifications", "/api/v1/health", SEND + "/", "/docs"])
async def test_head_answers_as_get_without_a_body(client: Client, path: str) -> None:
    get, head = await client.get(path), await client.send("HEAD", path)
    assert head.status == get.status == 200
    assert head.body == b""
    assert head.headers["content-length"] == str(len(get.body))
    assert head.headers["content-type"] == get.headers["content-type"]


async def test_options_tells_what_may_be_done(client: Client) -> None:
    reply = await client.send("OPTIONS", SEND)
    assert reply.status == 200
    assert reply.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    assert reply.data == {"methods": ["GET", "HEAD", "OPTIONS", "POST"]}


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", SEND, "GET, HEAD, OPTIONS, POST"),
        ("POST", SEND + "/some-id", "DELETE, GET, HEAD, OPTIONS, PUT"),
        ("PUT", "/api/v1/notifications", "GET, HEAD, OPTIONS, POST"),
        ("POST", "/api/v1/notifications/some-id", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("POST", "/api/v1/health", "GET, HEAD, OPTIONS"),
        ("TRACE", SEND, "GET, HEAD, OPTIONS, POST"),
        ("BREW", SEND, "GET, HEAD, OPTIONS, POST"),
        ("HEAD", SEND + "/pending", "DELETE, OPTIONS"),
    ],
)
async def test_a_wrong_method_is_answered_405_with_what_is_allowed(
    client: Client, method: str, path: str, allow: str
) -> None:
    reply = await client.send(method, path)
    assert reply.status == 405
    assert reply.headers["allow"] == allow


@pytest.mark.parametrize(("method", "template"), PATHS)
async def test_a_path_of_the_wider_api_is_answered_501(client: Client, method: str, template: str) -> None:
    """interface §4.7: every other operation is not shown; those of the peer's client say so."""
    reply = await client.send(method, template.replace("{", "").replace("}", ""))
    assert (reply.status, reply.message) == (501, "Not Implemented")


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/notifications//",
        "/api/v1//notifications",
        "/api/v1/notifications/a/b",
        "/metrics/a/b",
        "/api/v2/notifications",
        "*",
        "",
    ],
)
async def test_other_paths_are_not_found(client: Client, path: str) -> None:
    """interface §4: the paths are exactly these."""
    assert (await client.get(path)).message == "Not found"
