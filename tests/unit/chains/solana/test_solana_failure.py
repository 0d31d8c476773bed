"""Why a transaction failed, as people read it."""

from typing import Any

import pytest

from baton.chains.solana import failure


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("InsufficientFundsForFee", "insufficient funds for fee"),
        ({"InstructionError": [2, {"Custom": 6001}]}, "instruction 0 failed: custom program error 0x1771"),
        ({"InstructionError": [3, "InvalidAccountData"]}, "instruction 1 failed: invalid account data"),
        ({"InstructionError": [1, "x"]}, "a compute budget instruction of ours failed: x"),
        ({"InsufficientFundsForRent": {"account_index": 1}}, "account 1 of the transaction would hold too little"),
        ({"DuplicateInstruction": 3}, "instruction 1 stands there twice"),
        (
            {"InstructionError": [2, {"BorshIoError": "Unknown"}]},
            "instruction 0 failed: data that the program cannot read",
        ),
        ({"SomethingNew": 1}, "{'SomethingNew': 1}"),
    ],
)
def test_an_error_is_told_in_words_and_counts_the_client_s_instructions(error: Any, words: str) -> None:
    assert words in failure.reason(error, added=2)


def test_the_last_lines_of_the_log_follow() -> None:
    text = failure.reason("AccountInUse", [f"line {n}" for n in range(20)])
    assert text.endswith("line 17 | line 18 | line 19")
    assert "line 1 " not in text


def test_a_long_log_is_cut() -> None:
    assert len(failure.reason("AccountInUse", ["x" * 5000])) <= failure.LONGEST + 1


def test_only_the_fee_payer_s_want_of_money_is_a_matter_of_funds() -> None:
    assert failure.is_for_fee("AccountNotFound")
    assert failure.is_for_fee({"InsufficientFundsForRent": {"account_index": 0}})
    assert not failure.is_for_fee({"InsufficientFundsForRent": {"account_index": 1}})
    assert not failure.is_for_fee({"InstructionError": [0, {"Custom": 1}]})
    assert failure.short_transfer({"InstructionError": [2, {"Custom": 1}]}) == 2
    assert failure.short_transfer({"InstructionError": [2, {"Custom": 2}]}) is None
    assert failure.is_passing("BlockhashNotFound")
    assert not failure.is_passing("InvalidProgramForExecution")
