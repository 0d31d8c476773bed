"""What an EVM node's answers come to when there are several nodes, and what is remembered of a method that is missing."""

from typing import cast

import pytest
from tests.unit.chains.scripted import Script, ScriptedPool, always, answers_to_a_broadcast

from baton.chains.evm.keys import keccak
from baton.chains.evm.node import WITHOUT_S, EvmNode
from baton.chains.rpc import Answer, Result, RpcError, RpcPool
from baton.domain.errors import NodeUnavailable

RAW = b"\x02bytes"
ACCEPTED = Result("0x" + keccak(RAW).hex())
REJECTED = RpcError(-32000, "intrinsic gas too low")


def node_of(*scripts: Script) -> tuple[EvmNode, ScriptedPool]:
    pool = ScriptedPool(scripts)
    return EvmNode(cast("RpcPool", pool), has_fee_history=True), pool


@pytest.mark.parametrize(("answers", "expected"), answers_to_a_broadcast(ACCEPTED, REJECTED, Result("0x00")))
async def test_bytes_are_refused_for_good_only_when_every_node_says_so(
    answers: list[Answer | None], expected: type
) -> None:
    node, _ = node_of(*[always(answer) for answer in answers])
    assert [type(one) for one in await node.broadcast([RAW])] == [expected]


async def test_a_missing_method_is_remembered_for_a_while_and_then_asked_for_again() -> None:
    node, pool = node_of(always(RpcError(-32601, "the method eth_getBlockReceipts does not exist")))
    assert await node.block_receipts([1], ()) is None
    assert await node.block_receipts([2], ()) is None
    assert pool.asked == 1
    pool.clock.advance(WITHOUT_S)
    await node.block_receipts([3], ())
    assert pool.asked == 2


async def test_a_request_that_a_node_does_not_like_is_no_missing_method() -> None:
    node, pool = node_of(always(RpcError(-32600, "invalid request")))
    for _ in range(2):
        with pytest.raises(NodeUnavailable):
            await node.block_receipts([1], ())
    assert pool.asked == 2


def chain(genesis: str) -> Script:
    block = {"number": "0x0", "hash": genesis, "parentHash": "0x00", "gasLimit": "0x1"}
    return lambda call: Result("0x1" if call.method == "eth_chainId" else block)


async def test_most_nodes_tell_which_chain_it_is() -> None:
    node, _ = node_of(chain("0xaa"), chain("0xbb"), chain("0xaa"))
    assert await node.identity() == "1:0xaa"


async def test_nodes_of_different_chains_are_no_chain() -> None:
    node, _ = node_of(chain("0xaa"), chain("0xbb"))
    with pytest.raises(NodeUnavailable, match="different chains"):
        await node.identity()


async def test_a_silent_node_does_not_keep_the_chain_unknown() -> None:
    node, _ = node_of(always(None), chain("0xbb"))
    assert await node.identity() == "1:0xbb"


async def test_another_transactions_receipt_is_no_answer() -> None:
    receipt = {"transactionHash": "0xbb", "blockNumber": "0x1", "blockHash": "0x01", "gasUsed": "0x1", "status": "0x1"}
    node, _ = node_of(always(Result(receipt)))
    with pytest.raises(NodeUnavailable):
        await node.receipts(["0xaa"])
