"""Secrets that the embedded mode makes once and keeps in the data folder, readable by their owner only."""

import contextlib
import os
import secrets
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

from baton.config import Settings
from baton.domain.errors import Misconfigured
from baton.storage.cipher import Cipher
from baton.storage.sqlite.folder import make_folder, sync_entries, unusable

TOKEN_PREFIX = b"baton_"
TOKEN_BYTES = 38  # the prefix and 192 random bits


def storage_cipher(settings: Settings) -> Cipher:
    """The key from the environment; else a key file in the data folder, made once, readable by its owner only."""
    if settings.database_url is not None:
        raise Misconfigured(
            ["DATABASE_URL: this version keeps everything in the embedded store; leave it out and set BATON_DATA_DIR"]
        )
    key = settings.storage_key or kept_secret(settings.data_dir / "storage.key", 32)
    previous = [settings.storage_key_previous] if settings.storage_key_previous else []
    return Cipher(key, *previous)


def kept_secret(path: Path, size: int, make: Callable[[int], bytes] = secrets.token_bytes) -> bytes:
    """So many bytes, random, made once and kept in a 0600 file."""
    make_folder(path.parent)
    try:
        if not path.exists():
            _make(path, make(size))
        found = path.read_bytes()
    except OSError as error:
        raise unusable(path.parent, error) from error
    if len(found) != size:
        raise Misconfigured([f"{path}: expected {size} bytes, found {len(found)}: restore it from a backup"])
    return found


def _make(path: Path, content: bytes) -> None:
    """Whole or not at all: a kill in the middle must not leave a stump that every later start refuses."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    with contextlib.suppress(FileExistsError):  # another start was quicker: its secret counts
        path.hardlink_to(fresh)
    fresh.unlink()
    sync_entries(path.parent)  # before anything is sealed with it


def local_token(settings: Settings) -> str:
    """The token of the local mode: API_KEY if it is set, else made once and kept in the data folder."""
    if settings.api_key is not None:
        return settings.api_key
    return kept_secret(settings.data_dir / "api.token", TOKEN_BYTES, _token).decode("latin-1")


def _token(size: int) -> bytes:
    """As text, so that the file can be read into a header."""
    text = TOKEN_PREFIX + b64encode(secrets.token_bytes(size), b"-_")
    return text[:size]
