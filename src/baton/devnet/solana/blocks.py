"""Blocks, what landed in them, and the three commitment levels. Pure bookkeeping, no SVM.

    finalized ───32 blocks─── … ── confirmed ── processed (the head)

A slot is a tick of the cluster, a height counts blocks: they differ from the first block on, and a fork widens the
gap, so that a client which mixes them up is caught.
"""

from dataclasses import dataclass
from enum import StrEnum

from solders.transaction import VersionedTransaction
from solders.transaction_metadata import TransactionMetadata

from baton.devnet.solana.accounts import Touched
from baton.domain.json import Json

FINALIZED_DEPTH = 32
MAX_AGE_BLOCKS = 150
"""A transaction may land while its blockhash is at most so many blocks old at the parent of the block."""

FIRST_SLOT = 500
FIRST_HEIGHT = 1

KEPT_BLOCKS = 20_000
"""About two hours of history; older blocks and their transactions are forgotten, so that memory stays bounded."""


class Commitment(StrEnum):
    PROCESSED = "processed"
    CONFIRMED = "confirmed"
    FINALIZED = "finalized"

    @property
    def depth(self) -> int:
        return _DEPTHS[self]


_DEPTHS = {Commitment.PROCESSED: 0, Commitment.CONFIRMED: 1, Commitment.FINALIZED: FINALIZED_DEPTH}


@dataclass(frozen=True, slots=True)
class Block:
    slot: int
    height: int
    blockhash: str
    time_s: int
    signatures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Landed:
    """A transaction in a block, whether its instructions succeeded or not."""

    transaction: VersionedTransaction
    slot: int
    height: int
    time_s: int
    error: Json
    meta: TransactionMetadata
    touched: Touched
    before_lamports: tuple[int, ...]
    after_lamports: tuple[int, ...]

    @property
    def signature(self) -> str:
        return str(self.transaction.signatures[0])


class Blocks:
    """The chain of blocks on the fork this node follows, and the transactions in them."""

    def __init__(self, first: Block, kept_blocks: int = KEPT_BLOCKS) -> None:
        self._kept_blocks = kept_blocks
        self._chain = [first]
        self._landed: dict[str, Landed] = {}
        self._by_address: dict[str, list[str]] = {}
        self._heights = {first.blockhash: first.height}

    @property
    def head(self) -> Block:
        return self._chain[-1]

    @property
    def first(self) -> Block:
        return self._chain[0]

    @property
    def transaction_count(self) -> int:
        return len(self._landed)

    def at_depth(self, depth: int) -> Block:
        return self._chain[max(0, len(self._chain) - 1 - depth)]

    def at_slot(self, slot: int) -> Block | None:
        for block in reversed(self._chain):
            if block.slot <= slot:
                return block if block.slot == slot else None
        return None

    def parent_of(self, block: Block) -> Block | None:
        index = block.height - self._chain[0].height - 1
        return self._chain[index] if index >= 0 else None

    def between(self, first_slot: int, last_slot: int) -> list[int]:
        return [block.slot for block in self._chain if first_slot <= block.slot <= last_slot]

    def append(self, block: Block, landed: list[Landed]) -> None:
        self._chain.append(block)
        self._heights[block.blockhash] = block.height
        for one in landed:
            self._landed[one.signature] = one
            for key in one.touched.keys:
                self._by_address.setdefault(str(key), []).append(one.signature)
        if len(self._chain) > self._kept_blocks:
            self._forget(self._chain[0])
            del self._chain[0]

    def drop(self, depth: int) -> list[Landed]:
        """Forget the newest blocks; answer what had landed in them, oldest first."""
        start = len(self._chain) - depth
        lost = [landed for block in self._chain[start:] for landed in self._forget(block)]
        del self._chain[start:]
        return lost

    def _forget(self, block: Block) -> list[Landed]:
        del self._heights[block.blockhash]
        gone = [self._landed.pop(signature) for signature in block.signatures]
        for landed in gone:
            for key in map(str, landed.touched.keys):
                self._by_address[key].remove(landed.signature)
                if not self._by_address[key]:
                    del self._by_address[key]
        return gone

    def find(self, signature: str, head: Block) -> Landed | None:
        """What landed, as seen by someone whose newest block is `head`."""
        landed = self._landed.get(signature)
        return landed if landed is not None and landed.height <= head.height else None

    def signatures_for(self, address: str) -> list[str]:
        return list(reversed(self._by_address.get(address, [])))

    def age(self, blockhash: str, head: Block) -> int | None:
        """Blocks since this hash was the newest, seen from `head`; None if `head` has not heard of it."""
        height = self._heights.get(blockhash)
        return None if height is None or height > head.height else head.height - height

    def knows(self, blockhash: str, head: Block) -> bool:
        age = self.age(blockhash, head)
        return age is not None and age <= MAX_AGE_BLOCKS
