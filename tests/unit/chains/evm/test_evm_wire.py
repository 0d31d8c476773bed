"""Signed bytes are those that eth-account, an independent judge, makes from the same fields."""

from typing import Any

import pytest
from coincurve import PrivateKey
from eth_account import Account
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.chains.evm import keys, rlp, unwire, wire
from baton.chains.evm.wire import Authorization, Envelope
from baton.domain.errors import Bug, Invalid

KEY = PrivateKey(bytes.fromhex("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"))
PUBLIC = KEY.public_key.format(compressed=False)[1:]
ADDRESS = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"  # the well-known first account of local chains

u64 = st.one_of(st.integers(0, 300), st.integers(0, 2**64 - 1))
u128 = st.one_of(st.integers(0, 300), st.integers(0, 2**128 - 1))
words = st.binary(min_size=32, max_size=32)
addresses = st.binary(min_size=20, max_size=20)
payloads = st.one_of(st.binary(max_size=3), st.binary(min_size=50, max_size=60), st.binary(max_size=600))
access_lists = st.lists(st.tuples(addresses, st.lists(words, max_size=3).map(tuple)), max_size=3).map(tuple)
authorizations = st.lists(
    st.builds(
        Authorization,
        chain_id=u64,
        address=addresses,
        nonce=u64,
        y_parity=st.integers(0, 1),
        r=st.integers(1, 2**256 - 1),
        s=st.integers(1, 2**256 - 1),
    ),
    min_size=1,
    max_size=3,
).map(tuple)

shared = {
    "chain_id": st.integers(1, 2**53),
    "nonce": u64,
    "gas_limit": u64,
    "to": st.one_of(st.none(), addresses),
    "value": u128,
    "data": payloads,
}
legacy = st.builds(Envelope, **shared, gas_price=u128)
with_access = st.builds(Envelope, **shared, gas_price=u128, access_list=access_lists)
dynamic = st.builds(
    Envelope,
    **shared,
    max_fee_per_gas=u128,
    max_priority_fee_per_gas=u128,
    access_list=access_lists.map(lambda entries: entries or None),
)
delegating = st.builds(
    Envelope,
    **{**shared, "to": addresses},
    max_fee_per_gas=u128,
    max_priority_fee_per_gas=u128,
    access_list=access_lists.map(lambda entries: entries or None),
    authorizations=authorizations,
)
envelopes = st.one_of(legacy, with_access, dynamic, delegating)


def sign(envelope: Envelope) -> wire.Signed:
    plain = wire.unsigned(envelope)
    signature = KEY.sign_recoverable(plain.digest, hasher=None)
    told, found = wire.attach(plain, signature, PUBLIC), wire.attach(plain, signature[:64], PUBLIC)
    assert told == found  # whether the signer knows the recovery bit or not
    return found


def as_eth_account_wants_it(tx: Envelope) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "chainId": tx.chain_id,
        "nonce": tx.nonce,
        "gas": tx.gas_limit,
        "to": tx.to if tx.to is not None else b"",
        "value": tx.value,
        "data": tx.data,
    }
    if tx.gas_price is not None:
        fields["gasPrice"] = tx.gas_price
    else:
        fields |= {"maxFeePerGas": tx.max_fee_per_gas, "maxPriorityFeePerGas": tx.max_priority_fee_per_gas}
    if tx.kind:
        fields["type"] = tx.kind
        fields["accessList"] = [
            {"address": "0x" + address.hex(), "storageKeys": ["0x" + key.hex() for key in slots]}
            for address, slots in tx.access_list or ()
        ]
    if tx.authorizations:
        fields["authorizationList"] = [
            {"chainId": a.chain_id, "address": a.address, "nonce": a.nonce, "yParity": a.y_parity, "r": a.r, "s": a.s}
            for a in tx.authorizations
        ]
    return fields


def judged(envelope: Envelope) -> tuple[bytes, str]:
    judge = Account.sign_transaction(as_eth_account_wants_it(envelope), KEY.secret)
    return bytes(judge.raw_transaction), "0x" + bytes(judge.hash).hex()


@given(legacy)
@settings(max_examples=50, deadline=None)
def test_legacy_bytes_are_those_of_eth_account(envelope: Envelope) -> None:
    signed = sign(envelope)
    assert (signed.raw, signed.hash) == judged(envelope)


@given(with_access)
@settings(max_examples=50, deadline=None)
def test_access_list_bytes_are_those_of_eth_account(envelope: Envelope) -> None:
    signed = sign(envelope)
    assert (signed.raw, signed.hash) == judged(envelope)


@given(dynamic)
@settings(max_examples=50, deadline=None)
def test_dynamic_fee_bytes_are_those_of_eth_account(envelope: Envelope) -> None:
    signed = sign(envelope)
    assert (signed.raw, signed.hash) == judged(envelope)


@given(delegating)
@settings(max_examples=50, deadline=None)
def test_delegating_bytes_are_those_of_eth_account(envelope: Envelope) -> None:
    signed = sign(envelope)
    assert (signed.raw, signed.hash) == judged(envelope)


@given(envelopes)
@settings(max_examples=80, deadline=None)
def test_raw_bytes_give_back_fields_sender_and_signature(envelope: Envelope) -> None:
    signed = sign(envelope)
    assert unwire.decode(signed.raw) == unwire.Read(envelope, signed, ADDRESS)


@given(envelopes, st.data())
@settings(max_examples=80, deadline=None)
def test_damaged_bytes_are_refused_or_another_transaction(envelope: Envelope, data: st.DataObject) -> None:
    signed = sign(envelope)
    at = data.draw(st.integers(0, len(signed.raw) - 1))
    damaged = signed.raw[:at] + bytes((signed.raw[at] ^ data.draw(st.integers(1, 255)),)) + signed.raw[at + 1 :]
    try:
        read = unwire.decode(damaged)
    except Invalid:
        return
    assert (read.envelope, read.sender) != (envelope, ADDRESS) or read.signed.s != signed.s


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(raw: bytes) -> None:
    for start in (b"", b"\x01", b"\x02", b"\x04", b"\xf8\x80"):
        with pytest.raises(Invalid):
            unwire.decode(start + raw)


def test_a_list_too_deep_is_refused_without_exhausting_the_stack() -> None:
    raw = b"\xc0"
    for _ in range(5_000):
        raw = rlp.wrap(raw)
    with pytest.raises(Invalid, match="too deep"):
        rlp.decode(raw)


items = st.recursive(st.binary(max_size=70), lambda inner: st.lists(inner, max_size=4), max_leaves=12)


@given(items)
def test_rlp_reads_back_what_it_wrote(item: Any) -> None:
    depth = str(item).count("[")
    if depth <= rlp.DEEPEST:
        assert rlp.decode(rlp.encode(item)) == item


@pytest.mark.parametrize(
    "raw", ["8100", "817f", "b800", "b837" + "00" * 55, "b90038" + "00" * 56, "c1", "83ffff", "0000"]
)
def test_rlp_that_is_not_the_shortest_form_is_refused(raw: str) -> None:
    with pytest.raises(Invalid):
        rlp.decode(bytes.fromhex(raw))


def test_a_signature_by_another_key_never_leaves() -> None:
    plain = wire.unsigned(Envelope(1, 0, 21_000, bytes(20), 0, gas_price=1))
    stranger = PrivateKey(b"\x01" * 32).sign_recoverable(plain.digest, hasher=None)[:64]
    with pytest.raises(Bug, match="does not belong"):
        wire.attach(plain, stranger, PUBLIC)
    with pytest.raises(Bug):
        wire.attach(plain, bytes(64), PUBLIC)
    with pytest.raises(Bug, match="64 bytes"):
        wire.attach(plain, b"", PUBLIC)
    with pytest.raises(Bug, match="0 or 1"):
        wire.attach(plain, stranger + b"\x02", PUBLIC)


def test_an_envelope_without_a_price_is_our_own_mistake() -> None:
    with pytest.raises(Bug):
        wire.unsigned(Envelope(1, 0, 21_000, None, 0))
    with pytest.raises(Bug):
        wire.unsigned(Envelope(1, 0, 21_000, None, 0, max_fee_per_gas=1))


def test_the_most_it_can_cost_counts_value_and_the_whole_gas_limit() -> None:
    assert Envelope(1, 0, 21_000, None, 5, gas_price=3).max_cost == 63_005
    assert Envelope(1, 0, 21_000, None, 5, max_fee_per_gas=2, max_priority_fee_per_gas=1).max_cost == 42_005


def test_an_address_is_lower_case_and_its_checksum_is_eip_55() -> None:
    assert keys.address(PUBLIC) == ADDRESS
    assert keys.checksummed(ADDRESS) == "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
    assert (
        keys.checksummed("0xFB6916095CA1DF60BB79CE92CE3EA74C37C5D359") == "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
    )


def test_the_shown_signature_is_hex_without_prefix() -> None:
    typed = sign(Envelope(1, 0, 21_000, bytes(20), 0, max_fee_per_gas=2, max_priority_fee_per_gas=1)).signature
    old = sign(Envelope(1, 0, 21_000, bytes(20), 0, gas_price=1)).signature
    assert typed["v"] in (0, 1)
    assert old["v"] in (27, 28)
    for shown in (typed, old):
        assert len(str(shown["r"])) == len(str(shown["s"])) == 64
        assert shown["sig"] == f"{shown['r']}{shown['s']}{shown['v']:02x}"
