"""Transactions of a relayer: submit, replace, list, look at, cancel one or all."""

from typing import Annotated

import msgspec
from msgspec import Meta

from baton.api.body import read_json
from baton.api.envelope import Answer, Header, page, success
from baton.api.limits import Limits
from baton.api.query import list_filter, paging
from baton.api.request import Request
from baton.api.routing import Route
from baton.commands import amend, transactions
from baton.commands.context import Context
from baton.commands.transactions import OnceOnly

LIST = "/api/v1/relayers/{relayer_id}/transactions"
ONE = LIST + "/{transaction_id}"
PENDING = LIST + "/pending"

_REPLAYED: tuple[Header, ...] = ((b"idempotent-replayed", b"true"),)


class PendingCanceled(msgspec.Struct, frozen=True):
    """What became of canceling everything that is not in a block yet."""

    queued_for_cancellation_transaction_ids: Annotated[
        tuple[str, ...], Meta(description="canceled, or being canceled on chain")
    ]
    failed_to_queue_transaction_ids: Annotated[
        tuple[str, ...], Meta(description="landed or ended meanwhile, so that there was nothing left to cancel")
    ]
    total_processed: int


class Transactions:
    def __init__(self, context: Context, limits: Limits) -> None:
        self._context = context
        self._limits = limits

    def routes(self) -> list[Route]:
        return [
            Route("POST", LIST, self.submit, is_limited=True),
            Route("GET", LIST, self.list, is_limited=True),
            Route("GET", ONE, self.get, is_limited=True),
            Route("PUT", ONE, self.replace, is_limited=True),
            Route("DELETE", ONE, self.cancel, is_limited=True),
            Route("DELETE", PENDING, self.cancel_all, is_limited=True),
        ]

    async def submit(self, request: Request) -> Answer:
        body = await read_json(request, self._limits)
        key = request.one_of(b"idempotency-key")
        once = None if key is None else OnceOnly(request.caller.id, key)
        shown = await transactions.submit(self._context, request.ids[0], body, once)
        return success(shown.record(), headers=_REPLAYED if shown.is_replay else ())

    async def replace(self, request: Request) -> Answer:
        body = await read_json(request, self._limits)
        relayer_id, transaction_id = request.ids
        shown = await amend.replace(self._context, relayer_id, transaction_id, body)
        return success(shown.record())

    async def list(self, request: Request) -> Answer:
        (relayer_id,) = request.ids
        self._context.relayers.get(relayer_id)  # an unknown relayer comes before a wrong query
        found = await transactions.list_page(self._context, relayer_id, paging(request), list_filter(request))
        return page([shown.record() for shown in found.items], found.paging, found.total)

    async def get(self, request: Request) -> Answer:
        return success((await transactions.get(self._context, *request.ids)).record())

    async def cancel(self, request: Request) -> Answer:
        return success((await amend.cancel(self._context, *request.ids)).record())

    async def cancel_all(self, request: Request) -> Answer:
        done = await amend.cancel_all(self._context, request.ids[0])
        return success(PendingCanceled(done.accepted, done.failed, len(done.accepted) + len(done.failed)))
