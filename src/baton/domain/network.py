"""A network ("sepolia") and the family it belongs to."""

from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    EVM = "evm"
    SOLANA = "solana"
    STELLAR = "stellar"


@dataclass(frozen=True, slots=True)
class RpcUrl:
    """Where a node answers. The address may carry credentials: log `shown`, never `url`."""

    url: str
    weight: int = 100  # 0 switches it off

    @property
    def shown(self) -> str:
        """Scheme and host only: paths and queries of hosted nodes are keys."""
        scheme, _, rest = self.url.partition("://")
        host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
        return f"{scheme}://{host}"

    def __repr__(self) -> str:
        return f"RpcUrl({self.shown!r}, weight={self.weight})"


@dataclass(frozen=True, slots=True)
class Network:
    name: str
    family: Family
    rpc_urls: tuple[RpcUrl, ...] = ()
    explorer_urls: tuple[str, ...] = ()
    block_time_ms: int = 12_000
    confirmations: int = 1
    symbol: str = ""
    chain_id: int | None = None  # EVM
    passphrase: str | None = None  # Stellar
    horizon_url: str | None = None  # Stellar
    features: frozenset[str] = frozenset()  # e.g. "eip1559"
    tags: frozenset[str] = frozenset()  # e.g. "arbitrum-based"
    is_testnet: bool = False
    is_local: bool = False  # a chain that may be started anew at any time

    @property
    def chain(self) -> tuple[Family, int | str]:
        """Which chain it is, as far as a file can tell: networks of different names may be the same one."""
        return self.family, self.chain_id or self.passphrase or self.name
