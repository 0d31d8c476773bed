"""`baton check-config` and the frame around every command."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account

from baton import __version__
from baton.cli import main

KEY = "11" * 32


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    return int(str(caught.value.code or 0))


def write(folder: Path, **changes: Any) -> str:
    document = {
        "relayers": [{"id": "a", "network": "local", "network_type": "evm", "signer_id": "s"}],
        "signers": [{"id": "s", "type": "local", "config": {"key": {"type": "env", "value": "RAW"}}}],
    }
    path = folder / "config.json"
    path.write_text(json.dumps(document | changes))
    return str(path)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAW", KEY)


def test_a_good_file_is_shown_with_addresses_and_without_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check-config", write(tmp_path)) == 0
    captured = capsys.readouterr()
    assert Account.from_key(KEY).address in captured.out
    assert "good (1 relayers" in captured.out
    assert KEY not in captured.out + captured.err


def test_every_mistake_is_said_with_its_place_and_the_exit_is_not_zero(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, relayers=[{"id": "!", "network": "moon", "network_type": "evm", "signer_id": "t"}])
    assert run("check-config", path) == 1
    said = capsys.readouterr().err
    assert said.startswith("baton: 3 mistakes\n")
    for place in ("relayers[0].id", "relayers[0].network", "relayers[0].signer_id"):
        assert f"  {place}: found" in said


def test_warnings_do_not_stop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check-config", write(tmp_path, plugins=[])) == 0
    assert "warning  plugins: not served" in capsys.readouterr().err


def test_a_key_that_is_none_is_said_without_showing_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAW", "hunter22")
    assert run("check-config", write(tmp_path)) == 1
    said = capsys.readouterr().err
    assert "relayer 'a': signer 's'" in said
    assert "hunter22" not in said


def two_on_one_account(folder: Path) -> str:
    key = {"key": {"type": "env", "value": "RAW"}}
    return write(
        folder,
        relayers=[
            {"id": "a", "network": "local", "network_type": "evm", "signer_id": "s"},
            {"id": "b", "network": "localhost-anvil", "network_type": "evm", "signer_id": "t"},
        ],
        signers=[{"id": "s", "type": "local", "config": key}, {"id": "t", "type": "local", "config": key}],
    )


def test_two_signers_with_one_key_on_one_chain_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check-config", two_on_one_account(tmp_path)) == 1
    assert "relayer 'b': found the account" in capsys.readouterr().err


def test_the_service_does_not_start_with_two_lanes_on_one_account(tmp_path: Path) -> None:
    """It would fight with itself over the account's nonces."""
    environ = {**os.environ, "API_KEY": "k" * 32, "BATON_DATA_DIR": str(tmp_path / "data"), "APP_PORT": "0"}
    command = [sys.executable, "-m", "baton", "serve", "--config", two_on_one_account(tmp_path)]
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert "relayer 'b': found the account" in ended.stderr
    assert not (tmp_path / "data").exists()


def test_one_key_on_two_chains_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(
        tmp_path,
        relayers=[
            {"id": "a", "network": "local", "network_type": "evm", "signer_id": "s"},
            {"id": "b", "network": "sepolia", "network_type": "evm", "signer_id": "s", "custom_rpc_urls": ["http://n"]},
        ],
    )
    assert run("check-config", path) == 0
    assert capsys.readouterr().out.count(Account.from_key(KEY).address) == 2


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check-config", "nowhere.json") == 1
    assert "nowhere.json: found No such file" in capsys.readouterr().err


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out.strip() == f"baton {__version__}"


@pytest.mark.parametrize("words", [(), ("keys",), ("check-config",), ("keys", "new"), ("keys", "import")])
def test_every_command_explains_itself(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words, "--help") == 0
    assert "Usage" in capsys.readouterr().out
