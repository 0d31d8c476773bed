"""Probes, metrics and the front page."""

from datetime import datetime
from pathlib import Path

from tests.asgi_client import TOKEN, Client
from tests.bodies import EVM_BODY, path_of
from tests.house import House, open_house

from baton.api.build import build_metrics
from baton.api.limits import Limits


async def test_health_answers_ok_in_plain_text(client: Client) -> None:
    reply = await client.without_token().get("/api/v1/health")
    assert (reply.status, reply.body) == (200, b"OK")
    assert reply.headers["content-type"].startswith("text/plain")


async def test_it_is_ready_while_the_store_answers(house: House, client: Client) -> None:
    reply = await client.without_token().get("/api/v1/ready")
    assert reply.status == 200
    assert reply.json["ready"] is True
    assert reply.json["components"] == {"store": {"status": "healthy"}}
    assert datetime.fromisoformat(reply.json["timestamp"]) == house.clock.now()
    house.store.is_down = True
    down = await client.without_token().get("/api/v1/ready")
    assert down.status == 503
    assert (down.json["ready"], down.json["status"]) == (False, "unhealthy")
    assert (await client.without_token().get("/api/v1/health")).status == 200


async def test_metrics_count_requests_and_transactions(house: House, client: Client) -> None:
    made = (await client.post(path_of("evm-local"), EVM_BODY)).data
    await client.post(path_of("evm-local"), EVM_BODY)
    await client.delete(path_of("evm-local", made["id"]))
    reply = await client.get("/metrics")
    text = reply.body.decode()
    assert reply.headers["content-type"].startswith("text/plain")
    assert 'baton_transactions{relayer="evm-local",status="pending"} 1.0' in text
    assert 'baton_transactions{relayer="evm-local",status="canceled"} 1.0' in text
    assert 'method="POST",route="/api/v1/relayers/{relayer_id}/transactions",status="200"' in text
    house.store.is_down = True
    assert (await client.get("/metrics")).status == 200


async def test_metrics_need_the_token(client: Client) -> None:
    assert (await client.without_token().get("/metrics")).message == "Unauthorized"


async def test_on_a_port_of_their_own_metrics_need_no_token_and_nothing_else_is_there(house: House) -> None:
    client = Client(build_metrics(house.context, Limits()))
    reply = await client.without_token().get("/metrics")
    assert reply.status == 200
    assert b"baton_http_requests_total" in reply.body
    for path in ("/api/v1/health", path_of("evm-local"), "/metrics/"):
        assert (await client.get(path)).message == "Unauthorized"


async def test_metrics_that_are_switched_off_are_not_there(tmp_path: Path) -> None:
    async with open_house(tmp_path, Limits(has_metrics=False)) as house:
        assert (await house.client.get("/metrics")).message == "Not found"
        assert "/metrics" not in (await house.client.get("/api-docs/openapi.json")).json["paths"]


async def test_no_path_of_a_client_becomes_a_label(client: Client) -> None:
    await client.get("/canary-path-4711")
    await client.send("CANARY", "/api/v1/health")
    text = (await client.get("/metrics")).body.decode()
    assert "canary" not in text.lower()
    assert TOKEN not in text


async def test_the_front_page_says_what_this_is(client: Client) -> None:
    front = (await client.without_token().get("/")).data
    assert front["name"] == "Baton"
    for path in (front["documentation"], front["openapi"], front["health"]):
        assert (await client.without_token().get(path)).status == 200


async def test_the_documentation_needs_nothing_from_elsewhere(client: Client) -> None:
    page = await client.without_token().get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert b"://" not in page.body
    for path, media in (
        ("/docs/start.js", "javascript"),
        ("/docs/swagger.js", "javascript"),
        ("/docs/swagger.css", "css"),
    ):
        assert path in page.body.decode()
        file = await client.without_token().get(path)
        assert file.status == 200
        assert media in file.headers["content-type"]
        assert len(file.body) > 100
