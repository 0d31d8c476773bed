"""Transactions that come built: legacy and v0, alone or with the signatures of others, by blockhash or by durable nonce."""

import base64

import pytest
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import AdvanceNonceAccountParams, advance_nonce_account
from solders.transaction import VersionedTransaction
from tests.integration.solana.judge import memos
from tests.integration.solana.programs import make_nonce_account, nonce_of
from tests.integration.solana.rig import FINALITY, LIFE, SOL, SolanaRig, body

from baton.domain.errors import Invalid

TO = Pubkey.from_bytes(bytes([7]) * 32)
FRIEND = Keypair.from_seed(bytes([3]) * 32)


def message(
    rig: SolanaRig, *calls: Instruction, payer: Pubkey | None = None, legacy: bool = False
) -> Message | MessageV0:
    recent = Hash.from_string(rig.node.node.newest.blockhash)
    first = payer or rig.key.pubkey()
    if legacy:
        return Message.new_with_blockhash(list(calls), first, recent)
    return MessageV0.try_compile(first, list(calls), [], recent)


def prebuilt(made: Message | MessageV0, *signers: Keypair) -> dict[str, str]:
    """Signed by those given; the relayer's signature is left out."""
    keys = {one.pubkey(): one for one in signers}
    raw = (b"\x80" if isinstance(made, MessageV0) else b"") + bytes(made)
    needed = made.account_keys[: made.header.num_required_signatures]
    signatures = [keys[key].sign_message(raw) if key in keys else Signature.default() for key in needed]
    return {"transaction": base64.b64encode(bytes(VersionedTransaction.populate(made, signatures))).decode()}


def approve(rig: SolanaRig, text: str) -> Instruction:
    """A memo that both must sign."""
    signers = [AccountMeta(key, True, False) for key in (rig.key.pubkey(), FRIEND.pubkey())]
    return Instruction(rig.tag("").program_id, text.encode(), signers)


@pytest.mark.parametrize("legacy", [True, False])
async def test_one_that_only_the_relayer_signs_lands(rig: SolanaRig, legacy: bool) -> None:
    one = await rig.submit(prebuilt(message(rig, rig.pay(TO, SOL), legacy=legacy)))
    await rig.confirms(one)
    assert rig.node.balance(str(TO)) == SOL


async def test_an_old_blockhash_is_refreshed_when_nobody_else_signed(rig: SolanaRig) -> None:
    built = prebuilt(message(rig, rig.pay(TO, SOL)))
    rig.node.mine(LIFE + 50)
    await rig.confirms(await rig.submit(built))
    assert rig.node.balance(str(TO)) == SOL


@pytest.mark.parametrize("legacy", [True, False])
async def test_one_that_others_signed_too_goes_as_it_came(rig: SolanaRig, legacy: bool) -> None:
    made = message(rig, approve(rig, "together"), legacy=legacy)
    one = await rig.submit(prebuilt(made, FRIEND))
    [record] = await rig.confirms(one)
    assert memos(rig.node) == ["together"]
    sent = VersionedTransaction.from_bytes(base64.b64decode(record["transaction"]))
    assert sent.message == made


async def test_another_fee_payer_pays_and_names_the_transaction(rig: SolanaRig) -> None:
    rig.node.airdrop(str(FRIEND.pubkey()), SOL)
    before = rig.node.balance(rig.address)
    built = prebuilt(message(rig, rig.tag("sponsored"), payer=FRIEND.pubkey()), FRIEND)
    [record] = await rig.confirms(await rig.submit(built))
    assert rig.node.balance(rig.address) == before
    assert rig.node.balance(str(FRIEND.pubkey())) < SOL
    given = VersionedTransaction.from_bytes(base64.b64decode(built["transaction"]))
    assert record["hash"] == str(given.signatures[0])
    assert record["from"] == str(FRIEND.pubkey())


async def test_one_that_others_signed_expires_with_its_blockhash(rig: SolanaRig) -> None:
    built = prebuilt(message(rig, approve(rig, "late")), FRIEND)
    rig.node.mine(LIFE + 1)
    one = await rig.submit(built)
    await rig.reason(one, "waiting until a node knows")
    rig.node.mine(FINALITY + 1)
    record = await rig.reaches(one, "expired")
    assert "not ours to renew" in record["status_reason"]
    assert memos(rig.node) == []


async def test_one_that_others_signed_expires_when_it_was_sent_and_never_landed(rig: SolanaRig) -> None:
    rig.node.set({"drop_next": 10_000})
    one = await rig.submit(prebuilt(message(rig, approve(rig, "lost")), FRIEND))
    await rig.reaches(one, "submitted")
    rig.node.mine(LIFE + FINALITY + 1)
    record = await rig.reaches(one, "expired")
    assert "its blockhash died" in record["status_reason"]


async def test_a_blockhash_that_the_node_has_not_heard_of_yet_is_waited_for(rig: SolanaRig) -> None:
    rig.node.mine(5)
    built = prebuilt(message(rig, approve(rig, "ahead")), FRIEND)
    rig.node.set({"lag_blocks": 5})
    one = await rig.submit(built)
    await rig.reason(one, "waiting until a node knows")
    rig.node.set({"lag_blocks": 0})
    await rig.mine()
    await rig.confirms(one)


async def test_a_durable_nonce_outlives_every_blockhash(rig: SolanaRig) -> None:
    nonce = await make_nonce_account(rig, FRIEND.pubkey())
    advance = advance_nonce_account(AdvanceNonceAccountParams(nonce_pubkey=nonce, authorized_pubkey=FRIEND.pubkey()))
    made = MessageV0.try_compile(
        rig.key.pubkey(), [advance, approve(rig, "patient")], [], Hash.from_string(nonce_of(rig, nonce))
    )
    rig.node.set({"drop_next": 10_000})
    one = await rig.submit(prebuilt(made, FRIEND))
    await rig.reaches(one, "submitted")
    rig.node.mine(2 * LIFE + FINALITY)
    await rig.mine(2)
    assert (await rig.record(one))["status"] == "submitted"
    rig.node.set({"drop_next": 0})
    await rig.sends_again(one)
    await rig.confirms(one)
    assert memos(rig.node) == ["patient"]


async def test_a_durable_nonce_that_was_used_by_another_is_the_end(rig: SolanaRig) -> None:
    nonce = await make_nonce_account(rig, FRIEND.pubkey())
    advance = advance_nonce_account(AdvanceNonceAccountParams(nonce_pubkey=nonce, authorized_pubkey=FRIEND.pubkey()))
    value = Hash.from_string(nonce_of(rig, nonce))
    made = MessageV0.try_compile(rig.key.pubkey(), [advance, approve(rig, "slow")], [], value)
    rig.node.set({"drop_next": 1})
    one = await rig.submit(prebuilt(made, FRIEND))
    await rig.reaches(one, "submitted")
    rig.node.airdrop(str(FRIEND.pubkey()), SOL)
    rival = MessageV0.try_compile(FRIEND.pubkey(), [advance], [], value)
    rig.node.node.submit(VersionedTransaction(rival, [FRIEND]))
    rig.node.mine()
    rig.node.mine(FINALITY)
    record = await rig.reaches(one, "expired")
    assert "durable nonce" in record["status_reason"]


async def test_the_same_bytes_a_second_time_are_refused_by_the_name_of_the_first(rig: SolanaRig) -> None:
    built = prebuilt(message(rig, approve(rig, "once")), FRIEND)
    one = await rig.submit(built)
    with pytest.raises(Invalid, match=f"transaction '{one}' carries already"):
        await rig.submit(built)
    await rig.confirms(one)
    with pytest.raises(Invalid, match=one):
        await rig.submit(built)
    other = await rig.submit(body(rig.tag("other")))
    with pytest.raises(Invalid, match=one):
        await rig.replace(other, built)
    await rig.confirms(other)
    assert memos(rig.node) == ["once", "other"]


async def test_equal_payments_built_on_different_blockhashes_are_two_landings(rig: SolanaRig) -> None:
    rig.node.airdrop(str(TO), SOL)
    before = rig.node.balance(str(TO))
    first = await rig.submit(prebuilt(message(rig, rig.pay(TO, 1000))))
    rig.node.mine()
    second = await rig.submit(prebuilt(message(rig, rig.pay(TO, 1000))))
    await rig.reaches(first, "submitted", "mined")
    rig.node.mine()  # the two are one transaction under one blockhash: the second goes with the next
    await rig.reaches(first, "mined")
    rig.node.mine()
    await rig.confirms(second)
    assert rig.node.balance(str(TO)) - before == 2000


async def test_a_missing_signature_of_another_is_refused(rig: SolanaRig) -> None:
    with pytest.raises(Invalid, match="no valid signature"):
        await rig.submit(prebuilt(message(rig, approve(rig, "unsigned"))))


async def test_a_fee_payer_that_is_not_the_relayer_and_did_not_sign_is_refused(rig: SolanaRig) -> None:
    with pytest.raises(Invalid, match="no valid signature"):
        await rig.submit(prebuilt(message(rig, rig.tag("x"), payer=FRIEND.pubkey())))


async def test_one_that_does_not_need_the_relayer_is_refused(rig: SolanaRig) -> None:
    alone = Instruction(rig.tag("").program_id, b"x", [AccountMeta(FRIEND.pubkey(), True, False)])
    with pytest.raises(Invalid, match="as fee payer or required signer"):
        await rig.submit(prebuilt(message(rig, alone, payer=FRIEND.pubkey()), FRIEND))


async def test_one_that_is_too_large_is_refused(rig: SolanaRig) -> None:
    with pytest.raises(Invalid, match="1232"):
        await rig.submit(prebuilt(message(rig, rig.tag("x" * 1200))))
