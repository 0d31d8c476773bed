"""Prebuilt transactions of group B, made and signed by the official bindings."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from baton.chains.base import Draft
from baton.domain.errors import Invalid

Parse = Callable[..., Draft]
STRANGER = Keypair.from_seed(bytes([2]) * 32)
MEMO = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
TABLE = AddressLookupTableAccount(Pubkey.from_bytes(bytes([7]) * 32), [Pubkey.from_bytes(bytes([8]) * 32)])


def pay(source: Keypair, lamports: int = 5) -> Instruction:
    return transfer(TransferParams(from_pubkey=source.pubkey(), to_pubkey=TABLE.addresses[0], lamports=lamports))


def memo(*signers: Keypair) -> Instruction:
    return Instruction(MEMO, b"hello", [AccountMeta(each.pubkey(), True, False) for each in signers])


def encoded(message: Message | MessageV0, signatures: list[Signature]) -> str:
    return base64.b64encode(bytes(VersionedTransaction.populate(message, signatures))).decode()


def legacy(payer: Keypair, *calls: Instruction) -> Message:
    return Message.new_with_blockhash(list(calls), payer.pubkey(), Hash.default())


def v0(payer: Keypair, *calls: Instruction, tables: list[AddressLookupTableAccount] | None = None) -> MessageV0:
    return MessageV0.try_compile(payer.pubkey(), list(calls), tables or [], Hash.default())


def unsigned(message: Message | MessageV0) -> str:
    return encoded(message, [Signature.default()] * message.header.num_required_signatures)


def refusal(parse: Parse, transaction: Any, **policy: Any) -> str:
    with pytest.raises(Invalid) as caught:
        parse({"transaction": transaction}, **policy)
    assert caught.value.field.startswith("transaction")
    return str(caught.value)


@pytest.mark.parametrize("make", [legacy, v0])
def test_both_versions_are_taken_unsigned(parse: Parse, key: Keypair, make: Callable[..., Message]) -> None:
    text = unsigned(make(key, pay(key)))
    content = parse({"transaction": text}).content
    assert content["transaction"] == text
    assert content["instructions"] is None
    assert content["fee_payer"] == str(key.pubkey())


def test_a_lookup_table_is_taken(parse: Parse, key: Keypair) -> None:
    message = v0(key, pay(key), tables=[TABLE])
    assert message.address_table_lookups
    assert parse({"transaction": unsigned(message)}).content["transaction"]


def test_another_fee_payer_that_has_signed_is_taken(parse: Parse, key: Keypair) -> None:
    message = legacy(STRANGER, memo(key))
    signature = STRANGER.sign_message(bytes(message))
    content = parse({"transaction": encoded(message, [signature, Signature.default()])}).content
    assert content["fee_payer"] == str(STRANGER.pubkey())


def test_a_missing_signature_of_another_is_refused(parse: Parse, key: Keypair) -> None:
    text = refusal(parse, unsigned(legacy(key, memo(key, STRANGER))))
    assert str(STRANGER.pubkey()) in text


def test_a_signature_over_another_message_is_refused(parse: Parse, key: Keypair) -> None:
    message = legacy(key, memo(key, STRANGER))
    wrong = STRANGER.sign_message(b"something else")
    assert "no valid signature" in refusal(parse, encoded(message, [Signature.default(), wrong]))


def test_a_v0_signature_covers_the_version_byte(parse: Parse, key: Keypair) -> None:
    message = v0(key, memo(key, STRANGER))
    right = STRANGER.sign_message(b"\x80" + bytes(message))
    assert parse({"transaction": encoded(message, [Signature.default(), right])})
    bare = STRANGER.sign_message(bytes(message))
    assert "no valid signature" in refusal(parse, encoded(message, [Signature.default(), bare]))


def test_a_transaction_that_does_not_need_the_relayer_is_refused(parse: Parse) -> None:
    message = legacy(STRANGER, pay(STRANGER))
    text = refusal(parse, encoded(message, [STRANGER.sign_message(bytes(message))]))
    assert "fee payer or required signer" in text


def test_the_relayer_as_a_mere_account_is_not_enough(parse: Parse, key: Keypair) -> None:
    call = Instruction(MEMO, b"", [AccountMeta(key.pubkey(), False, True)])
    message = legacy(STRANGER, call)
    refusal(parse, encoded(message, [STRANGER.sign_message(bytes(message))]))


def test_a_transaction_without_instructions_is_refused(parse: Parse, key: Keypair) -> None:
    assert "no instruction" in refusal(parse, unsigned(legacy(key)))


def test_bytes_after_the_end_are_refused(parse: Parse, key: Keypair) -> None:
    raw = base64.b64decode(unsigned(legacy(key, pay(key)))) + b"\x00"
    refusal(parse, base64.b64encode(raw).decode())


def test_an_account_listed_twice_is_refused(parse: Parse, key: Keypair) -> None:
    raw = base64.b64decode(unsigned(legacy(key, pay(key))))
    keys = bytes(key.pubkey()), bytes(TABLE.addresses[0])
    assert "twice" in refusal(parse, base64.b64encode(raw.replace(keys[1], keys[0])).decode())


def test_the_version_after_0_is_refused(parse: Parse, key: Keypair) -> None:
    raw = base64.b64decode(unsigned(v0(key, pay(key))))
    refusal(parse, base64.b64encode(raw[:65] + b"\x81" + raw[66:]).decode())


@pytest.mark.parametrize("value", [7, True, {}, [], "", "AA", "!!!!", "AA==", "A" * 5000, "\ud800", "é"])
def test_what_is_no_transaction_is_refused(parse: Parse, value: Any) -> None:
    refusal(parse, value)


def test_every_cut_and_every_flipped_byte_is_taken_or_refused_calmly(parse: Parse, key: Keypair) -> None:
    raw = base64.b64decode(unsigned(v0(key, pay(key), memo(key), tables=[TABLE])))
    broken = [raw[:n] for n in range(len(raw))]
    broken += [raw[:n] + bytes([flip]) + raw[n + 1 :] for n in range(len(raw)) for flip in (0, 1, 127, 128, 255)]
    outcomes = set()
    for each in broken:
        try:
            parse({"transaction": base64.b64encode(each).decode()})
            outcomes.add("taken")
        except Invalid:
            outcomes.add("refused")
    assert outcomes == {"taken", "refused"}  # a flipped blockhash byte is still a transaction
