"""Is it the chain that the lane knew? A chain that was started anew is noticed here.

On a local chain what was under way is over, and slots start afresh; anywhere else the relayer is disabled with the
reason, because it can only be a mistake. It heals by itself when the nodes serve the right chain.
"""

from baton import telemetry
from baton.domain.status import Status
from baton.domain.transaction import Fate, moved
from baton.lanes.ground import Ground, Track
from baton.storage.base import OpenTransaction
from baton.storage.changes import Advance, AttemptNews, Done, Fence, Progress, RememberChain

STARTED_ANEW = "the local chain was started anew; what was under way is gone with it"


async def is_known(ground: Ground, track: Track, fence: Fence, identity: str) -> bool:
    """Whether this is the chain that the lane knew, or may be taken for a new one. If not, its relayer is disabled."""
    relayer = track.relayer
    async with ground.store.read() as snapshot:
        known = await snapshot.relayers.chain_identity(fence.lane)
    if known is not None and known != identity and not track.network.is_local:
        await disable(ground, track, f"its nodes serve another chain ({identity}) than before ({known})")
        return False
    if known is not None and known != identity:
        ended = await _end_open(ground, relayer.id)
        telemetry.log.warning("local_chain_started_anew", network=track.nodes.name, relayer=relayer.id, ended=ended)
    if known != identity:
        await ground.store.write(RememberChain(fence.lane, identity))
    if relayer.disabled_reason is not None:
        await ground.set_disabled(relayer.id, None)
    return True


async def disable(ground: Ground, track: Track, why: str) -> None:
    relayer = track.relayer
    if relayer.disabled_reason != why:
        telemetry.log.error("chain_changed", network=track.nodes.name, relayer=relayer.id, why=why)
        await ground.set_disabled(relayer.id, why)


async def _end_open(ground: Ground, relayer_id: str) -> int:
    """Everything signed for the old chain can never land on the new one. A client may amend one meanwhile: again."""
    ended = 0
    while under_way := await _under_way(ground, relayer_id):
        outcomes = await ground.store.write_all([_ended(ground, item) for item in under_way])
        ended += outcomes.count(Done())
    return ended


async def _under_way(ground: Ground, relayer_id: str) -> list[OpenTransaction]:
    async with ground.store.read() as snapshot:
        return [
            item
            for status in (Status.SENT, Status.SUBMITTED, Status.MINED)
            for item in await snapshot.lanes.in_status(relayer_id, status, -1)
        ]


def _ended(ground: Ground, item: OpenTransaction) -> Progress:
    transaction = item.transaction
    step = moved(transaction.state, Status.FAILED, reason=STARTED_ANEW)
    news = tuple(AttemptNews(attempt.id, Fate.LAPSED) for attempt in item.attempts)
    return Progress(ground.clock.now(), None, (Advance(transaction.id, transaction.version, (step,)),), (), news)
