"""Between wire JSON and the SVM's values: base58, transactions in, accounts and transactions out."""

import base64
import binascii
from collections.abc import Sequence

from solders.account import Account
from solders.instruction import CompiledInstruction
from solders.message import MessageV0, MessageV1
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import InnerInstruction, TransactionMetadata

from baton.devnet.solana.errors import invalid_params
from baton.domain.json import Json

PACKET_BYTES = 1232
"""A transaction must fit one UDP packet; every validator refuses more."""

_MAX_ENCODED = {"base58": 1683, "base64": 1644}
_TYPE_NAME = "solana_transaction::versioned::VersionedTransaction"
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_RENT_EXEMPT_EPOCH = 2**64 - 1


def base58_encode(data: bytes) -> str:
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = _ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def base58_decode(text: str) -> bytes:
    number = 0
    for character in text:
        number = number * 58 + _ALPHABET.index(character)
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def encode_bytes(data: bytes, encoding: str) -> list[str]:
    if encoding == "base58":
        return [base58_encode(data), encoding]
    return [base64.b64encode(data).decode(), "base64"]


def decode_transaction(text: str, encoding: str) -> VersionedTransaction:
    raw = _decode_text(text, encoding)
    if len(raw) > PACKET_BYTES:
        raise invalid_params(f"decoded {_TYPE_NAME} too large: {len(raw)} bytes (max: {PACKET_BYTES} bytes)")
    try:
        transaction = VersionedTransaction.from_bytes(raw)
    except ValueError as error:
        raise invalid_params(f"failed to deserialize {_TYPE_NAME}: {error}") from error
    try:
        transaction.sanitize()
    except ValueError as error:
        raise invalid_params(f"invalid transaction: {error}") from error
    return transaction


def _decode_text(text: str, encoding: str) -> bytes:
    limit = _MAX_ENCODED.get(encoding)
    if limit is None:
        raise invalid_params(f"unsupported encoding: {encoding}. Supported encodings: base58, base64")
    if len(text) > limit:
        size = f"{len(text)} bytes (max: encoded/raw {limit}/{PACKET_BYTES})"
        raise invalid_params(f"{encoding} encoded {_TYPE_NAME} too large: {size}")
    try:
        return base64.b64decode(text, validate=True) if encoding == "base64" else base58_decode(text)
    except (binascii.Error, ValueError) as error:
        raise invalid_params(f"invalid {encoding} encoding: {error}") from error


def account_json(account: Account | None, encoding: str, data_slice: Json = None) -> Json:
    """`jsonParsed` is answered as base64, the way a node answers for accounts it has no parser for."""
    if account is None:
        return None
    data = bytes(account.data)
    shown = data[data_slice["offset"] :][: data_slice["length"]] if data_slice else data
    return {
        "lamports": account.lamports,
        "owner": str(account.owner),
        "executable": account.executable,
        "rentEpoch": _RENT_EXEMPT_EPOCH,
        "space": len(data),
        "data": encode_bytes(shown, encoding),
    }


def version_of(transaction: VersionedTransaction) -> int | str:
    match transaction.message:
        case MessageV1():
            return 1
        case MessageV0():
            return 0
        case _:
            return "legacy"


def transaction_json(transaction: VersionedTransaction, encoding: str) -> Json:
    if encoding in {"base58", "base64"}:
        return encode_bytes(bytes(transaction), encoding)
    message = transaction.message
    header = message.header
    body: dict[str, Json] = {
        "header": {
            "numRequiredSignatures": header.num_required_signatures,
            "numReadonlySignedAccounts": header.num_readonly_signed_accounts,
            "numReadonlyUnsignedAccounts": header.num_readonly_unsigned_accounts,
        },
        "accountKeys": [str(key) for key in message.account_keys],
        "recentBlockhash": str(message.recent_blockhash),
        "instructions": [_instruction_json(instruction, None) for instruction in message.instructions],
    }
    if isinstance(message, MessageV0):
        body["addressTableLookups"] = [
            {
                "accountKey": str(lookup.account_key),
                "writableIndexes": list(lookup.writable_indexes),
                "readonlyIndexes": list(lookup.readonly_indexes),
            }
            for lookup in message.address_table_lookups
        ]
    return {"signatures": [str(signature) for signature in transaction.signatures], "message": body}


def _instruction_json(instruction: CompiledInstruction, stack_height: int | None) -> Json:
    return {
        "programIdIndex": instruction.program_id_index,
        "accounts": list(instruction.accounts),
        "data": base58_encode(bytes(instruction.data)),
        "stackHeight": stack_height,
    }


def inner_instructions_json(by_instruction: Sequence[Sequence[InnerInstruction]]) -> Json:
    return [
        {
            "index": index,
            "instructions": [_instruction_json(inner.instruction(), inner.stack_height()) for inner in inners],
        }
        for index, inners in enumerate(by_instruction)
        if inners
    ]


def return_data_json(meta: TransactionMetadata) -> Json:
    returned = meta.return_data()
    if not returned.data:
        return None
    return {"programId": str(returned.program_id), "data": encode_bytes(bytes(returned.data), "base64")}
