"""Group B as JSON Schema."""

from baton.chains.schema import TEXT, VALID_UNTIL, FamilySchema, maybe, part, record_schema
from baton.chains.solana.request import MOST_ACCOUNTS, MOST_INSTRUCTIONS
from baton.domain.json import Json
from baton.domain.network import Family

_ADDRESS = {"type": "string", "pattern": "^[1-9A-HJ-NP-Za-km-z]{32,44}$", "description": "32 bytes in base58"}
_BASE64 = {"type": "string", "contentEncoding": "base64"}
_FLAG = {"type": "boolean"}

_ACCOUNT: Json = {
    "type": "object",
    "properties": {"pubkey": _ADDRESS, "is_signer": _FLAG, "is_writable": _FLAG},
    "required": ["pubkey", "is_signer", "is_writable"],
}
_INSTRUCTION: Json = {
    "type": "object",
    "description": "One instruction: the program, the accounts it sees, its data. Only the relayer can be a signer.",
    "properties": {
        "program_id": _ADDRESS,
        "accounts": {"type": "array", "items": _ACCOUNT, "maxItems": MOST_ACCOUNTS},
        "data": _BASE64,
    },
    "required": ["program_id", "accounts", "data"],
}
_ENCODED: Json = {
    "type": "string",
    "contentEncoding": "base64",
    "description": "A wire transaction (legacy or v0) that has the relayer as fee payer or signer.",
}

SCHEMA = FamilySchema(
    Family.SOLANA,
    request={
        "type": "object",
        "description": "Group B, for relayers on Solana networks: either instructions or transaction.",
        "properties": {
            "instructions": maybe(
                {
                    "type": "array",
                    "items": part("ChainInstructionSpec"),
                    "minItems": 1,
                    "maxItems": MOST_INSTRUCTIONS,
                }
            ),
            "transaction": {"anyOf": [part("EncodedSerializedTransaction"), {"type": "null"}]},
            "valid_until": VALID_UNTIL,
        },
    },
    record=record_schema(
        "A Solana transaction. `hash` is the signature, `from` the fee payer.",
        signature=maybe({**TEXT, "description": "base58"}),
        transaction=maybe(_BASE64),
        instructions=maybe({"type": "array", "items": part("ChainInstructionSpec")}),
    ),
    examples={
        "memo": {
            "instructions": [
                {
                    "program_id": "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
                    "accounts": [],
                    "data": "aGVsbG8=",
                }
            ]
        }
    },
    parts={"ChainInstructionSpec": _INSTRUCTION, "EncodedSerializedTransaction": _ENCODED},
)
