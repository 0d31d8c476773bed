"""Changes of a relayer at run time: a client's PATCH, and what we ourselves switch off and on again.

Each is one write: what is in force from now on, and the event that tells of it.
"""

from collections.abc import Mapping
from dataclasses import replace

from baton.commands.context import TRIES, Context
from baton.commands.seed import relayer_of
from baton.config import At, Findings, RelayerEntry, parse_policy, read_relayer, show_policy
from baton.domain.errors import Bug, Invalid, RelayerMissing, StoreUnavailable
from baton.domain.json import Json
from baton.domain.relayer import Relayer
from baton.storage.base import StoredRelayer
from baton.storage.changes import Done, SaveRelayer, Stale

PATCHABLE = ("name", "paused", "policies", "notification_id", "custom_rpc_urls")
EVERYONE = "*"


async def update(context: Context, relayer_id: str, patch: Json) -> Relayer:
    """A JSON merge patch: null removes, objects merge, everything else replaces."""
    context.relayers.get(relayer_id)
    _check_keys(patch)
    async with context.turns.of(relayer_id):
        return await _update(context, relayer_id, patch)


async def _update(context: Context, relayer_id: str, patch: Json) -> Relayer:
    for _ in range(TRIES):
        stored = await _stored(context, relayer_id)
        known = _in_force(stored, stored.entry["relayer"])
        raw = merged(stored.entry["relayer"], patch)
        if raw == stored.entry["relayer"]:
            return known
        wanted = _in_force(stored, raw)
        await _check_hearers(context, wanted)
        if await _saved(context, stored, {**stored.entry, "relayer": raw}, wanted, _told_of_pause(known, wanted)):
            return wanted
    raise StoreUnavailable(f"relayer {relayer_id!r} changed {TRIES} times during one update; try again")


def unserved(relayer: Relayer, patch: Json) -> list[str]:
    """Policies of the peer that a patch set and that have no effect here, each with what it would have done."""
    policies: Json = patch.get("policies") or {}
    findings = Findings()
    parse_policy(
        relayer.family, {key: value for key, value in policies.items() if value is not None}, "policies", findings
    )
    return findings.warnings


async def set_disabled(context: Context, relayer_id: str, reason: str | None) -> None:
    """By us only: something is wrong with it that a person must mend, or it is well again."""
    async with context.turns.of(relayer_id):
        for _ in range(TRIES):
            stored = await _stored(context, relayer_id)
            if stored.disabled_reason == reason:
                return
            wanted = replace(_in_force(stored, stored.entry["relayer"]), disabled_reason=reason)
            told = (
                event("relayer_enabled", wanted)
                if reason is None
                else event("relayer_disabled", wanted, {"disable_reason": reason})
            )
            if await _saved(context, stored, stored.entry, wanted, (told,)):
                return


async def tell(context: Context, relayer_id: str, kind: str, more: Mapping[str, Json]) -> None:
    """An event about a relayer that changes nothing in it: its balance is low, someone else used its key."""
    async with context.turns.of(relayer_id):
        for _ in range(TRIES):
            stored = await _stored(context, relayer_id)
            known = _in_force(stored, stored.entry["relayer"])
            if await _saved(context, stored, stored.entry, known, (event(kind, known, more),)):
                return


def event(kind: str, relayer: Relayer, more: Mapping[str, Json] | None = None) -> dict[str, Json]:
    """The payload of a `relayer_state_update`."""
    return {"payload_type": kind, "relayer": describe(relayer), **(more or {})}


def describe(relayer: Relayer) -> dict[str, Json]:
    """A relayer as answers and events show it; what is not set is left out."""
    told, urls = relayer.notification_ids, relayer.custom_rpc_urls
    shown: dict[str, Json] = {
        "id": relayer.id,
        "name": relayer.name,
        "network": relayer.network,
        "network_type": str(relayer.family),
        "paused": relayer.is_paused,
        "policies": show_policy(relayer.policy),
        "signer_id": relayer.signer_id,
        "address": relayer.address,
        "system_disabled": is_disabled(relayer),
    }
    if told:
        shown["notification_id"] = told[0] if len(told) == 1 else list(told)
    if urls is not None:
        # what follows the host may be a key
        shown["custom_rpc_urls"] = [{"url": f"{url.shown}/***", "weight": url.weight} for url in urls]
    if is_disabled(relayer):
        shown["disabled_reason"] = _disabled_reason(relayer)
    return shown


def is_disabled(relayer: Relayer) -> bool:
    return relayer.is_removed or relayer.disabled_reason is not None


def _disabled_reason(relayer: Relayer) -> dict[str, Json]:
    """The peer's words where it has one for the cause: the nodes serve another chain, or the signer is missing."""
    if relayer.is_removed:
        return {"type": "Removed", "details": "it is no longer in the configuration; it only finishes what is open"}
    return {"type": "RpcValidationFailed", "details": relayer.disabled_reason}


def merged(target: Json, patch: Json) -> Json:
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def _check_keys(patch: Json) -> None:
    if not isinstance(patch, dict):
        raise Invalid("body", "another JSON value", "an object")
    for key in patch:
        if key not in PATCHABLE:
            raise Invalid(key[:60], "a key that cannot be changed", f"only {', '.join(PATCHABLE)}")
    for key in ("name", "paused"):
        if key in patch and patch[key] is None:
            raise Invalid(key, "null", "a value: a relayer always has one")


def _in_force(stored: StoredRelayer, raw: Json) -> Relayer:
    """What the stored entry, or a patched one, makes of it: from the store, because another change may just have come."""
    return replace(
        relayer_of(_read(raw), stored.entry["address"]),
        disabled_reason=stored.disabled_reason,
        is_removed=stored.is_removed,
        version=stored.version + 1,
    )


def _read(raw: Json) -> RelayerEntry:
    findings = Findings()
    entry = read_relayer(raw, At("", findings))
    if findings.mistakes:
        field, _, rest = findings.mistakes[0].partition(": found ")
        found, _, expected = rest.partition(", expected ")
        raise Invalid(field, found, expected)
    return entry


async def _check_hearers(context: Context, relayer: Relayer) -> None:
    async with context.store.read() as snapshot:
        for name in relayer.notification_ids:
            if name != EVERYONE and await snapshot.notifications.one(name) is None:
                raise Invalid("notification_id", repr(name), "the id of a notification, a list of ids, or *")


async def _stored(context: Context, relayer_id: str) -> StoredRelayer:
    async with context.store.read() as snapshot:
        found = [one for one in await snapshot.relayers.all() if one.relayer_id == relayer_id]
    if not found:
        raise RelayerMissing(relayer_id)
    return found[0]


async def _saved(
    context: Context, stored: StoredRelayer, entry: Json, wanted: Relayer, events: tuple[Json, ...]
) -> bool:
    change = SaveRelayer(
        stored.relayer_id,
        context.clock.now(),
        stored.version,
        stored.origin,
        stored.seed_hash,
        entry,
        is_removed=stored.is_removed,
        disabled_reason=wanted.disabled_reason,
        events=events,
    )
    match await context.store.write(change):
        case Done():
            context.relayers.put(wanted)
            return True
        case Stale():
            return False
        case other:
            raise Bug(f"saving a relayer answered {other}")


def _told_of_pause(old: Relayer, new: Relayer) -> tuple[Json, ...]:
    if old.is_paused == new.is_paused:
        return ()
    return (event("relayer_paused" if new.is_paused else "relayer_enabled", new),)
