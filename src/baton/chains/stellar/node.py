"""A Stellar RPC node's methods with typed answers. What is not as it must be counts as an unreachable node."""

from collections.abc import Sequence
from dataclasses import dataclass

import stellar_sdk as sdk

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
from baton.chains.octets import base64_text, from_base64
from baton.chains.rpc import Answer, Call, Endpoint, Result, RpcPool, Verify, value_of
from baton.chains.stellar import answers
from baton.chains.stellar.entries import AccountEntry, account_entry, account_key
from baton.chains.stellar.envelope import parsed
from baton.chains.stellar.fees import Market, market_of
from baton.chains.stellar.verdict import SUCCESSES, contract_error, verdict
from baton.chains.stellar.wire import UNREADABLE
from baton.domain.clock import Clock
from baton.domain.errors import NodeUnavailable, WrongChain
from baton.domain.json import Json
from baton.domain.network import Network

KEYS_A_CALL = 200
ALONE_S = 600.0  # so long with one reachable node, and its word suffices

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


@dataclass(frozen=True, slots=True)
class Found:
    """A transaction in a closed ledger, as a node shows it."""

    hash: str  # of the outermost envelope, whichever hash it was asked for by
    has_succeeded: bool
    ledger: int
    result_xdr: str
    fee: int  # that was charged
    why: str | None  # it failed


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a node knows of a hash, and up to which ledger it knows everything."""

    found: Found | None
    ledger: int
    closed_at: int  # seconds, of that ledger
    oldest_at: int  # seconds, of the oldest ledger that it keeps


@dataclass(frozen=True, slots=True)
class Accounts:
    """Accounts at one ledger; those that do not exist are not in it."""

    ledger: int
    entries: dict[str, AccountEntry]


class StellarNode:
    """The nodes of one network behind one face."""

    def __init__(self, pool: RpcPool, passphrase: str) -> None:
        self.pool = pool
        self.passphrase = passphrase
        self.closed_at = 0  # seconds: the ledger's clock, as far as enough nodes have told it

    @property
    def needed(self) -> int:
        """How many nodes must say the same."""
        return 2 if len(self.pool.endpoints) > 1 and self.pool.alone_for_s() < ALONE_S else 1

    async def identity(self) -> str:
        """The passphrase; on a development chain with the number of its start, because every start is a new chain."""
        network, version = [
            value_of(answer, "the network")
            for answer in await self.pool.batch([Call("getNetwork", {}), Call("getVersionInfo", {})])
        ]
        run = version.get("devnetRun") if isinstance(version, dict) else None
        passphrase = _text(network, "passphrase")
        return passphrase if run is None else f"{passphrase} #{run}"

    async def market(self) -> Market:
        """Fees and the newest ledger's number in one small answer; `getLatestLedger` carries the whole ledger."""
        try:
            return market_of(await self._value("getFeeStats", {}))
        except ValueError as error:
            raise NodeUnavailable(f"a node answered with {error}") from None

    async def accounts(self, addresses: Sequence[str]) -> Accounts:
        parts = [addresses[start : start + KEYS_A_CALL] for start in range(0, len(addresses), KEYS_A_CALL)]
        told = [read_accounts(answer) for answer in await self.pool.batch([accounts_call(part) for part in parts])]
        entries = {address: entry for one in told for address, entry in one.entries.items()}
        return Accounts(min(one.ledger for one in told), entries)

    async def lookups(self, hashes: Sequence[str]) -> list[Lookup]:
        return [self.read_lookup(answer) for answer in await self.pool.batch([lookup_call(one) for one in hashes])]

    async def events(self, tx_hash: str) -> list[Json] | None:
        """What contracts told when it landed; None when no node has it."""
        told = await self._value("getTransaction", {"hash": tx_hash})
        if not isinstance(told, dict) or told.get("status") == "NOT_FOUND":
            return None
        match told:
            case {"events": {"contractEventsXdr": list(steps)}}:
                return [event for step in steps if isinstance(step, list) for event in step]
            case _:
                return []

    def read_lookup(self, answer: Answer) -> Lookup:
        told = value_of(answer, "getTransaction")
        found = None
        match told:
            case {"status": "SUCCESS" | "FAILED" as status, "ledger": int(ledger)}:
                found = self._found(told, ledger, has_succeeded=status == "SUCCESS")
            case {"status": "NOT_FOUND"}:
                pass
            case _:
                raise NodeUnavailable("a node answered with something that is not a transaction's status")
        return Lookup(
            found,
            _number(told, "latestLedger"),
            _number(told, "latestLedgerCloseTime"),
            _number(told, "oldestLedgerCloseTime"),
        )

    def now_s(self, clock: Clock) -> int:
        """Time bounds are judged by the ledger's clock, so ours counts only where it is ahead."""
        return max(int(clock.now().timestamp()), self.closed_at)

    def note_times(self, told: Sequence[int]) -> None:
        """Moves the ledger's clock on to what enough of these nodes say."""
        if len(told) >= self.needed:
            self.closed_at = max(self.closed_at, sorted(told, reverse=True)[self.needed - 1])

    def _found(self, told: Json, ledger: int, *, has_succeeded: bool) -> Found:
        result_xdr = _text(told, "resultXdr")
        try:
            tx_hash = parsed(from_base64(_text(told, "envelopeXdr")), self.passphrase).hash_hex()
            judged = verdict(result_xdr)
        except UNREADABLE:
            raise NodeUnavailable("a node answered with something that is not a transaction") from None
        if (judged.code in SUCCESSES) is not has_succeeded:
            raise NodeUnavailable("a node answered with a result that is not what it says of it")
        why = None if has_succeeded else f"failed on chain: {judged.words}"
        if why is not None and (cause := contract_error(told)) is not None:
            why = f"{why}: {cause}"
        return Found(tx_hash, has_succeeded, ledger, result_xdr, judged.fee, why)

    async def simulate(self, envelopes: Sequence[sdk.TransactionEnvelope]) -> list[Json]:
        """Simulations: an error inside one is an answer."""
        calls = [_simulation(one) for one in envelopes]
        return [value_of(answer, "simulateTransaction") for answer in await self.pool.batch(calls)]

    async def opinions(self, envelope: sdk.TransactionEnvelope) -> list[Json]:
        """The same simulation by every reachable node; errors of nodes themselves are no opinion."""
        heard = await self.pool.witnesses([_simulation(envelope)], max(1, len(self.pool.endpoints)))
        return [found[0].value for _, found in heard if isinstance(found[0], Result)]

    async def broadcast(self, raws: Sequence[bytes]) -> list[Broadcast]:
        """To every healthy node at once; the kindest answer wins, "never" only if all agree."""
        calls = [Call("sendTransaction", {"transaction": base64_text(raw)}) for raw in raws]
        told = [answer for _, answer in await self.pool.everywhere(calls)]
        heard = [answer for answer in told if not isinstance(answer, NodeUnavailable)]
        if not heard:
            raise NodeUnavailable("no node answered the broadcast; it may have been sent all the same")
        hashes = [self._hash_of(raw) for raw in raws]
        found = [_kindest(column, one) for column, one in zip(zip(*heard, strict=True), hashes, strict=True)]
        is_unanimous = len(heard) == len(told) and len(heard) >= self.needed
        return [Unknown(one.why) if isinstance(one, Rejected) and not is_unanimous else one for one in found]

    def _hash_of(self, raw: bytes) -> str:
        try:
            return parsed(raw, self.passphrase).hash_hex()
        except UNREADABLE:
            return ""  # no node will name it

    async def _value(self, method: str, params: Json) -> Json:
        return value_of((await self.pool.batch([Call(method, params)]))[0], method)


def _simulation(envelope: sdk.TransactionEnvelope) -> Call:
    return Call("simulateTransaction", {"transaction": envelope.to_xdr()})


def _kindest(column: Sequence[Answer], tx_hash: str) -> Broadcast:
    read = [
        answers.understand(one.value, tx_hash) if isinstance(one, Result) else answers.refused(one) for one in column
    ]
    return min(read, key=lambda answer: _WEIGHT.index(type(answer)))


def accounts_call(addresses: Sequence[str]) -> Call:
    """For at most `KEYS_A_CALL` of them."""
    return Call("getLedgerEntries", {"keys": [account_key(one) for one in addresses]})


def read_accounts(answer: Answer) -> Accounts:
    told = value_of(answer, "getLedgerEntries")
    try:
        shown = told.get("entries") or []
        entries = dict(account_entry(_text(one, "xdr")) for one in shown)
    except UNREADABLE:
        raise NodeUnavailable("a node answered with something that is not an account") from None
    return Accounts(_number(told, "latestLedger"), entries)


def lookup_call(tx_hash: str) -> Call:
    return Call("getTransaction", {"hash": tx_hash})


def verifier(network: Network) -> Verify:
    """Keeps a node out that serves another network; asked at each connect, before any of its answers is used."""

    async def verify(endpoint: Endpoint) -> None:
        answer = (await endpoint.batch([Call("getNetwork", {})]))[0]
        found = _text(value_of(answer, "getNetwork"), "passphrase")
        if network.passphrase is not None and found != network.passphrase:
            raise WrongChain(f"{endpoint.shown}: serves {found[:80]!r}, expected {network.passphrase!r}")

    return verify


def _text(told: Json, key: str) -> str:
    found = told.get(key) if isinstance(told, dict) else None
    if not isinstance(found, str):
        raise NodeUnavailable(f"a node answered without a text under {key}")
    return found


def _number(told: Json, key: str) -> int:
    """Times are numbers in some answers and decimal text in others."""
    found = told.get(key) if isinstance(told, dict) else None
    if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) < 20:  # noqa: PLR2004 - an int64
        found = int(found)
    if type(found) is not int:
        raise NodeUnavailable(f"a node answered without a number under {key}")
    return found
