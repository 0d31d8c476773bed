"""What must hold at the end of every test here, whatever it did."""

from tests.integration.evm.rig import Rig
from tests.lane_judge import judge_lane


async def judge(rig: Rig) -> None:
    """D6, E1, E4, N1 and C1, as far as they can be seen in the end; the lane may still run."""
    if not rig.node.is_running:
        return
    mined = {one["hash"] for one in await rig.chain.mined()}
    genesis = await rig.chain.genesis()
    judge_lane(rig.folder, [rig.proxy], mined, sent_as=lambda raw: "0x" + raw.hex(), chain=genesis)
