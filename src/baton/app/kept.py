"""Secrets that the embedded mode makes once and keeps in the data folder, readable by their owner only."""

import contextlib
import os
import secrets
from base64 import b64encode
from pathlib import Path

from baton.config import Settings
from baton.domain.errors import Misconfigured
from baton.storage.cipher import Cipher


def storage_cipher(settings: Settings) -> Cipher:
    """The key from the environment; else a key file in the data folder, made once, readable by its owner only."""
    if settings.database_url is not None:
        raise Misconfigured(
            ["DATABASE_URL: this version keeps everything in the embedded store; leave it out and set BATON_DATA_DIR"]
        )
    key = settings.storage_key or kept_secret(settings.data_dir / "storage.key", 32)
    previous = [settings.storage_key_previous] if settings.storage_key_previous else []
    return Cipher(key, *previous)


def kept_secret(path: Path, size: int) -> bytes:
    """Random bytes made once and kept in a 0600 file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(size))
            file.flush()
            os.fsync(file.fileno())
    found = path.read_bytes()
    if len(found) != size:
        raise Misconfigured([f"{path}: expected {size} bytes, found {len(found)}: restore it from a backup"])
    return found


def local_token(settings: Settings) -> str:
    """The token of the local mode: API_KEY if it is set, else made once and kept in the data folder."""
    if settings.api_key is not None:
        return settings.api_key
    made = kept_secret(settings.data_dir / "api.token", 24)
    return "baton_" + b64encode(made, b"-_").decode()
