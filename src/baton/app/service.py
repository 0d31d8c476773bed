"""Builds everything, starts and stops it."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from baton import telemetry
from baton.api.auth import Keys
from baton.api.build import build_api, build_metrics
from baton.api.limits import Limits
from baton.api.server import serving
from baton.app.kept import storage_cipher
from baton.app.lines import open_line, pens_of, tracks_of
from baton.chains.base import Language
from baton.chains.evm.language import EvmLanguage
from baton.chains.evm.schema import SCHEMA as EVM_SCHEMA
from baton.chains.solana.language import SolanaLanguage
from baton.chains.solana.schema import SCHEMA as SOLANA_SCHEMA
from baton.chains.stellar.language import StellarLanguage
from baton.chains.stellar.schema import SCHEMA as STELLAR_SCHEMA
from baton.commands.context import Context
from baton.commands.registry import Relayers
from baton.commands.relayer_update import set_disabled, tell
from baton.commands.seed import Seeded, seed
from baton.config import Config, Settings
from baton.domain.clock import SystemClock
from baton.domain.errors import Misconfigured, Unavailable
from baton.domain.ids import random_id
from baton.domain.network import Family, Network
from baton.domain.relayer import Relayer
from baton.lanes.desk import LaneSettings
from baton.lanes.explain import LaneSight
from baton.lanes.keeper import Keeper
from baton.signers.local import LocalSigner, open_signer
from baton.storage.changes import Sweep
from baton.storage.sqlite import SqliteStore
from baton.webhooks.telling import TellingSettings, telling

SWEEP_S = 60.0
SCHEMAS = (EVM_SCHEMA, SOLANA_SCHEMA, STELLAR_SCHEMA)


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
    if mistakes := config.check_accounts(addresses):
        raise Misconfigured(mistakes)
    linger_s = settings.commit_linger_ms / 1000
    store = await SqliteStore.open(settings.data_dir, storage_cipher(settings), linger_s=linger_s)
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(store.close)
        seeded = await seed(store, config, addresses, clock)
        relayers = Relayers(lambda relayer: languages[relayer.family, relayer.network], _usable(seeded, config))
        pens = pens_of(relayers, signers)
        node = random_id()
        probe = await stack.enter_async_context(telling(store, relayers, clock, node, telling_settings(settings)))
        keeper = Keeper(store, clock, node, LaneSettings(), settings.lease_ttl_s)
        stack.push_async_callback(keeper.stop)
        context = Context(
            store,
            relayers,
            clock,
            queue_limit=settings.queue_limit,
            key_overlap_hours=settings.key_overlap_hours,
            live=LaneSight(keeper.desks, config.networks),
            probe=probe,
        )
        keeper.set_disabled = partial(set_disabled, context)
        keeper.tell = partial(tell, context)
        relayers.listen(keeper.look)
        await keeper.start(tracks_of(config, relayers, pens), partial(open_line, pens=pens, clock=clock))
        sweeper = asyncio.create_task(_sweep(store, clock, settings.idempotency_hours))
        stack.callback(sweeper.cancel)
        limits = limits_of(settings)
        api = build_api(context, Keys(token), limits, SCHEMAS)
        drain_s = math.ceil(settings.drain_timeout_s)
        port = await stack.enter_async_context(serving(api, settings.host, settings.port, limits, drain_s))
        if settings.metrics_port is not None:
            metrics = build_metrics(context, limits)
            await stack.enter_async_context(serving(metrics, "127.0.0.1", settings.metrics_port, limits))
        stack.callback(context.stopping.set)  # before the drain: whoever waits for news is answered
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
        has_metrics=settings.metrics_enabled,
    )


def telling_settings(settings: Settings) -> TellingSettings:
    return TellingSettings(settings.webhook_allowed_cidrs, settings.deliveries_days, settings.events_days)


async def _sweep(store: SqliteStore, clock: SystemClock, keep_hours: float) -> None:
    """Forgets old idempotency keys, a little at a time."""
    while True:
        await asyncio.sleep(SWEEP_S)
        with contextlib.suppress(Unavailable):
            await store.write(Sweep(before=clock.now() - timedelta(hours=keep_hours)))
