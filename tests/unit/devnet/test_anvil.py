"""Which binary is fetched for a machine, and which is refused."""

import io
import platform
import sys
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from baton.devnet import fetch
from baton.devnet.anvil import Anvil, ensure_anvil
from baton.domain.errors import Misconfigured, NodeUnavailable

BYTES = b"#!/bin/sh\necho anvil\n"


def pack(folder: Path, name: str = "package/bin/anvil", content: bytes = BYTES) -> Path:
    """A package as npm packs it."""
    packed = folder / "anvil.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return packed


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def fail_if_told(words: str) -> None:
    pytest.fail(f"nothing had to be fetched, yet: {words}")


@pytest.mark.parametrize(
    ("system", "machine", "name"),
    [
        ("Linux", "x86_64", "linux-amd64"),
        ("Linux", "AMD64", "linux-amd64"),
        ("Linux", "aarch64", "linux-arm64"),
        ("Darwin", "arm64", "darwin-arm64"),
        ("Darwin", "x86_64", "darwin-amd64"),
        ("Linux", "riscv64", "linux-riscv64"),
    ],
)
def test_a_platform_is_named_as_the_packages_name_it(system: str, machine: str, name: str) -> None:
    assert fetch.platform_name(system, machine) == name


def test_the_pinned_bytes_are_installed_executable(tmp_path: Path) -> None:
    pack(tmp_path)
    binary = tmp_path / "cache" / "anvil"
    fetch.install_from(tmp_path, binary, sha256(BYTES).hexdigest())
    assert binary.read_bytes() == BYTES
    assert binary.stat().st_mode & 0o111


def test_other_bytes_than_the_pinned_are_refused_and_not_kept(tmp_path: Path) -> None:
    pack(tmp_path, content=b"something else")
    binary = tmp_path / "cache" / "anvil"
    with pytest.raises(NodeUnavailable, match="expected"):
        fetch.install_from(tmp_path, binary, sha256(BYTES).hexdigest())
    assert list(binary.parent.iterdir()) == []


def test_a_package_without_the_binary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NodeUnavailable, match="no bin/anvil"):
        fetch.install_from(tmp_path, tmp_path / "cache" / "anvil", sha256(BYTES).hexdigest())


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of a known platform whose PATH holds only what the test puts into the folder, and a pinned anvil."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("BATON_ANVIL", raising=False)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(fetch, "PINS", {"linux-amd64": sha256(BYTES).hexdigest()})
    return folder


async def test_it_is_fetched_by_the_machines_npm_and_then_kept(machine: Path, tmp_path: Path) -> None:
    packed = pack(tmp_path)
    # npm pack PACKAGE --pack-destination FOLDER
    script(machine / "npm", f'echo "$2" > {tmp_path}/asked && /bin/cp {packed} "$4/"')
    told: list[str] = []
    binary = await ensure_anvil(tmp_path / "cache", told.append)
    assert binary == tmp_path / "cache" / "anvil" / fetch.ANVIL_VERSION / "anvil"
    assert (tmp_path / "asked").read_text() == f"@foundry-rs/anvil-linux-amd64@{fetch.ANVIL_VERSION}\n"
    assert len(told) == 1

    (machine / "npm").unlink()
    assert await ensure_anvil(tmp_path / "cache", fail_if_told) == binary


async def test_a_damaged_cache_is_fetched_anew(machine: Path, tmp_path: Path) -> None:
    script(machine / "npm", f'/bin/cp {pack(tmp_path)} "$4/"')
    binary = tmp_path / "cache" / "anvil" / fetch.ANVIL_VERSION / "anvil"
    binary.parent.mkdir(parents=True)
    binary.write_bytes(BYTES[:5])
    await ensure_anvil(tmp_path / "cache", print)
    assert binary.read_bytes() == BYTES


async def test_when_no_npm_can_fetch_it_the_reason_is_told(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(machine / "npm", "echo no such package; exit 3")
    script(machine / "python", "echo no pip here; exit 1")
    monkeypatch.setattr(sys, "executable", str(machine / "python"))
    with pytest.raises(NodeUnavailable, match="no pip here"):
        await ensure_anvil(tmp_path / "cache", print)


async def test_a_platform_without_a_pin_uses_the_anvil_on_the_path(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    own = script(machine / "anvil", "exit 0")
    assert await ensure_anvil(tmp_path / "cache", fail_if_told) == own


async def test_a_platform_without_a_pin_and_without_an_anvil_is_told_what_to_do(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(Misconfigured, match=r"linux-arm64.*BATON_ANVIL"):
        await ensure_anvil(tmp_path / "cache", fail_if_told)


async def test_a_given_anvil_is_used_unchecked(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = script(tmp_path / "my-anvil", "exit 0")
    monkeypatch.setenv("BATON_ANVIL", str(own))
    assert await ensure_anvil(tmp_path / "cache", fail_if_told) == own


async def test_a_given_anvil_that_is_not_there_is_a_mistake(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BATON_ANVIL", str(tmp_path / "nowhere"))
    with pytest.raises(Misconfigured, match="BATON_ANVIL"):
        await ensure_anvil(tmp_path / "cache", fail_if_told)


async def test_a_binary_that_ends_at_once_is_quoted(tmp_path: Path) -> None:
    anvil = Anvil(script(tmp_path / "anvil", "echo no such flag >&2; exit 2"), tmp_path)
    with pytest.raises(NodeUnavailable, match="no such flag"):
        await anvil.start()
    assert not anvil.is_running


def test_the_cache_is_in_the_checkout_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BATON_CACHE_DIR", raising=False)
    assert fetch.cache_folder() == Path.cwd() / ".cache"
    monkeypatch.setenv("BATON_CACHE_DIR", str(tmp_path))
    assert fetch.cache_folder() == tmp_path
