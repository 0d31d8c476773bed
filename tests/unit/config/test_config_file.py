"""The configuration file: the peer's shape in JSON or TOML, every mistake at once, secrets resolved and never shown."""

import contextlib
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.config import At, Config, Findings, KeystoreFile, RawKey, Sources, load_config, read_config, read_relayer
from baton.domain.errors import Misconfigured
from baton.domain.network import Family, RpcUrl
from baton.domain.policy import EvmPolicy

ENVIRON = {"RAW": "11" * 32, "SIGNING": "hunter22 hunter22", "PASS": "hunter22"}
GOOD: dict[str, Any] = {
    "relayers": [
        {
            "id": "evm-1",
            "name": "First",
            "network": "sepolia",
            "network_type": "evm",
            "signer_id": "raw",
            "paused": True,
            "notification_id": "hook",
            "custom_rpc_urls": ["http://127.0.0.1:1", {"url": "wss://user:hunter22@b/x", "weight": 0}],
            "policies": {"gas_price_cap": 100},
        },
        {"id": "sol", "network": "devnet", "network_type": "solana", "signer_id": "raw", "notification_id": "*"},
        {"id": "xlm", "network": "local", "network_type": "stellar", "signer_id": "raw", "notification_id": ["hook"]},
    ],
    "signers": [{"id": "raw", "type": "local", "config": {"key": {"type": "env", "value": "RAW"}}}],
    "notifications": [
        {
            "id": "hook",
            "type": "webhook",
            "url": "https://example.test/hook",
            "signing_key": {"type": "env", "value": "SIGNING"},
        }
    ],
    "networks": [],
}


def read(document: Any, environ: dict[str, str] | None = None, folder: Path = Path()) -> Config:
    return read_config(document, Sources(ENVIRON if environ is None else environ, folder))


def mistakes(document: Any, folder: Path = Path()) -> list[str]:
    with pytest.raises(Misconfigured) as caught:
        read(document, folder=folder)
    assert "hunter22" not in str(caught.value)
    return list(caught.value.mistakes)


def changed(*path: str | int, value: Any) -> Any:
    document = copy.deepcopy(GOOD)
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return document


def test_a_good_document_becomes_frozen_values() -> None:
    config = read(GOOD)
    first, second, third = config.relayers
    assert (first.id, first.name, first.network, first.family) == ("evm-1", "First", "sepolia", Family.EVM)
    assert (first.signer_id, first.is_paused, first.notification_ids) == ("raw", True, ("hook",))
    assert first.policy == EvmPolicy(gas_price_cap=100)
    assert first.custom_rpc_urls == (RpcUrl("http://127.0.0.1:1"), RpcUrl("wss://user:hunter22@b/x", 0))
    assert (second.name, second.notification_ids, second.custom_rpc_urls) == ("sol", ("*",), None)
    assert config.rpc_urls_of(second) == config.networks[Family.SOLANA, "devnet"].rpc_urls
    assert config.network_of(third).is_local
    assert config.notifications[0].signing_key == "hunter22 hunter22"
    assert isinstance(config.signers[0].source, RawKey)
    assert config.signers[0].source.key.value == "11" * 32
    assert config.warnings == ()


def test_no_secret_shows_in_the_repr() -> None:
    shown = repr(read(GOOD)) + str(read(GOOD))
    assert "hunter22" not in shown
    assert "11" * 32 not in shown


def test_an_empty_document_is_good_and_has_the_built_in_networks() -> None:
    config = read({})
    assert config.relayers == ()
    assert (Family.EVM, "mainnet") in config.networks


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("relayers", 0, "id"), "a b", "relayers[0].id"),
        (("relayers", 0, "id"), "x" * 37, "relayers[0].id"),
        (("relayers", 0, "id"), "ok\n", "relayers[0].id"),
        (("relayers", 0, "id"), None, "relayers[0].id"),
        (("relayers", 0, "name"), "", "relayers[0].name"),
        (("relayers", 0, "network"), "moon", "relayers[0].network"),
        (("relayers", 0, "network_type"), "bitcoin", "relayers[0].network_type"),
        (("relayers", 0, "signer_id"), "nobody", "relayers[0].signer_id"),
        (("relayers", 0, "paused"), "yes", "relayers[0].paused"),
        (("relayers", 0, "policies"), [], "relayers[0].policies"),
        (("relayers", 0, "policies"), {"gas_price_cap": True}, "relayers[0].policies.gas_price_cap"),
        (("relayers", 0, "notification_id"), "other", "relayers[0].notification_id"),
        (("relayers", 0, "notification_id"), ["hook", "other"], "relayers[0].notification_id"),
        (("relayers", 0, "custom_rpc_urls"), "http://a", "relayers[0].custom_rpc_urls"),
        (("relayers", 0, "custom_rpc_urls"), ["ftp://hunter22"], "relayers[0].custom_rpc_urls[0]"),
        (("relayers", 0, "custom_rpc_urls"), ["http://hunter22:port"], "relayers[0].custom_rpc_urls[0]"),
        (("relayers", 0, "custom_rpc_urls"), [{"url": "http://a", "weight": 0}], "relayers[0].custom_rpc_urls"),
        (("relayers", 0, "custom_rpc_urls"), None, "relayers[0].custom_rpc_urls"),
        (("relayers", 0, "pasued"), True, "relayers[0].pasued"),
        (("signers", 0, "type"), "aws_kms", "signers[0].type"),
        (("signers", 0, "type"), "paper", "signers[0].type"),
        (("signers", 0, "config"), {}, "signers[0].config"),
        (("signers", 0, "config", "path"), "x", "signers[0].config"),
        (("signers", 0, "config", "key"), "hunter22", "signers[0].config.key"),
        (("signers", 0, "config", "key", "value"), "UNSET", "signers[0].config.key.value"),
        (("signers", 0, "config", "key", "type"), "vault", "signers[0].config.key.type"),
        (("notifications", 0, "url"), "", "notifications[0].url"),
        (("notifications", 0, "url"), "https://", "notifications[0].url"),
        (("notifications", 0, "url"), "https://a/" + "x" * 2048, "notifications[0].url"),
        (("notifications", 0, "type"), "email", "notifications[0].type"),
        (("notifications", 0, "signing_key"), "hunter22", "notifications[0].signing_key"),
        (("notifications", 0, "signing_key"), {"type": "plain", "value": 5}, "notifications[0].signing_key.value"),
        (("notifications", 0, "signing_key", "type"), "plain ", "notifications[0].signing_key.type"),
        (("networks",), "no/such/folder", "networks"),
        (("relayer",), [], "relayer"),
    ],
)
def test_a_mistake_is_named_by_its_place(path: tuple[str | int, ...], value: object, place: str) -> None:
    found = mistakes(changed(*path, value=value))
    assert any(mistake.startswith(f"{place}: found ") for mistake in found), found


def test_all_mistakes_of_a_file_come_at_once() -> None:
    document = changed("relayers", 0, "id", value="!")
    document["signers"][0]["type"] = "turnkey"
    document["notifications"][0]["url"] = "x"
    document["networks"] = [{"network": "n", "type": "evm"}]
    document["extra"] = 1
    places = {mistake.split(":")[0] for mistake in mistakes(document)}
    assert places == {"relayers[0].id", "signers[0].type", "notifications[0].url", "networks[0].chain_id", "extra"}


def test_a_wrong_entry_does_not_shift_the_places_of_the_next() -> None:
    document = copy.deepcopy(GOOD)
    document["relayers"].insert(0, "no object")
    document["relayers"][1]["signer_id"] = "nobody"
    assert [mistake.split(":")[0] for mistake in mistakes(document)] == ["relayers[0]", "relayers[1].signer_id"]


@pytest.mark.parametrize("section", ["relayers", "signers", "notifications"])
def test_ids_are_unique_in_their_section(section: str) -> None:
    document = copy.deepcopy(GOOD)
    document[section].append(copy.deepcopy(document[section][0]))
    number = len(document[section]) - 1
    assert any(mistake.startswith(f"{section}[{number}].id: found ") for mistake in mistakes(document))


@pytest.mark.parametrize("network", ["sepolia", "copy"])
def test_two_relayers_with_one_signer_on_one_chain_are_a_mistake(network: str) -> None:
    document = copy.deepcopy(GOOD)
    document["networks"] = [{"network": "copy", "type": "evm", "from": "sepolia"}]
    document["relayers"].append(document["relayers"][0] | {"id": "twin", "network": network})
    (mistake,) = mistakes(document)
    assert mistake.startswith("relayers[3].signer_id: found the signer and network of relayers[0]")


def test_one_signer_may_serve_relayers_on_different_networks() -> None:
    document = copy.deepcopy(GOOD)
    document["relayers"].append(document["relayers"][0] | {"id": "other", "network": "mainnet"})
    assert len(read(document).relayers) == 4


def test_a_relayer_on_a_network_without_a_node_is_a_mistake_until_the_file_names_one() -> None:
    document = changed("relayers", 0, "custom_rpc_urls", value=None)
    assert "rpc_urls of the network 'sepolia'" in mistakes(document)[0]
    document["networks"] = [{"network": "sepolia", "type": "evm", "rpc_urls": ["http://a"]}]
    assert read(document).rpc_urls_of(read(document).relayers[0]) == (RpcUrl("http://a"),)


def test_plugins_are_a_warning() -> None:
    (warning,) = read(GOOD | {"plugins": [{"id": "p", "path": "x.ts"}]}).warnings
    assert warning.startswith("plugins: not served by this version")


@pytest.mark.parametrize("key", [None, {"type": "plain", "value": ""}])
def test_a_notification_without_a_key_signs_nothing(key: object) -> None:
    assert read(changed("notifications", 0, "signing_key", value=key)).notifications[0].signing_key is None


def test_a_signing_key_has_at_most_512_characters() -> None:
    good = {"type": "plain", "value": "k" * 512}
    assert read(changed("notifications", 0, "signing_key", value=good)).notifications[0].signing_key == "k" * 512
    bad = {"type": "plain", "value": "k" * 513}
    assert mistakes(changed("notifications", 0, "signing_key", value=bad))


def test_a_secret_may_come_from_a_file_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "key.txt").write_text("22" * 32 + "\n")
    document = changed("signers", 0, "config", value={"key": {"type": "file", "value": "key.txt"}})
    source = read(document, folder=tmp_path).signers[0].source
    assert isinstance(source, RawKey)
    assert source.key.value == "22" * 32
    missing = changed("signers", 0, "config", value={"key": {"type": "file", "value": "gone.txt"}})
    assert mistakes(missing, tmp_path)[0].startswith("signers[0].config.key.value: found gone.txt: No such file")


def test_a_keystore_is_found_beside_the_configuration_or_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "k.json").write_text("{}")
    local = {"path": "keys/k.json", "passphrase": {"type": "env", "value": "PASS"}}
    document = changed("signers", 0, "config", value=local)
    source = read(document, folder=tmp_path).signers[0].source
    assert isinstance(source, KeystoreFile)
    assert (Path(source.path), source.passphrase.value) == (tmp_path / "keys" / "k.json", "hunter22")
    monkeypatch.chdir(tmp_path)
    assert isinstance(read(document, folder=tmp_path / "elsewhere").signers[0].source, KeystoreFile)


def test_networks_may_be_a_folder_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "networks"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps({"networks": [{"network": "one", "type": "evm", "chain_id": 7}]}))
    (folder / "b.toml").write_text('[[networks]]\nnetwork = "two"\ntype = "evm"\nfrom = "one"\n')
    (folder / "notes.md").write_text("not a network")
    config = read(changed("networks", value="networks"), folder=tmp_path)
    assert config.networks[Family.EVM, "two"].chain_id == 7
    (folder / "c.json").write_text('[{"network": "bad", "type": "evm"}]')
    assert mistakes(changed("networks", value="networks"), tmp_path)[0].startswith("networks(c.json)[0].chain_id")


def test_a_seed_hash_follows_the_entry_and_its_secrets_and_nothing_else() -> None:
    before = read(GOOD)
    again = read(json.loads(json.dumps(GOOD, sort_keys=True)))
    assert [entry.seed_hash for entry in before.relayers] == [entry.seed_hash for entry in again.relayers]
    other = read(changed("relayers", 0, "paused", value=False))
    assert other.relayers[0].seed_hash != before.relayers[0].seed_hash
    assert other.relayers[1].seed_hash == before.relayers[1].seed_hash
    rotated = read(GOOD, ENVIRON | {"SIGNING": "another key"})
    assert rotated.notifications[0].seed_hash != before.notifications[0].seed_hash
    assert rotated.signers[0].seed_hash == before.signers[0].seed_hash


def test_an_entry_keeps_its_json_and_reads_back_from_it() -> None:
    entry = read(GOOD).relayers[0]
    assert entry.raw == GOOD["relayers"][0]
    findings = Findings()
    assert read_relayer(entry.raw, At("relayer", findings)) == entry
    assert findings == Findings()


def test_json_and_toml_say_the_same(tmp_path: Path) -> None:
    as_json, as_toml = tmp_path / "c.json", tmp_path / "c.toml"
    as_json.write_text(
        '{"networks": [{"network": "n", "type": "evm", "chain_id": 9, "rpc_urls": [{"url": "http://a", "weight": 5}]}]}'
    )
    as_toml.write_text(
        '[[networks]]\nnetwork = "n"\ntype = "evm"\nchain_id = 9\nrpc_urls = [{url = "http://a", weight = 5}]\n'
    )
    assert load_config(as_json, {}) == load_config(as_toml, {})
    assert load_config(as_json, {}).networks[Family.EVM, "n"].rpc_urls == (RpcUrl("http://a", 5),)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '"x"',
        '{"relayers": [], "relayers": []}',
        '{"relayers": NaN}',
        '{"relayers": ' + "9" * 5000 + "}",
        "[" * 100_000,
        "\ufeff{",
    ],
)
def test_what_is_no_configuration_is_refused_with_its_name(content: str, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(Misconfigured) as caught:
        load_config(path, {})
    assert len(caught.value.mistakes) == 1


def test_the_place_of_a_syntax_mistake_is_its_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text('{\n  "relayers": [,]\n}')
    with pytest.raises(Misconfigured, match=r"c\.json:2:16: found "):
        load_config(path, {})


def test_bytes_that_are_no_text_and_bad_toml_are_refused(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(b"\xff\xfe")
    (tmp_path / "c.toml").write_text("relayers = [")
    for name in ("c.json", "c.toml"):
        with pytest.raises(Misconfigured):
            load_config(tmp_path / name, {})


def test_serving_needs_an_api_key_and_says_so_together_with_the_rest() -> None:
    with pytest.raises(Misconfigured) as caught:
        read_config({"extra": 1}, Sources({}, Path()), needs_api_key=True)
    assert [mistake.split(":")[0] for mistake in caught.value.mistakes] == ["API_KEY", "extra"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("*"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "type", "config", "key", "value", "url", "network", "from", "policies", "signing_key"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["relayers", "signers", "notifications", "networks"]), anything | st.lists(anything)
    )
)
def test_no_document_whatever_breaks_the_reading(document: Any) -> None:
    with contextlib.suppress(Misconfigured):
        read(document, {})
