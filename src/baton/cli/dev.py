"""`baton dev`: everything on this machine, local chains included; no account anywhere. `make run` calls it."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import typer

from baton import telemetry
from baton.chains.solana.wire import address_of as solana_address
from baton.chains.stellar.wire import address_of as stellar_address
from baton.cli.listen import receiving_for_dev
from baton.cli.serve import asked_to_stop, log_warnings, run
from baton.config import Config, Settings, Sources, read_config
from baton.devnet.anvil import Anvil, cache_folder, ensure_anvil
from baton.devnet.keys import EVM_RELAYER_KEY, SOLANA_RELAYER_SEED, STELLAR_RELAYER_SEED
from baton.devnet.process import DevnetProcess
from baton.domain.curve import Curve
from baton.domain.json import Json
from baton.domain.network import Family
from baton.domain.relayer import Relayer
from baton.signers.local import LocalSigner

BLOCK_TIME_S = 1
LOCAL = "local"  # every family has a built-in network of that name
BURN_ADDRESS = "0x000000000000000000000000000000000000dEaD"


def dev() -> None:
    """Start the service with local chains and ready relayers: evm-local, solana-local, stellar-local."""
    telemetry.configure_logging(os.environ.get("LOG_LEVEL", "warning"), os.environ.get("LOG_FORMAT", "pretty"))
    run(_dev)


def devnet() -> None:
    """Start the local chains alone, and say where they answer."""

    async def main() -> None:
        async with local_chains() as urls:
            for family, url in urls.items():
                typer.echo(f"{family:8} {url}")
            await asked_to_stop()

    run(main)


async def _dev() -> None:
    from baton.app import local_token, running

    async with local_chains() as urls:
        config = read_config(local_document(urls), Sources(os.environ, Path()), is_local=True)
        log_warnings(config)
        token = local_token(config.settings)
        async with (
            running(config, token) as service,
            receiving_for_dev(f"http://{_shown_host(config.settings)}:{service.port}", token) as hint,
        ):
            show(config, service.relayers, service.port, token)
            typer.echo(hint)
            await asked_to_stop()
            typer.echo("stopping: finishing what is being answered …")


@asynccontextmanager
async def local_chains() -> AsyncIterator[dict[Family, str]]:
    """Starts the chains; stops them at exit."""
    from baton.storage.sqlite.folder import make_folder

    folder = Path(os.environ.get("BATON_DATA_DIR") or ".baton")
    make_folder(folder)
    binary = await ensure_anvil(cache_folder(), typer.echo)
    async with AsyncExitStack() as stack:
        anvil = Anvil(binary, folder / "anvil")
        stack.push_async_callback(anvil.stop)
        await anvil.start(block_time_s=BLOCK_TIME_S)
        solana = DevnetProcess("baton.devnet.solana", folder)
        stack.push_async_callback(solana.stop)
        stellar = DevnetProcess("baton.devnet.stellar", folder)
        stack.push_async_callback(stellar.stop)
        solana_url, stellar_url = await asyncio.gather(
            solana.start("--fund", _address(SOLANA_RELAYER_SEED, solana_address)),
            stellar.start("--fund", _address(STELLAR_RELAYER_SEED, stellar_address)),
        )
        yield {Family.EVM: anvil.url, Family.SOLANA: solana_url, Family.STELLAR: stellar_url}


def _address(seed: bytes, address_of: Callable[[bytes], str]) -> str:
    return address_of(LocalSigner(Curve.ED25519, seed).public_key)


def local_document(urls: dict[Family, str]) -> Json:
    """The configuration of the local mode, in the shape of the file.

    The nodes are the networks' and not the relayers': they have other ports at each start, and a relayer's entry that
    changed would be applied again over what was changed at run time.
    """
    keys = {Family.EVM: EVM_RELAYER_KEY, Family.SOLANA: SOLANA_RELAYER_SEED, Family.STELLAR: STELLAR_RELAYER_SEED}
    return {
        "signers": [
            {"id": f"{family}-key", "type": "local", "config": {"key": {"type": "plain", "value": key.hex()}}}
            for family, key in keys.items()
        ],
        "relayers": [
            {
                "id": f"{family}-local",
                "name": f"Local {family}",
                "network": LOCAL,
                "network_type": str(family),
                "signer_id": f"{family}-key",
                "notification_id": "*",
                "paused": False,
            }
            for family in keys
        ],
        "networks": [{"type": str(family), "network": LOCAL, "rpc_urls": [url]} for family, url in urls.items()],
    }


def show(config: Config, relayers: list[Relayer], port: int, token: str) -> None:
    """A short table: who sends, where to knock, with which key, and the first line to type."""
    rows = [("RELAYER", "NETWORK", "ADDRESS")]
    rows += [(relayer.id, f"{relayer.family} {relayer.network}", relayer.address) for relayer in relayers]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for first, second, address in rows:
        typer.echo(f"{first:{widths[0]}}  {second:{widths[1]}}  {address}")
    base = f"http://{_shown_host(config.settings)}:{port}"
    typer.echo(f"\nlistening   {base}   (docs: {base}/docs)")
    typer.echo(f"API key     {token}")
    typer.echo(f"data        {config.settings.data_dir.resolve()}")
    typer.echo("\nfirst transaction:")
    typer.echo(
        f"  curl -s {base}/api/v1/relayers/evm-local/transactions -H 'Authorization: Bearer {token}' \\\n"
        f'    -H \'Content-Type: application/json\' -d \'{{"to": "{BURN_ADDRESS}", "value": 1, "speed": "fast"}}\'\n'
        "\nCtrl-C stops it.\n"
    )


def _shown_host(settings: Settings) -> str:
    return "127.0.0.1" if settings.host == "0.0.0.0" else settings.host  # noqa: S104 - where it listens, shown as reachable
