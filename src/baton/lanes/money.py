"""Money: what the account can still promise. One writer a lane, so there is no race to lose."""

from collections.abc import Sequence

from baton.chains.seam import Prepared, Ready, Wait
from baton.domain.transaction import Attempt
from baton.lanes.desk import Desk
from baton.lanes.spending import DAY, Spending

FOR_FUNDS = "waiting for funds"  # how every reason begins that money would mend


async def affordable(desk: Desk, prepared: Sequence[Prepared], freed: int = 0) -> list[Prepared]:
    """Turns `Ready` into `Wait` where the balance, less what is under way, or the rolling limit does not reach.

    `freed` is what an earlier version in the same slot was counted for: only one of them can land.
    """
    assert desk.account is not None
    policy = desk.relayer.policy
    available = desk.account.balance - desk.book.reserved() - policy.min_balance + freed
    limit = policy.spend_limit_24h
    spendable = None if limit is None else limit - await _spent(desk) + freed
    answers: list[Prepared] = []
    for one in prepared:
        if not isinstance(one, Ready):
            answers.append(one)
        elif one.max_cost > available:
            answers.append(Wait(f"{FOR_FUNDS}: the balance, less what is in flight, does not cover its cost"))
        elif spendable is not None and one.max_cost > spendable:
            answers.append(Wait("waiting: the relayer's spend limit for 24 hours is reached"))
        else:
            available -= one.max_cost
            spendable = None if spendable is None else spendable - one.max_cost
            answers.append(one)
    return answers


async def affordable_instead(desk: Desk, prepared: Prepared, versions: Sequence[Attempt]) -> Prepared:
    """The same for what would take the place of these versions: only one of them all can land."""
    return (await affordable(desk, [prepared], freed=max(version.max_cost for version in versions)))[0]


async def void_beyond_cap(desk: Desk, versions: Sequence[Attempt]) -> Prepared:
    """A no-op for a slot that the cap keeps stuck, on the rescue budget; only where a later one could then land."""
    slot = versions[-1].slot
    later = [
        entry.live[-1]
        for entry in desk.book.unlanded.values()
        if entry.live and _number(entry.live[-1]) > (slot.number if slot else -1)
    ]
    outlook = await desk.maker.outlook(later, desk.relayer) if later else None
    if outlook is None or all(shortfall is not None for shortfall in outlook.shortfalls):
        return Wait("no later transaction could land if its slot were free")
    async with desk.store.read() as snapshot:
        earlier = await snapshot.lanes.noops_since(desk.relayer.id, desk.now - DAY)
    return await desk.maker.void(versions, desk.relayer, earlier)


def _number(attempt: Attempt) -> int:
    return attempt.slot.number if attempt.slot else -1


async def _spent(desk: Desk) -> int:
    since, is_under_way = desk.now - DAY, desk.book.entries.__contains__
    if desk.spending is None:
        async with desk.store.read() as snapshot:
            desk.spending = Spending.of(await snapshot.lanes.costs_since(desk.relayer.id, since), is_under_way)
    return desk.spending.since(since, is_under_way)
