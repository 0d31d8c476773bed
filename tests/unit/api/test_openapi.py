"""The API document: complete, sound, and true to what the API does."""

from typing import Any

import jsonschema_rs
import pytest
from tests.asgi_client import Client, Reply
from tests.bodies import BODIES, path_of
from tests.house import House

from baton.api.operations import OPERATIONS
from baton.api.unserved import PATHS

ASSETS = ("/docs", "/api-docs")


async def document(client: Client) -> dict[str, Any]:
    reply = await client.without_token().get("/api-docs/openapi.json")
    assert reply.headers["content-type"] == "application/json"
    return dict(reply.json)


def validator(doc: dict[str, Any], schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({**schema, "components": doc["components"]})


def check(doc: dict[str, Any], method: str, template: str, reply: Reply) -> None:
    """That the document knows this answer, down to its fields."""
    response = doc["paths"][template][method.lower()]["responses"][str(reply.status)]
    if "$ref" in response:
        response = doc["components"]["responses"][response["$ref"].rpartition("/")[2]]
    for name in response["headers"]:
        assert name in reply.headers
    (content,) = response["content"].values()
    validator(doc, content["schema"]).validate(reply.json)


async def test_every_route_that_is_served_is_described(house: House, client: Client) -> None:
    doc = await document(client)
    described = {(method.upper(), path) for path, methods in doc["paths"].items() for method in methods}
    served = {(route.method, route.template) for route in house.api.router.routes}
    assert described == {each for each in served - set(PATHS) if not each[1].startswith(ASSETS)}
    assert set(OPERATIONS) == described


async def test_the_document_is_openapi_3_1_with_its_security(client: Client) -> None:
    doc = await document(client)
    assert doc["openapi"] == "3.1.0"
    assert doc["security"] == [{"token": []}]
    assert doc["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}
    open_paths = {
        path for path, methods in doc["paths"].items() for each in methods.values() if each.get("security") == []
    }
    assert open_paths == {"/", "/api/v1/health", "/api/v1/ready"}


async def test_the_named_types_of_the_interface_are_described(client: Client) -> None:
    """interface §2.4: `ChainInstructionSpec`, `EncodedSerializedTransaction`, `OperationSpec`, `MemoSpec`."""
    schemas = (await document(client))["components"]["schemas"]
    assert {"ChainInstructionSpec", "EncodedSerializedTransaction", "OperationSpec", "MemoSpec"} <= set(schemas)
    kinds = {each["properties"]["type"]["const"] for each in schemas["MemoSpec"]["oneOf"]}
    assert kinds == {"none", "text", "id", "hash", "return"}
    assert len(schemas["OperationSpec"]["oneOf"]) == 22


async def test_every_reference_leads_somewhere(client: Client) -> None:
    doc = await document(client)

    def references(value: Any) -> list[str]:
        if isinstance(value, dict):
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [each for item in value.values() for each in references(item)]
        return [each for item in value for each in references(item)] if isinstance(value, list) else []

    found = references(doc)
    assert found
    for reference in found:
        target: Any = doc
        for word in reference.removeprefix("#/").split("/"):
            target = target[word]


async def test_every_schema_is_a_valid_schema(client: Client) -> None:
    doc = await document(client)
    for schema in doc["components"]["schemas"].values():
        jsonschema_rs.meta.validate({**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"})


@pytest.mark.parametrize(("method", "template"), [key for key, each in OPERATIONS.items() if each.body is not None])
async def test_every_example_fits_its_schema(client: Client, method: str, template: str) -> None:
    doc = await document(client)
    content = doc["paths"][template][method.lower()]["requestBody"]["content"]["application/json"]
    assert content["examples"]
    for each in content["examples"].values():
        validator(doc, content["schema"]).validate(each["value"])


async def test_every_example_is_accepted_and_answered_as_described(client: Client) -> None:
    doc = await document(client)
    template = "/api/v1/relayers/{relayer_id}/transactions"
    examples = doc["paths"][template]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert {name.split("-")[0] for name in examples} == {"evm", "solana", "stellar"}
    for name, each in examples.items():
        relayer_id = name.split("-")[0] + "-local"
        reply = await client.post(path_of(relayer_id), each["value"])
        assert reply.status == 200, (name, reply.body)
        check(doc, "POST", template, reply)


@pytest.mark.parametrize("relayer_id", list(BODIES))
async def test_the_schema_of_each_family_takes_what_the_family_takes(client: Client, relayer_id: str) -> None:
    doc = await document(client)
    family = relayer_id.split("-", maxsplit=1)[0].capitalize()
    schema = doc["components"]["schemas"][f"{family}TransactionRequest"]
    validator(doc, schema).validate(BODIES[relayer_id])
    record = (await client.post(path_of(relayer_id), BODIES[relayer_id])).data
    validator(doc, doc["components"]["schemas"][f"{family}Transaction"]).validate(record)
    assert set(record) == set(doc["components"]["schemas"][f"{family}Transaction"]["properties"])


async def test_answers_of_every_kind_are_as_described(house: House, client: Client) -> None:
    doc = await document(client)
    send, one = (
        "/api/v1/relayers/{relayer_id}/transactions",
        "/api/v1/relayers/{relayer_id}/transactions/{transaction_id}",
    )
    made = await client.post(path_of("evm-local"), BODIES["evm-local"])
    mine = path_of("evm-local", made.data["id"])
    check(doc, "POST", send, made)
    check(doc, "POST", send, await client.post(path_of("evm-local"), {}))
    check(doc, "POST", send, await client.post(path_of("nobody"), {}))
    check(doc, "POST", send, await client.post(path_of("paused"), {}))
    check(doc, "POST", send, await client.without_token().post(path_of("paused"), {}))
    check(doc, "POST", send, await client.send("POST", path_of("paused")))
    check(doc, "GET", send, await client.get(path_of("evm-local")))
    check(doc, "PUT", one, await client.put(mine, BODIES["evm-local"]))
    check(doc, "GET", one, await client.get(mine))
    check(doc, "DELETE", one, await client.delete(mine))
    check(doc, "DELETE", one, await client.delete(mine))
    house.store.is_down = True
    check(doc, "GET", one, await client.get(mine))
    check(doc, "GET", "/api/v1/ready", await client.get("/api/v1/ready"))
    house.store.is_down = False
    notifications = "/api/v1/notifications"
    check(doc, "POST", notifications, await client.post(notifications, {"url": "http://host", "id": "n"}))
    check(doc, "POST", notifications, await client.post(notifications, {"url": "http://host", "id": "n"}))
    check(doc, "GET", notifications, await client.get(notifications))
    each = notifications + "/{notification_id}"
    check(doc, "PATCH", each, await client.patch(notifications + "/n", {"signing_key": "k"}))
    check(doc, "DELETE", each, await client.delete(notifications + "/n"))
    check(doc, "DELETE", each, await client.delete(notifications + "/n"))
    check(doc, "GET", "/api/v1/ready", await client.get("/api/v1/ready"))
    check(doc, "GET", "/", await client.get("/"))
