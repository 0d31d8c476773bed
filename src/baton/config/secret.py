"""Secrets in a file: `{"type": "env" | "plain" | "file", "value": …}`. Where they come from is shown, they never are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from baton.config.reading import At, Reader, Reading, one_of, text
from baton.domain.errors import Invalid
from baton.domain.json import Json

SECRET_FILE_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Sources:
    """What a configuration may draw on: the environment, and the folder its file lies in."""

    environ: Mapping[str, str] = field(repr=False)
    folder: Path

    def find(self, name: str) -> Path:
        """A path as written in the file: from the file's own folder first, else from the working folder."""
        beside = self.folder / name
        return beside if beside.exists() else Path(name)


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in memory. Neither repr nor str shows it."""

    value: str = field(repr=False)
    origin: str  # e.g. "environment variable KEYSTORE_PASSPHRASE"

    def __str__(self) -> str:
        return f"<secret from {self.origin}>"

    @property
    def fingerprint(self) -> str:
        """32 bits that tell whether it changed. They also tell a right guess of a weak secret from a wrong one:
        whatever is made with them is stored encrypted."""
        return sha256(b"baton seed\0" + self.value.encode(errors="surrogatepass")).hexdigest()[:8]


def secret(sources: Sources) -> Reader[Secret]:
    def read(value: Json, at: At) -> Secret:
        if not isinstance(value, dict):
            raise Invalid(at.path, "something else (not shown)", 'an object {"type": "env", "value": "NAME"}')
        reading = Reading(value, at)
        kind = reading.need("type", one_of(("env", "plain", "file")), "")
        found = reading.need("value", _content, "")
        reading.close()
        return _resolve(kind, found, sources, at.key("value"))

    return read


def _content(value: Json, at: At) -> str:
    if not isinstance(value, str):
        raise Invalid(at.path, "something else (not shown)", "text")
    return value


def _resolve(kind: str, value: str, sources: Sources, at: At) -> Secret:
    if kind == "env":
        name = text(value, at)
        found = sources.environ.get(name)
        if not found:
            raise Invalid(at.path, f"no environment variable {name}", "one that is set and not empty")
        return Secret(found, f"environment variable {name}")
    if kind == "file":
        path = sources.find(text(value, at))
        return Secret(_from_file(path, at), f"file {path.name}")
    return Secret(value, "the configuration file")


def _from_file(path: Path, at: At) -> str:
    try:
        if path.stat().st_size > SECRET_FILE_MAX_BYTES:
            raise Invalid(at.path, f"a large file {path}", f"at most {SECRET_FILE_MAX_BYTES} bytes")
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise Invalid(at.path, f"{path}: {reason}", "a readable text file") from None
