"""The configuration page against the code: every setting and key is on it, and its examples load."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from baton.config import SETTINGS, Config, Sources, load_config, read_config
from baton.config.policies import TABLES
from baton.domain.errors import Misconfigured

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "configuration.md").read_text(encoding="utf-8")
EXAMPLES = [DOCS / "examples" / "config.json", DOCS / "examples" / "config.toml"]
ENVIRON = {
    "KEYSTORE_PASSPHRASE": "a passphrase",
    "ED25519_KEY": "11" * 32,
    "WEBHOOK_SIGNING_KEY": "a key of some length, as one should",
}


def load(content: str, suffix: str, folder: Path) -> Config:
    """Loads a configuration where a key file lies beside it."""
    (folder / "keys").mkdir(exist_ok=True)
    (folder / "keys" / "evm.json").write_text("{}")
    path = folder / f"config{suffix}"
    path.write_text(content, encoding="utf-8")
    return load_config(path, ENVIRON)


def load_example(path: Path, folder: Path) -> Config:
    return load(path.read_text(encoding="utf-8"), path.suffix, folder)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_on_the_page_with_its_default(setting: Any) -> None:
    assert f"| `{setting.name}` | {setting.shown_default} | {setting.doc} |" in PAGE


@pytest.mark.parametrize("family", TABLES)
def test_every_policy_key_is_on_the_page(family: Any) -> None:
    table = PAGE.partition(f"<!-- begin: policies {family} -->")[2].partition("<!-- end")[0]
    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == list(TABLES[family].keys)


def _known_keys(section: str) -> set[str]:
    """The keys that the reader of a section knows: what it says when it meets one that nobody knows."""
    with pytest.raises(Misconfigured) as caught:
        read_config({section: [{"qqqqqqqq": 1}]}, Sources({}, Path()))
    said = next(mistake for mistake in caught.value.mistakes if ".qqqqqqqq" in mistake)
    return set(said.partition("expected one of ")[2].split(", "))


@pytest.mark.parametrize("section", ["relayers", "signers", "notifications", "networks"])
def test_every_key_of_the_file_is_on_the_page(section: str) -> None:
    part = PAGE.partition(f"## {section.capitalize()}\n")[2].partition("\n## ")[0]
    shown = set(re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE))
    unserved = {"gas_price_cache", "status_check"} if section == "networks" else set()
    assert _known_keys(section) - unserved - shown == set()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_loads_without_a_warning(example: Path, tmp_path: Path) -> None:
    config = load_example(example, tmp_path)
    assert len(config.relayers) == 4
    assert config.warnings == ()


def test_the_examples_say_the_same(tmp_path: Path) -> None:
    first, second = (load_example(example, tmp_path) for example in EXAMPLES)
    assert first == second


def test_the_example_on_the_page_is_the_file() -> None:
    fence = PAGE.partition("```json\n")[2].partition("```")[0]
    assert json.loads(fence) == json.loads(EXAMPLES[0].read_text(encoding="utf-8"))


def test_a_configuration_of_the_peer_is_read_as_it_is(tmp_path: Path) -> None:
    """The shape that OpenZeppelin Relayer reads, with keys that only it serves: warnings, no mistake."""
    document = json.loads(EXAMPLES[0].read_text(encoding="utf-8"))
    document["plugins"] = [{"id": "p", "path": "p.ts", "timeout": 30}]
    document["relayers"][0]["policies"] |= {"private_transactions": True, "include_revert_data": False}
    document["relayers"][1]["policies"] = {"fee_payment_strategy": "user", "allowed_tokens": [{"mint": "x"}]}
    document["networks"][0] |= {"gas_price_cache": {"enabled": True}, "tags": ["arbitrum_based"]}
    config = load(json.dumps(document), ".json", tmp_path)
    assert len(config.warnings) == 6
