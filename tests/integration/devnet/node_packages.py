"""npm packages for the tests that need a JavaScript client, installed once, by exact version, into the cache."""

import asyncio
import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from baton.devnet.fetch import cache_folder

_INSTALL_TIMEOUT_S = 300
_RUN_TIMEOUT_S = 60


def node_program() -> str:
    """The machine's Node, or a skipped test that says why."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        pytest.skip("needs Node.js and npm on the PATH")
    return node


def installed_packages(packages: Sequence[str]) -> Path:
    """A folder whose `node_modules` holds exactly these packages."""
    node_program()
    name = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    folder = cache_folder() / "node_packages" / name
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
            _install(Path(fresh) / name, packages)
            # Moved when complete: a kill in the middle leaves nothing that looks installed.
            (Path(fresh) / name).rename(folder)
    return folder


def _install(folder: Path, packages: Sequence[str]) -> None:
    folder.mkdir()
    (folder / "package.json").write_text(json.dumps({"private": True}))
    quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    done = subprocess.run(
        ["npm", "install", *quiet, *packages],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_INSTALL_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"npm could not install {' '.join(packages)}: {done.stderr.strip()[-300:]}")


async def run_script(script: Path, packages: Sequence[str], *arguments: str) -> str:
    """What a script prints, run beside the packages it imports; its failure is the test's."""
    folder = await asyncio.to_thread(installed_packages, packages)
    beside = folder / script.name
    await asyncio.to_thread(shutil.copyfile, script, beside)
    process = await asyncio.create_subprocess_exec(
        node_program(), str(beside), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        out, complaints = await asyncio.wait_for(process.communicate(), _RUN_TIMEOUT_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, complaints.decode()
    return out.decode()
