"""Local signers: keys in the formats people keep them in, signatures that independent code accepts."""

import json

import pytest
from coincurve import PublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from eth_account import Account
from hypothesis import given, settings
from hypothesis import strategies as st
from solders.keypair import Keypair as SolanaKeypair
from stellar_sdk import Keypair as StellarKeypair

from baton.config import RawKey, Secret, SignerEntry
from baton.domain.curve import Curve
from baton.domain.errors import Bug, Misconfigured
from baton.signers.ecdsa import ORDER
from baton.signers.keys import parse_key
from baton.signers.local import LocalSigner, open_signer

SEED = bytes(range(1, 33))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, ORDER - 1), st.binary(min_size=32, max_size=32))
async def test_a_secp256k1_signature_is_low_s_and_byte_identical_to_eth_accounts(scalar: int, digest: bytes) -> None:
    raw = scalar.to_bytes(32, "big")
    signer = LocalSigner(Curve.SECP256K1, raw)
    (signature,) = await signer.sign([digest])
    judge = Account.unsafe_sign_hash(digest, raw)
    assert signature == judge.r.to_bytes(32, "big") + judge.s.to_bytes(32, "big") + bytes((judge.v - 27,))
    assert int.from_bytes(signature[32:64], "big") <= ORDER // 2
    assert signer.public_key == PublicKey.from_secret(raw).format(compressed=False)[1:]


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.lists(st.binary(max_size=200), max_size=4))
async def test_ed25519_signatures_come_in_order_and_verify(seed: bytes, messages: list[bytes]) -> None:
    signer = LocalSigner(Curve.ED25519, seed)
    signatures = await signer.sign(messages)
    assert len(signatures) == len(messages)
    assert signer.public_key == bytes(SolanaKeypair.from_seed(seed).pubkey())
    for signature, message in zip(signatures, messages, strict=True):
        Ed25519PublicKey.from_public_bytes(signer.public_key).verify(signature, message)


async def test_a_secp256k1_signer_signs_nothing_but_digests() -> None:
    with pytest.raises(Bug):
        await LocalSigner(Curve.SECP256K1, SEED).sign([b"a message"])


@pytest.mark.parametrize("text", [SEED.hex(), f"0x{SEED.hex()}", f" 0x{SEED.hex().upper()}\n"])
@pytest.mark.parametrize("curve", list(Curve))
def test_hex_is_read_for_both_curves(curve: Curve, text: str) -> None:
    assert parse_key(curve, text, "signer 'a'") == SEED


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=32, max_size=32))
def test_the_formats_of_solana_and_stellar_are_read(seed: bytes) -> None:
    pair = SolanaKeypair.from_seed(seed)
    assert parse_key(Curve.ED25519, str(pair), "a") == seed
    assert parse_key(Curve.ED25519, json.dumps(list(bytes(pair))), "a") == seed
    assert parse_key(Curve.ED25519, StellarKeypair.from_raw_ed25519_seed(seed).secret, "a") == seed


def _pair_with_a_wrong_half() -> str:
    return json.dumps([*SEED, *SEED])


@pytest.mark.parametrize(
    ("curve", "text"),
    [
        (Curve.SECP256K1, ""),
        (Curve.SECP256K1, "00" * 32),
        (Curve.SECP256K1, f"{ORDER:064x}"),
        (Curve.SECP256K1, "ab" * 31),
        (Curve.SECP256K1, StellarKeypair.from_raw_ed25519_seed(SEED).secret),
        (Curve.ED25519, "ab" * 33),
        (Curve.ED25519, _pair_with_a_wrong_half()),
        (Curve.ED25519, "[1, 2, 3]"),
        (Curve.ED25519, '["a"]'),
        (Curve.ED25519, "[" * 5000),
        (Curve.ED25519, "5" * 88),
        (Curve.ED25519, StellarKeypair.from_raw_ed25519_seed(SEED).public_key),
        (Curve.ED25519, StellarKeypair.from_raw_ed25519_seed(SEED).secret[:-1] + "A"),
    ],
)
def test_what_is_no_key_is_refused_without_being_shown(curve: Curve, text: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse_key(curve, text, "signer 'a'")
    assert "signer 'a'" in str(caught.value)
    assert not text or text not in str(caught.value)


async def test_an_entry_with_a_raw_key_opens_on_either_curve_and_never_shows_it() -> None:
    entry = SignerEntry("s", RawKey(Secret(SEED.hex(), "environment variable K")), {}, "")
    for curve in Curve:
        signer = await open_signer(entry, curve)
        assert signer.curve is curve
        assert SEED.hex() not in repr(signer) + repr(entry) + str(entry)
        assert SEED.hex() not in repr(signer._key)
