"""Section 5: a bearer token before everything else."""

import pytest
from tests.asgi_client import BEARER, TOKEN, Client
from tests.house import House

ENDPOINTS = [
    ("POST", "/api/v1/relayers/evm-local/transactions"),
    ("PUT", "/api/v1/relayers/evm-local/transactions/some-id"),
    ("GET", "/api/v1/relayers/evm-local/transactions/"),
    ("POST", "/api/v1/notifications"),
    ("PATCH", "/api/v1/notifications/some-id"),
    ("GET", "/api/v1/notifications"),
]
OTHERS = [
    ("GET", "/api/v1/relayers/evm-local/transactions/some-id"),
    ("DELETE", "/api/v1/notifications/some-id"),
    ("GET", "/api/v1/relayers"),
    ("GET", "/metrics"),
    ("GET", "/nowhere"),
    ("OPTIONS", "/api/v1/notifications"),
    ("TRACE", "/api/v1/notifications"),
    ("GET", "/api/v1/health/more"),
    ("GET", "/api/v1/health/../notifications"),
    ("GET", "/api/v1/%68ealth"),
    ("GET", "/docs/../metrics"),
    ("GET", "//api/v1/health"),
]


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
async def test_every_endpoint_of_section_4_takes_a_bearer_token(client: Client, method: str, path: str) -> None:
    """interface §5.1: `Authorization: Bearer <ACCESS_TOKEN>` on every endpoint of section 4."""
    assert (await client.send(method, path)).status != 401


@pytest.mark.parametrize(("method", "path"), ENDPOINTS + OTHERS)
async def test_without_a_token_the_answer_is_unauthorized(client: Client, method: str, path: str) -> None:
    """interface §5.2, §7: when the token is missing the response is `Unauthorized`; A2: and nothing is read."""
    reply = await client.without_token().send(method, path, (b"{}",), [("content-type", "application/json")])
    assert (reply.status, reply.message) == (401, "Unauthorized")
    assert reply.headers["www-authenticate"] == "Bearer"
    assert reply.chunks_read == 0


@pytest.mark.parametrize(
    "header",
    [
        "Bearer wrong",
        "Bearer",
        "Bearer ",
        f"Bearer  {TOKEN}",
        f"Bearer {TOKEN} more",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"Basic {TOKEN}",
        TOKEN,
        "Bearer \xff\xfe",
        "",
    ],
)
async def test_a_token_that_is_not_accepted_is_unauthorized(client: Client, header: str) -> None:
    """interface §5.2: when the token is not accepted the response is `Unauthorized`."""
    reply = await client.without_token().get("/api/v1/notifications", ("authorization", header))
    assert (reply.status, reply.message) == (401, "Unauthorized")
    assert TOKEN not in reply.body.decode()


async def test_two_authorization_headers_are_unauthorized(client: Client) -> None:
    """interface §5.2: which of two tokens counts would be a matter of taste, so neither is accepted."""
    reply = await client.get("/api/v1/notifications", BEARER)
    assert reply.status == 401


async def test_the_word_bearer_may_be_in_any_case(client: Client) -> None:
    reply = await client.without_token().get("/api/v1/notifications", ("authorization", f"bearer {TOKEN}"))
    assert reply.status == 200


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/health", "/api/v1/ready", "/api-docs/openapi.json", "/docs", "/docs/", "/docs/swagger.js"]
)
async def test_public_paths_need_no_token(client: Client, path: str) -> None:
    assert (await client.without_token().get(path)).status == 200


async def test_with_a_token_an_unknown_path_is_not_found(client: Client) -> None:
    reply = await client.get("/nowhere")
    assert (reply.status, reply.message) == (404, "Not found")


async def test_the_routes_that_are_public_are_exactly_these(house: House) -> None:
    """A2: a new route is private unless somebody means it."""
    public = {route.template for route in house.api.router.routes if route.is_public}
    docs = {"/docs", "/docs/", "/docs/start.js", "/docs/swagger.js", "/docs/swagger.css"}
    assert public == {"/", "/api/v1/health", "/api/v1/ready", "/api-docs/openapi.json"} | docs
