"""Things that tests need on chain before the relayer acts: nonce accounts, lookup tables, tokens. Made without our code."""

import struct

from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.system_program import (
    CreateAccountParams,
    InitializeNonceAccountParams,
    create_account,
    initialize_nonce_account,
)
from solders.transaction import VersionedTransaction
from tests.integration.solana.rig import SOL, SolanaRig

TOKEN = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
TABLES = Pubkey.from_string("AddressLookupTab1e1111111111111111111111111")
SYSTEM = Pubkey.default()
BANKER = Keypair.from_seed(bytes([42]) * 32)

_NONCE_BYTES, _MINT_BYTES, _TOKEN_BYTES = 80, 82, 165


def run(rig: SolanaRig, *instructions: Instruction, signers: tuple[Keypair, ...] = ()) -> None:
    """Lands it in the next block, paid by a stranger to the relayer."""
    bank = rig.node.node.bank
    rig.node.airdrop(str(BANKER.pubkey()), SOL)
    recent = Hash.from_string(rig.node.node.newest.blockhash)
    made = MessageV0.try_compile(BANKER.pubkey(), list(instructions), [], recent)
    transaction = VersionedTransaction(made, [BANKER, *signers])
    rig.node.node.submit(transaction)
    rig.node.mine()
    landed = bank.blocks.find(str(transaction.signatures[0]), bank.head)
    assert landed is not None
    assert landed.error is None, landed.meta.logs()


def _account(rig: SolanaRig, key: Keypair, size: int, owner: Pubkey) -> Instruction:
    rent = rig.node.node.bank.rent_exempt_lamports(size)
    return create_account(
        CreateAccountParams(from_pubkey=BANKER.pubkey(), to_pubkey=key.pubkey(), lamports=rent, space=size, owner=owner)
    )


async def make_nonce_account(rig: SolanaRig, authority: Pubkey) -> Pubkey:
    key = Keypair()
    start = initialize_nonce_account(InitializeNonceAccountParams(nonce_pubkey=key.pubkey(), authority=authority))
    run(rig, _account(rig, key, _NONCE_BYTES, SYSTEM), start, signers=(key,))
    rig.node.mine()
    return key.pubkey()


def nonce_of(rig: SolanaRig, account: Pubkey) -> str:
    held = rig.node.node.bank.account(account)
    assert held is not None
    return str(Hash(bytes(held.data)[40:72]))


def make_table(rig: SolanaRig, addresses: list[Pubkey]) -> AddressLookupTableAccount:
    slot = rig.node.node.bank.head.slot
    table, bump = Pubkey.find_program_address([bytes(BANKER.pubkey()), struct.pack("<Q", slot)], TABLES)
    owner = [
        AccountMeta(table, False, True),
        AccountMeta(BANKER.pubkey(), True, False),
        AccountMeta(BANKER.pubkey(), True, True),
        AccountMeta(SYSTEM, False, False),
    ]
    create = Instruction(TABLES, struct.pack("<IQB", 0, slot, bump), owner)
    extend = Instruction(TABLES, struct.pack("<IQ", 2, len(addresses)) + b"".join(map(bytes, addresses)), owner)
    run(rig, create, extend)
    rig.node.mine(2)
    return AddressLookupTableAccount(table, addresses)


def make_token_accounts(rig: SolanaRig, *owners: Pubkey, amount: int) -> list[Pubkey]:
    """A mint, and an account of it for each owner; the first has all the tokens."""
    mint, holders = Keypair(), [Keypair() for _ in owners]
    rent = AccountMeta(Pubkey.from_string("SysvarRent111111111111111111111111111111111"), False, False)
    authority = bytes(BANKER.pubkey())
    start = Instruction(TOKEN, bytes([0, 0]) + authority + bytes([0]), [AccountMeta(mint.pubkey(), False, True), rent])
    run(rig, _account(rig, mint, _MINT_BYTES, TOKEN), start, signers=(mint,))
    for holder, owner in zip(holders, owners, strict=True):
        metas = [
            AccountMeta(holder.pubkey(), False, True),
            AccountMeta(mint.pubkey(), False, False),
            AccountMeta(owner, False, False),
            rent,
        ]
        run(rig, _account(rig, holder, _TOKEN_BYTES, TOKEN), Instruction(TOKEN, bytes([1]), metas), signers=(holder,))
    metas = [
        AccountMeta(mint.pubkey(), False, True),
        AccountMeta(holders[0].pubkey(), False, True),
        AccountMeta(BANKER.pubkey(), True, False),
    ]
    run(rig, Instruction(TOKEN, bytes([7]) + struct.pack("<Q", amount), metas))
    return [holder.pubkey() for holder in holders]


def token_transfer(source: Pubkey, to: Pubkey, owner: Pubkey, amount: int) -> Instruction:
    metas = [AccountMeta(source, False, True), AccountMeta(to, False, True), AccountMeta(owner, True, False)]
    return Instruction(TOKEN, bytes([3]) + struct.pack("<Q", amount), metas)


def tokens_of(rig: SolanaRig, holder: Pubkey) -> int:
    held = rig.node.node.bank.account(holder)
    assert held is not None
    return int.from_bytes(bytes(held.data)[64:72], "little")
