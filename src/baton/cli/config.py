"""`baton check-config`: says everything that is wrong with a configuration, without starting anything."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from baton.cli.addresses import address_of, curve_of
from baton.config import Config, RelayerEntry, load_config
from baton.domain.errors import Misconfigured

File = Annotated[Path, typer.Argument(help="The configuration, JSON or TOML.", show_default=False)]


def check_config(file: File) -> None:
    """Check a configuration file: every mistake at once, each with its place in the file.

    Opens the signers too, so a wrong passphrase shows here; calls no node.
    """
    config = load_config(file, os.environ)
    for warning in config.warnings:
        typer.echo(f"warning  {warning}", err=True)
    addresses = asyncio.run(_addresses(config))
    for relayer in config.relayers:
        typer.echo(_line(config, relayer, addresses[relayer.id]))
    typer.echo(f"{file}: good ({len(config.relayers)} relayers, {len(config.notifications)} notifications)")


async def _addresses(config: Config) -> dict[str, str]:
    """Each relayer's account; signers that do not open and accounts with two relayers are mistakes."""
    from baton.signers.local import open_signer

    signers = {entry.id: entry for entry in config.signers}
    found: dict[str, str] = {}
    mistakes: list[str] = []
    for relayer in config.relayers:
        try:
            signer = await open_signer(signers[relayer.signer_id], curve_of(relayer.family))
        except Misconfigured as error:
            mistakes.extend(f"relayer {relayer.id!r}: {mistake}" for mistake in error.mistakes)
            continue
        found[relayer.id] = address_of(relayer.family, signer.public_key)
    mistakes += config.check_accounts(found)
    if mistakes:
        raise Misconfigured(mistakes)
    return found


def _line(config: Config, relayer: RelayerEntry, address: str) -> str:
    nodes = ", ".join(node.shown for node in config.rpc_urls_of(relayer) if node.weight)
    heard = ", ".join(relayer.notification_ids) or "nobody"
    state = " (paused)" if relayer.is_paused else ""
    return f"{relayer.id}{state}: {relayer.family} {relayer.network}, {address}, nodes {nodes}, tells {heard}"
