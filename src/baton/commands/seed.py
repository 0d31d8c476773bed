"""The file seeds, the store rules.

An entry that did not change in the file keeps its run-time changes; a changed one is applied again; a removed one stays
readable, refuses new work and finishes what is open; what the API made is untouched.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from baton import telemetry
from baton.commands.seed_notifications import seed_notifications
from baton.config import At, Config, Findings, RelayerEntry, read_relayer
from baton.domain.clock import Clock
from baton.domain.errors import Misconfigured
from baton.domain.relayer import Relayer
from baton.storage.base import Store, StoredRelayer
from baton.storage.changes import SaveRelayer

Addresses = Mapping[str, str]  # by relayer id
Stored = Mapping[str, StoredRelayer]


@dataclass(frozen=True, slots=True)
class Seeded:
    relayer: Relayer
    entry: RelayerEntry


async def seed(store: Store, config: Config, addresses: Addresses, clock: Clock) -> list[Seeded]:
    """Brings the store in line with the file; gives every relayer as it is in force now."""
    async with store.read() as snapshot:
        stored = {one.relayer_id: one for one in await snapshot.relayers.all()}
        open_counts = {name: await snapshot.relayers.open_count(name) for name in stored}
    mistakes = _moved(config, addresses, stored, open_counts) + _taken_over(config, addresses, stored, open_counts)
    if mistakes:
        raise Misconfigured(mistakes)
    changes = [_applied(entry, stored.get(entry.id), addresses[entry.id], clock) for entry in config.relayers]
    named = {entry.id for entry in config.relayers}
    gone = [one for one in stored.values() if one.origin == "file" and one.relayer_id not in named]
    changes += [_removed(one, clock) for one in gone if not one.is_removed]
    await store.write_all([change for change in changes if change is not None])
    await seed_notifications(store, config, clock)
    async with store.read() as snapshot:
        return [_in_force(one) for one in await snapshot.relayers.all()]


def _moved(config: Config, addresses: Addresses, stored: Stored, open_counts: Mapping[str, int]) -> list[str]:
    """What is open belongs to the account that it was accepted for."""
    return [
        f"relayers.{entry.id}: its address changed from {old} to {addresses[entry.id]} while {open_counts[entry.id]} "
        "transactions are open; put the old key back until they are final"
        for entry in config.relayers
        if entry.id in stored
        and (old := stored[entry.id].entry["address"]) != addresses[entry.id]
        and open_counts[entry.id] > 0
    ]


def _taken_over(config: Config, addresses: Addresses, stored: Stored, open_counts: Mapping[str, int]) -> list[str]:
    """A relayer that left the file finishes what is open: until then another on its account would fight over nonces."""
    named = {(config.network_of(entry).chain, addresses[entry.id]): entry.id for entry in config.relayers}
    mistakes = []
    for one in stored.values():
        raw, address = one.entry["relayer"], one.entry["address"]
        network = config.networks.get((raw["network_type"], raw["network"]))
        if one.relayer_id in named.values() or network is None or not open_counts[one.relayer_id]:
            continue
        if heir := named.get((network.chain, address)):
            mistakes.append(
                f"relayers.{heir}: its account {address} is that of relayer {one.relayer_id!r}, which is no longer in the "
                f"file and has {open_counts[one.relayer_id]} open transactions; keep the old entry instead until they are final"
            )
    return mistakes


def _applied(entry: RelayerEntry, stored: StoredRelayer | None, address: str, clock: Clock) -> SaveRelayer | None:
    content = {"relayer": entry.raw, "address": address}
    if stored is None:
        return SaveRelayer(entry.id, clock.now(), 0, "file", entry.seed_hash, content)
    is_same = stored.seed_hash == entry.seed_hash and stored.entry["address"] == address
    if is_same and not stored.is_removed:
        return None
    if not is_same:
        telemetry.log.info("relayer_entry_applied_again", relayer=entry.id, why="its entry in the file changed")
    content = {**stored.entry, "address": address} if is_same else content
    return SaveRelayer(entry.id, clock.now(), stored.version, "file", entry.seed_hash, content)


def _removed(stored: StoredRelayer, clock: Clock) -> SaveRelayer:
    telemetry.log.warning("relayer_removed", relayer=stored.relayer_id, why="it is no longer in the file")
    return SaveRelayer(
        stored.relayer_id,
        clock.now(),
        stored.version,
        stored.origin,
        stored.seed_hash,
        stored.entry,
        is_removed=True,
    )


def _in_force(stored: StoredRelayer) -> Seeded:
    findings = Findings()
    entry = read_relayer(stored.entry["relayer"], At(f"stored relayer {stored.relayer_id}", findings))
    if findings.mistakes:
        raise Misconfigured(findings.mistakes)
    relayer = replace(
        relayer_of(entry, stored.entry["address"]),
        is_removed=stored.is_removed,
        disabled_reason=stored.disabled_reason,
        version=stored.version,
    )
    return Seeded(relayer, entry)


def relayer_of(entry: RelayerEntry, address: str) -> Relayer:
    return Relayer(
        id=entry.id,
        name=entry.name,
        network=entry.network,
        family=entry.family,
        signer_id=entry.signer_id,
        address=address,
        policy=entry.policy,
        notification_ids=entry.notification_ids,
        custom_rpc_urls=entry.custom_rpc_urls,
        is_paused=entry.is_paused,
    )
