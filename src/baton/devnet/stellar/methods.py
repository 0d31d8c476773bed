"""The JSON-RPC methods of a Stellar RPC node, and the simulator's own (`devnet_…`).

Shapes, limits and error texts follow the public API; `xdrFormat: "json"`, `getEvents` and Horizon are not offered.
"""

from collections.abc import Callable
from typing import Any

from stellar_sdk import Address, xdr

from baton.devnet.stellar import envelope, keys, simulation, statistics
from baton.devnet.stellar.history import History
from baton.devnet.stellar.ledger import PROTOCOL, Ledger
from baton.devnet.stellar.queue import Queue
from baton.devnet.stellar.rpc_error import INTERNAL, INVALID_PARAMS, RpcError
from baton.devnet.stellar.view import View

Params = dict[str, Any]
MAX_KEYS = 200
HASH_DIGITS = 64


class Methods:
    def __init__(self, ledger: Ledger, queue: Queue, friendbot_url: str, on_change: Callable[[], None]) -> None:
        self._ledger = ledger
        self._queue = queue
        self._friendbot_url = friendbot_url
        self._on_change = on_change
        history = History(ledger)
        self.table: dict[str, Callable[[Params], Any]] = {
            "getHealth": self._health,
            "getNetwork": self._network,
            "getVersionInfo": self._version,
            "getLatestLedger": self._latest_ledger,
            "getFeeStats": lambda _: statistics.fee_stats(ledger),
            "getLedgerEntries": self._entries,
            "getTransaction": self._transaction,
            "getTransactions": history.transactions,
            "getLedgers": history.ledgers,
            "sendTransaction": self._send,
            "simulateTransaction": self._simulate,
            "devnet_run": lambda _: {"run": ledger.run_id},
            "devnet_close": self._close,
            "devnet_set": self._set,
            "devnet_archive": self._archive,
        }

    def _health(self, _: Params) -> Params:
        if self._ledger.controls.unhealthy:
            raise RpcError(INTERNAL, "latency (200s) since last known ledger closed is too high (>30s)")
        oldest = self._ledger.oldest.sequence
        latest = self._ledger.shown.sequence
        return {
            "status": "healthy",
            "latestLedger": latest,
            "oldestLedger": oldest,
            "ledgerRetentionWindow": latest - oldest + 1,
        }

    def _network(self, _: Params) -> Params:
        return {
            "friendbotUrl": self._friendbot_url,
            "passphrase": self._ledger.passphrase,
            "protocolVersion": PROTOCOL,
        }

    def _version(self, _: Params) -> Params:
        """`devnetRun` is new at each start, so that a client can tell a chain begun anew from one that went on."""
        return {
            "version": "baton-devnet-simulator",
            "commitHash": "",
            "buildTimestamp": "",
            "captiveCoreVersion": "simulator",
            "protocolVersion": PROTOCOL,
            "devnetRun": self._ledger.run_id,
        }

    def _latest_ledger(self, _: Params) -> Params:
        closed = self._ledger.shown
        return {
            "id": closed.hash.hex(),
            "protocolVersion": PROTOCOL,
            "sequence": closed.sequence,
            "closeTime": str(closed.closed_at_s),
            "headerXdr": self._ledger.header(closed).to_xdr(),
            "metadataXdr": self._ledger.close_meta(closed).to_xdr(),
        }

    def _entries(self, params: Params) -> Params:
        wanted = params.get("keys")
        if not isinstance(wanted, list):
            raise RpcError(INVALID_PARAMS, "invalid parameters: keys")
        if len(wanted) > MAX_KEYS:
            raise RpcError(INVALID_PARAMS, f"key count ({len(wanted)}) exceeds maximum supported ({MAX_KEYS})")
        found = [self._entry(text, place) for place, text in enumerate(wanted)]
        return {"entries": [one for one in found if one], "latestLedger": self._ledger.shown.sequence}

    def _entry(self, text: Any, place: int) -> Params | None:
        try:
            key = xdr.LedgerKey.from_xdr(text)
        except Exception as broken:  # the XDR reader raises many kinds
            raise RpcError(INVALID_PARAMS, f"cannot unmarshal key value {text} at index {place}") from broken
        if key.ttl is not None:
            raise RpcError(INVALID_PARAMS, "ledger ttl entries cannot be queried directly")
        entry = self._ledger.entry_shown(key)
        if entry is None:
            return None
        told: Params = {
            "key": text,
            "xdr": entry.data.to_xdr(),
            "extXdr": entry.ext.to_xdr(),
            "lastModifiedLedgerSeq": entry.last_modified_ledger_seq.uint32,
        }
        life = self._ledger.entry_shown(keys.for_ttl(key))
        if life is not None and life.data.ttl is not None:
            told["liveUntilLedgerSeq"] = life.data.ttl.live_until_ledger_seq.uint32
        return told

    def _transaction(self, params: Params) -> Params:
        """Found by its own hash, and by that of the transaction inside a fee bump."""
        digest = params.get("hash")
        if not isinstance(digest, str) or len(digest) != HASH_DIGITS:
            raise RpcError(INVALID_PARAMS, f"unexpected hash length ({len(digest) if isinstance(digest, str) else 0})")
        done = self._ledger.by_hash.get(digest.lower())
        latest, oldest = self._ledger.shown, self._ledger.oldest
        told: Params = {
            "status": "NOT_FOUND",
            "txHash": digest,
            "latestLedger": latest.sequence,
            "latestLedgerCloseTime": str(latest.closed_at_s),
            "oldestLedger": oldest.sequence,
            "oldestLedgerCloseTime": str(oldest.closed_at_s),
        }
        if done is not None and done.ledger <= latest.sequence:
            told |= History.told(done) | {"createdAt": str(done.closed_at_s), "txHash": digest}
        return told

    def _send(self, params: Params) -> Params:
        incoming = self._parsed(params)
        answer = self._queue.offer(incoming, self._ledger.state, self._ledger.next_terms())
        latest = self._ledger.shown
        told: Params = {
            "status": answer.status.value,
            "hash": incoming.hash.hex(),
            "latestLedger": latest.sequence,
            "latestLedgerCloseTime": str(latest.closed_at_s),
        }
        return told if answer.result is None else {**told, "errorResultXdr": answer.result.to_xdr()}

    def _simulate(self, params: Params) -> Params:
        told = {"latestLedger": self._ledger.shown.sequence}
        try:
            incoming = self._parsed(params)
        except RpcError:
            return {"error": "Could not unmarshal transaction", **told}
        return {**simulation.simulate(self._ledger, incoming, params.get("authMode") or ""), **told}

    def _parsed(self, params: Params) -> envelope.Incoming:
        text = params.get("transaction")
        try:
            return envelope.parse(text if isinstance(text, str) else "", self._ledger.passphrase)
        except ValueError as broken:
            raise RpcError(INVALID_PARAMS, "invalid_xdr") from broken

    def _close(self, params: Params) -> int:
        count = params.get("n", 1)
        if type(count) is not int or count < 1:
            raise RpcError(INVALID_PARAMS, "n: a positive number of ledgers")
        for _ in range(count):
            self._ledger.close(self._queue.choose())
        return self._ledger.latest.sequence

    def _set(self, params: Params) -> bool:
        try:
            self._ledger.controls.turn(params)
        except ValueError as wrong:
            raise RpcError(INVALID_PARAMS, str(wrong)) from wrong
        self._on_change()
        return True

    def _archive(self, params: Params) -> int:
        """Let a contract's persistent entries fall asleep, as after months without rent; answers how many did."""
        try:
            contract = Address(params.get("contract", "")).to_xdr_sc_address()
        except ValueError as wrong:
            raise RpcError(INVALID_PARAMS, "contract: an address beginning with C") from wrong
        view = View(self._ledger.state)
        asleep = 0
        for entry in view.scan(xdr.LedgerEntryType.CONTRACT_DATA):
            data = entry.data.contract_data
            if data is not None and data.contract == contract:
                view.save_ttl(keys.contract_data(data.contract, data.key, data.durability), view.sequence - 1)
                asleep += 1
        view.commit()
        return asleep
