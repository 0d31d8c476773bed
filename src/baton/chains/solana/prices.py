"""What priority costs now: recent fees for the accounts that a transaction writes, asked for seldom and kept a while."""

from collections.abc import Sequence

from baton.chains.solana import fees
from baton.chains.solana.heads import Heads
from baton.chains.solana.node import SolanaNode
from baton.chains.solana.plan import Instructed
from baton.domain.policy import SolanaPolicy, Speed

FRESH_SLOTS = 20
MOST_ASKED = 16  # sets of accounts in one turn; beyond, the price of the whole block does
MOST_KEPT = 512
MOST_ACCOUNTS = 128  # of one call

Key = tuple[str, ...]
WHOLE_BLOCK: Key = ()


class Prices:
    def __init__(self, node: SolanaNode, heads: Heads) -> None:
        self._node = node
        self._heads = heads
        self._recent: dict[Key, tuple[int, list[int]]] = {}  # accounts → slot asked at, prices

    async def learn(self, plans: Sequence[Instructed]) -> None:
        """Asks for what is not known of these, in one batch."""
        keys = [_key(plan) for plan in plans]
        if not keys:
            return
        slot = self._slot()
        wanted = [key for key in dict.fromkeys([WHOLE_BLOCK, *keys]) if self._is_old(key, slot)][:MOST_ASKED]
        if not wanted:
            return
        if len(self._recent) + len(wanted) > MOST_KEPT:
            self._recent = {key: found for key, found in self._recent.items() if not self._is_old(key, slot)}
        found = await self._node.prices(wanted)
        self._recent |= {key: (slot, prices) for key, prices in zip(wanted, found, strict=True)}

    def of(self, plan: Instructed, policy: SolanaPolicy) -> int:
        """Micro-lamports for each unit."""
        _, recent = self._recent.get(_key(plan)) or self._recent.get(WHOLE_BLOCK) or (0, [])
        return fees.price_for(recent, plan.speed or policy.default_speed)

    async def market(self) -> dict[str, str]:
        """For people: what the whole block takes, by speed."""
        if self._is_old(WHOLE_BLOCK, self._slot()):
            self._recent[WHOLE_BLOCK] = (self._slot(), (await self._node.prices([WHOLE_BLOCK]))[0])
        return {str(speed): str(fees.price_for(self._recent[WHOLE_BLOCK][1], speed)) for speed in Speed}

    def _is_old(self, key: Key, slot: int) -> bool:
        found = self._recent.get(key)
        return found is None or not 0 <= slot - found[0] < FRESH_SLOTS

    def _slot(self) -> int:
        return 0 if self._heads.head is None else self._heads.head.slot


def _key(plan: Instructed) -> Key:
    """The accounts that others may want to write too: not the relayer's own."""
    written = {meta["pubkey"] for spec in plan.specs for meta in spec["accounts"] if meta["is_writable"]} - {
        plan.fee_payer
    }
    return tuple(sorted(written))[:MOST_ACCOUNTS]
