"""What a client can look at of a transaction beyond its record: by its nonce, every attempt, the receipt, and why it
is not final yet."""

from dataclasses import dataclass

from baton.commands.context import Context
from baton.commands.live import Sight
from baton.commands.registry import Known
from baton.commands.transactions import Shown
from baton.domain.errors import Invalid, Missing, TransactionMissing
from baton.domain.json import Json
from baton.domain.network import Family
from baton.domain.transaction import Attempt, Fate, View

LANDED = frozenset({Fate.INCLUDED, Fate.REVERTED})
SLOT_MAX = 2**63 - 1  # what stores can hold; no chain gets there


@dataclass(frozen=True, slots=True)
class Seen:
    """A transaction with every signed version of it, oldest first."""

    view: View
    known: Known
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    seen: Seen
    attempt: Attempt  # the one that landed
    outcome: dict[str, Json]  # as the family shows it
    logs: list[Json] | None  # None: no node tells them now


@dataclass(frozen=True, slots=True)
class Explanation:
    seen: Seen
    sight: Sight | None  # None: it is final, and nothing is awaited any more


async def by_nonce(context: Context, relayer_id: str, number: int) -> Shown:
    known = context.relayers.get(relayer_id)
    if known.relayer.family is not Family.EVM:
        raise Invalid(
            "nonce", f"a relayer on a {known.relayer.family} network", "one on an EVM network: others have none"
        )
    view = None
    if number <= SLOT_MAX:
        async with context.store.read() as snapshot:
            view = await snapshot.transactions.by_slot(relayer_id, number)
    if view is None:
        raise Missing(f"relayer {relayer_id!r} has no transaction with nonce {number}")
    return Shown(view, known)


async def attempts(context: Context, relayer_id: str, transaction_id: str) -> Seen:
    known = context.relayers.get(relayer_id)
    async with context.store.read() as snapshot:
        view = await snapshot.transactions.view(relayer_id, transaction_id)
        if view is None:
            raise TransactionMissing(transaction_id)
        return Seen(view, known, tuple(await snapshot.transactions.attempts(transaction_id)))


async def receipt(context: Context, relayer_id: str, transaction_id: str) -> Receipt:
    seen = await attempts(context, relayer_id, transaction_id)
    landed = next((each for each in reversed(seen.attempts) if each.fate in LANDED), None)
    if landed is None:
        status = seen.view.state.status
        why = "nothing of it is in a block" + ("" if status.is_final else " yet")
        raise Missing(f"transaction {transaction_id!r} has no receipt: it is {status}, {why}")
    logs = await context.live.logs(seen.known.relayer, landed.hash)
    return Receipt(seen, landed, seen.known.language.receipt(landed), logs)


async def explain(context: Context, relayer_id: str, transaction_id: str) -> Explanation:
    seen = await attempts(context, relayer_id, transaction_id)
    if seen.view.state.status.is_final:
        return Explanation(seen, None)
    return Explanation(seen, await context.live.sight(seen.known.relayer, transaction_id))
