"""A Solana node's methods with typed answers. What is not as it must be counts as an unreachable node."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

from solders.signature import Signature

from baton.chains.base import Accepted, AlreadyKnown, Broadcast, Busy, NoFunds, Rejected, Unknown
from baton.chains.octets import base64_text
from baton.chains.rpc import Answer, Call, Endpoint, Result, RpcError, RpcPool, Verify, is_passing, value_of
from baton.chains.solana import answers
from baton.chains.solana.fees import recent_prices
from baton.chains.solana.wire import SIGNATURE_BYTES, is_address
from baton.domain.errors import NodeUnavailable, WrongChain
from baton.domain.json import Json
from baton.domain.network import Network

T = TypeVar("T")

BATCH_LIMIT = 25  # calls in one request: a validator takes 50 KB, and one transaction may be 1.7 KB as text
STATUSES_A_CALL = 256
ACCOUNTS_A_CALL = 100
ALONE_S = 600.0  # so long with one reachable node, and its word suffices
GENESIS = {  # the clusters that everybody means by these names
    "mainnet-beta": "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
    "devnet": "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
    "testnet": "4uhcVJyU9pJkvQyUS88uRDiswHXSCkY3zQawwpD2NsNY",
}
PROCESSED, CONFIRMED, FINALIZED = ({"commitment": word} for word in ("processed", "confirmed", "finalized"))
SEND = {"encoding": "base64", "skipPreflight": True, "maxRetries": 0}
SIMULATE = {
    "encoding": "base64",
    "sigVerify": False,
    "replaceRecentBlockhash": True,
    "innerInstructions": True,
    **PROCESSED,
}

# When nodes disagree about a broadcast: one that took it outweighs all; "never" counts only if everyone says so.
_WEIGHT: tuple[type[Broadcast], ...] = (Accepted, AlreadyKnown, NoFunds, Busy, Unknown, Rejected)


class Level(IntEnum):
    """How sure the cluster is of a block."""

    PROCESSED = 1
    CONFIRMED = 2
    FINALIZED = 3


@dataclass(frozen=True, slots=True)
class Head:
    slot: int
    height: int


@dataclass(frozen=True, slots=True)
class Blockhash:
    hash: str
    last_valid_height: int
    slot: int  # of the block that it names


@dataclass(frozen=True, slots=True)
class Status:
    """A transaction that the node has seen in a block."""

    slot: int
    level: Level
    error: Json = None


@dataclass(frozen=True, slots=True)
class Statuses:
    slot: int  # the newest that the node had heard of
    items: list[Status | None]


@dataclass(frozen=True, slots=True)
class Simulation:
    error: Json
    logs: list[str]
    units: int
    inner: list[Json] | None  # what programs called, as the node shows it; None if it does not


class SolanaNode:
    """The nodes of one network behind one face."""

    def __init__(self, pool: RpcPool) -> None:
        self.pool = pool

    @property
    def needed(self) -> int:
        """How many nodes must say the same."""
        return 2 if len(self.pool.endpoints) > 1 and self.pool.alone_for_s() < ALONE_S else 1

    async def identity(self) -> str:
        found = await self._value("getGenesisHash")
        if not isinstance(found, str):
            raise NodeUnavailable("a node answered with something that is not a genesis hash")
        return found

    async def head(self) -> Head:
        """Slot and height of the same block: a fork shows in how the two move."""
        info = await self._value("getEpochInfo", PROCESSED)
        return Head(_int(info, "absoluteSlot"), _int(info, "blockHeight"))

    async def balance(self, address: str, least_slot: int) -> tuple[int, int]:
        """Lamports, and the slot that they were read at; a node that has not come to `least_slot` is no help."""
        slot, value = _in_context(await self._value("getBalance", address, PROCESSED | {"minContextSlot": least_slot}))
        if type(value) is not int:
            raise NodeUnavailable("a node answered with something that is not a balance")
        return value, slot

    async def blockhash(self) -> Blockhash:
        """The newest that a supermajority has voted for: the processed one may be on a fork that loses."""
        slot, value = _in_context(await self._value("getLatestBlockhash", CONFIRMED))
        found = _text(value, "blockhash")
        if not is_address(found):  # 32 bytes in base58, as a key is
            raise NodeUnavailable("a node answered with something that is not a blockhash")
        return Blockhash(found, _int(value, "lastValidBlockHeight"), slot)

    async def prices(self, account_sets: Sequence[Sequence[str]]) -> list[list[int]]:
        """For each set of accounts, what recent slots took at least to write them, in micro-lamports for each unit."""
        calls = [Call("getRecentPrioritizationFees", [list(accounts)]) for accounts in account_sets]
        found = [value_of(answer, "recent fees") for answer in await self.pool.batch(calls)]
        return [recent_prices(one if isinstance(one, list) else ()) for one in found]

    async def account_data(self, addresses: Sequence[str], commitment: Json) -> dict[str, bytes]:
        """The data of those accounts that exist."""
        found: dict[str, bytes] = {}
        for part in parts(addresses, ACCOUNTS_A_CALL):
            answer = (await self.pool.batch([accounts_call(part, commitment)]))[0]
            found |= read_accounts(answer, part)
        return found

    async def statuses(self, signatures: Sequence[str], *, is_history_searched: bool) -> Statuses:
        asked = parts(signatures, STATUSES_A_CALL)
        calls = [status_call(part, is_history_searched=is_history_searched) for part in asked]
        # One call a request: the signatures of two would not fit what nodes take at once.
        heard = await self.pool.batch(calls, chunk=1)
        found = [read_statuses(answer, len(part)) for answer, part in zip(heard, asked, strict=True)]
        return Statuses(min((one.slot for one in found), default=0), [item for one in found for item in one.items])

    async def logs(self, signature: str) -> list[str] | None:
        """What its programs logged when it landed; None if the node does not tell."""
        options = CONFIRMED | {"encoding": "base64", "maxSupportedTransactionVersion": 0}
        match (await self.pool.batch([Call("getTransaction", [signature, options])]))[0]:
            case Result({"meta": {"logMessages": list(lines)}}):
                return [line for line in lines if isinstance(line, str)]
            case _:
                return None

    async def try_out(self, raws: Sequence[bytes]) -> list[Simulation | RpcError]:
        """Simulations under a blockhash of the node's choice: an error of the transaction is an answer.

        Raises `NodeUnavailable` where a node is too busy to tell.
        """
        told = await self.pool.batch([_trial(raw) for raw in raws])
        if any(is_passing(answer) for answer in told):
            raise NodeUnavailable("a node had no time for a simulation")
        return [_simulation(answer) for answer in told]

    async def opinions(self, raws: Sequence[bytes]) -> list[list[Simulation | RpcError]]:
        """The same simulations by every node that answers; rubbish is no opinion."""
        heard = []
        for _, told in await self.ask_everyone([_trial(raw) for raw in raws]):
            try:
                heard.append([_simulation(answer) for answer in told])
            except NodeUnavailable:
                continue
        if not heard:
            raise NodeUnavailable("no node could be asked for a simulation")
        return heard

    async def broadcast(self, raws: Sequence[bytes]) -> list[Broadcast]:
        """To every healthy node at once; the kindest answer wins, "never" only if all agree."""
        calls = [Call("sendTransaction", [base64_text(raw), SEND]) for raw in raws]
        told = [answer for _, answer in await self.pool.everywhere(calls)]
        heard = [answer for answer in told if not isinstance(answer, NodeUnavailable)]
        if not heard:
            raise NodeUnavailable("no node answered the broadcast; it may have been sent all the same")
        columns = zip(*heard, strict=True)
        found = [_kindest(column, signature_of(raw)) for column, raw in zip(columns, raws, strict=True)]
        is_unanimous = len(heard) == len(told) and len(heard) >= self.needed
        return [Unknown(one.why) if isinstance(one, Rejected) and not is_unanimous else one for one in found]

    async def ask_everyone(self, calls: Sequence[Call]) -> list[tuple[Endpoint, list[Answer]]]:
        """The same calls to every node that answers: for what must not hang on one node's word."""
        return await self.pool.witnesses(calls, max(1, len(self.pool.endpoints)))

    async def _value(self, method: str, *params: Json) -> Json:
        return value_of((await self.pool.batch([Call(method, list(params))]))[0], method)


def verifier(network: Network) -> Verify:
    """Keeps nodes out that serve another chain; asked at each connect, before any answer of theirs is used.

    Of a network that is not well known the first node to answer says which chain it is. A local one may be started anew
    at any time: that is for the watcher to notice.
    """
    expected: list[str] = [GENESIS[network.name]] if network.name in GENESIS else []

    async def verify(endpoint: Endpoint) -> None:
        found = value_of(await endpoint.call("getGenesisHash"), "getGenesisHash")
        if network.is_local:
            return
        if not expected and isinstance(found, str):
            expected.append(found)
        if found not in expected:
            raise WrongChain(f"{endpoint.shown}: serves chain {str(found)[:60]}, expected {expected}")

    return verify


def signature_of(raw: bytes) -> str:
    """The first signature of a wire transaction names it."""
    return str(Signature.from_bytes(raw[1 : 1 + SIGNATURE_BYTES]))


def status_call(signatures: Sequence[str], *, is_history_searched: bool = True) -> Call:
    """For at most `STATUSES_A_CALL` of them."""
    return Call("getSignatureStatuses", [list(signatures), {"searchTransactionHistory": is_history_searched}])


def read_statuses(answer: Answer, count: int) -> Statuses:
    slot, value = _in_context(value_of(answer, "statuses"))
    return Statuses(slot, [None if item is None else _status(item) for item in _items(value, count)])


def accounts_call(addresses: Sequence[str], commitment: Json) -> Call:
    return Call("getMultipleAccounts", [list(addresses), {"encoding": "base64"} | commitment])


def read_accounts(answer: Answer, addresses: Sequence[str]) -> dict[str, bytes]:
    """The data of those that exist."""
    _, value = _in_context(value_of(answer, "accounts"))
    shown = zip(addresses, _items(value, len(addresses)), strict=True)
    return {address: _account_data(one) for address, one in shown if one is not None}


def parts(items: Sequence[T], size: int) -> list[list[T]]:
    return [list(items[start : start + size]) for start in range(0, len(items), size)]


def _status(item: Json) -> Status:
    match item:
        case {"slot": int(slot), "confirmationStatus": str(word)} if word.upper() in Level.__members__:
            return Status(slot, Level[word.upper()], item.get("err"))
        case {"slot": int(slot), "confirmations": None}:  # nodes from before the words: no count means rooted
            return Status(slot, Level.FINALIZED, item.get("err"))
        case _:
            raise NodeUnavailable("a node answered with something that is not a status")


def _trial(raw: bytes) -> Call:
    return Call("simulateTransaction", [base64_text(raw), SIMULATE])


def _simulation(answer: Answer) -> Simulation | RpcError:
    if isinstance(answer, RpcError):
        return answer
    value = _in_context(answer.value)[1]
    if not isinstance(value, dict):
        raise NodeUnavailable("a node answered with something that is not a simulation")
    logs, units, inner = value.get("logs") or [], value.get("unitsConsumed") or 0, value.get("innerInstructions")
    is_sound = isinstance(logs, list) and type(units) is int and units >= 0 and isinstance(inner, list | None)
    if not is_sound:
        raise NodeUnavailable("a node answered with something that is not a simulation")
    return Simulation(value.get("err"), [line for line in logs if isinstance(line, str)], units, inner)


def _account_data(shown: Json) -> bytes:
    match shown:
        case {"data": [str(text), "base64"]}:
            try:
                return base64.b64decode(text, validate=True)
            except ValueError:
                pass
    raise NodeUnavailable("a node answered with something that is not an account")


def _in_context(value: Json) -> tuple[int, Json]:
    match value:
        case {"context": {"slot": int(slot)}, "value": inner}:
            return slot, inner
        case _:
            raise NodeUnavailable("a node answered without saying at which slot")


def _items(value: Json, count: int) -> list[Json]:
    if not isinstance(value, list) or len(value) != count:
        raise NodeUnavailable(f"a node answered with something else than {count} items")
    return value


def _int(value: Json, key: str) -> int:
    found = value.get(key) if isinstance(value, dict) else None
    if type(found) is not int:
        raise NodeUnavailable(f"a node answered without a number under {key}")
    return found


def _text(value: Json, key: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    if not isinstance(found, str):
        raise NodeUnavailable(f"a node answered without a text under {key}")
    return found


def _kindest(column: Sequence[Answer], signature: str) -> Broadcast:
    read = [
        answers.accepted(one.value, signature) if isinstance(one, Result) else answers.understand(one) for one in column
    ]
    return min(read, key=lambda answer: _WEIGHT.index(type(answer)))
