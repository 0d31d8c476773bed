"""What proves that a slot went to another transaction, and which receipts are believed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest
from tests.unit.chains.making import an_attempt

from baton.chains.evm.ledger import receipt_of, receipts_of
from baton.chains.evm.node import EvmNode
from baton.chains.evm.proof import Proof
from baton.chains.rpc import Answer, Call, Result, RpcError, RpcPool
from baton.domain.errors import NodeUnavailable
from baton.domain.transaction import Slot

US, OURS, THEIRS = "0x" + "11" * 20, "0x" + "aa" * 32, "0x" + "bb" * 32
ATTEMPT = an_attempt(hash=OURS, slot=Slot("chain", US, 7))
USED_AT, HEIGHT = 90, 100


@dataclass(frozen=True, slots=True)
class OneNode:
    """Knows no receipt of ours; says by `history` what the account's nonce was."""

    history: Callable[[int], Answer]
    user: str

    @property
    def endpoints(self) -> list[int]:
        return [1]

    def alone_for_s(self) -> float:
        return float("inf")

    async def batch(self, calls: Sequence[Call]) -> list[Answer]:
        return [self._answer(call) for call in calls]

    async def witnesses(self, calls: Sequence[Call], _n: int) -> list[tuple[int, list[Answer]]]:
        return [(1, await self.batch(calls))]

    def _answer(self, call: Call) -> Answer:
        params = list(call.params)
        match call.method:
            case "eth_getTransactionCount" if int(params[1], 16) == HEIGHT:
                return Result("0x8")
            case "eth_getTransactionCount":
                return self.history(int(params[1], 16))
            case "eth_getBlockByNumber":
                return Result({"transactions": [{"nonce": "0x7", "hash": self.user, "from": US}]})
            case _:
                return Result(None)


def kept(height: int) -> Answer:
    return Result("0x8" if height >= USED_AT else "0x7")


async def lost(history: Callable[[int], Answer], user: str = THEIRS) -> set[str]:
    node = EvmNode(cast("RpcPool", OneNode(history, user)), has_fee_history=True)
    return await Proof(node).lost([ATTEMPT], HEIGHT)


async def test_a_slot_is_lost_when_another_transaction_is_seen_in_it() -> None:
    assert await lost(kept) == {OURS}


async def test_a_receipt_that_is_merely_late_loses_nothing() -> None:
    """The block shows that it was ours which used the slot, though no node has its receipt yet."""
    assert await lost(kept, user=OURS) == set()


@pytest.mark.parametrize("words", ["missing trie node abc (path )", "required historical state unavailable", "pruned"])
async def test_a_node_that_keeps_no_history_cannot_be_asked_for_the_user(words: str) -> None:
    assert await lost(lambda _: RpcError(-32000, words)) == {OURS}


@pytest.mark.parametrize(
    "error",
    [
        RpcError(429, "Too many requests"),
        RpcError(0, "the node gave no answer to this call"),
        RpcError(-32603, "internal error"),
        RpcError(-32000, "request timed out"),
    ],
)
async def test_a_node_in_trouble_proves_nothing(error: RpcError) -> None:
    """E2: else an index that lags and a busy node together would give our transaction a second slot."""
    with pytest.raises(NodeUnavailable):
        await lost(lambda _: error, user=OURS)


def receipt(**changes: Any) -> dict[str, Any]:
    return {
        "transactionHash": OURS,
        "blockNumber": "0x5",
        "blockHash": "0x" + "cc" * 32,
        "gasUsed": "0x5208",
        "effectiveGasPrice": "0x1",
        "status": "0x1",
        **changes,
    }


@pytest.mark.parametrize(
    ("changes", "has_succeeded"),
    [({}, True), ({"status": "0x0"}, False), ({"status": "0x00"}, False), ({"status": None, "root": "0xab"}, True)],
)
def test_a_status_is_read_as_a_number(changes: dict[str, Any], has_succeeded: bool) -> None:
    assert receipt_of(receipt(**changes)).has_succeeded is has_succeeded


@pytest.mark.parametrize("status", [None, 0, False, "", "failed", {}])
def test_a_receipt_that_does_not_tell_how_it_ended_is_none(status: Any) -> None:
    with pytest.raises(NodeUnavailable):
        receipt_of(receipt(status=status))


def test_a_data_fee_of_null_is_none() -> None:
    assert "l1_fee" not in receipt_of(receipt(l1Fee=None)).outcome
    assert receipt_of(receipt(l1Fee="0x5")).outcome["l1_fee"] == "5"


@pytest.mark.parametrize("answer", [5, True, "text", {"a": 1}, [5], [None]])
def test_what_is_no_list_of_receipts_counts_as_no_node(answer: Any) -> None:
    with pytest.raises(NodeUnavailable):
        receipts_of(answer, ())


def test_a_block_without_receipts_has_none() -> None:
    assert receipts_of(None, ()) == receipts_of([], ()) == []


def test_of_a_whole_block_only_our_own_are_kept() -> None:
    """Strangers' receipts would fill the memory of a lane on a busy chain; one that names no sender may be ours."""
    ours, theirs = receipt(**{"from": US.upper().replace("X", "x")}), receipt(**{"from": "0x" + "99" * 20})
    nobodys = receipt()
    assert receipts_of([ours, theirs, nobodys], {US}) == [receipt_of(ours), receipt_of(nobodys)]
