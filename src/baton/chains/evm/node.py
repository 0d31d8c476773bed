"""An EVM node's methods with typed answers. What is not as it must be counts as an unreachable node."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from baton.chains.base import (
    Accepted,
    AlreadyKnown,
    Broadcast,
    Busy,
    NoFunds,
    Rejected,
    SlotTaken,
    Underpriced,
    Unknown,
)
from baton.chains.evm import answers
from baton.chains.evm.fees import HISTORY_BLOCKS, PERCENTILES, Market, from_gas_price, from_history
from baton.chains.evm.keys import keccak
from baton.chains.evm.ledger import Header, Receipt, header_of, logs_of, receipt_of, receipts_of
from baton.chains.evm.quantity import quantity
from baton.chains.rpc import Call, Endpoint, Result, RpcError, RpcPool, is_passing, value_of
from baton.domain.errors import NodeUnavailable, WrongChain
from baton.domain.json import Json

METHOD_NOT_FOUND = frozenset({-32601, -32004})  # JSON-RPC's own, and "method not supported" of EIP-1474
ALONE_S = 600.0  # so long with one reachable node, and its word suffices
WITHOUT_S = 300.0  # how long it is remembered that nodes do not offer a method: they are exchanged and updated

# A node that does not keep the accounts of so long ago. Anything else that it says may pass.
_FORGOTTEN = re.compile(
    r"missing trie node|(state|account|block|data|history).{0,40}(not|un) ?(found|available|exist|accessible)|header not found"
    r"|prun(e|ed|ing)|archive|histor(y|ical)|too (old|far)|not supported|unsupported|required.{0,20}state|unknown block",
    re.IGNORECASE,
)

# When nodes disagree about a broadcast: one that took it outweighs all; "never" counts only if everyone says so.
_WEIGHT: tuple[type[Broadcast], ...] = (
    Accepted,
    AlreadyKnown,
    SlotTaken,
    Underpriced,
    NoFunds,
    Busy,
    Unknown,
    Rejected,
)


class EvmNode:
    """The nodes of one network behind one face."""

    def __init__(self, pool: RpcPool, *, has_fee_history: bool) -> None:
        self._pool = pool
        self._has_fee_history = has_fee_history
        self._without_block_receipts_until = float("-inf")

    @property
    def pool(self) -> RpcPool:
        return self._pool

    @property
    def needed(self) -> int:
        """How many nodes must say the same before anything is final."""
        return 2 if len(self._pool.endpoints) > 1 and self._pool.alone_for_s() < ALONE_S else 1

    async def opinions(self, calls: Sequence[Call]) -> list[list[Result | RpcError]]:
        """What every reachable node says, the best one first; at least one, else `NodeUnavailable`."""
        return [found for _, found in await self._pool.witnesses(calls, len(self._pool.endpoints))]

    async def identity(self) -> str:
        """By the word of most: all that were reached, or two against one."""
        heard = await self.opinions([Call("eth_chainId"), Call("eth_getBlockByNumber", ["0x0", False])])
        told = Counter(_identity(*found) for found in heard if all(isinstance(one, Result) for one in found))
        if not told:
            raise NodeUnavailable("no node tells which chain it serves")
        (identity, votes), *others = told.most_common()
        if others and others[0][1] == votes:
            raise NodeUnavailable(f"the nodes serve different chains: {', '.join(sorted(told))}")
        return identity

    async def head(self) -> Header:
        return header_of(await self._value("eth_getBlockByNumber", "latest", False))

    async def headers(self, numbers: Sequence[int]) -> list[Header]:
        """Those blocks; raises if any is missing."""
        found = await self._values([Call("eth_getBlockByNumber", [hex(number), False]) for number in numbers])
        headers = [header_of(answer) for answer in found]
        if [header.block.number for header in headers] != list(numbers):
            raise NodeUnavailable("a node answered with other blocks than it was asked for")
        return headers

    async def block_receipts(self, numbers: Sequence[int], senders: Collection[str]) -> list[list[Receipt]] | None:
        """What the senders landed in those blocks; None where nodes do not offer it."""
        if self._pool.clock.monotonic() < self._without_block_receipts_until:
            return None
        asked = await self._pool.batch([Call("eth_getBlockReceipts", [hex(number)]) for number in numbers])
        if any(isinstance(one, RpcError) and one.code in METHOD_NOT_FOUND for one in asked):
            self._without_block_receipts_until = self._pool.clock.monotonic() + WITHOUT_S
            return None
        return [receipts_of(_result(answer), senders) for answer in asked]

    async def receipts(self, hashes: Sequence[str]) -> list[Receipt | None]:
        found = await self._values([Call("eth_getTransactionReceipt", [one]) for one in hashes])
        receipts = [None if answer is None else receipt_of(answer) for answer in found]
        if any(receipt is not None and receipt.hash != one for receipt, one in zip(receipts, hashes, strict=True)):
            raise NodeUnavailable("a node answered with another transaction's receipt")
        return receipts

    async def logs(self, tx_hash: str) -> list[Json] | None:
        """What a transaction has logged; None where the node has no receipt of it."""
        answer = await self._value("eth_getTransactionReceipt", tx_hash)
        return None if answer is None else logs_of(answer)

    async def account(self, address: str, height: int, settled_height: int) -> tuple[int, int, int]:
        """Next nonce at both heights and the balance at the first."""
        next_slot, settled, balance = await self._values(
            [
                Call("eth_getTransactionCount", [address, hex(height)]),
                Call("eth_getTransactionCount", [address, hex(max(settled_height, 0))]),
                Call("eth_getBalance", [address, hex(height)]),
            ]
        )
        return quantity(next_slot, "a nonce"), quantity(settled, "a nonce"), quantity(balance, "a balance")

    async def counts(self, address: str) -> list[int]:
        """The account's next nonce in the eyes of each node."""
        heard = await self.opinions([Call("eth_getTransactionCount", [address, "latest"])])
        return [quantity(one.value, "a nonce") for (one,) in heard if isinstance(one, Result)]

    async def count_at(self, address: str, height: int) -> int | None:
        """The account's next nonce after that block; None where the node does not keep it any more."""
        answer = (await self._pool.batch([Call("eth_getTransactionCount", [address, hex(height)])]))[0]
        if isinstance(answer, RpcError) and not is_passing(answer) and _FORGOTTEN.search(answer.message):
            return None
        return quantity(_result(answer), "a nonce")

    async def sent_in(self, height: int, address: str) -> dict[int, str]:
        """What an account sent in that block: hashes by nonce."""
        block = await self._value("eth_getBlockByNumber", hex(height), True)
        try:
            return {
                quantity(one["nonce"], "a nonce"): str(one["hash"])
                for one in block["transactions"]
                if str(one["from"]).lower() == address.lower()
            }
        except (KeyError, TypeError) as error:
            raise NodeUnavailable("a node answered with something that is not a block") from error

    async def market(self) -> Market:
        if self._has_fee_history:
            return from_history(await self._value("eth_feeHistory", hex(HISTORY_BLOCKS), "latest", list(PERCENTILES)))
        return from_gas_price(await self._value("eth_gasPrice"))

    async def try_out(self, calls: Sequence[Call]) -> list[Result | RpcError]:
        """Simulations: an error here is an answer."""
        return await self._pool.batch(calls)

    async def broadcast(self, raws: Sequence[bytes]) -> list[Broadcast]:
        """To every healthy node at once; the kindest answer wins, "never" only if all agree."""
        calls = [Call("eth_sendRawTransaction", ["0x" + raw.hex()]) for raw in raws]
        told = [answer for _, answer in await self._pool.everywhere(calls)]
        heard = [answer for answer in told if not isinstance(answer, NodeUnavailable)]
        if not heard:
            raise NodeUnavailable("no node answered the broadcast; it may have been sent all the same")
        hashes = ["0x" + keccak(raw).hex() for raw in raws]
        found = [_kindest(column, one) for column, one in zip(zip(*heard, strict=True), hashes, strict=True)]
        is_unanimous = len(heard) == len(told) and len(heard) >= self.needed
        return [Unknown(one.why) if isinstance(one, Rejected) and not is_unanimous else one for one in found]

    async def _value(self, method: str, *params: Json) -> Json:
        return (await self._values([Call(method, list(params))]))[0]

    async def _values(self, calls: Sequence[Call]) -> list[Json]:
        return [_result(answer) for answer in await self._pool.batch(calls)] if calls else []


def _identity(chain_id: Result | RpcError, genesis: Result | RpcError) -> str:
    block = header_of(_result(genesis)).block
    if block.number != 0:
        raise NodeUnavailable("a node answered with another block than it was asked for")
    return f"{quantity(_result(chain_id), 'a chain id')}:{block.hash}"


def _result(answer: Result | RpcError) -> Json:
    if isinstance(answer, RpcError):
        raise NodeUnavailable(f"a node refused to answer: {answer.message[:200]}")
    return answer.value


def _kindest(column: Sequence[Result | RpcError], tx_hash: str) -> Broadcast:
    read = [
        answers.accepted(one.value, tx_hash)
        if isinstance(one, Result)
        else answers.understand({"code": one.code, "message": one.message, "data": one.data})
        for one in column
    ]
    return min(read, key=lambda answer: _WEIGHT.index(type(answer)))


async def verify(endpoint: Endpoint, chain_id: int | None) -> None:
    """Keeps a node out that serves another chain; asked at each connect, before any of its answers is used."""
    answer = await endpoint.call("eth_chainId")
    found = quantity(value_of(answer, "eth_chainId"), "a chain id")
    if chain_id is not None and found != chain_id:
        raise WrongChain(f"{endpoint.shown}: serves chain {found}, expected {chain_id}")
