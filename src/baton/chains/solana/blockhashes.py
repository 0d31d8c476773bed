"""Blockhashes to sign under, and what was already signed under each.

Two equal messages under one blockhash are one transaction: the second is never a landing of its own. What was made is
remembered for as long as its blockhash lives; after a restart the store's unique hashes do the same.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, field, replace

from baton.chains.solana.heads import Heads
from baton.chains.solana.node import Blockhash, Head, SolanaNode
from baton.domain.clock import Clock
from baton.domain.errors import NodeUnavailable

FRESH_S = 1.0
MOST_AGE = 150  # blocks that a blockhash lives
SLACK = 32  # blocks that our own head may be behind
LEAST_BLOCKS = 30  # under one that dies sooner nothing is signed


@dataclass(slots=True)
class Made:
    """What was made under one blockhash."""

    last_height: int
    twins: Counter[bytes] = field(default_factory=Counter)  # how often each wish was tried
    digests: set[bytes] = field(default_factory=set)

    def claim(self, message: bytes) -> bool:
        """Takes a message; false if that very one was made before."""
        digest = hashlib.sha256(message).digest()
        is_new = digest not in self.digests
        self.digests.add(digest)
        return is_new


class Blockhashes:
    def __init__(self, node: SolanaNode, heads: Heads, clock: Clock) -> None:
        self._node = node
        self._heads = heads
        self._clock = clock
        self._newest: Blockhash | None = None
        self._asked_by: Head | None = None  # the very head, so that one of a chain started anew is noticed
        self._asked_at = float("-inf")
        self._made: dict[str, Made] = {}  # by blockhash

    async def fresh(self) -> Blockhash:
        """The newest one; asked for once a slot, whatever the number of transactions."""
        head, now = self._heads.head, self._clock.monotonic()
        if self._newest is None or head is not self._asked_by or now - self._asked_at > FRESH_S:
            found = self._sane(await self._node.blockhash())
            if self._newest is None or self._left(found) >= LEAST_BLOCKS:
                self._newest = found  # else a lagging node spoke, and the one we have may live longer
            self._asked_by, self._asked_at = head, now
            self._forget()
        if self._left(self._newest) < LEAST_BLOCKS:
            raise NodeUnavailable("the newest blockhash that a node knows is about to die: it lags behind")
        return self._newest

    def _sane(self, told: Blockhash) -> Blockhash:
        """No later end than is possible: a version that a node gave an endless life would never be signed anew."""
        head = self._heads.head
        latest = told.last_valid_height if head is None else head.height + MOST_AGE + SLACK
        return replace(told, last_valid_height=min(told.last_valid_height, latest))

    def _left(self, blockhash: Blockhash) -> int:
        """Blocks that it will live yet, by the newest head."""
        head = self._heads.head
        return MOST_AGE if head is None else blockhash.last_valid_height - head.height

    def made_under(self, blockhash: Blockhash) -> "Made":
        return self._made.setdefault(blockhash.hash, Made(blockhash.last_valid_height))

    def _forget(self) -> None:
        head = self._heads.head
        if head is not None:
            self._made = {key: made for key, made in self._made.items() if made.last_height + MOST_AGE > head.height}
