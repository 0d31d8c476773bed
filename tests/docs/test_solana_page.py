"""The requests of the Solana page are run as they stand, and what it says in numbers is what the code does."""

import json
import re
from pathlib import Path
from typing import Any

from tests.faults.proxy import FaultProxy
from tests.integration.solana.rig import FINALITY, SOL, parts
from tests.lane_rig import LaneRig

from baton.chains.solana import fees
from baton.chains.solana.node import GENESIS
from baton.devnet.keys import SOLANA_RELAYER_SEED
from baton.devnet.solana import SolanaDevnet
from baton.domain.policy import Speed

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "solana.md").read_text(encoding="utf-8")
REQUESTS: list[Any] = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
RECEIVER = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"


async def test_every_request_of_the_page_is_confirmed_on_the_local_chain(tmp_path: Path) -> None:
    async with await SolanaDevnet().start(manual=True) as node, FaultProxy(node.url) as proxy:
        rig = LaneRig(parts(proxy.url, seed=SOLANA_RELAYER_SEED), tmp_path)
        node.airdrop(rig.address, SOL)
        await rig.start()
        try:
            ids = [await rig.submit(body) for body in REQUESTS]
            await rig.all_reach(ids, "submitted")
            node.mine()
            await rig.all_reach(ids, "mined")
            node.mine(FINALITY)
            await rig.all_reach(ids, "confirmed")
        finally:
            await rig.stop()
        asked = set(proxy.calls)
        assert node.balance(RECEIVER) == 1_500_000 + 2_000_000
    assert len(ids) == 3
    assert {method for method in asked if f"`{method}`" not in PAGE} == set()


def test_the_page_tells_the_prices_that_are_offered() -> None:
    least = ", ".join(f"{fees.price_for([], speed):,}" for speed in (Speed.SAFE_LOW, Speed.AVERAGE, Speed.FAST))
    assert f"at least {least} or {fees.price_for([], Speed.FASTEST):,}" in PAGE
    assert f"{fees.MOST_PRIORITY_LAMPORTS:,} lamports (0.01 SOL)" in PAGE
    assert f"{fees.SIGNATURE_LAMPORTS:,} lamports for each signature" in PAGE


def test_the_page_names_the_networks_that_are_known() -> None:
    assert all(f"`{name}`" in PAGE for name in GENESIS)
