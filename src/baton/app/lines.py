"""The chains: what a line is made of in each family, and who stands on it."""

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
from baton.domain.network import Family, RpcUrl
from baton.domain.relayer import Relayer
from baton.lanes.ground import Track
from baton.lanes.lines import Line, Nodes


class NoPen:
    """Of a relayer whose signer is gone from the file: what is under way is watched and sent again, nothing is signed."""

    public_key = b""

    def __init__(self, relayer: Relayer) -> None:
        self._why = f"signer {relayer.signer_id!r} of relayer {relayer.id!r} is not configured any more"

    async def sign(self, payloads: list[bytes]) -> list[bytes]:  # noqa: ARG002 - the seam's shape
        raise SignerUnavailable(self._why)


def pens_of(relayers: Relayers, signers: Mapping[str, Pen]) -> dict[str, Pen]:
    return {one.id: signers.get(one.id) or NoPen(one) for one in relayers.all()}


def tracks_of(config: Config, relayers: Relayers, pens: Mapping[str, Pen]) -> list[Track]:
    return [
        Track(_current(relayers, one.id), pens[one.id], config.networks[one.family, one.network])
        for one in relayers.all()
    ]


def _current(relayers: Relayers, relayer_id: str) -> Callable[[], Relayer]:
    return lambda: relayers.get(relayer_id).relayer


def open_line(nodes: Nodes, pens: Mapping[str, Pen], clock: Clock) -> Line:
    """`pens` are those of every relayer that may ever stand on it, by relayer id."""
    match nodes.network.family:
        case Family.EVM:
            return _evm(nodes, clock)
        case Family.SOLANA:
            return _solana(nodes, clock)
        case Family.STELLAR:
            return _stellar(nodes, pens, clock)


def _evm(nodes: Nodes, clock: Clock) -> Line:
    network = nodes.network
    pool = RpcPool(_over_http(nodes.urls), clock=clock, verify=partial(verify, chain_id=network.chain_id))
    node = EvmNode(pool, has_fee_history="eip1559" in network.features)
    chain = EvmChain(network, node, _socket(nodes.urls))
    return Line(chain, EvmMaker(network, node, chain.ledger), pool.close)


def _solana(nodes: Nodes, clock: Clock) -> Line:
    settings = RpcSettings(batch_limit=BATCH_LIMIT)
    pool = RpcPool(_over_http(nodes.urls), settings=settings, clock=clock, verify=verifier(nodes.network))
    node = SolanaNode(pool)
    chain = SolanaChain(nodes.network, node, _socket(nodes.urls))
    return Line(chain, SolanaMaker(node, chain.heads, clock), pool.close)


def _stellar(nodes: Nodes, pens: Mapping[str, Pen], clock: Clock) -> Line:
    pool = RpcPool(nodes.urls, clock=clock, verify=stellar_verifier(nodes.network))
    node = StellarNode(pool, nodes.network.passphrase or "")
    chain = StellarChain(nodes.network, node, Channels(pens, node.passphrase), clock)
    return Line(chain, StellarMaker(node, chain.heads, chain.upkeep, clock), pool.close)


def _socket(urls: tuple[RpcUrl, ...]) -> RpcUrl | None:
    return next((one for one in urls if _is_socket(one) and one.weight > 0), None)


def _is_socket(url: RpcUrl) -> bool:
    return url.url.lower().startswith(("ws://", "wss://"))


def _over_http(urls: tuple[RpcUrl, ...]) -> tuple[RpcUrl, ...]:
    """Calls go over HTTP. Where only a WebSocket address is given, common node software serves HTTP at the same one."""
    if any(not _is_socket(one) for one in urls):
        return urls
    return tuple(RpcUrl("http" + one.url[2:], one.weight) for one in urls)
