"""What a client can look at of a relayer: itself, how it is doing, what it owns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from baton.chains.seam import Account
from baton.commands.context import Context
from baton.commands.paging import Paging
from baton.domain.relayer import Relayer
from baton.domain.status import AMENDABLE


@dataclass(frozen=True, slots=True)
class RelayerStatus:
    relayer: Relayer
    account: Account
    pending: int  # not in a block yet
    last_confirmed_at: datetime | None


def get(context: Context, relayer_id: str) -> Relayer:
    return context.relayers.get(relayer_id).relayer


def list_page(context: Context, paging: Paging) -> tuple[Sequence[Relayer], Paging, int]:
    used = paging.within(context.per_page_limit)
    relayers = context.relayers.all()
    first = (used.page - 1) * used.per_page
    return relayers[first : first + used.per_page], used, len(relayers)


async def status(context: Context, relayer_id: str) -> RelayerStatus:
    relayer = get(context, relayer_id)
    account = await context.live.account(relayer)
    async with context.store.read() as snapshot:
        counts = await snapshot.transactions.counts()
        last = await snapshot.relayers.last_confirmed_at(relayer_id)
    pending = sum(counts.get((relayer_id, each), 0) for each in AMENDABLE)
    return RelayerStatus(relayer, account, pending, last)


async def balance(context: Context, relayer_id: str) -> tuple[Relayer, int]:
    relayer = get(context, relayer_id)
    return relayer, (await context.live.account(relayer)).balance
