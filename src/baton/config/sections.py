"""The entries of a file: relayers, signers, notifications. Each reader notes what is wrong and reads on.

`read_relayer` also reads entries that the store or the API hold: they have the same shape.
"""

from baton.config.entries import KeystoreFile, NotificationEntry, RawKey, RelayerEntry, SignerEntry, seed_hash
from baton.config.networks import family, rpc_url
from baton.config.policies import TABLES, parse_policy
from baton.config.reading import At, Reader, Reading, flag, identifier, list_of, one_of, text, url
from baton.config.secret import Secret, Sources, secret
from baton.domain.errors import Invalid
from baton.domain.json import Json
from baton.domain.network import Family

EVERYONE = "*"
SIGNING_KEY_MAX_CHARS = 512
SIGNERS_NOT_SERVED = (
    "vault",
    "vault_transit",
    "turnkey",
    "cdp",
    "aws_kms",
    "google_cloud_kms",
    "azure_key_vault",
)


def notification_ids(value: Json, at: At) -> tuple[str, ...]:
    """One id, a list of ids, or "*" for all."""
    if value == EVERYONE:
        return (EVERYONE,)
    if isinstance(value, list):
        return tuple(dict.fromkeys(list_of(identifier)(value, at)))
    return (identifier(value, at),)


def read_relayer(value: Json, at: At) -> RelayerEntry:
    reading = Reading(value, at)
    relayer_id = reading.need("id", identifier, "")
    kind = reading.need("network_type", family, None)
    policies: Json = reading.take("policies", _anything, {})
    policy = parse_policy(kind, policies, at.key("policies").path, at.findings) if kind else TABLES[Family.EVM].make()
    entry = RelayerEntry(
        id=relayer_id,
        name=reading.take("name", text, relayer_id),
        network=reading.need("network", text, ""),
        family=kind or Family.EVM,
        signer_id=reading.need("signer_id", identifier, ""),
        policy=policy,
        notification_ids=reading.take("notification_id", notification_ids, ()),
        custom_rpc_urls=reading.take("custom_rpc_urls", list_of(rpc_url), None),
        is_paused=reading.take("paused", flag, False),
        raw=value,
        seed_hash=seed_hash(value),
    )
    reading.close()
    return entry


def _anything(value: Json, at: At) -> Json:  # noqa: ARG001 - a reader like the others; the policy's own table reads it
    return value


def signer(sources: Sources) -> Reader[SignerEntry]:
    def read(value: Json, at: At) -> SignerEntry:
        reading = Reading(value, at)
        signer_id = reading.need("id", identifier, "")
        kind = reading.need("type", _signer_type, "")
        found = reading.need("config", _local(sources), None) if kind == "local" else None
        reading.has("config")
        reading.close()
        source = found or RawKey(Secret("", "nowhere"))
        held = source.passphrase if isinstance(source, KeystoreFile) else source.key
        return SignerEntry(signer_id, source, value, seed_hash(value, held))

    return read


def _signer_type(value: Json, at: At) -> str:
    if value in SIGNERS_NOT_SERVED:
        raise Invalid(at.path, f"{value!r}, not served yet by this version", "local")
    return one_of(("local",))(value, at)


def _local(sources: Sources) -> Reader[KeystoreFile | RawKey]:
    """A keystore file with its passphrase, or our own addition: the key itself from the environment or a file."""

    def read(value: Json, at: At) -> KeystoreFile | RawKey:
        reading = Reading(value, at)
        has_path, has_key = reading.has("path"), reading.has("key")
        nothing = Secret("", "nowhere")
        source: KeystoreFile | RawKey = RawKey(nothing)
        if has_path == has_key:
            at.mistake("both path and key" if has_key else "neither path nor key", "one of the two")
            reading.has("passphrase")
        elif has_key:
            source = RawKey(reading.need("key", secret(sources), nothing))
        else:
            path = reading.need("path", _existing(sources), "")
            source = KeystoreFile(path, reading.need("passphrase", secret(sources), nothing))
        reading.close()
        return source

    return read


def _existing(sources: Sources) -> Reader[str]:
    def read(value: Json, at: At) -> str:
        path = sources.find(text(value, at))
        if not path.is_file():
            raise at.wrong(value, "a keystore file, from this file's folder or the working folder (baton keys new)")
        return str(path)

    return read


def notification(sources: Sources) -> Reader[NotificationEntry]:
    def read(value: Json, at: At) -> NotificationEntry:
        reading = Reading(value, at)
        held = reading.take("signing_key", _signing_key(sources), None)
        entry = NotificationEntry(
            id=reading.need("id", identifier, ""),
            url=reading.need("url", url("http", "https"), ""),
            signing_key=held.value if held and held.value else None,
            raw=value,
            seed_hash=seed_hash(value, held),
        )
        reading.take("type", one_of(("webhook",)), "webhook")
        reading.close()
        return entry

    return read


def _signing_key(sources: Sources) -> Reader[Secret]:
    def read(value: Json, at: At) -> Secret:
        found = secret(sources)(value, at)
        if len(found.value) > SIGNING_KEY_MAX_CHARS:
            raise Invalid(at.path, f"{len(found.value)} characters", f"at most {SIGNING_KEY_MAX_CHARS}")
        if any("\ud800" <= char <= "\udfff" for char in found.value):
            raise Invalid(at.path, "half of a character (not shown)", "text that UTF-8 can carry")
        return found

    return read
