"""One file, JSON or TOML in the shape that OpenZeppelin Relayer reads, into a `Config`; all mistakes at once."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from baton.config.entries import Config, RelayerEntry
from baton.config.environment import read_settings
from baton.config.networks import Key, NetworkTable, built_in_networks
from baton.config.reading import At, Findings, Reader, Reading, T, list_of
from baton.config.secret import Sources
from baton.config.sections import EVERYONE, notification, read_relayer, signer
from baton.domain.errors import Invalid, Misconfigured
from baton.domain.json import Json
from baton.domain.network import Network

FILE_MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 32


def load_config(
    path: Path | None, environ: Mapping[str, str], *, is_local: bool = False, needs_api_key: bool = False
) -> Config:
    """Reads the file (if any) and the environment; raises `Misconfigured` with every mistake."""
    document: Json = {}
    if path is not None:
        try:
            document = read_document(path)
        except Invalid as error:
            raise Misconfigured([str(error)]) from None
    folder = path.parent if path is not None else Path()
    return read_config(document, Sources(environ, folder), is_local=is_local, needs_api_key=needs_api_key)


def read_config(document: Json, sources: Sources, *, is_local: bool = False, needs_api_key: bool = False) -> Config:
    """As `load_config`, from a document already in memory."""
    findings = Findings()
    settings = read_settings(sources.environ, findings, is_local=is_local)
    if needs_api_key and settings.api_key is None:
        At("API_KEY", findings).mistake("no such environment variable", "the root API key, at least 32 characters")
    try:
        config = _read_sections(document, sources, Config(settings), findings)
    except Invalid as error:
        raise Misconfigured([*findings.mistakes, str(error)]) from None
    if findings.mistakes:
        raise Misconfigured(findings.mistakes)
    return config


def read_document(path: Path) -> Json:
    """The file's content as JSON values; a `.toml` file is TOML, any other JSON."""
    try:
        if path.stat().st_size > FILE_MAX_BYTES:
            raise Invalid(str(path), "a very large file", f"at most {FILE_MAX_BYTES} bytes")
        content = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Invalid(str(path), error.strerror or "an unreadable file", "a readable file") from None
    except UnicodeDecodeError:
        raise Invalid(str(path), "bytes that are not UTF-8", "a text file") from None
    try:
        if path.suffix.lower() == ".toml":
            return tomllib.loads(content)
        _check_depth(content)
        return json.loads(content, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise Invalid(f"{path}:{error.lineno}:{error.colno}", error.msg, "JSON") from None
    except tomllib.TOMLDecodeError as error:
        raise Invalid(str(path), str(error), "TOML") from None
    except (ValueError, RecursionError) as error:
        raise Invalid(str(path), str(error) or "too deep a nesting", "plain JSON") from None


def _check_depth(content: str) -> None:
    """Before decoding: the decoder's own bound is the interpreter's recursion limit, which others may have raised."""
    depth = 0
    for mark in re.findall(r"[\[{\]}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", content)):
        depth += 1 if mark in "[{" else -1
        if depth > MAX_DEPTH:
            raise ValueError(f"more than {MAX_DEPTH} levels of nesting")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} twice in one object")
    return found


def _constant(word: str) -> Json:
    raise ValueError(f"the word {word}")


def _read_sections(document: Json, sources: Sources, config: Config, findings: Findings) -> Config:
    at = At("", findings)
    if not isinstance(document, dict):
        raise Invalid("the file", "something else", "an object with relayers, signers, notifications, networks")
    reading = Reading(document, at)
    networks = _read_networks(reading, sources, findings)
    relayers = _section(reading, "relayers", read_relayer)
    signers = _section(reading, "signers", signer(sources))
    notifications = _section(reading, "notifications", notification(sources))
    reading.close({"plugins": "they would run TypeScript next to the relayer; use the API and webhooks"})
    _check_unique(at.key("relayers"), {number: entry.id for number, entry in relayers.items()})
    _check_unique(at.key("signers"), {number: entry.id for number, entry in signers.items()})
    _check_unique(at.key("notifications"), {number: entry.id for number, entry in notifications.items()})
    found = Config(
        config.settings,
        tuple(relayers.values()),
        tuple(signers.values()),
        tuple(notifications.values()),
        networks,
        tuple(findings.warnings),
    )
    _check_references(found, relayers, at.key("relayers"))
    return found


def _section(reading: Reading, key: str, read: Reader[T]) -> dict[int, T]:
    """The entries by their place in the file's list: a wrong one in between must not shift the others' paths."""

    def read_numbered(value: Json, at: At) -> tuple[int, T]:
        number = int(at.path.rpartition("[")[2].rstrip("]"))
        return number, read(value, at)

    nothing: tuple[tuple[int, T], ...] = ()
    return dict(reading.take(key, list_of(read_numbered), nothing))


def _read_networks(reading: Reading, sources: Sources, findings: Findings) -> dict[Key, Network]:
    table = NetworkTable(built_in_networks(), findings)

    def read(value: Json, at: At) -> None:
        if isinstance(value, str):
            _read_folder(sources.find(value), table, at)
        else:
            list_of(table.add)(value, at)

    reading.take("networks", read, None)
    return table.networks()


def _read_folder(folder: Path, table: NetworkTable, at: At) -> None:
    """Every `.json` and `.toml` file of a folder: a list of networks, or an object with one under `networks`."""
    if not folder.is_dir():
        raise Invalid(at.path, f"{str(folder)!r}", "a list of networks, or an existing folder with network files")
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in {".json", ".toml"}:
            continue
        place = At(f"{at.path}({path.name})", at.findings)
        try:
            document = read_document(path)
            if isinstance(document, dict) and "networks" in document:
                document = document["networks"]
            list_of(table.add)(document, place)
        except Invalid as error:
            place.note(error)


def _check_unique(at: At, ids: Mapping[int, str]) -> None:
    seen: dict[str, int] = {}
    for number, found in ids.items():
        first = seen.setdefault(found, number)
        if found and first != number:
            at.index(number).key("id").mistake(f"{found!r} a second time (also {at.index(first).path})", "unique ids")


def _check_references(config: Config, relayers: Mapping[int, RelayerEntry], at: At) -> None:
    signers = {entry.id for entry in config.signers}
    notifications = {entry.id for entry in config.notifications} | {EVERYONE}
    lanes: dict[tuple[object, str], int] = {}
    for number, relayer in relayers.items():
        place = at.index(number)
        if relayer.signer_id and relayer.signer_id not in signers:
            place.key("signer_id").mistake(repr(relayer.signer_id), f"the id of a signer: {_names(signers)}")
        for name in relayer.notification_ids:
            if name not in notifications:
                expected = f"the id of a notification: {_names(notifications)}"
                place.key("notification_id").mistake(repr(name), expected)
        network = config.networks.get((relayer.family, relayer.network))
        if network is None:
            if relayer.network:
                place.key("network").mistake(repr(relayer.network), f"a known {relayer.family} network")
            continue
        _check_nodes(config, relayer, place)
        lane = (network.chain, relayer.signer_id)
        first = lanes.setdefault(lane, number)
        if first != number and relayer.signer_id:
            found = f"the signer and network of {at.index(first).path}"
            place.key("signer_id").mistake(found, "one relayer for each account: two would fight over its nonces")


def _check_nodes(config: Config, relayer: RelayerEntry, at: At) -> None:
    if any(node.weight > 0 for node in config.rpc_urls_of(relayer)):
        return
    expected = f"the address of a node, here or in rpc_urls of the network {relayer.network!r}"
    at.key("custom_rpc_urls").mistake("no node with a weight above 0", expected)


def _names(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "there is none"
