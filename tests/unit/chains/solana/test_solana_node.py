"""What several Solana nodes' answers come to, and which answers are no answers."""

import base64
from typing import Any, cast

import pytest
from solders.keypair import Keypair
from tests.unit.chains.scripted import ScriptedPool, always, answers_to_a_broadcast

from baton.chains.octets import base64_text
from baton.chains.rpc import Answer, Call, Result, RpcError, RpcPool
from baton.chains.solana.message import joined
from baton.chains.solana.node import SolanaNode, signature_of
from baton.chains.solana.plan import Instructed
from baton.chains.solana.tables import Shelf, read_tables
from baton.chains.solana.trial import Passed, Refusal, Trial
from baton.domain.errors import NodeUnavailable
from baton.domain.policy import SolanaPolicy

RAW = joined([bytes(Keypair.from_seed(bytes([1]) * 32).sign_message(b"x"))], b"x")
ACCEPTED = Result(signature_of(RAW))
REJECTED = RpcError(-32003, "Transaction signature verification failure")
TABLE = "11111111111111111111111111111112"


def node_of(*answers: Answer | None) -> SolanaNode:
    return SolanaNode(cast("RpcPool", ScriptedPool([always(answer) for answer in answers])))


@pytest.mark.parametrize(("answers", "expected"), answers_to_a_broadcast(ACCEPTED, REJECTED, Result("another")))
async def test_bytes_are_refused_for_good_only_when_every_node_says_so(
    answers: list[Answer | None], expected: type
) -> None:
    assert [type(one) for one in await node_of(*answers).broadcast([RAW])] == [expected]


def accounts(*shown: Any) -> Answer:
    return Result({"context": {"slot": 1}, "value": list(shown)})


NO_TABLE = accounts(None)
A_TABLE = accounts({"data": [base64_text(b"\1" + bytes(55)), "base64"], "lamports": 1})


@pytest.mark.parametrize(
    ("answers", "is_there", "is_absent"),
    [
        ([NO_TABLE], False, True),
        ([NO_TABLE, NO_TABLE], False, True),
        ([NO_TABLE, A_TABLE], True, False),
        ([NO_TABLE, None], False, False),
        ([NO_TABLE, Result("rubbish")], False, False),
    ],
)
async def test_a_lookup_table_is_absent_only_by_the_word_of_two(
    answers: list[Answer | None], is_there: bool, is_absent: bool
) -> None:
    shelf = await read_tables(node_of(*answers), [TABLE])
    assert (TABLE in shelf.tables, TABLE in shelf.absent) == (is_there, is_absent)


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        "text",
        [],
        {"context": {"slot": 1}},
        {"context": {"slot": 1}, "value": {"logs": 5}},
        {"context": {"slot": 1}, "value": {"unitsConsumed": -(10**9)}},
        {"context": {"slot": 1}, "value": {"innerInstructions": {}}},
    ],
)
async def test_what_is_no_simulation_counts_as_no_node(value: Any) -> None:
    with pytest.raises(NodeUnavailable):
        await node_of(Result(value)).try_out([RAW])
    with pytest.raises(NodeUnavailable):
        await node_of(Result(value), Result(value)).opinions([RAW])


async def test_a_node_without_time_for_a_simulation_is_no_verdict() -> None:
    with pytest.raises(NodeUnavailable):
        await node_of(RpcError(429, "Too many requests")).try_out([RAW])


async def test_what_a_node_cannot_try_out_waits_alone_and_holds_up_nobody() -> None:
    """One that makes a node stumble every time must not keep the others from being signed."""
    payer = str(Keypair.from_seed(bytes([1]) * 32).pubkey())
    memo = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
    poison, sound = (
        Instructed([{"program_id": memo, "accounts": [], "data": base64_text(text)}], payer, (), None)
        for text in (b"poison", b"sound")
    )

    def answer(call: Call) -> Answer:
        if b"poison" in base64.b64decode(call.params[0]):  # type: ignore[index]  # a list here
            return RpcError(-32603, "internal error")
        value: Any = {"err": None, "logs": [], "unitsConsumed": 5, "innerInstructions": []}
        return Result({"context": {"slot": 1}, "value": value})

    node = SolanaNode(cast("RpcPool", ScriptedPool([answer])))
    first, second = await Trial(node, SolanaPolicy(), payer).of([poison, sound], Shelf({}, frozenset()))
    assert isinstance(first, Refusal)
    assert not first.is_verdict
    assert second == Passed(5, 0, is_gift=False)
