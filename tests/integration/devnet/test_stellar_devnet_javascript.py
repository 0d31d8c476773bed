"""The official JavaScript client takes the Stellar simulator for a node: a second reader of every answer."""

import json
from pathlib import Path

import pytest
from stellar_sdk import Keypair
from tests.integration.devnet.node_packages import run_script
from tests.integration.devnet.stellar_wallet import LUMEN

from baton.devnet.stellar import StellarDevnet

SCRIPT = Path(__file__).parent / "stellar_client.cjs"
# The newest line that takes Node 20.
PACKAGES = ("@stellar/stellar-sdk@15.1.0",)


@pytest.mark.node
async def test_the_javascript_client_funds_pays_bumps_replaces_and_calls_a_contract() -> None:
    async with await StellarDevnet().start(close_ms=50) as devnet:
        told = json.loads(await run_script(SCRIPT, PACKAGES, devnet.url, devnet.passphrase))
        bob = devnet.ledger.state.account(Keypair.from_public_key(told["bob"]).xdr_account_id())
        assert bob is not None
        assert bob.balance.int64 == (10_000 + 2 + 7 - 1) * LUMEN + 125_000_000
    assert told["again"]
    assert told["payment"]["status"] == told["transfer"]["status"] == told["replaced"] == "SUCCESS"
    assert (told["feeBump"]["status"], told["feeBump"]["feeBump"]) == ("SUCCESS", True)
    assert told["refused"] == ["ERROR", "txInsufficientFee", "2000"]
    assert told["balance"] == str(bob.balance.int64)
    hashes = [told[name]["hash"] for name in ("payment", "feeBump", "transfer")]
    assert [one for one in told["listed"] if one in hashes] == hashes
    assert (told["health"], told["fee"], told["passphrase"]) == ("healthy", "100", devnet.passphrase)
    assert told["latest"]
