"""`baton serve`: the service as it runs in production, from a configuration file and the environment."""

import asyncio
import gc
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

import typer

from baton import telemetry
from baton.config import Config, load_config

GC_OBJECTS = 50_000

File = Annotated[Path | None, typer.Option("--config", "-c", help="The configuration file, JSON or TOML.")]


def serve(config: File = None) -> None:
    """Run the service. Needs API_KEY in the environment; CONFIG_FILE names the file if --config does not."""
    path = config or (Path(os.environ["CONFIG_FILE"]) if os.environ.get("CONFIG_FILE") else None)
    found = load_config(path, os.environ, needs_api_key=True)
    telemetry.configure_logging(found.settings.log_level, found.settings.log_format)
    log_warnings(found)
    token = found.settings.api_key or ""

    async def main() -> None:
        from baton.app import running

        async with running(found, token):
            await asked_to_stop()

    run(main)


def log_warnings(config: Config) -> None:
    """What the file and the environment say that will not be done, or not well."""
    for warning in config.warnings:
        telemetry.log.warning("configuration", warning=warning)


async def asked_to_stop() -> None:
    """Until Ctrl-C or a termination signal."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.remove_signal_handler(number)  # a second Ctrl-C ends it the hard way


def run(main: Callable[[], Awaitable[None]]) -> None:
    """On uvloop where there is one."""
    import uvloop

    _ease_collection()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_as_coroutine(main))


def _ease_collection() -> None:
    """Garbage collection by hundreds of objects is meant for small programs: a busy lane makes that many in a millisecond,
    and nearly all of them go by reference count."""
    gc.freeze()
    gc.set_threshold(GC_OBJECTS, 20, 20)


async def _as_coroutine(main: Callable[[], Awaitable[None]]) -> None:
    await main()


def migrate() -> None:
    """Bring the embedded store's schema up to date, without starting the service."""
    from baton.storage.migrate import migrate as migrate_store
    from baton.storage.sqlite.folder import lock_folder, make_folder
    from baton.storage.sqlite.store import FILE_NAME, connect

    settings = load_config(None, os.environ).settings
    make_folder(settings.data_dir)
    with lock_folder(settings.data_dir):
        applied = migrate_store(connect(str(settings.data_dir / FILE_NAME)))
    typer.echo(f"{settings.data_dir / FILE_NAME}: {applied or 'no'} migrations applied, up to date")
