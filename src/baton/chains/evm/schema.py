"""Group A as JSON Schema."""

from baton.chains.evm.record import PRICES
from baton.chains.fields import I64_MAX, U128_MAX
from baton.chains.schema import SPEED, TEXT, VALID_UNTIL, FamilySchema, maybe, record_schema
from baton.domain.json import Json
from baton.domain.network import Family

_ADDRESS = {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"}
_WORD = {"type": "string", "pattern": "^0x[0-9a-fA-F]{64}$"}
_DATA = {"type": "string", "pattern": "^0x([0-9a-fA-F]{2})*$"}
_DECIMAL = {"type": "string", "pattern": "^[0-9]{1,39}$"}
_HEX = {"type": "string", "pattern": "^0x[0-9a-fA-F]{1,32}$"}
_U128 = {"type": "integer", "minimum": 0, "maximum": U128_MAX}
_ANY_INTEGER = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]}
_PRICE = {"anyOf": [_U128, _DECIMAL, {"type": "null"}], "description": "wei"}

_ACCESS: Json = {
    "type": "object",
    "properties": {"address": _ADDRESS, "storage_keys": maybe({"type": "array", "items": _WORD})},
    "required": ["address"],
}
_AUTHORIZATION: Json = {
    "type": "object",
    "properties": {"address": _ADDRESS} | dict.fromkeys(("chain_id", "nonce", "y_parity", "r", "s"), _ANY_INTEGER),
    "required": ["address", "chain_id", "nonce", "y_parity", "r", "s"],
}

SCHEMA = FamilySchema(
    Family.EVM,
    request={
        "type": "object",
        "description": (
            "Group A, for relayers on EVM networks. Pricing is gas_price, or speed, or the pair of max_fee_per_gas and "
            "max_priority_fee_per_gas (one alone derives the other); none means the relayer's own speed."
        ),
        "properties": {
            "value": {
                "anyOf": [_U128, _DECIMAL, _HEX],
                "description": "wei, 0 to 2^128-1; a decimal or 0x string too, because JavaScript cannot write large integers",
            },
            "to": maybe({**_ADDRESS, "description": "absent: a contract is created from data"}),
            "data": maybe(_DATA),
            "gas_limit": maybe(
                {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                    "maximum": I64_MAX,
                    "description": "at least the intrinsic gas of the transaction; absent: it is estimated",
                }
            ),
            **dict.fromkeys(PRICES, _PRICE),
            "speed": maybe(SPEED),
            "valid_until": VALID_UNTIL,
            "access_list": maybe({"type": "array", "items": _ACCESS, "description": "EIP-2930"}),
            "authorization_list": maybe({"type": "array", "items": _AUTHORIZATION, "description": "EIP-7702"}),
        },
        "required": ["value"],
    },
    record=record_schema(
        "An EVM transaction.",
        signature=maybe(
            {
                "type": "object",
                "description": "hex without 0x",
                "properties": {"r": TEXT, "s": TEXT, "v": {"type": "integer"}, "sig": TEXT},
                "required": ["r", "s", "v", "sig"],
            }
        ),
    ),
    examples={
        "payment": {
            "to": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
            "value": 1_000_000_000_000_000,
            "speed": "fast",
        },
        "call": {
            "to": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "data": "0xa9059cbb" + "00" * 64,
            "value": "0",
            "gas_limit": 100_000,
            "max_fee_per_gas": 30_000_000_000,
            "max_priority_fee_per_gas": 1_000_000_000,
        },
    },
)
