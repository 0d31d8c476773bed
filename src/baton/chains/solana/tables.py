"""Address lookup tables as they stand on chain. They only grow, so an index once seen stays true."""

from collections.abc import Sequence

from solders.pubkey import Pubkey

from baton.chains.solana.node import CONFIRMED, SolanaNode
from baton.chains.solana.wire import KEY_BYTES

_HEADER_BYTES = 56
_MOST_BYTES = 256 * KEY_BYTES
_IS_TABLE = (1).to_bytes(4, "little")  # the first field: which kind of account; 0 is one that was never made


def addresses_of(data: bytes) -> list[Pubkey] | None:
    """The addresses of a table, in order; None if the account is no table."""
    body = data[_HEADER_BYTES:]
    if len(data) < _HEADER_BYTES or data[:4] != _IS_TABLE or len(body) % KEY_BYTES or len(body) > _MOST_BYTES:
        return None
    return [Pubkey(body[at : at + KEY_BYTES]) for at in range(0, len(body), KEY_BYTES)]


async def read_tables(node: SolanaNode, addresses: Sequence[str]) -> dict[str, list[Pubkey]]:
    """Those of the tables that are on chain."""
    if not addresses:
        return {}
    data = await node.account_data(sorted(set(addresses)), CONFIRMED)
    found = {address: addresses_of(one) for address, one in data.items()}
    return {address: keys for address, keys in found.items() if keys is not None}
