"""Address lookup tables as they stand on chain. They only grow, so an index once seen stays true."""

from collections.abc import Sequence
from dataclasses import dataclass

from solders.pubkey import Pubkey

from baton.chains.solana.node import ACCOUNTS_A_CALL, CONFIRMED, SolanaNode, accounts_call, parts, read_accounts
from baton.chains.solana.wire import KEY_BYTES
from baton.domain.errors import NodeUnavailable

_HEADER_BYTES = 56
_MOST_BYTES = 256 * KEY_BYTES
_IS_TABLE = (1).to_bytes(4, "little")  # the first field: which kind of account; 0 is one that was never made


@dataclass(frozen=True, slots=True)
class Shelf:
    """Tables that were asked for."""

    tables: dict[str, list[Pubkey]]
    absent: frozenset[str]  # not on chain, by the word of as many nodes as anything final takes


def addresses_of(data: bytes) -> list[Pubkey] | None:
    """The addresses of a table, in order; None if the account is no table."""
    body = data[_HEADER_BYTES:]
    if len(data) < _HEADER_BYTES or data[:4] != _IS_TABLE or len(body) % KEY_BYTES or len(body) > _MOST_BYTES:
        return None
    return [Pubkey(body[at : at + KEY_BYTES]) for at in range(0, len(body), KEY_BYTES)]


async def read_tables(node: SolanaNode, addresses: Sequence[str]) -> Shelf:
    """Those of the tables that are on chain. Of one that a node does not have the others are asked: it may lag."""
    if not addresses:
        return Shelf({}, frozenset())
    wanted = sorted(set(addresses))
    tables = _tables(await node.account_data(wanted, CONFIRMED))
    missing = [address for address in wanted if address not in tables]
    if not missing or node.needed == 1:
        return Shelf(tables, frozenset(missing))
    absent: set[str] = set()
    for part in parts(missing, ACCOUNTS_A_CALL):
        heard = await node.ask_everyone([accounts_call(part, CONFIRMED)])
        told = []
        for _, answers in heard:
            try:
                told.append(_tables(read_accounts(answers[0], part)))
            except NodeUnavailable:
                continue
        for one in told:
            tables |= one
        if len(told) >= node.needed:
            absent |= {address for address in part if address not in tables}
    return Shelf(tables, frozenset(absent))


def _tables(data: dict[str, bytes]) -> dict[str, list[Pubkey]]:
    found = {address: addresses_of(one) for address, one in data.items()}
    return {address: keys for address, keys in found.items() if keys is not None}
