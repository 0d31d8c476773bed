"""S1: secrets at rest open only with their key, at their place, unharmed."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.domain.errors import Misconfigured
from baton.storage.cipher import Cipher, key_from_text

OLD, NEW = bytes(32), bytes(range(32))
PLACE = "notifications|n|signing_key"


@given(st.text(max_size=300))
def test_what_was_sealed_opens_again(secret: str) -> None:
    cipher = Cipher(NEW)
    assert cipher.open(cipher.seal(secret, PLACE), PLACE) == secret


def test_the_secret_is_not_in_the_ciphertext_and_no_two_are_equal() -> None:
    sealed = {Cipher(NEW).seal("canary-secret", PLACE) for _ in range(1000)}
    assert len(sealed) == 1000
    assert not any(b"canary" in one for one in sealed)


def test_another_key_opens_nothing() -> None:
    sealed = Cipher(OLD).seal("canary-secret", PLACE)
    with pytest.raises(Misconfigured, match="STORAGE_ENCRYPTION_KEY") as caught:
        Cipher(NEW).open(sealed, PLACE)
    assert "canary" not in str(caught.value)


def test_the_previous_key_is_for_reading_only() -> None:
    both = Cipher(NEW, OLD)
    old = Cipher(OLD).seal("s", PLACE)
    assert both.open(old, PLACE) == "s"
    assert not both.is_current(old)
    new = both.seal("s", PLACE)
    assert both.is_current(new)
    assert Cipher(NEW).open(new, PLACE) == "s"
    with pytest.raises(Misconfigured):
        Cipher(OLD).open(new, PLACE)


@pytest.mark.parametrize(
    "elsewhere", ["notifications|m|signing_key", "notifications|n|url", "relayers|n|signing_key", ""]
)
def test_a_ciphertext_moved_to_another_place_does_not_open(elsewhere: str) -> None:
    cipher = Cipher(NEW)
    with pytest.raises(Misconfigured):
        cipher.open(cipher.seal("s", PLACE), elsewhere)


def test_a_flip_of_any_bit_is_noticed() -> None:
    cipher = Cipher(NEW)
    sealed = cipher.seal("a secret", PLACE)
    for bit in range(len(sealed) * 8):
        harmed = bytearray(sealed)
        harmed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Misconfigured):
            cipher.open(bytes(harmed), PLACE)


def test_a_ciphertext_cut_short_anywhere_is_noticed() -> None:
    cipher = Cipher(NEW)
    sealed = cipher.seal("a secret", PLACE)
    for length in range(len(sealed)):
        with pytest.raises(Misconfigured):
            cipher.open(sealed[:length], PLACE)


def test_a_cipher_shows_no_key() -> None:
    key = b"k" * 32
    assert "kkkk" not in repr(Cipher(key)) + str(vars(Cipher(key)))


def test_a_key_is_read_from_base64() -> None:
    assert key_from_text(base64.b64encode(NEW).decode()) == NEW


@pytest.mark.parametrize(
    "text", ["", "abc", "!" * 44, base64.b64encode(bytes(31)).decode(), base64.b64encode(bytes(33)).decode(), "é" * 44]
)
def test_a_key_of_another_shape_is_refused_without_echo(text: str) -> None:
    with pytest.raises(Misconfigured, match="32 bytes in base64") as caught:
        key_from_text(text, "NAME_OF_IT")
    assert str(caught.value).startswith("NAME_OF_IT")
    assert not text or text not in str(caught.value)
