"""The chains: one line for each network and set of nodes, with the relayers that send there."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial

from baton.chains.evm.chain import EvmChain
from baton.chains.evm.maker import EvmMaker
from baton.chains.evm.node import EvmNode, verify
from baton.chains.rpc import RpcPool, RpcSettings
from baton.chains.seam import Pen
from baton.chains.solana.chain import SolanaChain
from baton.chains.solana.maker import SolanaMaker
from baton.chains.solana.node import BATCH_LIMIT, SolanaNode, verifier
from baton.chains.stellar.chain import StellarChain
from baton.chains.stellar.channels import Channels
from baton.chains.stellar.maker import StellarMaker
from baton.chains.stellar.node import StellarNode
from baton.chains.stellar.node import verifier as stellar_verifier
from baton.commands.registry import Relayers
from baton.config import Config
from baton.domain.clock import Clock
from baton.domain.errors import SignerUnavailable
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.relayer import Relayer
from baton.lanes.keeper import Line, Track

Nodes = tuple[Family, str, tuple[RpcUrl, ...]]  # relayers with nodes of their own have a line of their own


class NoPen:
    """Of a relayer whose signer is gone from the file: what is under way is watched and sent again, nothing is signed."""

    public_key = b""

    def __init__(self, relayer: Relayer) -> None:
        self._why = f"signer {relayer.signer_id!r} of relayer {relayer.id!r} is not configured any more"

    async def sign(self, payloads: list[bytes]) -> list[bytes]:  # noqa: ARG002 - the seam's shape
        raise SignerUnavailable(self._why)


def build_lines(
    config: Config, relayers: Relayers, pens: Mapping[str, Pen], clock: Clock
) -> tuple[list[Line], list[RpcPool]]:
    """Lines to be kept, and the pools to be closed after them."""
    groups: defaultdict[Nodes, list[Relayer]] = defaultdict(list)
    for relayer in relayers.all():
        network = config.networks[relayer.family, relayer.network]
        groups[relayer.family, relayer.network, relayer.custom_rpc_urls or network.rpc_urls].append(relayer)
    lines, pools = [], []
    for (family, name, urls), members in groups.items():
        tracks = tuple(Track(_current(relayers, one.id), pens.get(one.id) or NoPen(one)) for one in members)
        network = config.networks[family, name]
        if family is Family.EVM:
            pool = RpcPool(_over_http(urls), clock=clock, verify=partial(verify, chain_id=network.chain_id))
            pools.append(pool)
            lines.append(_evm(network, pool, urls, tracks))
        elif family is Family.SOLANA:
            settings = RpcSettings(batch_limit=BATCH_LIMIT)
            pool = RpcPool(_over_http(urls), settings=settings, clock=clock, verify=verifier(network))
            pools.append(pool)
            lines.append(_solana(network, pool, urls, tracks, clock))
        elif family is Family.STELLAR:
            pool = RpcPool(urls, clock=clock, verify=stellar_verifier(network))
            pools.append(pool)
            lines.append(_stellar(network, pool, tracks, clock))
    return lines, pools


def _current(relayers: Relayers, relayer_id: str) -> Callable[[], Relayer]:
    return lambda: relayers.get(relayer_id).relayer


def _evm(network: Network, pool: RpcPool, urls: tuple[RpcUrl, ...], tracks: tuple[Track, ...]) -> Line:
    node = EvmNode(pool, has_fee_history="eip1559" in network.features)
    chain = EvmChain(network, node, _socket(urls))
    return Line(network, chain, EvmMaker(network, node, chain.ledger), tracks)


def _solana(network: Network, pool: RpcPool, urls: tuple[RpcUrl, ...], tracks: tuple[Track, ...], clock: Clock) -> Line:
    node = SolanaNode(pool)
    chain = SolanaChain(network, node, _socket(urls))
    return Line(network, chain, SolanaMaker(node, chain.heads, clock), tracks)


def _stellar(network: Network, pool: RpcPool, tracks: tuple[Track, ...], clock: Clock) -> Line:
    node = StellarNode(pool, network.passphrase or "")
    channels = Channels({track.relayer_of().id: track.pen for track in tracks}, node.passphrase)
    chain = StellarChain(network, node, channels, clock)
    return Line(network, chain, StellarMaker(node, chain.heads, chain.upkeep, clock), tracks)


def _socket(urls: tuple[RpcUrl, ...]) -> RpcUrl | None:
    return next((one for one in urls if _is_socket(one)), None)


def _is_socket(url: RpcUrl) -> bool:
    return url.url.lower().startswith(("ws://", "wss://"))


def _over_http(urls: tuple[RpcUrl, ...]) -> tuple[RpcUrl, ...]:
    """Calls go over HTTP. Where only a WebSocket address is given, common node software serves HTTP at the same one."""
    if any(not _is_socket(one) for one in urls):
        return urls
    return tuple(RpcUrl("http" + one.url[2:], one.weight) for one in urls)
