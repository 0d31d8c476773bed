"""`baton keys`: encrypted key files. A key is never an argument, never printed, and never written in clear."""

import asyncio
import os
import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from baton.cli.addresses import address_of, curve_of
from baton.domain.errors import Misconfigured
from baton.domain.network import Family

PASSPHRASE_ENV = "KEYSTORE_PASSPHRASE"  # noqa: S105 - a variable's name

keys = typer.Typer(help="Make, import and look at encrypted key files.", no_args_is_help=True)

NewFile = Annotated[Path, typer.Argument(help="The key file to write; it must not exist.", show_default=False)]
OldFile = Annotated[Path, typer.Argument(help="The key file.", show_default=False)]
OfFamily = Annotated[Family, typer.Option("--family", help="Whose account the key is for.", show_default=False)]
PassphraseEnv = Annotated[
    str | None,
    typer.Option(
        help=f"Take the passphrase from this environment variable; else {PASSPHRASE_ENV} if set, else ask.",
        show_default=False,
    ),
]
KeyEnv = Annotated[
    str | None,
    typer.Option(help="Take the raw key from this environment variable; else from standard input.", show_default=False),
]


@keys.command("new")
def new(file: NewFile, family: OfFamily, passphrase_env: PassphraseEnv = None) -> None:
    """Make a new random key, write it encrypted, and show its address."""
    _write(file, family, _random_key(), passphrase_env)


@keys.command("import")
def import_(file: NewFile, family: OfFamily, key_env: KeyEnv = None, passphrase_env: PassphraseEnv = None) -> None:
    """Write an existing raw key encrypted, and show its address.

    The key: hex for EVM; hex, base58 or a list of 64 bytes for Solana; hex or S… for Stellar.
    """
    from baton.signers.keys import parse_key

    _write(file, family, parse_key(curve_of(family), _raw_key(key_env), "the key"), passphrase_env)


@keys.command("show-address")
def show_address(file: OldFile, family: OfFamily, passphrase_env: PassphraseEnv = None) -> None:
    """Show the address of the key in a file."""
    from baton.signers.keystore import read_keystore
    from baton.signers.local import LocalSigner

    curve = curve_of(family)
    raw = asyncio.run(read_keystore(file, _passphrase(passphrase_env, is_new=False), curve))
    typer.echo(address_of(family, LocalSigner(curve, raw).public_key))


def _write(file: Path, family: Family, raw: bytes, passphrase_env: str | None) -> None:
    from baton.signers.keystore import write_keystore
    from baton.signers.local import LocalSigner

    if file.exists():
        raise Misconfigured([f"{file}: found a file, expected none: a key in it would be lost"])
    asyncio.run(write_keystore(file, raw, _passphrase(passphrase_env, is_new=True)))
    typer.echo(f"{address_of(family, LocalSigner(curve_of(family), raw).public_key)}  ({family}, in {file})")


def _random_key() -> bytes:
    """32 random bytes that are a key on both curves."""
    from baton.signers.ecdsa import is_scalar

    raw = secrets.token_bytes(32)
    return raw if is_scalar(raw) else _random_key()


def _passphrase(name: str | None, *, is_new: bool) -> str:
    found = os.environ.get(name or PASSPHRASE_ENV)
    if name is not None and not found:
        raise Misconfigured([f"--passphrase-env: no environment variable {name}, expected one that is not empty"])
    if found:
        return found
    if not sys.stdin.isatty():
        raise Misconfigured([f"no passphrase: expected {PASSPHRASE_ENV} or --passphrase-env, or a terminal to ask on"])
    answer: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=is_new)
    return answer


def _raw_key(name: str | None) -> str:
    if name is not None:
        found = os.environ.get(name)
        if not found:
            raise Misconfigured([f"--key-env: no environment variable {name}, expected one that is not empty"])
        return found
    if sys.stdin.isatty():
        answer: str = typer.prompt("Raw key", hide_input=True)
        return answer
    return sys.stdin.read(4096)
