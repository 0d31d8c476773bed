"""The data fee of OP-stack rollups, asked of an oracle that stands at the real one's address on a real node."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from baton.chains.evm import keys
from baton.chains.evm.data_fee import ORACLE, SELECTOR, TAG
from baton.chains.evm.ledger import Ledger
from baton.chains.evm.maker import EvmMaker
from baton.chains.evm.node import EvmNode
from baton.chains.rpc import RpcPool
from baton.chains.seam import Ready
from baton.devnet.anvil import CHAIN_ID, Anvil
from baton.devnet.keys import EVM_RELAYER_KEY
from baton.domain.curve import Curve
from baton.domain.network import Family, Network, RpcUrl
from baton.domain.policy import EvmPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Revision
from baton.signers.local import LocalSigner

FEE = 10**15
# Answers every question with the fee: PUSH8 fee, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN.
ALWAYS_THE_FEE = "0x67" + FEE.to_bytes(8, "big").hex() + "60005260206000f3"
ASK = (Revision(1, {"value": "7", "to": "0x" + "11" * 20, "speed": "fast"}), True)


@pytest.fixture
async def anvil(anvil_path: Path, tmp_path: Path) -> AsyncIterator[Anvil]:
    node = Anvil(anvil_path, tmp_path / "anvil")
    await node.start()
    yield node
    await node.stop()


async def _max_cost(anvil: Anvil, tags: frozenset[str]) -> int:
    features = frozenset({"eip1559"})
    network = Network("rollup", Family.EVM, chain_id=CHAIN_ID, features=features, tags=tags)
    address = keys.address(LocalSigner(Curve.SECP256K1, EVM_RELAYER_KEY).public_key)
    relayer = Relayer("r", "r", "rollup", Family.EVM, "s", address, EvmPolicy())
    pool = RpcPool([RpcUrl(anvil.url)])
    try:
        maker = EvmMaker(network, EvmNode(pool, has_fee_history=True), Ledger())
        (prepared,) = await maker.prepare([ASK], relayer)
    finally:
        await pool.close()
    assert isinstance(prepared, Ready)
    return prepared.max_cost


async def test_a_rollup_s_data_fee_counts_in_the_greatest_cost(anvil: Anvil) -> None:
    await anvil.ask("anvil_setCode", ORACLE, ALWAYS_THE_FEE)
    plain = await _max_cost(anvil, frozenset())
    assert await _max_cost(anvil, frozenset({TAG})) - plain == FEE * 125 // 100


async def test_a_chain_without_the_oracle_has_no_data_fee(anvil: Anvil) -> None:
    assert await _max_cost(anvil, frozenset({TAG})) == await _max_cost(anvil, frozenset())


def test_the_question_is_the_oracle_s_published_one() -> None:
    assert SELECTOR.hex() == "49948e0e"  # getL1Fee(bytes), as block explorers show it
