"""Proof that an attempt has landed, or never can. One node's word is not enough where there are several.

Dead is an attempt that no node shows, when
    its time is over      a ledger closed after its time bound, and the account has not come to its sequence number: the
                          number is free again
    its number is used    the account is at or past it, so another transaction took it. Only nodes that keep every ledger
                          since the attempt was signed can say that it was not ours
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from baton.chains.rpc import Answer
from baton.chains.seam import Lapsed
from baton.chains.stellar.node import (
    Accounts,
    Lookup,
    StellarNode,
    accounts_call,
    lookup_call,
    read_accounts,
)
from baton.domain.errors import NodeUnavailable
from baton.domain.transaction import Attempt

AT_ONCE = 100  # attempts asked of every node in one go


class Death(Enum):
    TIME_OVER = auto()
    NUMBER_USED = auto()


@dataclass(frozen=True, slots=True)
class Testimony:
    """What one node says: of the hashes first, then of the accounts."""

    lookups: Mapping[str, Lookup]
    accounts: Accounts

    def shows(self, attempt: Attempt) -> bool:
        return any(self.lookups[one].found is not None for one in keys_of(attempt))

    def death(self, attempt: Attempt) -> Death | None:
        """Of an attempt that it does not show."""
        looks = [self.lookups[one] for one in keys_of(attempt)]
        ledger = min(one.ledger for one in looks)
        entry = self.accounts.entries.get(source_of(attempt))
        if entry is not None and entry.sequence >= int(attempt.facts["sequence_number"]):
            is_kept = all(one.oldest_at <= attempt.created_at.timestamp() for one in looks)
            return Death.NUMBER_USED if is_kept and ledger >= self.accounts.ledger else None
        is_over = all(is_past(attempt, one.closed_at) for one in looks)
        return Death.TIME_OVER if is_over and self.accounts.ledger >= ledger else None


class Proof:
    def __init__(self, node: StellarNode) -> None:
        self._node = node

    async def landed(self, found: Mapping[str, Lookup]) -> set[str]:
        """Those of the hashes, each with what the first node told, whose landing enough nodes confirm."""
        if self._node.needed == 1 or not found:
            return set(found)
        agreed: set[str] = set()
        heard = await self._ask_everyone(list(found), [])
        for tx_hash, first in found.items():
            same = [one for one in heard if _is_same(one.lookups[tx_hash], first)]
            if len(same) >= self._node.needed:
                agreed.add(tx_hash)
        return agreed

    async def dead(self, attempts: Sequence[Attempt]) -> dict[str, Lapsed]:
        """Those that are proven dead, by attempt id."""
        dead: dict[str, Lapsed] = {}
        for start in range(0, len(attempts), AT_ONCE):
            part = attempts[start : start + AT_ONCE]
            hashes = list(dict.fromkeys(key for attempt in part for key in keys_of(attempt)))
            heard = await self._ask_everyone(hashes, sorted({source_of(attempt) for attempt in part}))
            for attempt in part:
                if any(one.shows(attempt) for one in heard):
                    continue
                deaths = [one.death(attempt) for one in heard]
                for death in Death:
                    if deaths.count(death) >= self._node.needed:
                        dead[attempt.id] = _lapsed(attempt, death)
        return dead

    async def _ask_everyone(self, hashes: Sequence[str], addresses: Sequence[str]) -> list[Testimony]:
        calls = [lookup_call(one) for one in hashes]
        calls += [accounts_call(addresses)] if addresses else []
        pool = self._node.pool
        heard = []
        for _, answers in await pool.witnesses(calls, max(1, len(pool.endpoints))):
            told = self._testimony(hashes, answers)
            if told is not None:
                heard.append(told)
        self._node.note_times([min(look.closed_at for look in one.lookups.values()) for one in heard])
        return heard

    def _testimony(self, hashes: Sequence[str], answers: Sequence[Answer]) -> Testimony | None:
        """None for a node that did not answer what counts."""
        try:
            lookups = {one: self._node.read_lookup(answer) for one, answer in zip(hashes, answers, strict=False)}
            accounts = read_accounts(answers[-1]) if len(answers) > len(hashes) else Accounts(0, {})
        except NodeUnavailable:
            return None
        return Testimony(lookups, accounts)


def keys_of(attempt: Attempt) -> tuple[str, ...]:
    """The hashes under which it may be found: anyone may wrap a signed transaction in a fee bump of their own."""
    inner = attempt.facts.get("inner_hash")
    return (attempt.hash,) if inner is None else (attempt.hash, inner)


def source_of(attempt: Attempt) -> str:
    """The account whose sequence number it uses."""
    return str(attempt.facts["sequence_account"])


def is_past(attempt: Attempt, closed_at: int) -> bool:
    """Whether a ledger that closed then is after its time bound."""
    return 0 < int(attempt.facts["max_time"]) < closed_at


def _is_same(one: Lookup, other: Lookup) -> bool:
    mine, theirs = one.found, other.found
    if mine is None or theirs is None:
        return False
    return (mine.hash, mine.ledger, mine.result_xdr) == (theirs.hash, theirs.ledger, theirs.result_xdr)


def _lapsed(attempt: Attempt, death: Death) -> Lapsed:
    number = attempt.facts["sequence_number"]
    if death is Death.TIME_OVER:
        why = "its time bound passed and no ledger holds it"
    else:
        why = f"sequence number {number} was used by another transaction of {source_of(attempt)}"
    is_ours = attempt.slot is not None
    return Lapsed(why, is_slot_free=death is Death.TIME_OVER, is_renewable=is_ours)
