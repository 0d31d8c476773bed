"""Ids: time-ordered (UUID v7) for rows we list, so that an index grows at one end; random (v4) elsewhere."""

import os
import time
import uuid


def ordered_id() -> str:
    """A UUID v7: 48 bits of milliseconds, then 74 random bits."""
    millis = time.time_ns() // 1_000_000
    tail = int.from_bytes(os.urandom(10), "big")
    value = (millis << 80) | (0x7 << 76) | ((tail >> 68) << 64) | (0b10 << 62) | (tail & ((1 << 62) - 1))
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def random_id() -> str:
    return str(uuid.uuid4())
