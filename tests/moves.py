"""How a test sees that a lane has gone over to other nodes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.lane_rig import LaneRig

from baton.lanes.desk import Desk


@asynccontextmanager
async def moving(rig: LaneRig) -> AsyncIterator[None]:
    """Until the lane runs on the nodes that were set within, and its old line is closed if nobody else uses it."""
    before = await running(rig)
    yield
    await running(rig, after=before)
    await old_lines_closed(rig)


async def running(rig: LaneRig, after: Desk | None = None) -> Desk:
    async def is_so() -> bool:
        return rig.desk is not None and rig.desk is not after and rig.desk.tip is not None

    await rig.until(is_so)
    assert rig.desk is not None
    return rig.desk


async def stranded(rig: LaneRig) -> None:
    """Until the lane has left its nodes without reaching new ones."""

    async def is_so() -> bool:
        return rig.desk is None

    await rig.until(is_so)


async def old_lines_closed(rig: LaneRig) -> None:
    assert rig._keeper is not None
    assert rig._keeper._lines is not None
    await rig._keeper._lines.close()
