"""Proof that an attempt is final, gone from the chain, or dead. One node's word is not enough where there are several.

A version is dead when it is too late for it and no node has it:
    a blockhash      the finalized height is past the last one at which it may land, and the finalized block does not
                     know it any more: the height came with the blockhash, by the word of one node
    a durable nonce  the nonce has moved on, seen at the finalized level
first one, then the other: had it landed, a node that is past that point would show it. A node that has forgotten the
time in which it could have landed proves nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from baton.chains.rpc import Answer, Call, Result
from baton.chains.solana.message import nonce_value
from baton.chains.solana.node import (
    FINALIZED,
    STATUSES_A_CALL,
    Level,
    SolanaNode,
    Status,
    Statuses,
    accounts_call,
    parts,
    read_accounts,
    read_statuses,
    status_call,
)
from baton.domain.errors import NodeUnavailable
from baton.domain.transaction import Attempt

CACHED_SLOTS = 300  # the statuses of so many slots every node has at hand, whatever it keeps of its history


@dataclass(frozen=True, slots=True)
class Testimony:
    """What one node says, all of it heard after its `height`."""

    height: int  # finalized
    first_slot: int | None  # the oldest that it keeps; None if it does not tell
    expired: frozenset[str]  # blockhashes that its finalized block does not know
    nonces: Mapping[str, str | None]  # by account, finalized
    slot: int  # the newest that it had heard of
    statuses: Mapping[str, Status | None]  # by signature

    def remembers(self, attempt: Attempt) -> bool:
        """Whether it would show the attempt, had it ever landed."""
        signed_at = int(attempt.facts["slot"])
        is_kept = self.first_slot is not None and self.first_slot <= signed_at
        return is_kept or self.slot - signed_at <= CACHED_SLOTS

    def is_past(self, attempt: Attempt) -> bool:
        """Whether it is too late for the attempt to land any more."""
        nonce = attempt.facts.get("nonce_account")
        if nonce is not None:
            return nonce in self.nonces and self.nonces[nonce] != attempt.facts["blockhash"]
        is_late = self.height > int(attempt.facts["last_valid_block_height"])
        return is_late and attempt.facts["blockhash"] in self.expired


@dataclass(slots=True)
class Hearing:
    """By signature. Nodes keep what is some minutes old only in their history, and only there it is found then."""

    statuses: dict[str, Status] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)  # was in a block, and no node shows it though enough would
    dead: set[str] = field(default_factory=set)


class Proof:
    def __init__(self, node: SolanaNode) -> None:
        self._node = node

    @property
    def needed(self) -> int:
        """How many nodes must say the same."""
        return self._node.needed

    async def final(self, found: Mapping[str, Status], level: Level) -> dict[str, Status]:
        """Of those that one node shows at that level, what enough nodes say of them: the level, and how they ended."""
        deep = {signature: status for signature, status in found.items() if status.level >= level}
        if self.needed == 1:
            return deep
        agreed: dict[str, Status] = {}
        for part in parts(list(deep), STATUSES_A_CALL):
            told = await self._node.ask_everyone([status_call(part)])
            heard = [said for _, answers in told if (said := _told(answers[0], len(part))) is not None]
            for place, signature in enumerate(part):
                status = self._common([one.items[place] for one in heard], level)
                if status is not None:
                    agreed[signature] = status
        return agreed

    def _common(self, told: Sequence[Status | None], level: Level) -> Status | None:
        """What enough nodes say alike."""
        sure = [one for one in told if one is not None and one.level >= level]
        for one in sure:
            alike = [other for other in sure if (other.slot, other.error) == (one.slot, one.error)]
            if len(alike) >= self.needed:
                return one
        return None

    async def hear(self, attempts: Sequence[Attempt]) -> Hearing:
        """What every node that answers says of attempts that one node does not show."""
        heard = Hearing()
        for part in parts(attempts, STATUSES_A_CALL):
            told = await self._testimonies(part)
            for attempt in part:
                shown = next((status for one in told if (status := one.statuses[attempt.hash]) is not None), None)
                if shown is not None:
                    heard.statuses[attempt.hash] = shown
                    continue
                able = [one for one in told if one.remembers(attempt)]
                block = attempt.block
                if block is not None and sum(1 for one in able if one.slot > block.number) >= self.needed:
                    heard.gone.add(attempt.hash)
                if sum(1 for one in able if one.is_past(attempt)) >= self.needed:
                    heard.dead.add(attempt.hash)
        return heard

    async def _testimonies(self, attempts: Sequence[Attempt]) -> list[Testimony]:
        """Every reachable node is asked twice: how far it is, and then what it knows."""
        nonces = sorted({one for attempt in attempts if (one := attempt.facts.get("nonce_account")) is not None})
        hashes = sorted({one.facts["blockhash"] for one in attempts if one.facts.get("nonce_account") is None})
        calls = [Call("getBlockHeight", [FINALIZED]), Call("getFirstAvailableBlock")]
        calls += [Call("isBlockhashValid", [one, FINALIZED]) for one in hashes]
        calls += [accounts_call(nonces, FINALIZED)] if nonces else []
        before = dict(await self._node.ask_everyone(calls))
        signatures = [attempt.hash for attempt in attempts]
        after = await self._node.ask_everyone([status_call(signatures)])
        found = [
            _testimony(before[endpoint], hashes, nonces, signatures, _told(answers[0], len(signatures)))
            for endpoint, answers in after
            if endpoint in before
        ]
        return [one for one in found if one is not None]


def _testimony(
    standing: list[Answer], hashes: list[str], nonces: list[str], signatures: list[str], told: Statuses | None
) -> Testimony | None:
    """None for a node that did not answer what counts."""
    height = _number(standing[0])
    if height is None or told is None:
        return None
    values: dict[str, str | None] = {}
    if nonces:
        try:
            data = read_accounts(standing[-1], nonces)
        except NodeUnavailable:
            return None
        values = {account: nonce_value(data.get(account)) for account in nonces}
    expired = frozenset(one for one, answer in zip(hashes, standing[2:], strict=False) if _is_expired(answer))
    shown = dict(zip(signatures, told.items, strict=True))
    return Testimony(height, _number(standing[1]), expired, values, told.slot, shown)


def _is_expired(answer: Answer) -> bool:
    match answer:
        case Result({"value": False}):
            return True
        case _:
            return False


def _told(answer: Answer, count: int) -> Statuses | None:
    try:
        return read_statuses(answer, count)
    except NodeUnavailable:
        return None


def _number(answer: Answer) -> int | None:
    return answer.value if isinstance(answer, Result) and type(answer.value) is int else None
