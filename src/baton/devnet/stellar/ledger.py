"""The chain: its state, its closed ledgers, and the act of closing one more.

Simplified against the network: one validator, no consensus, transactions apply in the order of their bids and then of
arrival, and one that another made invalid within the same ledger is dropped instead of failing in it.
"""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

from stellar_sdk import Keypair, Network, xdr

from baton.devnet.stellar import soroban
from baton.devnet.stellar.controls import MAX_LAG_LEDGERS, Controls
from baton.devnet.stellar.envelope import Incoming
from baton.devnet.stellar.landing import Ground, Landed, land
from baton.devnet.stellar.operations.reserves import BASE_RESERVE_STROOPS, new_account
from baton.devnet.stellar.validity import Terms, check
from baton.devnet.stellar.view import View
from baton.domain.clock import Clock

GENESIS_LEDGER = 2
KEPT_LEDGERS = 17_280
TOTAL_STROOPS = 10**18
PROTOCOL = 25


@dataclass(frozen=True, slots=True)
class Closed:
    """One closed ledger; it never changes again."""

    sequence: int
    closed_at_s: int
    hash: bytes
    landed: tuple[Landed, ...] = ()


@dataclass(slots=True)
class Ledger:
    passphrase: str
    clock: Clock
    controls: Controls
    run_id: str = field(default_factory=lambda: secrets.token_hex(16))
    state: View = field(default_factory=View)
    closed: dict[int, Closed] = field(default_factory=dict)
    by_hash: dict[str, Landed] = field(default_factory=dict)
    last_offer_id: int = 0
    _before: dict[int, dict[bytes, bytes | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """A fresh chain: all coins at the root account, whose key follows from the passphrase as on any new network."""
        view = View(self.state)
        self.state.sequence = view.sequence = GENESIS_LEDGER
        view.save_account(new_account(self.root.xdr_account_id(), TOTAL_STROOPS, 0))
        soroban.deploy_native(view, self.network_id)
        view.commit()
        genesis = hashlib.sha256(f"{self.passphrase} {self.run_id}".encode()).digest()
        self.closed[GENESIS_LEDGER] = Closed(GENESIS_LEDGER, self._clock_s(), genesis)

    @property
    def network_id(self) -> bytes:
        return Network(self.passphrase).network_id()

    @property
    def root(self) -> Keypair:
        return Keypair.from_raw_ed25519_seed(self.network_id)

    @property
    def latest(self) -> Closed:
        return self.closed[self.state.sequence]

    @property
    def oldest(self) -> Closed:
        return next(iter(self.closed.values()))

    @property
    def shown(self) -> Closed:
        """The newest ledger that this node tells of: the latest, unless it lags."""
        return self.closed[max(self.oldest.sequence, self.state.sequence - self.controls.lag_ledgers)]

    def entry_shown(self, key: xdr.LedgerKey) -> xdr.LedgerEntry | None:
        """An entry as it was in the shown ledger: what the first later change found there, else what is there now."""
        raw = key.to_xdr_bytes()
        for later in range(self.shown.sequence + 1, self.state.sequence + 1):
            if raw in self._before[later]:
                found = self._before[later][raw]
                return xdr.LedgerEntry.from_xdr_bytes(found) if found else None
        return self.state.load(key)

    def next_terms(self) -> Terms:
        """The ledger that would close now."""
        closes_at_s = max(self._clock_s(), self.latest.closed_at_s)
        return Terms(self.state.sequence + 1, closes_at_s, self.controls.base_fee)

    def close(self, chosen: Iterable[Incoming]) -> Closed:
        """Close the next ledger with these transactions, those among them that have become invalid left out."""
        terms = self.next_terms()
        previous = self.latest.hash
        view = View(self.state)
        self.state.sequence = view.sequence = terms.sequence
        ground = Ground(view, terms, self.controls.price, self.network_id, self._take_offer_id)
        landed: list[Landed] = []
        for incoming in chosen:
            if check(incoming, View(view), terms) is None:
                landed.append(land(incoming, ground, len(landed) + 1))
        self._before[terms.sequence] = {key: self.state.raw(key) for key in view.written}
        view.commit()
        for done in landed:
            self.by_hash.update(dict.fromkeys(done.hashes, done))
        content = b"".join(bytes.fromhex(done.hash) for done in landed)
        digest = hashlib.sha256(previous + terms.sequence.to_bytes(4, "big") + content).digest()
        self.closed[terms.sequence] = Closed(terms.sequence, terms.closes_at_s, digest, tuple(landed))
        self._forget()
        return self.latest

    def _take_offer_id(self) -> int:
        self.last_offer_id += 1
        return self.last_offer_id

    def header(self, closed: Closed) -> xdr.LedgerHeader:
        """A header with the facts that are simulated; hashes of transaction sets and state are left at zero."""
        nothing = xdr.Hash(bytes(32))
        basic = xdr.StellarValueExt(xdr.StellarValueType.STELLAR_VALUE_BASIC)
        value = xdr.StellarValue(nothing, xdr.TimePoint(xdr.Uint64(closed.closed_at_s)), [], basic)
        before = self.closed.get(closed.sequence - 1)
        return xdr.LedgerHeader(
            xdr.Uint32(PROTOCOL),
            xdr.Hash(before.hash if before else bytes(32)),
            value,
            nothing,
            nothing,
            xdr.Uint32(closed.sequence),
            xdr.Int64(TOTAL_STROOPS),
            xdr.Int64(0),
            xdr.Uint32(0),
            xdr.Uint64(self.last_offer_id),
            xdr.Uint32(self.controls.base_fee),
            xdr.Uint32(BASE_RESERVE_STROOPS),
            xdr.Uint32(1000),
            [nothing] * 4,
            xdr.LedgerHeaderExt(0),
        )

    def header_history(self, closed: Closed) -> xdr.LedgerHeaderHistoryEntry:
        ext = xdr.LedgerHeaderHistoryEntryExt(0)
        return xdr.LedgerHeaderHistoryEntry(xdr.Hash(closed.hash), self.header(closed), ext)

    def close_meta(self, closed: Closed) -> xdr.LedgerCloseMeta:
        """The header alone: the transactions of a ledger are told by `getTransactions`."""
        no_set = xdr.TransactionSet(xdr.Hash(bytes(32)), [])
        v0 = xdr.LedgerCloseMetaV0(self.header_history(closed), no_set, [], [], [])
        return xdr.LedgerCloseMeta(0, v0=v0)

    def _clock_s(self) -> int:
        return int(self.clock.now().timestamp()) + self.controls.ahead_s

    def _forget(self) -> None:
        self._before.pop(self.state.sequence - MAX_LAG_LEDGERS, None)
        while len(self.closed) > KEPT_LEDGERS:
            gone = self.closed.pop(self.oldest.sequence)
            for done in gone.landed:
                for digest in done.hashes:
                    self.by_hash.pop(digest, None)
