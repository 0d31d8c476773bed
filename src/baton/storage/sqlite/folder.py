"""The data folder: made so that a power cut cannot lose it, and owned by one process."""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import IO

from baton.domain.errors import Misconfigured


def make_folder(folder: Path) -> None:
    """Makes the folder, for its owner's eyes only, and its parents.

    What nodes and receivers are asked with may hold keys, and not all of it is sealed. Each new entry is synced, else a
    power cut could lose the whole store. A folder that is there already keeps the rights that someone gave it.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(folder, error) from error
    for path in missing:
        sync_entries(path.parent)


def sync_entries(folder: Path) -> None:
    """What was made or renamed in it survives a power cut from now on."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock_folder(folder: Path) -> IO[str]:
    """Held as long as the process lives; the kernel releases it when the process dies, however it dies."""
    try:
        file = (folder / "baton.lock").open("a+")
    except OSError as error:
        raise unusable(folder, error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        owner = file.read().strip() or "unknown"
        file.close()
        raise Misconfigured(
            [f"the data folder {folder} is in use by process {owner}; stop it, or give another BATON_DATA_DIR"]
        ) from None
    with contextlib.suppress(OSError):  # a full disk: the lock holds all the same, only the number is missing
        os.truncate(file.fileno(), 0)
        os.write(file.fileno(), str(os.getpid()).encode())
    return file


def unusable(folder: Path, error: OSError) -> Misconfigured:
    return Misconfigured(
        [f"BATON_DATA_DIR: found {folder} ({error.strerror or error}), expected a folder that can be written"]
    )
