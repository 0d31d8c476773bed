"""Networks: a built-in table of well-known ones, extended by the file with `from`.

A network inherits from a parent of its own family: scalars and addresses override, features and tags are added up.
An entry with a built-in's name and no `from` extends that built-in, so that adding an address takes two lines.
"""

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from baton.config.reading import At, Findings, Reader, Reading, flag, integer, list_of, text, url
from baton.domain.errors import Invalid
from baton.domain.json import Json
from baton.domain.network import Family, Network, RpcUrl

Key = tuple[Family, str]
CHAIN_ID_MAX = 2**63 - 1
NAME_MAX_CHARS = 64
UNSERVED = {
    "gas_price_cache": "it would cache gas prices; Baton reads them once a block for all",
    "status_check": "it would set a polling interval; Baton follows the blocks",
}
_PARENT = "from"


def _tag(value: Json, at: At) -> str:
    return text(value, at).lower().replace("_", "-")


def _name(value: Json, at: At) -> str:
    found = text(value, at)
    if len(found) > NAME_MAX_CHARS:
        raise at.wrong(value, f"at most {NAME_MAX_CHARS} characters")
    return found


def family(value: Json, at: At) -> Family:
    try:
        return Family(value)
    except ValueError:
        raise at.wrong(value, f"one of {', '.join(Family)}") from None


def rpc_url(value: Json, at: At) -> RpcUrl:
    """Text, or `{url, weight}`."""
    read_url = url("http", "https", "ws", "wss")
    if not isinstance(value, dict):
        return RpcUrl(read_url(value, at))
    reading = Reading(value, at)
    found = RpcUrl(reading.need("url", read_url, ""), reading.take("weight", integer(0, 100), 100))
    reading.close()
    return found


FIELDS: dict[str, tuple[str, Reader[Any]]] = {
    "rpc_urls": ("rpc_urls", list_of(rpc_url)),
    "explorer_urls": ("explorer_urls", list_of(url("http", "https"))),
    "average_blocktime_ms": ("block_time_ms", integer(1, 86_400_000)),
    "required_confirmations": ("confirmations", integer(1, 10_000)),
    "symbol": ("symbol", text),
    "chain_id": ("chain_id", integer(1, CHAIN_ID_MAX)),
    "passphrase": ("passphrase", text),
    "horizon_url": ("horizon_url", url("http", "https")),
    "features": ("features", list_of(_tag)),
    "tags": ("tags", list_of(_tag)),
    "is_testnet": ("is_testnet", flag),
    "is_local": ("is_local", flag),
}
_ADDED_UP = frozenset({"features", "tags"})
_OF_ONE_FAMILY = {
    "chain_id": Family.EVM,
    "required_confirmations": Family.EVM,
    "features": Family.EVM,
    "passphrase": Family.STELLAR,
    "horizon_url": Family.STELLAR,
}


class NetworkTable:
    """Collects entries, then makes networks of them: a parent may stand after its child."""

    def __init__(self, built_in: Mapping[Key, Network], findings: Findings) -> None:
        self._made: dict[Key, Network] = dict(built_in)
        self._built_in = built_in
        self._entries: dict[Key, tuple[dict[str, Any], str | None, At]] = {}
        self._findings = findings

    def add(self, value: Json, at: At) -> None:
        """Notes one entry; mistakes are noted too, and a wrong entry is left out."""
        reading = Reading(value, at)
        kind = reading.need("type", family, None)
        name = reading.need("network", _name, "")
        parent = reading.take(_PARENT, _name, None)
        found: dict[str, Any] = {}
        for key, (field, read) in FIELDS.items():
            item = reading.take(key, read, None)
            if item is None:
                continue
            owner = _OF_ONE_FAMILY.get(key, kind)
            if owner is not kind:
                at.key(key).mistake(f"this key on type {kind}", f"it on {owner} networks only")
            else:
                found[field] = frozenset(item) if field in _ADDED_UP else item
        reading.close(UNSERVED)
        if kind is None or not name:
            return
        if (kind, name) in self._entries:
            at.mistake(f"the {kind} network {name!r} a second time", "each name once for each type")
            return
        self._entries[kind, name] = (found, parent, at)

    def networks(self) -> dict[Key, Network]:
        for key in self._entries:
            self._make(key, ())
        return self._made

    def _make(self, key: Key, children: tuple[Key, ...]) -> Network | None:
        """One network, its parents first; `children` is the way here, to see a circle."""
        if key not in self._entries:
            return self._made.get(key)
        found, parent, at = self._entries[key]
        base = Network(name=key[1], family=key[0])
        if parent is not None and parent != key[1]:
            base = self._parent((key[0], parent), (*children, key), at.key(_PARENT)) or base
        elif key in self._built_in:
            base = self._built_in[key]
        elif parent is not None:
            at.key(_PARENT).mistake(f"{parent!r}, its own name", "the name of another network")
        merged = {field: getattr(base, field) for field, _ in FIELDS.values()}
        for field, item in found.items():
            merged[field] = merged[field] | item if field in _ADDED_UP else item
        network = Network(name=key[1], family=key[0], **merged)
        if not children:
            _check(network, at)
        self._made[key] = network
        return network

    def _parent(self, key: Key, way: tuple[Key, ...], at: At) -> Network | None:
        if key in way:
            circle = " → ".join(name for _, name in (*way[way.index(key) :], key))
            at.mistake(f"a circle {circle}", "parents that end at a network without one")
            return None
        if key not in self._entries and key not in self._made:
            at.mistake(f"{key[1]!r}, which no {key[0]} network is called", "the name of a network of the same type")
            return None
        return self._make(key, way)


def _check(network: Network, at: At) -> None:
    if at.is_wrong:
        return
    if network.family is Family.EVM and network.chain_id is None:
        at.key("chain_id").mistake("nothing", "the chain id, here or from a parent")
    if network.family is Family.STELLAR and network.passphrase is None:
        at.key("passphrase").mistake("nothing", "the network's passphrase, here or from a parent")


def built_in_networks() -> dict[Key, Network]:
    """The table that comes with Baton; public nodes are named only where the network's makers run them for tests."""
    findings = Findings()
    table = NetworkTable({}, findings)
    raw = json.loads(resources.files("baton.config").joinpath("networks.json").read_text(encoding="utf-8"))
    for number, entry in enumerate(raw["networks"]):
        try:
            table.add(entry, At("networks", findings).index(number))
        except Invalid as error:
            findings.mistakes.append(str(error))
    networks = table.networks()
    assert not findings.mistakes, findings.mistakes
    return networks
