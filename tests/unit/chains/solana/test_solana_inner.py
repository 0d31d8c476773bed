"""What programs take from the relayer from within, in each form in which nodes show their calls."""

import struct
from typing import Any

import pytest
from solders.pubkey import Pubkey

from baton.chains.solana.inner import Outflow, inner_outflow, inner_programs

US, OTHER = (str(Pubkey(bytes([fill]) * 32)) for fill in (1, 2))
SYSTEM = "1" * 32
TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BATCH = 255  # a token instruction that holds others
EXCESS = 38  # takes lamports that are more than a token account's rent


def base58(data: bytes) -> str:
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def groups(*calls: Any) -> list[Any]:
    return [{"index": 0, "instructions": list(calls)}]


def parsed(program: str, kind: str, **info: Any) -> Any:
    return {"program": program, "programId": SYSTEM, "parsed": {"type": kind, "info": info}, "stackHeight": 2}


def spelled(program: str, data: bytes, *accounts: str) -> Any:
    return {"programId": program, "accounts": list(accounts), "data": base58(data), "stackHeight": 2}


def compiled(program_at: int, data: bytes, *accounts: int) -> Any:
    return {"programIdIndex": program_at, "accounts": list(accounts), "data": base58(data), "stackHeight": 2}


TRANSFER = struct.pack("<IQ", 2, 70)
ASSIGN = struct.pack("<I", 1) + bytes(32)
DEBIT = Outflow(70, is_gift=True)
HANDED_OVER = Outflow(0, is_gift=True, is_boundless=True)
GIFT = Outflow(0, is_gift=True)
NOTHING = Outflow()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (parsed("system", "transfer", source=US, destination=OTHER, lamports=70), DEBIT),
        (parsed("system", "transfer", source=OTHER, destination=US, lamports=70), NOTHING),
        (parsed("system", "createAccount", source=US, newAccount=OTHER, lamports=70, space=1, owner=OTHER), DEBIT),
        (parsed("system", "transfer", source=US, destination=OTHER, lamports="70"), HANDED_OVER),
        (parsed("system", "assign", account=US, owner=OTHER), HANDED_OVER),
        (parsed("system", "assign", account=OTHER, owner=OTHER), NOTHING),
        (parsed("system", "allocate", account=US, space=9), GIFT),
        (parsed("system", "assignWithSeed", account=OTHER, base=US, seed="s", owner=OTHER), GIFT),
        (parsed("system", "transferWithSeed", source=OTHER, sourceBase=US, lamports=1), GIFT),
        (parsed("system", "withdrawFromNonce", nonceAccount=OTHER, nonceAuthority=US, lamports=1), GIFT),
        (parsed("system", "authorizeNonce", nonceAccount=OTHER, nonceAuthority=US), GIFT),
        (parsed("spl-token", "transfer", source=OTHER, destination=OTHER, authority=US, amount="1"), GIFT),
        (parsed("spl-token", "transfer", source=OTHER, multisigAuthority=OTHER, signers=[OTHER, US]), GIFT),
        (parsed("spl-token", "closeAccount", account=OTHER, destination=US, owner=OTHER), NOTHING),
        (parsed("spl-token", "initializeAccount3", account=OTHER, owner=US), NOTHING),
        (parsed("spl-token-2022", "withdrawExcessLamports", source=OTHER, destination=OTHER, authority=US), GIFT),
        (parsed("spl-token-2022", "somethingNew", anything=US), GIFT),
        (spelled(SYSTEM, TRANSFER, US, OTHER), DEBIT),
        (spelled(SYSTEM, ASSIGN, US), HANDED_OVER),
        (spelled(TOKEN, bytes([BATCH, 3, 9]), OTHER, OTHER, US), GIFT),
        (spelled(TOKEN, bytes([EXCESS]), OTHER, OTHER, US), GIFT),
        (spelled(OTHER, TRANSFER, US, OTHER), NOTHING),
        (compiled(2, TRANSFER, 0, 1), DEBIT),
        (compiled(2, ASSIGN, 0), HANDED_OVER),
        (compiled(1, TRANSFER, 0, 1), NOTHING),
        ("rubbish", NOTHING),
        ({"parsed": "rubbish"}, NOTHING),
    ],
)
def test_an_inner_call_takes(call: Any, expected: Outflow) -> None:
    assert inner_outflow(groups(call), [US, OTHER, SYSTEM], US) == expected


def test_a_program_behind_a_lookup_table_hides_nothing() -> None:
    """Its index is beyond the keys that a message spells out: it may be the System Program."""
    assert inner_outflow(groups(compiled(7, TRANSFER, 0, 1)), [US, OTHER], US) == DEBIT
    assert inner_outflow(groups(compiled(7, ASSIGN, 0)), [US, OTHER], US) == HANDED_OVER


def test_everything_adds_up() -> None:
    calls = groups(spelled(SYSTEM, TRANSFER, US, OTHER), spelled(SYSTEM, ASSIGN, US)) + groups(compiled(2, TRANSFER, 0))
    assert inner_outflow(calls, [US, OTHER, SYSTEM], US) == Outflow(140, is_gift=True, is_boundless=True)


def test_programs_that_are_called_from_within_are_named() -> None:
    calls = groups(
        parsed("system", "transfer"), spelled(TOKEN, b"x", US), compiled(1, b"x"), compiled(9, b"x"), "rubbish"
    )
    assert inner_programs(calls, [US, OTHER]) == {SYSTEM, TOKEN, OTHER}
