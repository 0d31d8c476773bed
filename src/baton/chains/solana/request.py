"""Group B: a Solana request is a list of instructions or one prebuilt transaction, read into its canonical form.

Content as it is stored:
    {"instructions": [...] | null, "transaction": base64 | null, "fee_payer": base58, "speed": word | null,
     "address_lookup_tables": [base58, ...]}
"""

import hashlib
from datetime import datetime

from baton.chains import fields
from baton.chains.base import Draft
from baton.chains.octets import base64_bytes, from_base64
from baton.chains.solana import outline as outlines
from baton.chains.solana import policy as policies
from baton.chains.solana.build import least_size
from baton.chains.solana.outline import Outline
from baton.chains.solana.wire import LARGEST_TRANSACTION, SIGNATURE_BYTES, address, transaction_of, valid_signatures
from baton.domain.errors import Bug, Invalid
from baton.domain.json import Json
from baton.domain.policy import SolanaPolicy, Speed
from baton.domain.relayer import Relayer

MOST_INSTRUCTIONS = 64
MOST_ACCOUNTS = 64  # of one instruction, and of a transaction: the accounts that the runtime locks at once
MOST_TABLES = 16


def parse(body: Json, relayer: Relayer, now: datetime) -> Draft:
    if not isinstance(relayer.policy, SolanaPolicy):
        raise Bug(f"relayer {relayer.id!r} has no Solana policy")
    fields_of_body = fields.as_object(body)
    specs = fields.array(fields_of_body, "instructions")
    encoded = fields.text(fields_of_body, "transaction", expected="a base64 string")
    if specs is not None and encoded is not None:
        raise Invalid("instructions", "transaction beside it", "either instructions or transaction")
    valid_until = fields.moment(fields_of_body, "valid_until", now)
    content: dict[str, Json] = {"instructions": None, "transaction": None, "fee_payer": relayer.address}
    if specs is not None:
        tables = _tables(fields_of_body)
        content["instructions"] = _instructions(specs, relayer.address)
        outline = _outline(content["instructions"], relayer.address, tables)
    elif encoded is not None:
        tables = []
        outline = _prebuilt(encoded, relayer.address)
        content |= {"transaction": encoded, "fee_payer": outline.fee_payer}
    else:
        raise Invalid("instructions", "nothing", "either instructions or transaction")
    policies.check(outline, relayer.policy, relayer.address)
    content |= {"speed": _speed(fields_of_body), "address_lookup_tables": tables}
    return Draft(content, valid_until, _fingerprint(content, relayer.address))


def _fingerprint(content: dict[str, Json], relayer_address: str) -> str | None:
    """Of a prebuilt one: the message as it came, whatever signatures stand before it."""
    if content["transaction"] is None:
        return None
    raw = from_base64(content["transaction"])
    message = raw[1 + raw[0] * SIGNATURE_BYTES :]
    return f"{relayer_address}:{hashlib.sha256(message).hexdigest()}"


def _instructions(specs: list[Json], relayer_address: str) -> list[Json]:
    if not 1 <= len(specs) <= MOST_INSTRUCTIONS:
        raise Invalid(
            "instructions", f"{len(specs)} instructions", f"at least one instruction, at most {MOST_INSTRUCTIONS}"
        )
    return [_instruction(spec, f"instructions[{i}]", relayer_address) for i, spec in enumerate(specs)]


def _instruction(value: Json, at: str, relayer_address: str) -> Json:
    spec = fields.as_object(value, at)
    program = address(fields.required(spec, "program_id", "a base58 address of 32 bytes", at=at), f"{at}.program_id")
    if program == relayer_address:
        raise Invalid(f"{at}.program_id", "the relayer's own address", "a program")
    fields.required(spec, "accounts", "an array", at=at)
    metas = fields.array(spec, "accounts", at=at) or []
    if len(metas) > MOST_ACCOUNTS:
        raise Invalid(f"{at}.accounts", f"{len(metas)} accounts", f"at most {MOST_ACCOUNTS}")
    accounts = [_account(meta, f"{at}.accounts[{j}]", relayer_address) for j, meta in enumerate(metas)]
    data = fields.required(spec, "data", "a base64 string", at=at)
    base64_bytes(data, f"{at}.data", LARGEST_TRANSACTION)
    return {"program_id": program, "accounts": accounts, "data": data}


def _account(value: Json, at: str, relayer_address: str) -> Json:
    meta = fields.as_object(value, at)
    pubkey = address(fields.required(meta, "pubkey", "a base58 address of 32 bytes", at=at), f"{at}.pubkey")
    fields.required(meta, "is_signer", "true or false", at=at)
    fields.required(meta, "is_writable", "true or false", at=at)
    is_signer, is_writable = fields.flag(meta, "is_signer", at=at), fields.flag(meta, "is_writable", at=at)
    if is_signer and pubkey != relayer_address:
        expected = f"only the relayer's address {relayer_address} as a signer; it can give no other signature"
        raise Invalid(f"{at}.is_signer", f"true for {pubkey}", expected)
    return {"pubkey": pubkey, "is_signer": is_signer, "is_writable": is_writable}


def _outline(specs: list[Json], relayer_address: str, tables: list[str]) -> Outline:
    drawn = outlines.of_instructions(specs, relayer_address, 0)
    if len(drawn.addresses) > MOST_ACCOUNTS:
        expected = f"at most {MOST_ACCOUNTS} (programs and the relayer count)"
        raise Invalid("instructions", f"{len(drawn.addresses)} different accounts", expected)
    size = least_size(specs, relayer_address, len(tables))
    if size > LARGEST_TRANSACTION:
        expected = f"one that fits {LARGEST_TRANSACTION} bytes"
        raise Invalid("instructions", f"a transaction of {size} bytes with its compute budget", expected)
    return outlines.of_instructions(specs, relayer_address, size)


def _prebuilt(encoded: str, relayer_address: str) -> Outline:
    transaction = transaction_of(base64_bytes(encoded, "transaction", LARGEST_TRANSACTION), "transaction")
    drawn = outlines.of_transaction(transaction)
    if relayer_address not in drawn.signers:
        expected = f"the relayer's address {relayer_address} as fee payer or required signer"
        raise Invalid("transaction", f"fee payer {drawn.fee_payer} and {len(drawn.signers)} signers", expected)
    if not drawn.calls:
        raise Invalid("transaction", "no instruction", "at least one instruction")
    for signer, is_valid in zip(drawn.signers, valid_signatures(transaction), strict=True):
        if signer != relayer_address and not is_valid:
            expected = "every signature but the relayer's, valid for this message"
            raise Invalid("transaction", f"no valid signature of {signer}", expected)
    return drawn


def _tables(body: dict[str, Json]) -> list[str]:
    given = fields.array(body, "address_lookup_tables") or []
    if len(given) > MOST_TABLES:
        raise Invalid("address_lookup_tables", f"{len(given)} tables", f"at most {MOST_TABLES}")
    tables = [address(each, f"address_lookup_tables[{i}]") for i, each in enumerate(given)]
    return list(dict.fromkeys(tables))


def _speed(body: dict[str, Json]) -> str | None:
    """`speed` belongs to another group, whose keys are ignored: a word that means something here is honoured."""
    given = body.get("speed")
    return given if isinstance(given, str) and given in set(Speed) else None
