"""Encrypted key files of the usual kind: Web3 Secret Storage, version 3.

    passphrase ─ scrypt or pbkdf2 ─▶ 32 bytes ┬─ first 16: AES-128-CTR key of the private key
                                              └─ last 16 + ciphertext ─ keccak ─▶ MAC, which tells a wrong passphrase

The same file serves both curves: it holds 32 bytes. Deriving takes about half a second on purpose, so it runs in a thread.
"""

import asyncio
import hashlib
import hmac
import json
import os
import re
import secrets
import uuid
from pathlib import Path

import tiny_keccak
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from baton.domain.curve import Curve
from baton.domain.errors import Misconfigured
from baton.domain.json import Json
from baton.signers.ecdsa import is_scalar

VERSION = 3
KEY_BYTES = 32
SCRYPT_N = 2**18
SCRYPT_R = 8
SCRYPT_P = 1
FILE_MAX_BYTES = 64 * 1024
MAX_BRACKETS = 64  # far more than a keystore has: nothing deep reaches the decoder
SCRYPT_MAX_BYTES = 2**30  # 128·n·r: a file from elsewhere must not take the machine's memory
PBKDF2_MAX_ROUNDS = 10_000_000


class _Unreadable(Exception):
    """What is wrong with a keystore, without its path."""


async def read_keystore(path: str | Path, passphrase: str, curve: Curve) -> bytes:
    """The 32-byte key in a file; raises `Misconfigured` naming the file and what is wrong with it."""
    try:
        content = await asyncio.to_thread(_read_file, Path(path))
        raw = await asyncio.to_thread(decrypt, content, passphrase)
    except (_Unreadable, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Misconfigured([f"keystore {path}: {reason}"]) from None
    if curve is Curve.SECP256K1 and not is_scalar(raw):
        raise Misconfigured([f"keystore {path}: found something that is no {curve} key"])
    return raw


async def write_keystore(path: str | Path, raw: bytes, passphrase: str, *, n: int = SCRYPT_N) -> None:
    """Writes a new file that only its owner may read; refuses to replace one, because a key would be lost."""
    content = json.dumps(await asyncio.to_thread(encrypt, raw, passphrase, n=n), indent=2) + "\n"
    await asyncio.to_thread(_write_file, Path(path), content)


def encrypt(raw: bytes, passphrase: str, *, n: int = SCRYPT_N) -> dict[str, Json]:
    """The keystore object for a 32-byte key; slow on purpose."""
    assert len(raw) == KEY_BYTES
    salt, iv = secrets.token_bytes(32), secrets.token_bytes(16)
    derived = _scrypt(_bytes(passphrase), salt, n, SCRYPT_R, SCRYPT_P)
    ciphertext = _aes_ctr(derived[:16], iv, raw)
    params = {"dklen": KEY_BYTES, "n": n, "r": SCRYPT_R, "p": SCRYPT_P, "salt": salt.hex()}
    crypto = {
        "cipher": "aes-128-ctr",
        "cipherparams": {"iv": iv.hex()},
        "ciphertext": ciphertext.hex(),
        "kdf": "scrypt",
        "kdfparams": params,
        "mac": _mac(derived, ciphertext).hex(),
    }
    return {"version": VERSION, "id": str(uuid.uuid4()), "crypto": crypto}


def decrypt(content: Json, passphrase: str) -> bytes:
    """The key in a keystore object; slow on purpose."""
    crypto = _checked(content)
    derived = _derive(crypto["kdf"], _object(crypto, "kdfparams"), passphrase)
    ciphertext = _hex(crypto, "ciphertext")
    if len(ciphertext) != KEY_BYTES:
        raise _Unreadable(f"found a key of {len(ciphertext)} bytes, expected {KEY_BYTES}")
    if not hmac.compare_digest(_mac(derived, ciphertext), _hex(crypto, "mac")):
        raise _Unreadable("the passphrase is wrong, or the file is damaged")
    iv = _hex(_object(crypto, "cipherparams"), "iv")
    if len(iv) != AES.block_size // 8:
        raise _Unreadable("crypto.cipherparams.iv: expected 16 bytes")
    return _aes_ctr(derived[:16], iv, ciphertext)


def _checked(content: Json) -> dict[str, Json]:
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise _Unreadable(f"expected a keystore of version {VERSION}")
    crypto = content.get("crypto", content.get("Crypto"))
    if not isinstance(crypto, dict):
        raise _Unreadable("found no crypto, expected an object")
    if crypto.get("cipher") != "aes-128-ctr":
        raise _Unreadable("found another cipher, expected aes-128-ctr")
    if crypto.get("kdf") not in ("scrypt", "pbkdf2"):
        raise _Unreadable("found another kdf, expected scrypt or pbkdf2")
    return crypto


def _derive(kdf: str, params: dict[str, Json], passphrase: str) -> bytes:
    salt = _hex(params, "salt")
    if params.get("dklen") != KEY_BYTES:
        raise _Unreadable(f"crypto.kdfparams.dklen: expected {KEY_BYTES}")
    if kdf == "scrypt":
        n, r, p = (_number(params, name) for name in ("n", "r", "p"))
        if 128 * n * r > SCRYPT_MAX_BYTES or p > 1024 or n & (n - 1) or n < 2:  # noqa: PLR2004 - scrypt's own bounds
            raise _Unreadable("crypto.kdfparams: expected n as a power of two, and at most 1 GiB of work")
        return _scrypt(_bytes(passphrase), salt, n, r, p)
    if params.get("prf") != "hmac-sha256":
        raise _Unreadable("crypto.kdfparams.prf: expected hmac-sha256")
    rounds = _number(params, "c")
    if rounds > PBKDF2_MAX_ROUNDS:
        raise _Unreadable(f"crypto.kdfparams.c: expected at most {PBKDF2_MAX_ROUNDS}")
    return hashlib.pbkdf2_hmac("sha256", _bytes(passphrase), salt, rounds, KEY_BYTES)


def _bytes(passphrase: str) -> bytes:
    """UTF-8; bytes of an environment variable that are none come through as they were."""
    try:
        return passphrase.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise _Unreadable("the passphrase has half of a character in it") from None


def _scrypt(passphrase: bytes, salt: bytes, n: int, r: int, p: int) -> bytes:
    try:
        return Scrypt(salt=salt, length=KEY_BYTES, n=n, r=r, p=p).derive(passphrase)
    except (UnsupportedAlgorithm, MemoryError, ValueError):
        raise _Unreadable("crypto.kdfparams: this machine cannot derive with them") from None


def _aes_ctr(key: bytes, iv: bytes, content: bytes) -> bytes:
    step = Cipher(AES(key), CTR(iv)).encryptor()
    return step.update(content) + step.finalize()


def _mac(derived: bytes, ciphertext: bytes) -> bytes:
    return bytes(tiny_keccak.keccak256(derived[16:32] + ciphertext))


def _object(parent: dict[str, Json], key: str) -> dict[str, Json]:
    value = parent.get(key)
    if not isinstance(value, dict):
        raise _Unreadable(f"crypto.{key}: expected an object")
    return value


def _hex(parent: dict[str, Json], key: str) -> bytes:
    value = parent.get(key)
    if not isinstance(value, str) or not re.fullmatch(r"(0x)?([0-9a-fA-F]{2})*", value):
        raise _Unreadable(f"{key}: expected hex digits")
    return bytes.fromhex(value.removeprefix("0x"))


def _number(parent: dict[str, Json], key: str) -> int:
    value = parent.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Unreadable(f"crypto.kdfparams.{key}: expected a positive integer")
    return value


def _read_file(path: Path) -> Json:
    with path.open("rb") as file:
        content = file.read(FILE_MAX_BYTES + 1)
    if len(content) > FILE_MAX_BYTES or content.count(b"[") + content.count(b"{") > MAX_BRACKETS:
        raise _Unreadable("found a large file, expected a keystore")
    try:
        return json.loads(content)
    except ValueError:
        raise _Unreadable("found something else, expected JSON") from None


def _write_file(path: Path, content: str) -> None:
    """The mode is given at creation: there is no moment in which others could read it."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise Misconfigured([f"keystore {path}: {error.strerror}"]) from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
