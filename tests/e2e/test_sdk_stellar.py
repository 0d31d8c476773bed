"""The peer's public client, unchanged, lands Stellar transactions through `baton serve`, its asset spelling included."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench.service import TOKEN, service
from stellar_sdk import Account, Asset, ChangeTrust, Keypair, TransactionBuilder
from stellar_sdk.soroban_server_async import SorobanServerAsync
from tests.integration.devnet.node_packages import node_program, run_script

from baton.devnet.stellar import StellarDevnet

SCRIPT = Path(__file__).with_name("sdk_stellar.cjs")
PACKAGES = ["@openzeppelin/relayer-sdk@1.10.0"]
SEED = bytes([0x22]) * 32
LUMEN = 10**7

pytestmark = pytest.mark.node


def configuration(rpc_url: str) -> dict[str, Any]:
    key = {"type": "plain", "value": SEED.hex()}
    relayer = {
        "id": "stellar-1",
        "name": "Stellar",
        "network": "local",
        "network_type": "stellar",
        "signer_id": "stellar",
        "custom_rpc_urls": [rpc_url],
    }
    return {"signers": [{"id": "stellar", "type": "local", "config": {"key": key}}], "relayers": [relayer]}


async def test_native_and_issued_assets_are_paid_by_the_client(tmp_path: Path) -> None:
    node_program()
    key, receiver = Keypair.from_raw_ed25519_seed(SEED), Keypair.random()
    dollar = Asset("USDC", key.public_key)
    async with await StellarDevnet().start(close_ms=200) as devnet:
        await devnet.fund(key.public_key, 1000 * LUMEN)
        await devnet.fund(receiver.public_key, 100 * LUMEN)
        await _trust(devnet, receiver, dollar)
        async with service(tmp_path, configuration(devnet.url)) as running:
            url = f"http://127.0.0.1:{running.target.port}"
            seen = json.loads(await run_script(SCRIPT, PACKAGES, url, TOKEN, receiver.public_key))
        state = devnet.ledger.state
        entry = state.account(receiver.xdr_account_id())
        line = state.trust_line(receiver.xdr_account_id(), dollar.to_xdr_object())
        assert entry is not None
        assert line is not None
        assert entry.balance.int64 >= 101 * LUMEN - 1000
        assert line.balance.int64 == 25_000_000
        hashes = {one.hash for closed in devnet.ledger.closed.values() for one in closed.landed}
        assert {seen["native"]["hash"], seen["issued"]["hash"]} <= hashes
    assert int(seen["issued"]["sequence_number"]) == int(seen["native"]["sequence_number"]) + 1
    assert seen["status"]["network_type"] == "stellar"
    assert seen["status"]["sequence_number"] == seen["issued"]["sequence_number"]


async def _trust(devnet: StellarDevnet, holder: Keypair, asset: Asset) -> None:
    async with SorobanServerAsync(devnet.url) as server:
        account: Account = await server.load_account(holder.public_key)
        envelope = (
            TransactionBuilder(account, devnet.passphrase)
            .append_operation(ChangeTrust(asset, "1000"))
            .add_time_bounds(0, 0)
            .build()
        )
        envelope.sign(holder)
        await server.send_transaction(envelope)
    devnet.close()
