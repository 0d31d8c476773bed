"""The OpenAPI 3.1 document, made from the routes, the types that validate and the schemas beside the validators."""

from collections.abc import Iterable, Sequence

import msgspec

from baton import __version__
from baton.api.deliveries import DeliveryRecord, TestRecord
from baton.api.described import BODY_FAILURES, Operation
from baton.api.envelope import Answer, bare
from baton.api.errors import CRASH, TABLE
from baton.api.events import FeedRecord
from baton.api.look import SCHEMAS as LOOK_SCHEMAS
from baton.api.notifications import NotificationCreate, NotificationRecord, NotificationUpdate
from baton.api.operations import OPERATIONS
from baton.api.relayers import RelayerBalance, RelayerRecord, RelayerStatusRecord, RelayerUpdate
from baton.api.request import Request
from baton.api.routing import Route
from baton.api.transactions import PendingCanceled
from baton.chains.schema import FamilySchema, part
from baton.commands.live import Funds, LaneNow, NextAction
from baton.domain.json import Json

PATH = "/api-docs/openapi.json"
_REF = "#/components/schemas/{name}"
_ALWAYS = (400, 405, 431, 500, 503)  # whatever is asked: a malformed head, a wrong method, a crash, an outage

TYPES = (
    NotificationCreate,
    NotificationUpdate,
    NotificationRecord,
    PendingCanceled,
    DeliveryRecord,
    TestRecord,
    FeedRecord,
    RelayerRecord,
    RelayerUpdate,
    RelayerStatusRecord,
    RelayerBalance,
    Funds,
    LaneNow,
    NextAction,
)

DESCRIPTION = """Baton carries blockchain transactions until they are final: EVM, Solana and Stellar.

Every answer wears one envelope: `{"success": true, "data": …}`, with `pagination` for lists, or
`{"success": false, "data": null, "message": …, "error": …}`, where `message` is a fixed phrase and `error` says what is
wrong with this request. Every answer carries `x-request-id`."""


def route(routes: Iterable[Route], schemas: Sequence[FamilySchema]) -> Route:
    answer = bare(document(routes, schemas))

    async def endpoint(_: Request) -> Answer:
        return answer

    return Route("GET", PATH, endpoint, is_public=True)


def document(routes: Iterable[Route], schemas: Sequence[FamilySchema]) -> Json:
    paths: dict[str, Json] = {}
    for each in routes:
        operation = OPERATIONS.get((each.method, each.template))
        if operation is not None:
            paths.setdefault(each.template, {})[each.method.lower()] = _operation(each, operation, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Baton",
            "version": __version__,
            "description": DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "tags": [{"name": name} for name in ("Transactions", "Relayers", "Notifications", "Events", "Service")],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _schemas(schemas),
            "responses": {_name(status): _failure(status) for status in sorted({code for code, _ in TABLE.values()})},
            "headers": {"x-request-id": {"schema": {"type": "string"}, "description": "In the log too."}},
        },
    }


def _operation(where: Route, operation: Operation, schemas: Sequence[FamilySchema]) -> Json:
    failures = {*_ALWAYS, *operation.failures}
    if not where.is_public:
        failures.add(401)
    if "{" in where.template:
        failures.add(404)
    if operation.body is not None:
        failures |= set(BODY_FAILURES)
    responses = {str(operation.success): _success(operation)}
    responses |= {str(status): {"$ref": f"#/components/responses/{_name(status)}"} for status in sorted(failures)}
    if operation.id == "ready":
        responses["503"] = _success(operation) | {"description": "It cannot take work now"}
    described: dict[str, Json] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [operation.tag],
        "responses": responses,
    }
    if operation.description:
        described["description"] = operation.description
    if operation.parameters:
        described["parameters"] = list(operation.parameters)
    if operation.body is not None:
        content = {"schema": operation.body, "examples": _examples(operation, schemas)}
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
    if where.is_public:
        described["security"] = []
    return described


def _success(operation: Operation) -> Json:
    headers: dict[str, Json] = {"x-request-id": {"$ref": "#/components/headers/x-request-id"}}
    if operation.bare is not None:
        media, schema = operation.bare
        return {"description": operation.summary, "headers": headers, "content": {media: {"schema": schema}}}
    data = {"type": "array", "items": operation.data} if operation.is_list else operation.data
    properties = {"success": {"const": True}, "data": data, "metadata": part("Metadata")}
    required = ["success", "data"]
    if operation.is_list:
        properties["pagination"] = part("Pagination")
        required.append("pagination")
    schema = {"type": "object", "properties": properties, "required": required}
    return {"description": operation.summary, "headers": headers, "content": {"application/json": {"schema": schema}}}


def _examples(operation: Operation, schemas: Sequence[FamilySchema]) -> Json:
    if operation.tag == "Transactions":
        return {
            f"{schema.family}-{name}": {"value": value} for schema in schemas for name, value in schema.examples.items()
        }
    if operation.tag == "Relayers":
        return {"pause": {"value": {"paused": True}}, "hearers": {"value": {"notification_id": "*"}}}
    return {"webhook": {"value": {"url": "https://example.com/hooks/baton", "signing_key": "a long random text"}}}


def _schemas(schemas: Sequence[FamilySchema]) -> dict[str, Json]:
    _, found = msgspec.json.schema_components(TYPES, ref_template=_REF)
    for schema in schemas:
        name = schema.family.capitalize()
        found[f"{name}TransactionRequest"] = schema.request
        found[f"{name}Transaction"] = schema.record
        found |= schema.parts
    names = [schema.family.capitalize() for schema in schemas]
    found["TransactionRequest"] = {"anyOf": [part(f"{name}TransactionRequest") for name in names]}
    found["Transaction"] = {"anyOf": [part(f"{name}Transaction") for name in names]}
    return found | LOOK_SCHEMAS | _ENVELOPE


def _name(status: int) -> str:
    return next(message for code, message in TABLE.values() if code == status).replace(" ", "")


def _failure(status: int) -> Json:
    messages = [message for code, message in TABLE.values() if code == status]
    example = {"success": False, "data": None, "message": messages[0], "error": CRASH}
    headers: dict[str, Json] = {"x-request-id": {"$ref": "#/components/headers/x-request-id"}}
    headers |= {name: {"schema": {"type": "string"}} for name in _HEADERS.get(status, ())}
    return {
        "description": " · ".join(messages),
        "headers": headers,
        "content": {"application/json": {"schema": part("Failure"), "example": example}},
    }


_HEADERS = {401: ("www-authenticate",), 405: ("allow",), 429: ("retry-after",), 503: ("retry-after",)}
_COUNT = {"type": "integer", "minimum": 0}
_ENVELOPE: dict[str, Json] = {
    "Failure": {
        "type": "object",
        "properties": {
            "success": {"const": False},
            "data": {"type": "null"},
            "message": {"type": "string", "description": "a fixed phrase"},
            "error": {"type": "string", "description": "what is wrong with this request, in words"},
        },
        "required": ["success", "data", "message", "error"],
    },
    "Pagination": {
        "type": "object",
        "description": "What was used, which may be less than what was asked for.",
        "properties": {"current_page": _COUNT, "per_page": _COUNT, "total_items": _COUNT},
        "required": ["current_page", "per_page", "total_items"],
    },
    "Metadata": {
        "type": "object",
        "description": "Only when there is something in it.",
        "properties": {
            "logs": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"level": {"type": "string"}, "message": {"type": "string"}},
                    "required": ["level", "message"],
                },
            },
            "traces": {"type": "array"},
        },
    },
    "Readiness": {
        "type": "object",
        "properties": {
            "ready": {"type": "boolean"},
            "status": {"type": "string", "enum": ["healthy", "unhealthy"]},
            "components": {"type": "object"},
            "timestamp": {"type": "string", "format": "date-time"},
        },
        "required": ["ready", "status", "components", "timestamp"],
    },
}
