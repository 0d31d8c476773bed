"""Ways to empty a fee payer that no lamports in an instruction give away."""

from collections.abc import Callable
from typing import Any

import pytest
from solders import system_program as system
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from baton.chains.base import Draft
from baton.chains.octets import base64_text
from baton.domain.errors import Invalid

Parse = Callable[..., Draft]
RELAYER = Keypair.from_seed(bytes([1]) * 32).pubkey()
OTHER, THIRD = (Pubkey.from_bytes(bytes([fill]) * 32) for fill in (9, 10))
TOKEN_2022 = Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
ASSIGN = system.assign(system.AssignParams(pubkey=RELAYER, owner=OTHER))


def body(call: Instruction) -> dict[str, Any]:
    accounts = [{"pubkey": str(a.pubkey), "is_signer": a.is_signer, "is_writable": True} for a in call.accounts]
    data = base64_text(bytes(call.data))
    return {"instructions": [{"program_id": str(call.program_id), "accounts": accounts, "data": data}]}


def token(data: bytes, *accounts: Pubkey) -> Instruction:
    return Instruction(TOKEN_2022, data, [AccountMeta(one, one == RELAYER, True) for one in accounts])


@pytest.mark.parametrize("limits", [{"max_lamports": 10**18}, {"spend_limit_24h": 10**18}])
def test_a_limited_account_is_not_given_to_another_owner(parse: Parse, limits: dict[str, int]) -> None:
    """Its new owner could take everything, and no instruction would say how much."""
    assert parse(body(ASSIGN))
    with pytest.raises(Invalid, match="another owner"):
        parse(body(ASSIGN), **limits)


def test_the_accounts_of_others_may_change_hands(parse: Parse) -> None:
    theirs = Instruction(Pubkey.default(), bytes(ASSIGN.data), [AccountMeta(OTHER, False, True)])
    assert parse(body(theirs), max_lamports=0)


@pytest.mark.parametrize(
    "call",
    [
        token(bytes([26, 1]) + bytes(16), OTHER, THIRD, OTHER, RELAYER),  # transfer with a fee
        token(bytes([26, 2]), OTHER, THIRD, RELAYER),  # withheld fees
        token(bytes([38]), OTHER, THIRD, RELAYER),  # lamports beyond the rent
        token(bytes([45, 0]), OTHER, THIRD, RELAYER),  # wrapped lamports
        token(bytes([255, 3, 9, 3]) + bytes(8), OTHER, THIRD, RELAYER),  # a batch
        token(bytes([200]), RELAYER),  # nobody knows
    ],
)
def test_a_token_call_that_is_not_known_to_be_harmless_counts_as_a_gift(parse: Parse, call: Instruction) -> None:
    assert parse(body(call))
    with pytest.raises(Invalid, match="own account"):
        parse(body(call), allow_fee_payer_transfers=False)


@pytest.mark.parametrize("tag", [1, 5, 7, 11, 14, 18, 22])
def test_harmless_token_calls_stay_allowed(parse: Parse, tag: int) -> None:
    call = token(bytes([tag]) + bytes(9), OTHER, THIRD, RELAYER)
    assert parse(body(call), allow_fee_payer_transfers=False)


def test_a_token_call_that_does_not_name_the_relayer_is_none_of_its_business(parse: Parse) -> None:
    assert parse(body(token(bytes([200]), OTHER, THIRD)), allow_fee_payer_transfers=False)
