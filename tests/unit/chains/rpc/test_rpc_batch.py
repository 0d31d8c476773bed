"""A node's answer is read without trust: whatever the bytes, there is one answer a call or a stated reason why not."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.chains.rpc import Call, Result, RpcError, value_of
from baton.chains.rpc.batch import Answers, Broken, Limited, Reading, Refusal, Reply, Trouble, encode, read
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json

IDS = [7, 8, 9]


def from_node(content: Json, ids: list[int] | None = None, status: int = 200) -> Reading:
    body = content if isinstance(content, bytes) else msgspec.json.encode(content)
    return read(Reply(status, body), IDS if ids is None else ids)


def good(number: Json, value: Json = "0x1") -> dict[str, Json]:
    return {"jsonrpc": "2.0", "id": number, "result": value}


def bad(number: Json, code: Json, message: Json, data: Json = None) -> dict[str, Json]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message, "data": data}}


def items(reading: Reading) -> list[Result | RpcError]:
    assert isinstance(reading, Answers), reading
    return reading.items


def test_answers_in_any_order_are_matched_by_id() -> None:
    found = items(from_node([good(9, "c"), good(7, "a"), good(8, "b")]))
    assert found == [Result("a"), Result("b"), Result("c")]


def test_a_number_sent_back_as_text_is_still_the_number() -> None:
    assert items(from_node([good("7"), good("8"), good("9")])) == [Result("0x1")] * 3


def test_an_integer_beyond_64_bits_stays_exact() -> None:
    body = b'{"jsonrpc":"2.0","id":7,"result":340282366920938463463374607431768211455}'
    assert items(from_node(body, [7])) == [Result(2**128 - 1)]


def test_a_null_result_is_a_result() -> None:
    assert items(from_node(good(7, None), [7])) == [Result(None)]


def test_a_call_that_was_left_out_is_unanswered_and_the_others_are_not() -> None:
    first, second, third = items(from_node([good(7), good(9)]))
    assert (first, third) == (Result("0x1"), Result("0x1"))
    assert isinstance(second, RpcError)
    assert second.is_unanswered


def test_two_different_answers_to_one_call_are_none() -> None:
    first, second, _ = items(from_node([good(7, "a"), good(7, "b"), good(8), good(9)]))
    assert isinstance(first, RpcError)
    assert first.is_unanswered
    assert second == Result("0x1")


def test_the_same_answer_twice_is_one() -> None:
    assert items(from_node([good(7), good(7), good(8), good(9)])) == [Result("0x1")] * 3


def test_answers_to_other_requests_are_no_answers() -> None:
    assert isinstance(from_node([good(1), good(2), good(3)]), Broken)


def test_an_error_without_id_belongs_to_a_lone_call_but_a_result_does_not() -> None:
    assert items(from_node(bad(None, -32000, "nonce too low"), [7])) == [RpcError(-32000, "nonce too low")]
    assert isinstance(from_node(good(None), [7]), Broken)


def test_an_item_with_neither_result_nor_error_is_unanswered() -> None:
    first, second, third = items(from_node([{"id": 7}, "junk", good(8), None, good(9), {"id": True, "result": 1}]))
    assert isinstance(first, RpcError)
    assert (second, third) == (Result("0x1"), Result("0x1"))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"code": -32000, "message": "x", "data": "0x08c3"}, RpcError(-32000, "x", "0x08c3")),
        ({"code": "-32000", "message": "x"}, RpcError(-32000, "x")),
        ({"code": True, "message": "x"}, RpcError(-32603, "x")),
        ({"code": 0, "message": "x"}, RpcError(-32603, "x")),
        ({"message": None}, RpcError(-32603, "")),
        ({"code": 1.5, "message": ["x"]}, RpcError(-32603, "['x']")),
        ("out of order", RpcError(-32603, "out of order")),
    ],
)
def test_an_error_of_any_shape_is_an_error_of_ours(raw: Json, expected: RpcError) -> None:
    assert items(from_node({"id": 7, "error": raw}, [7])) == [expected]


def test_an_error_that_is_null_beside_a_result_is_no_error() -> None:
    assert items(from_node({"id": 7, "result": 5, "error": None}, [7])) == [Result(5)]


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>502 Bad Gateway</html>", b'[{"id":7,"resu', b'"\xff\xfe"', b"[" * 5_000, b"null", b"5", b"[]", b"{}"],
)
def test_what_is_not_json_rpc_is_broken(body: bytes) -> None:
    found = from_node(body)
    assert isinstance(found, Broken)
    assert found.trouble is Trouble.UNREADABLE


@pytest.mark.parametrize(
    ("content", "limit"),
    [
        (bad(None, -32600, "batch requests are not supported"), 1),
        (bad(None, -32000, "Batch size too large, maximum allowed: 10"), 10),
        (bad(None, -32005, "Number of requests in batch exceeds limit"), 25),
        (bad(None, -32700, "invalid type: sequence, expected struct"), 25),
        (bad(None, -32601, "the method undefined does not exist"), 25),
        ([bad(0, -32600, "batch too large")], 25),  # geth answers the first call only
        ([good(0), bad(1, -32003, "response too large")], 25),
    ],
)
def test_a_refused_batch_says_how_many_calls_to_send_instead(content: Json, limit: int) -> None:
    found = from_node(content, list(range(100)))
    assert isinstance(found, Refusal)
    assert found.limit == limit


@pytest.mark.parametrize("status", [400, 413])
def test_a_batch_refused_by_status_is_refused(status: int) -> None:
    found = from_node(b"<html>no</html>", IDS, status)
    assert isinstance(found, Refusal)
    assert found.limit == 1


def test_a_lone_call_refused_by_status_is_an_outage() -> None:
    found = from_node(b"no", [7], 400)
    assert isinstance(found, Broken)
    assert found.trouble is Trouble.STATUS


def test_answers_under_status_400_are_taken() -> None:
    assert items(from_node(bad(7, -32602, "bad params"), [7], 400)) == [RpcError(-32602, "bad params")]


@pytest.mark.parametrize("status", [301, 401, 403, 404, 500, 502, 503])
def test_answers_under_any_other_status_are_not(status: int) -> None:
    assert isinstance(from_node([good(7), good(8), good(9)], IDS, status), Broken)


def test_one_rate_limit_error_for_a_batch_asks_us_to_wait_as_long_as_it_says() -> None:
    data = {"rate": {"backoff_seconds": 12}}
    assert from_node(bad(None, -32005, "daily request count exceeded", data)) == Limited(
        "-32005 daily request count exceeded", 12.0
    )


def test_another_single_error_for_a_batch_is_an_outage_and_not_a_refusal() -> None:
    assert isinstance(from_node(bad(None, -32603, "internal error")), Broken)


@pytest.mark.parametrize(
    "message",
    [
        "execution reverted: batch too large",
        "execution reverted: rate limit exceeded",
        "VM Exception: response too large",
    ],
)
def test_a_contract_cannot_talk_us_into_smaller_batches(message: str) -> None:
    found = items(from_node([bad(7, -32600, message), good(8), good(9)]))
    assert found[0] == RpcError(-32600, message)


def test_a_lone_call_goes_without_brackets_and_named_parameters_as_an_object() -> None:
    assert msgspec.json.decode(encode([Call("getLedgers", {"limit": 5})], [1])) == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "getLedgers",
        "params": {"limit": 5},
    }
    assert len(msgspec.json.decode(encode([Call("a"), Call("b", ("x",))], [1, 2]))) == 2


def test_the_value_of_an_error_is_an_outage() -> None:
    assert value_of(Result(5)) == 5
    with pytest.raises(NodeUnavailable, match="eth_chainId: the node answered -32000 busy"):
        value_of(RpcError(-32000, "busy"), "eth_chainId")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=8) | st.sampled_from(IDS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "result", "error", "code", "message", "data", "rate", "jsonrpc"]), inner, max_size=5
        )
    ),
    max_leaves=12,
)


@settings(max_examples=100)
@given(content=json_values, size=st.integers(1, 3), status=st.sampled_from([200, 400, 429, 500]))
def test_no_content_escapes_the_closed_readings(content: Any, size: int, status: int) -> None:
    body = json.dumps(content).encode()
    found = read(Reply(status, body), IDS[:size])
    assert isinstance(found, Answers | Refusal | Limited | Broken)
    if isinstance(found, Answers):
        assert len(found.items) == size
    if isinstance(found, Refusal):
        assert 1 <= found.limit < size
