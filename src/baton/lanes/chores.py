"""Chores: transactions of our own that must land before clients' can, one at a time, carried like our own no-ops."""

from baton import telemetry
from baton.chains.seam import Chore, Ready
from baton.domain.transaction import AttemptKind, Hold, Slot
from baton.lanes.desk import Desk
from baton.lanes.money import affordable
from baton.lanes.sign import Order, signed
from baton.lanes.slots import next_of
from baton.storage.changes import Progress, SlotMove

REPEAT_BLOCKS = 20  # one that landed and did not help is not repeated sooner


async def do_chores(desk: Desk) -> None:
    """The first that is due, if the account has nothing under way."""
    assert desk.account is not None
    assert desk.tip is not None
    relayer, height = desk.relayer, desk.tip.block.number
    due = [one for one in desk.account.chores if height >= desk.chores.get(one.name, height)]
    if not due or relayer.refusal:
        return
    if any(attempt.slot and attempt.slot.account == relayer.address for attempt in desk.book.live_attempts()):
        return
    desk.chores[due[0].name] = height + REPEAT_BLOCKS
    (answer,) = await affordable(desk, [due[0].ready])
    if not isinstance(answer, Ready):
        telemetry.log.warning("chore_waits", lane=desk.fence.lane, chore=due[0].name, why="it cannot be paid for now")
        return
    await _carry(desk, due[0])


async def _carry(desk: Desk, chore: Chore) -> None:
    assert desk.account is not None
    relayer = desk.relayer
    number = await next_of(desk, relayer.address, desk.account.next_slot)
    slot = Slot(desk.chain_identity, relayer.address, number)
    attempts = await signed(desk, [Order(chore.ready, slot, AttemptKind.NOOP)])
    move = SlotMove(slot, relayer.id, None, Hold.HELD)
    if (await desk.commit([Progress(desk.now, desk.fence, attempts=tuple(attempts), slots=(move,))]))[0]:
        telemetry.log.info("chore", lane=desk.fence.lane, chore=chore.name, hash=attempts[0].hash)
        desk.note_given(attempts)
        desk.post(attempts)
