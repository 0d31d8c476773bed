"""What a policy says about one Solana transaction, whichever way it is spelled."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from solders import system_program as system
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from baton.chains.base import Draft
from baton.chains.octets import base64_text
from baton.domain.errors import Invalid

Parse = Callable[..., Draft]
RELAYER = Keypair.from_seed(bytes([1]) * 32).pubkey()
OTHER = Pubkey.from_bytes(bytes([9]) * 32)
THIRD = Pubkey.from_bytes(bytes([10]) * 32)
SYSTEM = "1" * 32
TOKEN = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")


def as_instructions(*calls: Instruction) -> dict[str, Any]:
    specs = [
        {
            "program_id": str(call.program_id),
            "accounts": [
                {"pubkey": str(a.pubkey), "is_signer": a.pubkey == RELAYER, "is_writable": a.is_writable}
                for a in call.accounts
            ],
            "data": base64_text(bytes(call.data)),
        }
        for call in calls
    ]
    return {"instructions": specs}


def as_transaction(*calls: Instruction) -> dict[str, Any]:
    bare = [
        Instruction(c.program_id, bytes(c.data), [AccountMeta(a.pubkey, a.pubkey == RELAYER, True) for a in c.accounts])
        for c in calls
    ]
    message = MessageV0.try_compile(RELAYER, bare, [], Hash.default())
    raw = bytes(VersionedTransaction.populate(message, [Signature.default()]))
    return {"transaction": base64.b64encode(raw).decode()}


SPELLINGS = pytest.mark.parametrize("spell", [as_instructions, as_transaction])
Spell = Callable[..., dict[str, Any]]


def pay(lamports: int, to: Pubkey = OTHER, source: Pubkey = RELAYER) -> Instruction:
    return system.transfer(system.TransferParams(from_pubkey=source, to_pubkey=to, lamports=lamports))


def token(tag: int, *accounts: Pubkey) -> Instruction:
    return Instruction(TOKEN, bytes([tag]) + bytes(8), [AccountMeta(a, a == RELAYER, True) for a in accounts])


def refused(parse: Parse, body: Any, **policy: Any) -> Invalid:
    with pytest.raises(Invalid) as caught:
        parse(body, **policy)
    return caught.value


@SPELLINGS
@pytest.mark.parametrize(
    ("policy", "path"),
    [
        ({"allowed_programs": (str(OTHER),)}, "instructions[0].program_id"),
        ({"allowed_programs": ()}, "instructions[0].program_id"),
        ({"denied_programs": (SYSTEM,)}, "instructions[0].program_id"),
        ({"allowed_accounts": (str(THIRD),)}, "instructions[0].accounts[1]"),
        ({"denied_accounts": (str(OTHER),)}, ""),
        ({"denied_accounts": (SYSTEM,)}, ""),
        ({"max_instructions": 1}, ""),
        ({"max_signatures": 0}, ""),
        ({"max_tx_data_size": 100}, ""),
        ({"max_lamports": 11}, ""),
        ({"allow_fee_payer_transfers": False}, "instructions[0]"),
    ],
)
def test_a_broken_rule_is_named(parse: Parse, spell: Spell, policy: dict[str, Any], path: str) -> None:
    body = spell(pay(5), pay(7))
    assert parse(body)
    error = refused(parse, body, **policy)
    assert error.field.endswith(path) if path else error.field in body
    assert "policy" in str(error)


@SPELLINGS
def test_a_kept_policy_is_silent(parse: Parse, spell: Spell) -> None:
    policy = {
        "allowed_programs": (SYSTEM,),
        "denied_programs": (str(TOKEN),),
        "allowed_accounts": (str(OTHER),),
        "max_instructions": 2,
        "max_signatures": 1,
        "max_lamports": 12,
    }
    assert parse(spell(pay(5), pay(7)), **policy)


def create(lamports: int) -> Instruction:
    given = system.CreateAccountParams(
        from_pubkey=RELAYER, to_pubkey=OTHER, lamports=lamports, space=0, owner=Pubkey.default()
    )
    return system.create_account(given)


def create_with_seed(lamports: int) -> Instruction:
    given = system.CreateAccountWithSeedParams(
        from_pubkey=RELAYER, to_pubkey=OTHER, base=RELAYER, seed="a seed", lamports=lamports, space=0, owner=THIRD
    )
    return system.create_account_with_seed(given)


@pytest.mark.parametrize("make", [pay, create, create_with_seed])
def test_every_way_out_counts_towards_the_lamports(parse: Parse, make: Callable[[int], Instruction]) -> None:
    assert parse(as_instructions(make(10)), max_lamports=10)
    assert "11 lamports" in str(refused(parse, as_instructions(make(11)), max_lamports=10))


def test_lamports_of_others_do_not_count(parse: Parse) -> None:
    body = as_instructions(pay(10**18, source=OTHER, to=RELAYER))
    assert parse(body, max_lamports=0, allow_fee_payer_transfers=False)


GIVING = {
    "transfer": pay(0),
    "create": create(0),
    "create with seed": create_with_seed(0),
    "assign": system.assign(system.AssignParams(pubkey=RELAYER, owner=OTHER)),
    "allocate": system.allocate(system.AllocateParams(pubkey=RELAYER, space=9)),
    "nonce withdrawal": system.withdraw_nonce_account(
        system.WithdrawNonceAccountParams(nonce_pubkey=OTHER, authorized_pubkey=RELAYER, to_pubkey=THIRD, lamports=1)
    ),
    "nonce authority": system.authorize_nonce_account(
        system.AuthorizeNonceAccountParams(nonce_pubkey=OTHER, authorized_pubkey=RELAYER, new_authority=THIRD)
    ),
    "token transfer": token(3, OTHER, THIRD, RELAYER),
    "token approval": token(4, OTHER, THIRD, RELAYER),
    "token authority": token(6, OTHER, RELAYER),
    "token burn": token(8, OTHER, THIRD, RELAYER),
    "token close": token(9, OTHER, THIRD, RELAYER),
    "token checked": token(12, OTHER, THIRD, OTHER, RELAYER),
    "token multisig": token(3, OTHER, THIRD, OTHER, THIRD, RELAYER),
}


@SPELLINGS
@pytest.mark.parametrize("name", GIVING)
def test_a_protected_fee_payer_gives_nothing_away(parse: Parse, spell: Spell, name: str) -> None:
    body = spell(GIVING[name])
    assert parse(body)
    assert "own account" in str(refused(parse, body, allow_fee_payer_transfers=False))


@pytest.mark.parametrize("call", [token(9, OTHER, RELAYER, THIRD), pay(1, RELAYER, OTHER), token(7, OTHER, RELAYER)])
def test_a_protected_fee_payer_may_receive(parse: Parse, call: Instruction) -> None:
    assert parse(as_instructions(call), allow_fee_payer_transfers=False)


def test_accounts_behind_tables_are_refused_when_accounts_are_ruled(parse: Parse) -> None:
    table = AddressLookupTableAccount(THIRD, [OTHER])
    message = MessageV0.try_compile(RELAYER, [pay(1)], [table], Hash.default())
    raw = bytes(VersionedTransaction.populate(message, [Signature.default()]))
    body = {"transaction": base64_text(raw)}
    assert parse(body, allowed_programs=(SYSTEM,))
    for policy in ({"allowed_accounts": (str(OTHER),)}, {"denied_accounts": (str(THIRD),)}):
        assert "lookup tables" in str(refused(parse, body, **policy))
