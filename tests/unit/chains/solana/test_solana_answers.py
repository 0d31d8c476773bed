"""What nodes say to a send, and what it means. Texts as Agave, Surfpool and gateways print them."""

from typing import Any

import pytest

from baton.chains.base import Accepted, AlreadyKnown, Busy, NoFunds, Rejected, Unknown
from baton.chains.rpc import RpcError
from baton.chains.solana import answers


@pytest.mark.parametrize(
    ("code", "message", "data", "meaning"),
    [
        (-32002, "Transaction simulation failed: This transaction has already been processed", None, AlreadyKnown),
        (-32002, "Transaction simulation failed", {"err": "AlreadyProcessed"}, AlreadyKnown),
        (-32002, "Transaction simulation failed: Blockhash not found", {"err": "BlockhashNotFound"}, Busy),
        (-32005, "Node is behind by 153 slots", {"numSlotsBehind": 153}, Busy),
        (-32005, "Node is unhealthy", None, Busy),
        (-32016, "Minimum context slot has not been reached", {"contextSlot": 1}, Busy),
        (429, "Too many requests for a specific RPC call", None, Busy),
        (-32003, "Transaction signature verification failure", None, Rejected),
        (-32003, "daily request limit reached - upgrade your account", None, Busy),
        (-32003, "your project is suspended", None, Unknown),
        (-32602, "failed to deserialize solana_transaction::versioned::VersionedTransaction: io error", None, Rejected),
        (
            -32602,
            "base64 encoded solana_transaction::versioned::VersionedTransaction too large: 1700 bytes",
            None,
            Rejected,
        ),
        (-32602, "invalid transaction: Transaction failed to sanitize accounts offsets correctly", None, Rejected),
        (-32002, "Attempt to debit an account but found no record of a prior credit.", None, NoFunds),
        (-32002, "Transaction simulation failed", {"err": {"InsufficientFundsForRent": {"account_index": 0}}}, NoFunds),
        (-32603, "Internal error", None, Unknown),
        (-32000, "the weather is bad", None, Unknown),
    ],
)
def test_an_error_means(code: int, message: str, data: Any, meaning: type) -> None:
    assert type(answers.understand(RpcError(code, message, data))) is meaning


def test_a_blockhash_that_a_node_does_not_know_never_ends_anything() -> None:
    assert not isinstance(answers.understand(RpcError(-32002, "Blockhash not found")), Rejected)


def test_the_signature_is_an_acceptance_and_another_one_is_not() -> None:
    assert answers.accepted("abc", "abc") == Accepted()
    assert isinstance(answers.accepted("xyz", "abc"), Unknown)
    assert isinstance(answers.accepted(None, "abc"), Unknown)
