"""Which transactions the newest ledgers hold: where many are open, one walk through a ledger is cheaper than asking for each.

It only tells for which of ours it is worth asking; what became of them is asked by hash.
"""

import asyncio
from collections.abc import Sequence

from baton.chains.rpc import Call, RpcError
from baton.chains.stellar.node import StellarNode
from baton.chains.stellar.proof import keys_of
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.transaction import Attempt

PAGE = 200  # transactions: the most that nodes give at once
MOST_PAGES = 1_000  # of one walk: a node that has more is not walked through
FARTHEST = 64  # ledgers; what was signed longer ago is asked for by hash


class Landings:
    def __init__(self, node: StellarNode) -> None:
        self._node = node
        self._hashes: dict[int, set[str]] = {}  # by ledger, without holes
        self._reading = asyncio.Lock()
        self._newest = 0  # ledger of the node that was asked last
        self.closed_at = 0  # seconds, of the newest that was read; one node's word

    async def covers(self, attempts: Sequence[Attempt], ledger: int) -> set[str]:
        """Reads on to a ledger. Gives the ids of the attempts that are in none of the ledgers since they were signed."""
        signed = [int(attempt.facts["ledger"]) for attempt in attempts]
        recent = [number for number in signed if ledger - number <= FARTHEST]
        if not recent or not await self._read(min(recent) + 1, ledger) or not self._hashes:
            return set()
        first, landed = min(self._hashes), set[str]().union(*self._hashes.values())
        return {
            attempt.id
            for attempt, number in zip(attempts, signed, strict=True)
            if number + 1 >= first and landed.isdisjoint(keys_of(attempt))
        }

    async def _read(self, first: int, last: int) -> bool:
        """False where nodes do not offer it: then everything is asked for by hash."""
        async with self._reading:
            if self._hashes and first < min(self._hashes):
                self._hashes.clear()
            start = max(self._hashes) + 1 if self._hashes else min(first, last)
            if start > last:
                return True
            found = await self._pages(start)
            if found is None:
                self._hashes.clear()
                return False
            for number in range(start, min(last, self._newest) + 1):  # a node may lag behind: the rest comes later
                self._hashes[number] = {tx_hash for ledger, tx_hash in found if ledger == number}
            for old in [number for number in self._hashes if number < last - FARTHEST]:
                del self._hashes[old]
            return True

    async def _pages(self, start: int) -> list[tuple[int, str]] | None:
        found: list[tuple[int, str]] = []
        asked: dict[str, Json] = {"startLedger": start, "pagination": {"limit": PAGE}}
        for _ in range(MOST_PAGES):
            (answer,) = await self._node.pool.batch([Call("getTransactions", asked)])
            if isinstance(answer, RpcError):
                return None
            match answer.value:
                case {"transactions": list(page), "cursor": str(cursor), "latestLedger": int(newest)}:
                    found += [_place(one) for one in page]
                    self._newest = newest
                case _:
                    raise NodeUnavailable("a node answered with something that is not a list of transactions")
            self.closed_at = _time(answer.value, self.closed_at)
            if len(page) < PAGE:
                return found
            asked = {"pagination": {"cursor": cursor, "limit": PAGE}}
        return None


def _place(told: Json) -> tuple[int, str]:
    match told:
        case {"ledger": int(ledger), "txHash": str(tx_hash)}:
            return ledger, tx_hash
        case _:
            raise NodeUnavailable("a node answered with something that is not a transaction")


def _time(told: Json, known: int) -> int:
    found = told.get("latestLedgerCloseTimestamp")
    return max(known, found) if type(found) is int else known
