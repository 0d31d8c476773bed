"""The file seeds, the store rules.

An entry that did not change in the file keeps its run-time changes; a changed one is applied again; a removed one stays
readable, refuses new work and finishes what is open; what the API made is untouched.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from baton import telemetry
from baton.config import At, Config, Findings, RelayerEntry, read_relayer
from baton.domain.clock import Clock
from baton.domain.errors import Misconfigured
from baton.domain.notification import Notification
from baton.domain.relayer import Relayer
from baton.storage.base import Store, StoredRelayer
from baton.storage.changes import CreateNotification, SaveRelayer

Addresses = Mapping[str, str]  # by relayer id


@dataclass(frozen=True, slots=True)
class Seeded:
    relayer: Relayer
    entry: RelayerEntry


async def seed(store: Store, config: Config, addresses: Addresses, clock: Clock) -> list[Seeded]:
    """Brings the store in line with the file; gives every relayer as it is in force now."""
    async with store.read() as snapshot:
        stored = {one.relayer_id: one for one in await snapshot.relayers.all()}
        mistakes = [
            f"relayers.{entry.id}: its address changed from {old} to {addresses[entry.id]} while {count} transactions "
            "are open; put the old key back until they are final"
            for entry in config.relayers
            if entry.id in stored
            and (old := stored[entry.id].entry["address"]) != addresses[entry.id]
            and (count := await snapshot.relayers.open_count(entry.id)) > 0
        ]
    if mistakes:
        raise Misconfigured(mistakes)
    changes = [_applied(entry, stored.get(entry.id), addresses[entry.id], clock) for entry in config.relayers]
    named = {entry.id for entry in config.relayers}
    gone = [one for one in stored.values() if one.origin == "file" and one.relayer_id not in named]
    changes += [_removed(one, clock) for one in gone if not one.is_removed]
    await store.write_all([change for change in changes if change is not None])
    await _seed_notifications(store, config, clock)
    async with store.read() as snapshot:
        return [_in_force(one) for one in await snapshot.relayers.all()]


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


async def _seed_notifications(store: Store, config: Config, clock: Clock) -> None:
    """The file's notifications are made once; afterwards the API rules them."""
    await store.write_all(
        [
            CreateNotification(Notification(entry.id, entry.url, clock.now(), entry.signing_key))
            for entry in config.notifications
        ]
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
