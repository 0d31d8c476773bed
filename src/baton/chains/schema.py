"""JSON Schema of requests and records, written beside the code that reads and writes them; the API document is made of it.

A test sends every example and checks every record against these, so they cannot drift from the validators.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from baton.domain.json import Json
from baton.domain.network import Family
from baton.domain.policy import Speed
from baton.domain.status import Status


@dataclass(frozen=True, slots=True)
class FamilySchema:
    family: Family
    request: Json
    record: Json
    examples: Mapping[str, Json]  # named request bodies that are accepted
    parts: Mapping[str, Json] = field(default_factory=dict)  # named types that the request refers to


def maybe(schema: Json) -> Json:
    """The same, or null: null equals absence in requests, and "not known" in records."""
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def part(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


TEXT = {"type": "string"}
MOMENT = {"type": "string", "format": "date-time"}
AMOUNT_TEXT = {"type": "string", "pattern": "^[0-9]+$", "description": "decimal text of an integer"}
SPEED = {"type": "string", "enum": [str(speed) for speed in Speed]}
VALID_UNTIL = maybe({**MOMENT, "description": "RFC 3339 with an offset, in the future: when the transaction expires"})

RECORD: dict[str, Json] = {
    "id": TEXT,
    "relayer_id": TEXT,
    "status": {"type": "string", "enum": [str(status) for status in Status]},
    "status_reason": maybe({**TEXT, "description": "why it is in this status, in words"}),
    "created_at": MOMENT,
    "sent_at": maybe({**MOMENT, "description": "the first time a node accepted it"}),
    "confirmed_at": maybe({**MOMENT, "description": "only when it is confirmed"}),
    "hash": maybe(TEXT),
    "from": maybe(TEXT),
    "to": maybe(TEXT),
    "data": maybe(TEXT),
    "value": maybe(AMOUNT_TEXT),
    "gas_limit": maybe({"type": "integer"}),
    "gas_price": maybe(AMOUNT_TEXT),
    "max_fee_per_gas": maybe(AMOUNT_TEXT),
    "max_priority_fee_per_gas": maybe(AMOUNT_TEXT),
    "nonce": maybe({"type": "integer"}),
    "speed": maybe({"type": "object", "properties": {"level": SPEED}, "required": ["level"]}),
    "signature": {"description": "the family's signature, or null until it is signed"},
    "is_canceled": {"type": "boolean", "description": "true from the accepted cancel on"},
}


def record_schema(description: str, **more: Json) -> Json:
    """Every key of the interface, always there, with what the family adds or narrows."""
    properties = RECORD | more
    return {"type": "object", "description": description, "properties": properties, "required": list(properties)}
