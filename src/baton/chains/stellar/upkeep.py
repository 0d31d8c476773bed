"""Upkeep: what the relayer itself must land so that its transactions can: channels to be made, entries to be restored."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from baton import telemetry
from baton.chains.seam import Chore, Ready, Source
from baton.chains.stellar import fees
from baton.chains.stellar.channels import MOST_AT_ONCE, Channels, creation, is_ours, locked
from baton.chains.stellar.entries import AccountEntry
from baton.chains.stellar.envelope import Body
from baton.chains.stellar.fees import Load, OverCap
from baton.chains.stellar.heads import Heads
from baton.chains.stellar.plan import VALID_S
from baton.chains.stellar.signing import Draft
from baton.domain.policy import StellarPolicy
from baton.domain.relayer import Relayer

FRESH_LEDGERS = 3  # a restoration that no simulation asked for lately is not needed any more


class Upkeep:
    def __init__(self, channels: Channels, heads: Heads) -> None:
        self.channels = channels
        self._heads = heads
        self._strange: set[str] = set()  # told once
        self._restores: dict[tuple[str, str], tuple[Body, int]] = {}  # relayer and name → what, asked at which ledger

    def ask_for(self, relayer: Relayer, restore: Body) -> None:
        assert restore.soroban is not None
        name = "restore " + hashlib.sha256(restore.soroban.to_xdr_bytes()).hexdigest()[:16]
        own = replace(restore, source=relayer.address)  # whoever needs the entries, the relayer can restore them
        self._restores[relayer.id, name] = (own, self._ledger)

    def chores(
        self, relayer: Relayer, channels: list[str], entries: Mapping[str, AccountEntry], now_s: int
    ) -> tuple[Chore, ...]:
        """Restorations first: somebody waits for those."""
        self._restores = {k: v for k, v in self._restores.items() if self._ledger - v[1] <= FRESH_LEDGERS}
        found = [
            self._chore(relayer, name, Draft(body, 0, now_s + VALID_S), 0)
            for (owner, name), (body, _) in self._restores.items()
            if owner == relayer.id
        ]
        missing = [address for address in channels if address not in entries][:MOST_AT_ONCE]
        if missing:
            draft = Draft(
                creation(relayer.address, missing),
                0,
                now_s + VALID_S,
                co_signers=self.channels.keys(relayer, missing),
            )
            found.append(self._chore(relayer, f"make channels from {missing[0]}", draft, locked(len(missing))))
        return tuple(chore for chore in found if chore is not None)

    def sources(self, relayer: Relayer, channels: list[str], entries: Mapping[str, AccountEntry]) -> list[Source]:
        """The channels that are there and ours; until there is one, the relayer itself."""
        existing = [one for one in channels if one in entries]
        usable = [one for one in existing if is_ours(entries[one], relayer.address)]
        for strange in set(existing) - set(usable) - self._strange:
            self._strange.add(strange)
            telemetry.log.warning("channel_not_ours", relayer=relayer.id, channel=strange)
        return [Source(one, entries[one].sequence + 1) for one in usable]

    def _chore(self, relayer: Relayer, name: str, draft: Draft, held: int) -> Chore | None:
        """None while it is too dear."""
        policy, market = relayer.policy, self._heads.market
        assert isinstance(policy, StellarPolicy)
        if market is None:
            return None
        load = Load(len(draft.body.operations), draft.body.resources)
        prices = market.prices(is_soroban=draft.body.soroban is not None)
        bid = fees.offer(load, prices, policy.default_speed, policy.max_fee)
        if isinstance(bid, OverCap):
            return None
        return Chore(name, Ready(draft.at(bid), load.cost(bid) + held))

    @property
    def _ledger(self) -> int:
        return 0 if self._heads.market is None else self._heads.market.ledger
