"""The data folder: made so that a power cut cannot lose it, and owned by one process."""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import IO

from baton.domain.errors import Misconfigured


def make_folder(folder: Path) -> None:
    """Makes the folder and its parents; each new entry is synced, else a power cut could lose the whole store."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def lock_folder(folder: Path) -> IO[str]:
    """Held as long as the process lives; the kernel releases it when the process dies, however it dies."""
    file = (folder / "baton.lock").open("a+")
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
