"""The Stellar page against the code: its requests are run in order, its figures and names are the ones in force."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from stellar_sdk import Asset
from tests.faults.proxy import FaultProxy
from tests.integration.stellar.rig import LUMEN, StellarRig

from baton.chains.stellar.channels import locked
from baton.chains.stellar.fees import DISPLACING
from baton.chains.stellar.maker import PATIENCE_LEDGERS
from baton.chains.stellar.plan import VALID_S
from baton.chains.stellar.request import DEFAULT_MAX_FEE
from baton.devnet.keys import STELLAR_RELAYER_SEED
from baton.devnet.stellar import StellarDevnet
from baton.domain.policy import StellarPolicy

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "stellar.md").read_text(encoding="utf-8")
REQUESTS = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[StellarRig]:
    """As `make run` has it: the page names the local relayer's address."""
    async with StellarDevnet() as node, FaultProxy(node.url) as proxy:
        rig = StellarRig(node, [proxy], tmp_path / "data", seed=STELLAR_RELAYER_SEED)
        await node.fund(rig.address, 10_000 * LUMEN)
        await rig.start()
        yield rig
        await rig.stop()


async def test_every_request_is_confirmed_in_the_order_of_the_page(rig: StellarRig) -> None:
    assert len(REQUESTS) == 4
    assert rig.address in PAGE
    assert Asset.native().contract_id(rig.node.passphrase) in PAGE
    for request in REQUESTS:
        await rig.reaches(await rig.submit(request), "confirmed")
    receiver = REQUESTS[0]["operations"][0]["destination"]
    assert rig.balance(receiver) == 50_000_000 + 12_500_000 + 10_000_000


def test_the_figures_are_those_in_force() -> None:
    assert f"{DEFAULT_MAX_FEE:,} if not said" in PAGE
    assert VALID_S == 5 * 60
    assert "`valid_until`, or five minutes" in PAGE
    assert PATIENCE_LEDGERS == 3
    assert "What three ledgers pass by" in PAGE
    assert DISPLACING == 10
    assert f"Its reserve of {locked(1) / LUMEN:g} lumens" in PAGE


def test_every_policy_is_named() -> None:
    assert [name for name in StellarPolicy.__dataclass_fields__ if f"`{name}`" not in PAGE] == []
