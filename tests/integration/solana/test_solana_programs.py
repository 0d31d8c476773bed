"""Programs beyond a plain transfer: tokens, lookup tables, calls from within, and what policies say to them."""

import struct

from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from tests.integration.solana.conftest import Make
from tests.integration.solana.programs import SYSTEM, TOKEN, make_table, make_token_accounts, token_transfer, tokens_of
from tests.integration.solana.rig import SOL, SolanaRig, body

from baton.domain.policy import SolanaPolicy

OWNER = Keypair.from_seed(bytes([8]) * 32).pubkey()
ASSOCIATED = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")


async def test_tokens_move(rig: SolanaRig) -> None:
    ours, theirs = make_token_accounts(rig, rig.key.pubkey(), OWNER, amount=1000)
    one = await rig.submit(body(token_transfer(ours, theirs, rig.key.pubkey(), 300)))
    await rig.confirms(one)
    assert (tokens_of(rig, ours), tokens_of(rig, theirs)) == (700, 300)


async def test_more_tokens_than_there_are_fail_with_the_program_s_words(rig: SolanaRig) -> None:
    ours, theirs = make_token_accounts(rig, rig.key.pubkey(), OWNER, amount=10)
    one = await rig.submit(body(token_transfer(ours, theirs, rig.key.pubkey(), 300)))
    record = await rig.reaches(one, "failed")
    assert "instruction 0 failed: custom program error 0x1" in record["status_reason"]
    assert "insufficient funds" in record["status_reason"]


async def test_a_lookup_table_holds_what_would_not_fit(rig: SolanaRig) -> None:
    """Forty receivers do not fit 1232 bytes by their keys."""
    receivers = [Keypair.from_seed(bytes([100 + n]) * 32).pubkey() for n in range(40)]
    table = make_table(rig, receivers[:20])
    more = make_table(rig, receivers[20:])
    wish = body(*(rig.pay(to, SOL) for to in receivers), address_lookup_tables=[str(table.key), str(more.key)])
    [record] = await rig.confirms(await rig.submit(wish))
    assert {rig.node.balance(str(to)) for to in receivers} == {SOL}
    assert len(record["transaction"]) < 1644


async def test_a_table_that_is_not_on_chain_is_named(rig: SolanaRig) -> None:
    nowhere = str(Pubkey.new_unique())
    one = await rig.submit(body(rig.tag("x"), address_lookup_tables=[nowhere]))
    record = await rig.reaches(one, "failed")
    assert nowhere in record["status_reason"]


def associated(rig: SolanaRig, mint: Pubkey, owner: Pubkey) -> Instruction:
    """Makes a token account; the program takes its rent from the relayer by itself."""
    account, _ = Pubkey.find_program_address([bytes(owner), bytes(TOKEN), bytes(mint)], ASSOCIATED)
    metas = [
        AccountMeta(rig.key.pubkey(), True, True),
        AccountMeta(account, False, True),
        AccountMeta(owner, False, False),
        AccountMeta(mint, False, False),
        AccountMeta(SYSTEM, False, False),
        AccountMeta(TOKEN, False, False),
    ]
    return Instruction(ASSOCIATED, b"", metas)


def mint_of(rig: SolanaRig, holder: Pubkey) -> Pubkey:
    held = rig.node.node.bank.account(holder)
    assert held is not None
    return Pubkey(bytes(held.data)[:32])


async def test_what_a_program_takes_from_within_is_part_of_the_cost(rig: SolanaRig) -> None:
    [holder] = make_token_accounts(rig, rig.key.pubkey(), amount=1)
    before = rig.node.balance(rig.address)
    one = await rig.submit(body(associated(rig, mint_of(rig, holder), OWNER)))
    await rig.confirms(one)
    [attempt] = await rig.attempts(one)
    assert attempt.max_cost == before - rig.node.balance(rig.address)


async def test_a_limit_on_lamports_counts_what_a_program_takes_from_within(make_rig: Make) -> None:
    rig = await make_rig(SolanaPolicy(max_lamports=1_000_000))
    [holder] = make_token_accounts(rig, rig.key.pubkey(), amount=1)
    record = await rig.reaches(await rig.submit(body(associated(rig, mint_of(rig, holder), OWNER))), "failed")
    assert "more than 1000000 (policy)" in record["status_reason"]


async def test_a_relayer_that_only_signs_is_not_drained_from_within(make_rig: Make) -> None:
    rig = await make_rig(SolanaPolicy(allow_fee_payer_transfers=False))
    [holder] = make_token_accounts(rig, rig.key.pubkey(), amount=1)
    record = await rig.reaches(await rig.submit(body(associated(rig, mint_of(rig, holder), OWNER))), "failed")
    assert "take from the relayer's own account" in record["status_reason"]


async def test_a_day_s_limit_holds_back_the_transfer_that_would_break_it(make_rig: Make) -> None:
    rig = await make_rig(SolanaPolicy(spend_limit_24h=3 * SOL))
    first = await rig.submit(body(rig.pay(OWNER, 2 * SOL)))
    await rig.confirms(first)
    second = await rig.submit(body(rig.pay(OWNER, 2 * SOL)))
    await rig.reason(second, "spend limit for 24 hours")
    assert rig.node.balance(str(OWNER)) == 2 * SOL


async def test_equal_wishes_with_budgets_of_their_own_land_one_a_blockhash(rig: SolanaRig) -> None:
    """The client fixed both unit limit and price: nothing of ours is left to make them differ but the blockhash."""
    rig.node.airdrop(str(OWNER), SOL)
    program = Pubkey.from_string("ComputeBudget111111111111111111111111111111")
    limit = Instruction(program, struct.pack("<BI", 2, 5_000), [])
    price = Instruction(program, struct.pack("<BQ", 3, 1_000), [])
    before = rig.node.balance(str(OWNER))
    first = await rig.submit(body(limit, price, rig.pay(OWNER, 1000)))
    second = await rig.submit(body(limit, price, rig.pay(OWNER, 1000)))
    await rig.reason(second, "it goes with the next one")
    await rig.lands(first)
    await rig.mine()
    await rig.confirms(second)
    assert rig.node.balance(str(OWNER)) - before == 2000
