"""The peer's public client, unchanged, sends a Solana transaction through `baton serve`; the chain is the judge."""

import json
from pathlib import Path

import pytest
from bench.service import TOKEN, service
from tests.integration.devnet.node_packages import node_program, run_script
from tests.integration.solana.judge import landed, memos
from tests.integration.solana.rig import SEED, SOL

from baton.chains.solana.wire import address_of
from baton.devnet.solana import SolanaDevnet
from baton.domain.curve import Curve
from baton.signers.local import LocalSigner

SCRIPT = Path(__file__).with_name("sdk_solana.cjs")
PACKAGES = ["@openzeppelin/relayer-sdk@1.10.0"]

pytestmark = pytest.mark.node


async def test_the_public_client_lands_a_solana_transaction(tmp_path: Path) -> None:
    node_program()
    address = address_of(LocalSigner(Curve.ED25519, SEED).public_key)
    async with await SolanaDevnet().start(slot_ms=25) as node:
        node.airdrop(address, SOL)
        relayer = {"id": "solana-1", "network": "local", "network_type": "solana", "signer_id": "key"}
        config = {
            "signers": [{"id": "key", "type": "local", "config": {"key": {"type": "plain", "value": SEED.hex()}}}],
            "relayers": [relayer | {"custom_rpc_urls": [node.url, node.ws_url]}],
        }
        async with service(tmp_path, config) as running:
            url = f"http://127.0.0.1:{running.target.port}"
            told = json.loads(await run_script(SCRIPT, PACKAGES, url, TOKEN))
        assert told["sent"]["status"] == "pending"
        assert told["record"]["hash"] == told["record"]["signature"]
        assert told["record"]["hash"] in landed(node)
        assert memos(node) == ["hello"]
