"""Ids: time-ordered (UUID v7) for rows we list, so that an index grows at one end; random (v4) elsewhere."""

import os
import time

BATCH = 256
DIGITS = 32
# The first digit of a UUID's fourth group says which standard it follows; two bits of it are free.
VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


class _Entropy:
    """Random digits of the system, taken in bulk: each call to it gives up the interpreter lock, which costs more than
    the digits when another thread is waiting for it."""

    def __init__(self) -> None:
        self._pool: list[str] = []
        os.register_at_fork(after_in_child=self._pool.clear)  # a child must not repeat its parent's ids

    def take(self) -> str:
        """32 hex digits that nobody else gets: taking one from a list cannot be interrupted by another thread."""
        try:
            return self._pool.pop()
        except IndexError:
            fresh = os.urandom(BATCH * DIGITS // 2).hex()
            batch = [fresh[at : at + DIGITS] for at in range(0, len(fresh), DIGITS)]
            mine = batch.pop()
            self._pool += batch
            return mine


class _Moment:
    """The first two groups of an ordered id. Busy lanes make several in a millisecond."""

    def __init__(self) -> None:
        self._shown = (-1, "")

    def text(self) -> str:
        millis = time.time_ns() // 1_000_000
        known, text = self._shown
        if millis != known:
            digits = f"{millis:012x}"
            text = f"{digits[:8]}-{digits[8:]}"
            self._shown = millis, text
        return text


_entropy = _Entropy()
_moment = _Moment()


def ordered_id() -> str:
    """A UUID v7: 48 bits of milliseconds, then 74 random bits."""
    random = _entropy.take()
    return f"{_moment.text()}-7{random[:3]}-{VARIANT[random[3]]}{random[4:7]}-{random[7:19]}"


def random_id() -> str:
    random = _entropy.take()
    return f"{random[:8]}-{random[8:12]}-4{random[12:15]}-{VARIANT[random[15]]}{random[16:19]}-{random[19:31]}"
