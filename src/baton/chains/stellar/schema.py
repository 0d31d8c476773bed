"""Group C as JSON Schema; the operations come from the very table that reads them."""

from baton.chains.fields import I64_MAX
from baton.chains.schema import TEXT, VALID_UNTIL, FamilySchema, maybe, part, record_schema
from baton.chains.stellar.memo import HASH_BYTES, LONGEST_TEXT
from baton.chains.stellar.operations import SHAPES
from baton.chains.stellar.request import DEFAULT_MAX_FEE, MOST_OPERATIONS
from baton.chains.stellar.shapes import Shape
from baton.domain.json import Json
from baton.domain.network import Family

_BASE64 = {"type": "string", "contentEncoding": "base64"}
_HASH: Json = {
    "anyOf": [
        {
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": 255},
            "minItems": HASH_BYTES,
            "maxItems": HASH_BYTES,
        },
        {"type": "string", "pattern": f"^[0-9a-fA-F]{{{2 * HASH_BYTES}}}$"},
    ]
}
_ID: Json = {
    "anyOf": [
        {"type": "integer", "format": "int64", "minimum": 0, "maximum": I64_MAX},
        {"type": "string", "pattern": "^[0-9]{1,19}$"},
    ]
}


def _memo(kind: str, value: Json = None) -> Json:
    properties = {"type": {"const": kind}} | ({} if value is None else {"value": value})
    return {"type": "object", "properties": properties, "required": list(properties)}


def _operation(kind: str, shape: Shape) -> Json:
    required = [name for name, field in shape.items() if field.is_required]
    properties: Json = {name: {} for name in shape} | {"source_account": maybe(TEXT)}
    return {
        "type": "object",
        "title": kind,
        "properties": {"type": {"const": kind}} | properties,
        "required": ["type", *required],
    }


SCHEMA = FamilySchema(
    Family.STELLAR,
    request={
        "type": "object",
        "description": "Group C, for relayers on Stellar networks: either operations or transaction_xdr.",
        "properties": {
            "network": {"type": "string", "minLength": 1, "description": "the relayer's network"},
            "source_account": maybe(TEXT),
            "operations": maybe(
                {"type": "array", "items": part("OperationSpec"), "minItems": 1, "maxItems": MOST_OPERATIONS}
            ),
            "transaction_xdr": maybe({**_BASE64, "description": "a prebuilt transaction envelope, signed or unsigned"}),
            "memo": {"anyOf": [part("MemoSpec"), {"type": "null"}]},
            "fee_bump": maybe({"type": "boolean", "description": "only with a transaction_xdr that is signed"}),
            "max_fee": maybe(
                {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 1,
                    "maximum": I64_MAX,
                    "default": DEFAULT_MAX_FEE,
                    "description": "stroops",
                }
            ),
            "valid_until": VALID_UNTIL,
        },
        "required": ["network"],
    },
    record=record_schema(
        "A Stellar transaction.",
        signature={"type": "null"},
        source_account=maybe(TEXT),
        sequence_number=maybe({**TEXT, "description": "decimal text"}),
        fee=maybe({"type": "integer", "description": "stroops"}),
        memo={"anyOf": [part("MemoSpec"), {"type": "null"}]},
        operations=maybe({"type": "array", "items": part("OperationSpec")}),
        transaction_xdr=maybe(_BASE64),
        transaction_result_xdr=maybe(_BASE64),
    ),
    examples={
        "payment": {
            "network": "testnet",
            "operations": [
                {
                    "type": "payment",
                    "destination": "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ",
                    "asset": {"type": "native"},
                    "amount": "10000000",
                }
            ],
            "memo": {"type": "text", "value": "order 4711"},
        }
    },
    parts={
        "OperationSpec": {
            "description": "One operation, told apart by its type. Amounts are stroops, as integer or decimal string.",
            "oneOf": [_operation(kind, shape) for kind, shape in SHAPES.items()],
        },
        "MemoSpec": {
            "oneOf": [
                _memo("none"),
                _memo("text", {"type": "string", "maxLength": LONGEST_TEXT}),
                _memo("id", _ID),
                _memo("hash", _HASH),
                _memo("return", _HASH),
            ]
        },
    },
)
