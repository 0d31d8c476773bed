"""Secrets that are made once: whole or not at all, for their owner alone, and never made anew over an old one."""

import os
from pathlib import Path

import pytest

from baton.app.kept import kept_secret, local_token, storage_cipher
from baton.config import Settings
from baton.domain.errors import Misconfigured


def test_a_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "storage.key"
    made = kept_secret(path, 32)
    assert len(made) == 32
    assert kept_secret(path, 32) == made
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["storage.key"]


def test_a_start_that_was_killed_while_it_made_the_secret_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_descriptor: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "storage.key"
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            kept_secret(path, 32)
    assert not path.exists()
    assert len(kept_secret(path, 32)) == 32


def test_the_secret_of_a_quicker_start_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "storage.key"
    path.write_bytes(b"q" * 32)
    monkeypatch.setattr(Path, "exists", lambda _path: False)
    assert kept_secret(path, 32) == b"q" * 32


def test_a_secret_of_another_length_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "storage.key"
    path.write_bytes(b"short")
    with pytest.raises(Misconfigured, match="expected 32 bytes, found 5: restore it from a backup"):
        kept_secret(path, 32)
    assert path.read_bytes() == b"short"


def test_the_local_token_is_the_same_at_each_start_unless_one_is_given(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert local_token(settings) == local_token(settings)
    assert local_token(settings).startswith("baton_")
    assert (tmp_path / "api.token").read_text() == local_token(settings)  # as the user may read it
    assert local_token(Settings(data_dir=tmp_path, api_key="mine")) == "mine"


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_data_folder_that_cannot_be_is_a_mistake_in_words(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Misconfigured) as caught:
        storage_cipher(Settings(data_dir=tmp_path / place))
    (mistake,) = caught.value.mistakes
    assert mistake.startswith(f"BATON_DATA_DIR: found {tmp_path / place} (")
    assert mistake.endswith("), expected a folder that can be written")
