"""The composition root: builds everything, starts and stops it. The only file that names concrete chains and stores."""

import asyncio
import contextlib
import os
import secrets
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from baton import telemetry
from baton.api.auth import Keys
from baton.api.build import build_api
from baton.api.limits import Limits
from baton.api.server import serving
from baton.chains.base import Language
from baton.chains.evm.language import EvmLanguage
from baton.chains.solana.language import SolanaLanguage
from baton.chains.stellar.language import StellarLanguage
from baton.commands.context import Context
from baton.commands.registry import Relayers
from baton.commands.seed import Seeded, seed
from baton.config import Config, Settings
from baton.domain.clock import SystemClock
from baton.domain.errors import Misconfigured, Unavailable
from baton.domain.network import Family, Network
from baton.domain.relayer import Relayer
from baton.signers.local import LocalSigner, open_signer
from baton.storage.changes import Sweep
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore

SWEEP_S = 60.0


@dataclass(frozen=True, slots=True)
class Running:
    """What a start-up table shows."""

    port: int
    relayers: list[Relayer]


def language_of(network: Network) -> Language:
    match network.family:
        case Family.EVM:
            return EvmLanguage(network)
        case Family.SOLANA:
            return SolanaLanguage()
        case Family.STELLAR:
            return StellarLanguage({network.name: network})


@asynccontextmanager
async def running(config: Config, token: str) -> AsyncIterator[Running]:
    """The whole service, from enter to exit. At exit it drains: answers what is being asked, hands lanes back."""
    settings, clock = config.settings, SystemClock()
    languages = {key: language_of(network) for key, network in config.networks.items()}
    signers = await _open_signers(config, languages)
    addresses = {
        entry.id: languages[entry.family, entry.network].address(signers[entry.id].public_key)
        for entry in config.relayers
    }
    store = await SqliteStore.open(settings.data_dir, storage_cipher(settings))
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(store.close)
        seeded = await seed(store, config, addresses, clock)
        relayers = Relayers(lambda relayer: languages[relayer.family, relayer.network], _usable(seeded, config))
        context = Context(store, relayers, clock, queue_limit=settings.queue_limit)
        sweeper = asyncio.create_task(_sweep(store, clock, settings.idempotency_hours))
        stack.callback(sweeper.cancel)
        limits = limits_of(settings)
        api = build_api(context, Keys(token), limits)
        port = await stack.enter_async_context(serving(api, settings.host, settings.port, limits))
        telemetry.log.info("listening", host=settings.host, port=port, relayers=len(relayers.all()))
        yield Running(port, relayers.all())
        telemetry.log.info("draining")


async def _open_signers(config: Config, languages: dict[tuple[Family, str], Language]) -> dict[str, LocalSigner]:
    """Each relayer's signer; every one that cannot be opened is a mistake, all told at once."""
    entries = {entry.id: entry for entry in config.signers}
    signers: dict[str, LocalSigner] = {}
    mistakes: list[str] = []
    for relayer in config.relayers:
        try:
            curve = languages[relayer.family, relayer.network].curve
            signers[relayer.id] = await open_signer(entries[relayer.signer_id], curve)
        except Misconfigured as error:
            mistakes += [f"relayers.{relayer.id}: {mistake}" for mistake in error.mistakes]
    if mistakes:
        raise Misconfigured(mistakes)
    return signers


def _usable(seeded: list[Seeded], config: Config) -> list[Relayer]:
    """A removed relayer whose network is gone from the file too cannot even be read any more; say so."""
    usable = []
    for one in seeded:
        if (one.relayer.family, one.relayer.network) in config.networks:
            usable.append(one.relayer)
        else:
            telemetry.log.warning("relayer_without_network", relayer=one.relayer.id, network=one.relayer.network)
    return usable


def limits_of(settings: Settings) -> Limits:
    return Limits(
        body_bytes=settings.max_body_bytes,
        body_s=settings.body_timeout_s,
        head_bytes=settings.max_head_bytes,
        head_s=settings.head_timeout_s,
        connections=settings.max_connections,
        json_depth=settings.max_json_depth,
        rate_per_s=settings.rate_per_s,
        rate_burst=settings.rate_burst,
    )


def storage_cipher(settings: Settings) -> Cipher:
    """The key from the environment; else a key file in the data folder, made once, readable by its owner only."""
    if settings.database_url is not None:
        raise Misconfigured(
            ["DATABASE_URL: this version keeps everything in the embedded store; leave it out and set BATON_DATA_DIR"]
        )
    key = settings.storage_key or kept_secret(settings.data_dir / "storage.key", 32)
    previous = [settings.storage_key_previous] if settings.storage_key_previous else []
    return Cipher(key, *previous)


def kept_secret(path: Path, size: int) -> bytes:
    """Random bytes made once and kept in a 0600 file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(size))
            file.flush()
            os.fsync(file.fileno())
    found = path.read_bytes()
    if len(found) != size:
        raise Misconfigured([f"{path}: expected {size} bytes, found {len(found)}: restore it from a backup"])
    return found


def local_token(settings: Settings) -> str:
    """The token of the local mode: API_KEY if it is set, else made once and kept in the data folder."""
    if settings.api_key is not None:
        return settings.api_key
    made = kept_secret(settings.data_dir / "api.token", 24)
    return "baton_" + b64encode(made, b"-_").decode()


async def _sweep(store: SqliteStore, clock: SystemClock, keep_hours: float) -> None:
    """Forgets old idempotency keys, a little at a time."""
    while True:
        await asyncio.sleep(SWEEP_S)
        with contextlib.suppress(Unavailable):
            await store.write(Sweep(before=clock.now() - timedelta(hours=keep_hours)))
