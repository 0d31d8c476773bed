"""What a configuration says, as frozen values.

The file seeds, the store rules: each entry keeps the JSON it was read from and a hash of it, so that a later start can
see whether the entry changed in the file.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from baton.config.secret import Secret
from baton.config.settings import Settings
from baton.domain.json import Json
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.policy import Policy


@dataclass(frozen=True, slots=True)
class RelayerEntry:
    id: str
    name: str
    network: str
    family: Family
    signer_id: str
    policy: Policy
    notification_ids: tuple[str, ...]  # ("*",) means every notification
    custom_rpc_urls: tuple[RpcUrl, ...] | None
    is_paused: bool
    raw: Json = field(repr=False)
    seed_hash: str


@dataclass(frozen=True, slots=True)
class KeystoreFile:
    """A key in an encrypted keystore file."""

    path: str
    passphrase: Secret


@dataclass(frozen=True, slots=True)
class RawKey:
    """A key given as text; its format belongs to the curve that the relayer's family signs with."""

    key: Secret


@dataclass(frozen=True, slots=True)
class SignerEntry:
    id: str
    source: KeystoreFile | RawKey
    raw: Json = field(repr=False)
    seed_hash: str


@dataclass(frozen=True, slots=True)
class NotificationEntry:
    id: str
    url: str
    signing_key: str | None = field(repr=False)
    raw: Json = field(repr=False)
    seed_hash: str


@dataclass(frozen=True, slots=True)
class Config:
    settings: Settings
    relayers: tuple[RelayerEntry, ...] = ()
    signers: tuple[SignerEntry, ...] = ()
    notifications: tuple[NotificationEntry, ...] = ()
    networks: Mapping[tuple[Family, str], Network] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def network_of(self, relayer: RelayerEntry) -> Network:
        return self.networks[relayer.family, relayer.network]

    def rpc_urls_of(self, relayer: RelayerEntry) -> tuple[RpcUrl, ...]:
        """A relayer's own nodes, else its network's."""
        return relayer.custom_rpc_urls or self.network_of(relayer).rpc_urls

    def check_accounts(self, addresses: Mapping[str, str]) -> list[str]:
        """The mistakes of relayers, whose addresses are given by their ids: two on one account of one chain would
        fight over its nonces. Only opened signers tell; two entries may hold the same key."""
        lanes: dict[tuple[object, str], str] = {}
        mistakes: list[str] = []
        for relayer in self.relayers:
            if relayer.id not in addresses:
                continue
            address = addresses[relayer.id]
            first = lanes.setdefault((self.network_of(relayer).chain, address), relayer.id)
            if first != relayer.id:
                mistakes.append(
                    f"relayer {relayer.id!r}: found the account {address} of relayer {first!r}, expected another"
                )
        return mistakes


def seed_hash(raw: Json, *secrets: Secret | None) -> str:
    """SHA-256 of the entry in canonical JSON, and of its secrets' fingerprints: a new value behind the same
    environment variable is a change too."""
    prints = [secret.fingerprint for secret in secrets if secret is not None]
    canonical = json.dumps([_blanked(raw), prints], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _blanked(value: Json) -> Json:
    """The same without plain secrets: only their fingerprints may leave a trace."""
    if isinstance(value, dict):
        is_plain = value.get("type") == "plain"
        return {key: "" if is_plain and key == "value" else _blanked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_blanked(item) for item in value]
    return value
