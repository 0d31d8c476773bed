"""A small house for tests of commands and API: relayers of each family on a real store, with a clock in hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.asgi_client import TOKEN, Client
from tests.fakes import FakeClock, FakeLive, FrailStore

from baton.api.asgi import Api
from baton.api.auth import Keys
from baton.api.build import build_api
from baton.api.limits import Limits
from baton.chains.base import Language
from baton.chains.evm.language import EvmLanguage
from baton.chains.evm.schema import SCHEMA as EVM_SCHEMA
from baton.chains.solana.language import SolanaLanguage
from baton.chains.solana.schema import SCHEMA as SOLANA_SCHEMA
from baton.chains.stellar.language import StellarLanguage
from baton.chains.stellar.schema import SCHEMA as STELLAR_SCHEMA
from baton.commands.context import Context
from baton.commands.registry import Relayers
from baton.domain.network import Family, Network
from baton.domain.policy import EvmPolicy, SolanaPolicy, StellarPolicy
from baton.domain.relayer import Relayer
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore

EVM_ADDRESS = "0x00000000000000000000000000000000000000aa"
STELLAR_ADDRESS = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"
SOLANA_ADDRESS = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"

EVM = Relayer("evm-local", "EVM", "local", Family.EVM, "evm-signer", EVM_ADDRESS, EvmPolicy())
SOLANA = Relayer("solana-local", "Solana", "local", Family.SOLANA, "solana-signer", SOLANA_ADDRESS, SolanaPolicy())
STELLAR = Relayer(
    "stellar-local", "Stellar", "local", Family.STELLAR, "stellar-signer", STELLAR_ADDRESS, StellarPolicy()
)
PAUSED = replace(EVM, id="paused", is_paused=True)

STELLAR_NETWORK = Network("local", Family.STELLAR, passphrase="Standalone Network ; February 2017", is_local=True)
SCHEMAS = (EVM_SCHEMA, SOLANA_SCHEMA, STELLAR_SCHEMA)


@dataclass(frozen=True)
class House:
    context: Context
    api: Api
    client: Client
    clock: FakeClock
    store: FrailStore
    live: FakeLive


def language_of(relayer: Relayer) -> Language:
    match relayer.family:
        case Family.EVM:
            return EvmLanguage(Network(relayer.network, Family.EVM, chain_id=31337, is_local=True))
        case Family.SOLANA:
            return SolanaLanguage()
        case Family.STELLAR:
            return StellarLanguage({relayer.network: STELLAR_NETWORK})


@asynccontextmanager
async def open_house(folder: Path, limits: Limits | None = None, queue_limit: int = 1000) -> AsyncIterator[House]:
    store = FrailStore(await SqliteStore.open(folder, Cipher(bytes(32))))
    try:
        clock, live = FakeClock(), FakeLive()
        relayers = Relayers(language_of, [EVM, SOLANA, STELLAR, PAUSED])
        context = Context(store, relayers, clock, queue_limit=queue_limit, live=live)
        api = build_api(context, Keys(TOKEN), limits or Limits(rate_burst=10_000), SCHEMAS)
        yield House(context, api, Client(api), clock, store, live)
    finally:
        await store.close()
