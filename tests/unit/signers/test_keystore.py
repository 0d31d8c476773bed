"""Keystore files: read what others wrote, write what others read, and lose or show no key."""

import json
import stat
from pathlib import Path
from typing import Any, Literal

import pytest
from eth_account import Account

from baton.config import KeystoreFile, Secret, SignerEntry
from baton.domain.curve import Curve
from baton.domain.errors import Misconfigured
from baton.signers.keystore import decrypt, encrypt, read_keystore, write_keystore
from baton.signers.local import open_signer

KEY = bytes.fromhex("7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d")
PASSPHRASE = "pässword ☂"
QUICK = 2**10


@pytest.mark.parametrize(("kdf", "rounds"), [("scrypt", QUICK), ("pbkdf2", 1000)])
def test_a_file_that_eth_account_wrote_is_read(kdf: Literal["scrypt", "pbkdf2"], rounds: int) -> None:
    assert decrypt(Account.encrypt(KEY, PASSPHRASE, kdf=kdf, iterations=rounds), PASSPHRASE) == KEY


def test_a_file_that_we_wrote_is_read_by_eth_account() -> None:
    assert bytes(Account.decrypt(encrypt(KEY, PASSPHRASE, n=QUICK), PASSPHRASE)) == KEY


def test_the_published_example_of_the_format_is_read() -> None:
    content = {
        "crypto": {
            "cipher": "aes-128-ctr",
            "cipherparams": {"iv": "6087dab2f9fdbbfaddc31a909735c1e6"},
            "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
            "kdf": "pbkdf2",
            "kdfparams": {
                "c": 262144,
                "dklen": 32,
                "prf": "hmac-sha256",
                "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
            },
            "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
        },
        "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6",
        "version": 3,
    }
    assert decrypt(content, "testpassword") == KEY


async def test_a_written_file_belongs_to_its_owner_alone_and_opens_on_both_curves(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    await write_keystore(path, KEY, PASSPHRASE, n=QUICK)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY.hex() not in path.read_text()
    entry = SignerEntry("s", KeystoreFile(str(path), Secret(PASSPHRASE, "environment variable P")), {}, "")
    for curve in Curve:
        assert await read_keystore(path, PASSPHRASE, curve) == KEY
        assert (await open_signer(entry, curve)).curve is curve
    assert PASSPHRASE not in repr(entry)


async def test_a_file_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    path.write_text("precious")
    with pytest.raises(Misconfigured, match="exists"):
        await write_keystore(path, KEY, PASSPHRASE, n=QUICK)
    assert path.read_text() == "precious"


async def test_a_wrong_passphrase_is_told_from_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    await write_keystore(path, KEY, PASSPHRASE, n=QUICK)
    for wrong in ("other", "", "half \ud800"):
        with pytest.raises(Misconfigured, match="passphrase") as caught:
            await read_keystore(path, wrong, Curve.ED25519)
        assert PASSPHRASE not in str(caught.value)


async def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"nowhere\.json: No such file"):
        await read_keystore(tmp_path / "nowhere.json", PASSPHRASE, Curve.ED25519)


async def test_bytes_beyond_the_curve_are_no_secp256k1_key(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    await write_keystore(path, b"\xff" * 32, PASSPHRASE, n=QUICK)
    with pytest.raises(Misconfigured, match="no secp256k1 key"):
        await read_keystore(path, PASSPHRASE, Curve.SECP256K1)


def _damaged(*path: str, value: Any) -> Any:
    content = encrypt(KEY, PASSPHRASE, n=QUICK)
    place: Any = content
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return content


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 1),
        (("crypto",), None),
        (("crypto", "cipher"), "aes-256-gcm"),
        (("crypto", "cipherparams"), []),
        (("crypto", "cipherparams", "iv"), "00"),
        (("crypto", "ciphertext"), "00" * 16),
        (("crypto", "ciphertext"), "zz"),
        (("crypto", "kdf"), "argon2"),
        (("crypto", "kdfparams", "dklen"), 16),
        (("crypto", "kdfparams", "n"), 1000),
        (("crypto", "kdfparams", "n"), 2**40),
        (("crypto", "kdfparams", "n"), True),
        (("crypto", "kdfparams", "r"), 0),
        (("crypto", "kdfparams", "p"), 10**9),
        (("crypto", "kdfparams", "salt"), 5),
        (("crypto", "mac"), "00" * 32),
    ],
)
async def test_a_damaged_file_is_refused_with_a_reason(path: tuple[str, ...], value: object, tmp_path: Path) -> None:
    file = tmp_path / "key.json"
    file.write_text(json.dumps(_damaged(*path, value=value)))
    with pytest.raises(Misconfigured) as caught:
        await read_keystore(file, PASSPHRASE, Curve.SECP256K1)
    assert str(caught.value).startswith(f"keystore {file}: ")


@pytest.mark.parametrize("content", ["", "[]", "null", "{", "[" * 60_000, "x" * 70_000])
async def test_what_is_no_keystore_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "key.json"
    file.write_text(content)
    with pytest.raises(Misconfigured):
        await read_keystore(file, PASSPHRASE, Curve.SECP256K1)
