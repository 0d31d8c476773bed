"""Messages as bytes: the official bindings are the judge."""

import hashlib

import pytest
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.system_program import AdvanceNonceAccountParams, TransferParams, advance_nonce_account, transfer
from solders.transaction import VersionedTransaction

from baton.chains.solana import message as messages
from baton.chains.solana.inner import Outflow, inner_outflow
from baton.chains.solana.tables import addresses_of

KEYS = [Keypair.from_seed(bytes([n]) * 32) for n in range(1, 4)]
OTHER = Hash(hashlib.sha256(b"other").digest())
NONCE = Pubkey.from_bytes(bytes([9]) * 32)
PAY = transfer(TransferParams(from_pubkey=KEYS[0].pubkey(), to_pubkey=NONCE, lamports=5))


def made(version: str, blockhash: Hash, *calls: Instruction) -> Message | MessageV0:
    if version == "legacy":
        return Message.new_with_blockhash(list(calls), KEYS[0].pubkey(), blockhash)
    return MessageV0.try_compile(KEYS[0].pubkey(), list(calls), [], blockhash)


@pytest.mark.parametrize("version", ["legacy", "v0"])
def test_another_blockhash_changes_nothing_else(version: str) -> None:
    raw = messages.serialized(made(version, Hash.default(), PAY))
    changed = messages.with_blockhash(raw, str(OTHER))
    assert changed == bytes(to_bytes_versioned(made(version, OTHER, PAY)))
    assert messages.blockhash_of(changed) == str(OTHER)


@pytest.mark.parametrize("version", ["legacy", "v0"])
@pytest.mark.parametrize("count", [1, 3])
def test_signatures_and_message_make_the_wire_transaction(version: str, count: int) -> None:
    memo = Instruction(NONCE, b"x", [AccountMeta(key.pubkey(), True, False) for key in KEYS[:count]])
    message = made(version, OTHER, memo)
    raw = messages.serialized(message)
    assert messages.signer_count(raw) == count
    signers = {key.pubkey(): key for key in KEYS}
    signatures = [bytes(signers[key].sign_message(raw)) for key in message.account_keys[:count]]
    whole = VersionedTransaction.from_bytes(messages.joined(signatures, raw))
    assert whole.verify_with_results() == [True] * count


@pytest.mark.parametrize("version", ["legacy", "v0"])
def test_a_durable_nonce_is_seen_only_where_it_counts(version: str) -> None:
    advance = advance_nonce_account(AdvanceNonceAccountParams(nonce_pubkey=NONCE, authorized_pubkey=KEYS[0].pubkey()))
    assert messages.nonce_account_of(made(version, OTHER, advance, PAY)) == str(NONCE)
    assert messages.nonce_account_of(made(version, OTHER, PAY, advance)) is None
    assert messages.nonce_account_of(made(version, OTHER, PAY)) is None


def test_a_nonce_account_holds_its_value_after_forty_bytes() -> None:
    assert messages.nonce_value(bytes(40) + bytes(OTHER) + bytes(8)) == str(OTHER)
    assert messages.nonce_value(bytes(10)) is None
    assert messages.nonce_value(None) is None


def test_a_table_is_read_and_anything_else_is_none() -> None:
    header = (1).to_bytes(4, "little") + bytes(52)
    assert addresses_of(header + bytes(NONCE) * 2) == [NONCE, NONCE]
    assert addresses_of(header) == []
    assert addresses_of(header + bytes(31)) is None
    assert addresses_of(bytes(56) + bytes(NONCE)) is None
    assert addresses_of(b"") is None


SYSTEM = "11111111111111111111111111111111"


def test_a_debit_from_within_is_found_in_both_forms() -> None:
    ours = str(KEYS[0].pubkey())
    parsed = {"program": "system", "parsed": {"type": "createAccount", "info": {"source": ours, "lamports": 7}}}
    data = bytes(PAY.data)
    compiled = {"programIdIndex": 1, "accounts": [0, 2], "data": _base58(data), "stackHeight": 2}
    inner = [{"index": 0, "instructions": [parsed]}, {"index": 1, "instructions": [compiled]}]
    assert inner_outflow(inner, [ours, SYSTEM, str(NONCE)], ours) == Outflow(12, is_gift=True)
    assert inner_outflow(inner, [str(NONCE), SYSTEM, ours], str(NONCE)) == Outflow(5, is_gift=True)


def test_tokens_given_away_from_within_are_a_gift_without_lamports() -> None:
    ours = str(KEYS[0].pubkey())
    gift = {"program": "spl-token", "parsed": {"type": "transfer", "info": {"authority": ours, "amount": "3"}}}
    assert inner_outflow([{"instructions": [gift]}], [], ours) == Outflow(0, is_gift=True)


@pytest.mark.parametrize("junk", [None, 5, {}, {"instructions": 3}, {"instructions": [None, 5, {"parsed": 1}]}])
def test_what_is_no_inner_call_takes_nothing(junk: object) -> None:
    assert inner_outflow([junk], [], "x") == Outflow(0, is_gift=False)


def _base58(data: bytes) -> str:
    alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = alphabet[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text
