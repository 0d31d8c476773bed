"""Looking back: `getTransactions` and `getLedgers` over ranges of closed ledgers, page by page.

A cursor of transactions is the network's total order id: ledger, place in the ledger, operation.
"""

from collections.abc import Iterator
from typing import Any

from baton.devnet.stellar.landing import Landed
from baton.devnet.stellar.ledger import Closed, Ledger
from baton.devnet.stellar.rpc_error import INVALID_PARAMS, INVALID_REQUEST, RpcError

Params = dict[str, Any]
DEFAULT_LIMIT = 50
MAX_LIMIT = 200
ORDER_BITS = 20
OPERATION_BITS = 12


def cursor_of(ledger: int, order: int, operation: int = 1) -> int:
    return ledger << (ORDER_BITS + OPERATION_BITS) | order << OPERATION_BITS | operation


class History:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def transactions(self, params: Params) -> Params:
        start, cursor, limit = self._page(params)
        order = 1
        if cursor is not None:
            start = cursor >> (ORDER_BITS + OPERATION_BITS)
            order = (cursor >> OPERATION_BITS & (1 << ORDER_BITS) - 1) + 1
        told: list[Params] = []
        last = cursor or 0
        for closed in self._from(start):
            first = order if closed.sequence == start else 1
            for done in closed.landed[first - 1 :]:
                told.append(self.told(done) | {"createdAt": done.closed_at_s})
                last = cursor_of(closed.sequence, done.order)
                if len(told) == limit:
                    break
            else:
                last = cursor_of(closed.sequence, len(closed.landed))
                continue
            break
        return {"transactions": told, **self._range("CloseTimestamp"), "cursor": str(last)}

    def ledgers(self, params: Params) -> Params:
        start, cursor, limit = self._page(params)
        if cursor is not None:
            start = cursor + 1
        told = [self._told_ledger(closed) for closed, _ in zip(self._from(start), range(limit), strict=False)]
        last = told[-1]["sequence"] if told else start - 1
        return {"ledgers": told, **self._range("CloseTime"), "cursor": str(last)}

    @staticmethod
    def told(done: Landed) -> Params:
        """What both lookups tell of a transaction; they differ in how they write its time."""
        told: Params = {
            "status": "SUCCESS" if done.succeeded else "FAILED",
            "txHash": done.hash,
            "applicationOrder": done.order,
            "feeBump": done.is_fee_bump,
            "envelopeXdr": done.envelope_xdr,
            "resultXdr": done.result_xdr,
            "resultMetaXdr": done.meta_xdr,
            "events": {
                "transactionEventsXdr": [],
                "contractEventsXdr": [list(events) for events in done.events_xdr],
            },
            "ledger": done.ledger,
        }
        if done.diagnostics_xdr:
            told["diagnosticEventsXdr"] = list(done.diagnostics_xdr)
        return told

    def _told_ledger(self, closed: Closed) -> Params:
        return {
            "hash": closed.hash.hex(),
            "sequence": closed.sequence,
            "ledgerCloseTime": str(closed.closed_at_s),
            "headerXdr": self._ledger.header_history(closed).to_xdr(),
            "metadataXdr": self._ledger.close_meta(closed).to_xdr(),
        }

    def _page(self, params: Params) -> tuple[int, int | None, int]:
        """Start ledger, cursor and limit; a request has a start ledger or a cursor, never both."""
        page = params.get("pagination") or {}
        start, cursor = params.get("startLedger") or 0, page.get("cursor") or None
        limit = page.get("limit") or DEFAULT_LIMIT
        if not isinstance(start, int) or not isinstance(limit, int):
            raise RpcError(INVALID_PARAMS, "invalid parameters")
        if limit > MAX_LIMIT or limit < 1:
            raise RpcError(INVALID_REQUEST, f"limit must not exceed {MAX_LIMIT}")
        if cursor is not None:
            if start:
                raise RpcError(INVALID_REQUEST, "startLedger and cursor cannot both be set")
            if not str(cursor).isdecimal():
                raise RpcError(INVALID_PARAMS, f"invalid cursor: {cursor}")
            return 0, int(cursor), limit
        oldest, latest = self._ledger.oldest.sequence, self._ledger.shown.sequence
        if not oldest <= start <= latest:
            raise RpcError(
                INVALID_REQUEST,
                f"start ledger must be between the oldest ledger: {oldest} and the latest ledger: {latest}"
                " for this rpc instance",
            )
        return start, None, limit

    def _from(self, start: int) -> Iterator[Closed]:
        first = max(start, self._ledger.oldest.sequence)
        return (self._ledger.closed[at] for at in range(first, self._ledger.shown.sequence + 1))

    def _range(self, suffix: str) -> Params:
        latest, oldest = self._ledger.shown, self._ledger.oldest
        return {
            "latestLedger": latest.sequence,
            f"latestLedger{suffix}": latest.closed_at_s,
            "oldestLedger": oldest.sequence,
            f"oldestLedger{suffix}": oldest.closed_at_s,
        }
