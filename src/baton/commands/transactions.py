"""What a client can ask of a transaction: submit it, look at it, list them. Changing one is in `amend.py`.

Accepting calls no node: a request is read by its family's language and stored; the lane does the rest.
"""

import hashlib
import re

import msgspec
from msgspec import Struct

from baton.chains.base import Draft
from baton.commands.context import Context
from baton.commands.paging import Paging
from baton.commands.registry import Known
from baton.domain.errors import Bug, Forbidden, Invalid, KeyReused, Refused, TooMany, TransactionMissing
from baton.domain.ids import ordered_id
from baton.domain.json import Json
from baton.domain.transaction import Revision, View
from baton.storage.base import ListFilter
from baton.storage.changes import Accept, Accepted, Carried, Duplicate, Full, IdempotencyKey

_VISIBLE_ASCII = re.compile(r"[!-~]{1,255}")


class OnceOnly(Struct, frozen=True):
    """A client's wish that a repeated request makes no second transaction."""

    scope: str  # who asks: the API key's id
    key: str


class Shown(Struct, frozen=True):
    """A transaction and how to write its record."""

    view: View
    known: Known
    is_replay: bool = False

    def record(self) -> dict[str, Json]:
        return self.known.language.record(self.view, self.known.relayer)


class ShownPage(Struct, frozen=True):
    items: tuple[Shown, ...]
    paging: Paging  # as it was used
    total: int


async def submit(context: Context, relayer_id: str, body: Json, once: OnceOnly | None = None) -> Shown:
    known = context.relayers.get(relayer_id)
    key = None if once is None else _key(once, body)
    try:
        draft = _draft(context, known, body)
    except Refused:
        # a key that was used before answers for itself, whatever a new request would be told now
        earlier = None if key is None else await _earlier(context, known, key)
        if earlier is None:
            raise
        return earlier
    revision = Revision(1, draft.content, draft.valid_until, draft.fingerprint)
    change = Accept(ordered_id(), relayer_id, revision, context.clock.now(), context.queue_limit, key)
    match await context.store.write(change):
        case Accepted(stored):
            view = View(stored.id, relayer_id, stored.created_at, stored.state, revision, None)
            return Shown(view, known)
        case Duplicate() as taken if key is not None:
            return await _replay(context, known, key, taken)
        case Carried(transaction_id):
            raise carried(transaction_id)
        case Full(open_count):
            reason = f"relayer {relayer_id!r} has {open_count} open transactions, as many as it may; try again later"
            raise TooMany(reason, context.queue_retry_s)
        case other:
            raise Bug(f"accept answered {other}")


def carried(transaction_id: str) -> Invalid:
    found = f"bytes that transaction {transaction_id!r} carries already"
    return Invalid("transaction", found, "bytes that are carried for the first time: they can land only once")


async def get(context: Context, relayer_id: str, transaction_id: str) -> Shown:
    known = context.relayers.get(relayer_id)
    async with context.store.read() as snapshot:
        view = await snapshot.transactions.view(relayer_id, transaction_id)
    if view is None:
        raise TransactionMissing(transaction_id)
    return Shown(view, known)


async def list_page(context: Context, relayer_id: str, paging: Paging, where: ListFilter) -> ShownPage:
    known = context.relayers.get(relayer_id)
    used = paging.within(context.per_page_limit)
    async with context.store.read() as snapshot:
        found = await snapshot.transactions.page(relayer_id, used.page, used.per_page, where)
    return ShownPage(tuple(Shown(view, known) for view in found.items), used, found.total)


def _draft(context: Context, known: Known, body: Json) -> Draft:
    refusal = known.relayer.refusal
    if refusal is not None:
        raise Forbidden(refusal)
    return known.language.parse(body, known.relayer, context.clock.now())


def _key(once: OnceOnly, body: Json) -> IdempotencyKey:
    if not _VISIBLE_ASCII.fullmatch(once.key):
        found = f"{len(once.key)} characters" if once.key.isascii() else "characters beyond ASCII"
        raise Invalid("Idempotency-Key", found, "1 to 255 visible ASCII characters")
    canonical = msgspec.json.encode(body, order="sorted")
    return IdempotencyKey(once.scope, once.key, hashlib.sha256(canonical).digest())


async def _earlier(context: Context, known: Known, key: IdempotencyKey) -> Shown | None:
    async with context.store.read() as snapshot:
        taken = await snapshot.transactions.idempotent(known.relayer.id, key.scope, key.key)
    return None if taken is None else await _replay(context, known, key, taken)


async def _replay(context: Context, known: Known, key: IdempotencyKey, taken: Duplicate) -> Shown:
    if taken.body_hash != key.body_hash:
        raise KeyReused
    shown = await get(context, known.relayer.id, taken.transaction_id)
    return Shown(shown.view, known, is_replay=True)
