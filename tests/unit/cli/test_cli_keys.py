"""The command line: keys are made and imported without ever being shown."""

import io
import json
import stat
import sys
from pathlib import Path

import pytest
from eth_account import Account
from solders.keypair import Keypair as SolanaKeypair
from stellar_sdk import Keypair as StellarKeypair

from baton.cli import main

SEED = bytes(range(1, 33))
ADDRESSES = {
    "evm": Account.from_key(SEED).address,
    "solana": str(SolanaKeypair.from_seed(SEED).pubkey()),
    "stellar": StellarKeypair.from_raw_ed25519_seed(SEED).public_key,
}


@pytest.fixture(autouse=True)
def _passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYSTORE_PASSPHRASE", "correct horse")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    return int(str(caught.value.code or 0))


def test_a_new_key_is_encrypted_for_its_owner_and_shows_the_same_address_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "key.json"
    assert run("keys", "new", str(path), "--family", "evm") == 0
    shown = capsys.readouterr().out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = bytes(Account.decrypt(json.loads(path.read_text()), "correct horse"))
    assert Account.from_key(key).address in shown
    assert key.hex() not in shown
    assert run("keys", "show-address", str(path), "--family", "evm") == 0
    assert capsys.readouterr().out.strip() == Account.from_key(key).address


@pytest.mark.parametrize("family", ["evm", "solana", "stellar"])
def test_an_imported_key_has_the_address_that_the_family_s_own_tool_gives(
    family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAW", SEED.hex())
    path = tmp_path / "key.json"
    assert run("keys", "import", str(path), "--family", family, "--key-env", "RAW") == 0
    captured = capsys.readouterr()
    assert ADDRESSES[family] in captured.out
    assert SEED.hex() not in captured.out + captured.err + path.read_text()


def test_a_key_is_imported_from_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{SEED.hex()}\n"))
    assert run("keys", "import", str(tmp_path / "key.json"), "--family", "solana") == 0
    assert ADDRESSES["solana"] in capsys.readouterr().out


def test_a_file_that_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "key.json"
    path.write_text("precious")
    assert run("keys", "new", str(path), "--family", "evm") == 1
    assert path.read_text() == "precious"
    assert "expected none" in capsys.readouterr().err


def test_a_wrong_key_is_refused_without_being_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAW", "hunter22")
    assert run("keys", "import", str(tmp_path / "key.json"), "--family", "evm", "--key-env", "RAW") == 1
    assert "hunter22" not in capsys.readouterr().err


def test_without_a_passphrase_and_a_terminal_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KEYSTORE_PASSPHRASE")
    assert run("keys", "new", str(tmp_path / "a.json"), "--family", "evm") == 1
    assert run("keys", "new", str(tmp_path / "a.json"), "--family", "evm", "--passphrase-env", "NOPE") == 1
    assert "no environment variable NOPE" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
