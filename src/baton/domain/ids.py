"""Ids: time-ordered (UUID v7) for rows we list, so that an index grows at one end; random (v4) elsewhere."""

import os
import threading
import time
import uuid

_POOL_BYTES = 4096


class _Entropy:
    """Random bytes of the system, taken in bulk: each call to it gives up the interpreter lock, which costs more than
    the bytes when another thread is waiting for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool = b""
        os.register_at_fork(after_in_child=self.forget)  # a child must not repeat its parent's ids

    def take(self, count: int) -> bytes:
        with self._lock:
            if len(self._pool) < count:
                self._pool = os.urandom(_POOL_BYTES)
            taken, self._pool = self._pool[:count], self._pool[count:]
        return taken

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._pool = b""


_entropy = _Entropy()


def ordered_id() -> str:
    """A UUID v7: 48 bits of milliseconds, then 74 random bits."""
    millis = time.time_ns() // 1_000_000
    tail = int.from_bytes(_entropy.take(10), "big")
    value = (millis << 80) | (0x7 << 76) | ((tail >> 68) << 64) | (0b10 << 62) | (tail & ((1 << 62) - 1))
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def random_id() -> str:
    return str(uuid.UUID(bytes=_entropy.take(16), version=4))
