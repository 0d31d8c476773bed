"""The chain seam: a node's answers as closed values that a lane matches to the end.

A failure to reach a node is an exception (`NodeUnavailable`), never an answer: an outage decides nothing.
The lane knows accounts, slots, attempts and money; what they mean on a chain is known here and below.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from baton.chains.base import Broadcast
from baton.domain.errors import BatonError
from baton.domain.json import Json
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, Block, Revision, Slot


@dataclass(frozen=True, slots=True)
class Tip:
    """The newest block of a network, as its watcher saw it."""

    block: Block
    is_gap: bool = False  # blocks were missed or replaced: whoever relies on them must ask anew


@dataclass(frozen=True, slots=True)
class Source:
    """An account whose slots are given one at a time: the network takes nothing of it beside what waits already."""

    address: str
    next_slot: int


@dataclass(frozen=True, slots=True)
class Account:
    """A sending account at one block. `settled_slot` is what the required depth proves; `next_slot` only the tip's view."""

    next_slot: int
    settled_slot: int
    balance: int
    depth: int  # how many blocks, its own included, make an inclusion final for this account
    unused_from: int | None = field(default=None, kw_only=True)  # no node says that slots from here on are used
    sources: tuple[Source, ...] | None = field(default=None, kw_only=True)  # None: itself, as many as the window takes
    chores: tuple["Chore", ...] = field(default=(), kw_only=True)

    @property
    def first_unused(self) -> int:
        return self.next_slot if self.unused_from is None else self.unused_from


class ChainReplaced(BatonError):
    """The nodes now serve another chain than the one that is being watched."""


# What the chain shows of an attempt.


class Unseen(Struct, frozen=True):
    """Nothing is known: it may be in a pool, lost, or on its way."""


class Included(Struct, frozen=True):
    """In a block of the canonical chain; `is_final` when the required depth is reached there."""

    block: Block
    is_final: bool
    has_succeeded: bool = True
    why: str | None = None  # the decoded reason when it has not
    outcome: Json | None = None  # what the family keeps of the receipt


class Orphaned(Struct, frozen=True):
    """Proven: the block it was in is no longer canonical."""


class Lapsed(Struct, frozen=True):
    """Proven: it can never land any more. This is not `Unseen`."""

    why: str
    is_slot_free: bool = False  # the slot was not used by anyone and may be given again
    is_renewable: bool = True  # another version may be signed; not so where others have signed the same bytes


Sighting = Unseen | Included | Orphaned | Lapsed


# What came of preparing a transaction for signing.


class Ready(Struct, frozen=True):
    value: Json  # the family's own draft, opaque to the lane
    max_cost: int  # what it could take from the balance at most


@dataclass(frozen=True, slots=True)
class Chore:
    """A transaction of our own that must land before others can, in a slot of the relayer's own account.

    By its name it is known whether it was tried lately: one that failed must not be repeated at every block.
    """

    name: str
    ready: Ready


class Wait(Struct, frozen=True):
    """Not now, and why; it holds up nobody, because it has no slot yet."""

    why: str


class Doomed(Struct, frozen=True):
    """It can never succeed, and why."""

    why: str
    is_expired: bool = False  # it could have landed once: what it brought along has run out


Prepared = Ready | Wait | Doomed


class Step(StrEnum):
    """What an attempt that has not landed needs now."""

    NOTHING = "nothing"
    RESEND = "resend"  # the same bytes again
    BUMP = "bump"  # a dearer version in the same slot


class Signed(Struct, frozen=True):
    raw: bytes
    hash: str
    facts: Json
    max_cost: int


@dataclass(frozen=True, slots=True)
class Stall:
    """How long an attempt that a node accepted has been waiting."""

    blocks: int  # since it first left
    blocks_since_sent: int  # since it last left
    seconds_since_sent: float
    is_head: bool  # nothing before it in its lane is open: it waits for nobody


@dataclass(frozen=True, slots=True)
class Outlook:
    """What was offered against what the network asks now: for people."""

    market: Json  # the family's own figures, amounts as decimal text
    cap: int | None  # the most that one unit may cost here
    shortfalls: tuple[str | None, ...]  # for each attempt, why its offer is too low; None if it is enough


class Pen(Protocol):
    """A signer as a family sees it: a key it can name, and the one primitive."""

    @property
    def public_key(self) -> bytes: ...

    async def sign(self, payloads: list[bytes]) -> list[bytes]: ...


class Chain(Protocol):
    """One network. Every method may raise `NodeUnavailable`."""

    has_slots: bool  # whether attempts take numbered slots of an account

    async def identity(self) -> str:
        """Which chain this is, so that one that was started anew is noticed. Checked at each connect."""

    def needs_slot(self, revision: Revision) -> bool:
        """Whether it takes a slot of ours, where there are any; not so what others have numbered and signed."""

    def tips(self) -> AsyncIterator[Tip]:
        """The head as it moves; survives outages by itself. One consumer: the network's watcher.
        Raises `ChainReplaced` when the chain behind it is another one than before."""

    async def account(self, relayer: Relayer, tip: Tip) -> Account: ...

    async def observe(
        self, attempts: Sequence[Attempt], account: Account, tip: Tip, *, is_thorough: bool
    ) -> list[Sighting]:
        """What the chain shows of each attempt. Thorough: ask for every one by hash, whatever was seen in blocks."""

    async def broadcast(self, raws: Sequence[bytes]) -> list[Broadcast]:
        """Sends bytes that are stored already. `NodeUnavailable` means "maybe sent" for all of them."""

    async def knows(self, hashes: Sequence[str]) -> Mapping[str, Mapping[str, bool]]:
        """For people: of each hash, which nodes (by the address that may be shown) know it. Silent ones are left out."""

    async def logs(self, tx_hash: str) -> list[Json] | None:
        """For people: what a landed attempt has logged, as the family shows it; None when no node has it."""


class Maker(Protocol):
    """Makes what is signed: prices, limits, simulation, signatures."""

    async def prepare(self, asks: Sequence[tuple[Revision, bool]], relayer: Relayer) -> list[Prepared]:
        """Each revision with whether it is first: nothing accepted before it is under way, so that a simulation that
        fails cannot depend on anything and may end it."""

    async def bump(self, revision: Revision, attempts: Sequence[Attempt], relayer: Relayer) -> Prepared:
        """A dearer version for the slot of `attempts`, at least as much as the network's replacement rule asks.
        `Wait` when the cap forbids it."""

    async def void(
        self, attempts: Sequence[Attempt], relayer: Relayer, earlier: Sequence[Attempt] | None = None
    ) -> Prepared:
        """The family's no-op for the slot of `attempts` (none: a fresh one). `earlier` are the no-ops of the last 24
        hours: given them, it may go over the cap as far as they left of the relayer's rescue budget."""

    async def sign(self, drafts: Sequence[tuple[Ready, Slot | None]], relayer: Relayer, pen: Pen) -> list[Signed]: ...

    def next_step(self, attempt: Attempt, stall: Stall, relayer: Relayer) -> Step:
        """Pure: asked about moments to come too."""

    async def outlook(self, attempts: Sequence[Attempt], relayer: Relayer) -> Outlook: ...
