"""Which `network` a request may name: on a public network the relayer's own, on a local one anything."""

from stellar_sdk import Network as Passphrases

from baton.chains.fields import found, required
from baton.domain.errors import Invalid
from baton.domain.json import Json
from baton.domain.network import Network

_ALIASES = {
    Passphrases.PUBLIC_NETWORK_PASSPHRASE: ("mainnet", "public", "pubnet"),
    Passphrases.TESTNET_NETWORK_PASSPHRASE: ("testnet",),
    "Test SDF Future Network ; October 2022": ("futurenet",),
}
_BRANDS = ("", "stellar-", "stellar:")


def check_network(body: dict[str, Json], network: Network) -> str:
    expected = "any text" if network.is_local else f"{network.name!r}, the network of this relayer"
    given = required(body, "network", expected)
    if not isinstance(given, str) or not given or not (network.is_local or given in _names(network)):
        raise Invalid("network", found(given), expected)
    return given


def _names(network: Network) -> set[str]:
    passphrase = network.passphrase or ""
    aliases = {brand + alias for alias in _ALIASES.get(passphrase, ()) for brand in _BRANDS}
    return aliases | {network.name, passphrase}
