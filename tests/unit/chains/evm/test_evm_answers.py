"""The words of each node software, as it prints them, and what they mean to a lane."""

from typing import Any

import pytest

from baton.chains.base import Accepted, AlreadyKnown, Busy, NoFunds, Rejected, SlotTaken, Underpriced, Unknown
from baton.chains.evm import answers

HASH = "0x" + "ab" * 32

SAID: list[tuple[type, str, int, str]] = [
    (AlreadyKnown, "geth", -32000, "already known"),
    (AlreadyKnown, "nethermind", -32010, "AlreadyKnown"),
    (AlreadyKnown, "besu", -32000, "Known transaction"),
    (AlreadyKnown, "hardhat", -32000, "Known transaction: 0xabcd"),
    (AlreadyKnown, "anvil", -32003, "transaction already imported"),
    (AlreadyKnown, "erigon", -32000, "existing txn with same hash"),
    (SlotTaken, "geth", -32000, "nonce too low: next nonce 5, tx nonce 4"),
    (SlotTaken, "anvil", -32003, "nonce too low"),
    (SlotTaken, "besu", -32001, "Nonce too low"),
    (SlotTaken, "hardhat", -32000, "Nonce too low. Expected nonce to be 1 but got 0."),
    (SlotTaken, "nethermind", -32010, "OldNonce, Current nonce: 5, nonce of rejected tx: 4"),
    (SlotTaken, "avalanche", -32000, "nonce too low: address 0x00 current nonce (5) > tx nonce (4)"),
    (SlotTaken, "cosmos", -32000, "invalid nonce; got 4, expected 5: invalid sequence"),
    (Underpriced, "geth", -32000, "replacement transaction underpriced: new tx gas fee cap 1 <= 2 queued"),
    (Underpriced, "geth", -32000, "transaction underpriced: gas tip cap 1, minimum needed 1000000"),
    (Underpriced, "anvil", -32003, "replacement transaction underpriced"),
    (Underpriced, "anvil", -32003, "max fee per gas less than block base fee"),
    (Underpriced, "reth", -32003, "max fee per gas less than block base fee"),
    (Underpriced, "erigon", -32000, "INTERNAL_ERROR: could not replace existing tx"),
    (Underpriced, "erigon", -32000, "fee too low"),
    (Underpriced, "nethermind", -32010, "FeeTooLowToCompete"),
    (Underpriced, "nethermind", -32010, "ReplacementNotAllowed"),
    (Underpriced, "besu", -32009, "Gas price below configured minimum gas price"),
    (Underpriced, "besu", -32009, "Gas price below current base fee"),
    (
        Underpriced,
        "hardhat",
        -32000,
        "Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 875000000",
    ),
    (
        Underpriced,
        "hardhat",
        -32000,
        "Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 2 is necessary to replace the one",
    ),
    (NoFunds, "geth", -32000, "insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1"),
    (NoFunds, "anvil", -32003, "Insufficient funds for gas * price + value"),
    (NoFunds, "besu", -32004, "Upfront cost exceeds account balance"),
    (NoFunds, "nethermind", -32010, "InsufficientFunds, Account balance: 0, cumulative cost: 1"),
    (
        NoFunds,
        "hardhat",
        -32000,
        "Sender doesn't have enough funds to send tx. The max upfront cost is: 2 and the sender's balance is: 1.",
    ),
    (Busy, "geth", -32000, "gas limit reached"),
    (Busy, "geth", -32000, "txpool is full"),
    (Busy, "geth", -32000, "account limit exceeded: pooled 16 txs"),
    (Busy, "geth", -32000, "future transaction tries to replace pending"),
    (Busy, "geth", -32000, "in-flight transaction limit reached for delegated accounts"),
    (Busy, "erigon", -32000, "pending sub-pool is full"),
    (Busy, "besu", -32000, "Transaction nonce is too distant from current sender nonce"),
    (Busy, "besu", -32006, "Nonce too high"),
    (Busy, "besu", -32008, "Initial sync is still in progress"),
    (Busy, "besu", -32005, "Number of requests exceeds max batch size"),
    (Busy, "hardhat", -32000, "Nonce too high. Expected nonce to be 0 but got 5."),
    (Busy, "nethermind", -32010, "NonceGap, Future nonce. Expected nonce: 1"),
    (Busy, "cosmos", -32000, "invalid nonce; got 6, expected 5: invalid sequence"),
    (Busy, "hosted", -32005, "daily request count exceeded, request rate limited"),
    (Busy, "hosted", 429, "Your app has exceeded its compute units per second capacity."),
    (Busy, "hosted", -32005, ""),
    (Rejected, "geth", -32000, "invalid sender"),
    (Rejected, "geth", -32000, "invalid chain id for signer: have 1 want 2"),
    (Rejected, "geth", -32000, "intrinsic gas too low: gas 1, minimum needed 21000"),
    (Rejected, "geth", -32000, "insufficient gas for floor data gas cost: gas 1, minimum needed 21010"),
    (Rejected, "geth", -32000, "exceeds block gas limit"),
    (Rejected, "geth", -32000, "transaction gas limit too high (cap: 16777216, tx: 20000000)"),
    (Rejected, "geth", -32000, "oversized data: transaction size 131073, limit 131072"),
    (Rejected, "geth", -32000, "max initcode size exceeded: code size 49153, limit 49152"),
    (Rejected, "geth", -32000, "transaction type not supported"),
    (Rejected, "geth", -32000, "tx fee (1.50 ether) exceeds the configured cap (1.00 ether)"),
    (Rejected, "geth", -32000, "max priority fee per gas higher than max fee per gas"),
    (Rejected, "geth", -32000, "authority nonce too low"),
    (Rejected, "geth", -32000, "set code tx must have at least one authorization tuple: empty auth list"),
    (Rejected, "anvil", -32003, "invalid chain id for signer"),
    (Rejected, "anvil", -32000, "intrinsic gas too low"),
    (Rejected, "anvil", -32000, "intrinsic gas too high -- tx.gas_limit > env.block.gas_limit"),
    (Rejected, "anvil", -32602, "Failed to decode signed transaction"),
    (Rejected, "besu", -32005, "Transaction gas limit exceeds block gas limit"),
    (Rejected, "besu", -32003, "Intrinsic gas exceeds gas limit"),
    (Rejected, "besu", -32000, "Wrong chainId"),
    (Rejected, "besu", -32602, "Invalid transaction type"),
    (Rejected, "besu", -32007, "Sender account not authorized to send transactions"),
    (Rejected, "nethermind", -32010, "GasLimitExceeded, Gas limit: 1, gas limit of rejected tx: 2"),
    (Rejected, "erigon", -32000, "fork supporting this transaction type is not activated yet"),
    (Rejected, "erigon", -32000, "RLPTooLong"),
    (Rejected, "hardhat", -32000, "Transaction requires at least 21000 gas but got 20000"),
    (Rejected, "hardhat", -32000, "Transaction gas limit is 60000000 and exceeds block gas limit of 30000000"),
    (
        Rejected,
        "hardhat",
        -32000,
        "Trying to send a raw transaction with an invalid chainId. The expected chainId is 31337",
    ),
]


@pytest.mark.parametrize(("meaning", "node", "code", "text"), SAID)
def test_each_node_is_understood(meaning: type, node: str, code: int, text: str) -> None:
    assert answers.understand({"code": code, "message": text}) == meaning(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "internal error",
        "Unauthorized: project id is required",
        "permission denied for this API key",
        "method eth_sendRawTransaction is blocked",
        "request entity too large",
        "Content type text/plain not supported",
        "response size exceeds the maximum",
        "failed to decode the upstream response",
        "context deadline exceeded",
        "upstream timed out",
        "token signature is invalid",
        "something new",
    ],
)
def test_what_a_gateway_says_never_ends_a_transaction(text: str) -> None:
    assert isinstance(answers.understand({"code": -32000, "message": text}), Unknown | Busy)


def test_an_unknown_transaction_type_is_not_a_known_transaction() -> None:
    assert not isinstance(answers.understand({"code": -32602, "message": "unknown transaction type"}), AlreadyKnown)


@pytest.mark.parametrize("error", [None, "nonsense", 5, [], {}, {"message": 5, "code": "x"}, {"data": {"message": 1}}])
def test_an_error_of_any_shape_is_at_least_unknown(error: Any) -> None:
    assert isinstance(answers.understand(error), Unknown)


def test_the_words_of_the_node_behind_a_gateway_are_found() -> None:
    wrapped = {"code": -32603, "message": "Internal error", "data": {"message": "nonce too low", "code": -32000}}
    assert isinstance(answers.understand(wrapped), SlotTaken)
    plain = {"code": -32603, "message": "Internal error", "data": "txpool is full"}
    assert isinstance(answers.understand(plain), Busy)


def test_a_long_text_is_clipped() -> None:
    assert len(answers.understand({"message": "x" * 10_000}).why) == answers.LONGEST


def test_acceptance_is_the_hash_that_we_expect() -> None:
    assert answers.accepted(HASH, HASH) == Accepted()
    assert answers.accepted("0x" + HASH[2:].upper(), HASH) == Accepted()
    others: list[Any] = [None, "", "0x" + "00" * 32, 5, {}]
    for other in others:
        assert isinstance(answers.accepted(other, HASH), Unknown)
