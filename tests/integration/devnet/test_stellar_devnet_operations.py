"""Every operation type the relayer sends, carried out by the simulator: good ways and named failures."""

from collections.abc import Sequence

import pytest
from stellar_sdk import (
    Asset,
    AuthorizationFlag,
    Claimant,
    ClaimPredicate,
    Keypair,
    MuxedAccount,
    Price,
    Signer,
    TrustLineFlags,
)
from stellar_sdk.operation import (
    AccountMerge,
    BeginSponsoringFutureReserves,
    BumpSequence,
    ChangeTrust,
    ClaimClaimableBalance,
    Clawback,
    CreateAccount,
    CreateClaimableBalance,
    CreatePassiveSellOffer,
    EndSponsoringFutureReserves,
    ManageData,
    Payment,
    SetOptions,
    SetTrustLineFlags,
)
from stellar_sdk.operation.operation import Operation
from stellar_sdk.soroban_rpc import GetTransactionResponse
from tests.integration.devnet.stellar_wallet import LUMEN, Wallet, codes, first_result, line, trusting
from tests.integration.devnet.stellar_wallet import operation_codes as told

NATIVE = Asset.native()
REVOCABLE = AuthorizationFlag.AUTHORIZATION_REVOCABLE
CLAWBACK = AuthorizationFlag.AUTHORIZATION_CLAWBACK_ENABLED


async def test_accounts_are_created_merged_and_their_sequence_bumped(wallet: Wallet) -> None:
    payer, new = await wallet.account(), Keypair.random()
    assert told(await wallet.do(payer, CreateAccount(new.public_key, "5"))) == ["CREATE_ACCOUNT_SUCCESS"]
    assert told(await wallet.do(payer, CreateAccount(new.public_key, "5"))) == ["CREATE_ACCOUNT_ALREADY_EXIST"]
    other = Keypair.random().public_key
    assert told(await wallet.do(payer, CreateAccount(other, "0.9"))) == ["CREATE_ACCOUNT_LOW_RESERVE"]
    before = await wallet.sequence(new)
    await wallet.do(new, BumpSequence(before + 50))
    assert await wallet.sequence(new) == before + 50
    await wallet.do(new, BumpSequence(0))
    assert await wallet.sequence(new) == before + 51
    purse = wallet.balance(payer.public_key)
    assert told(await wallet.do(new, AccountMerge(payer.public_key))) == ["ACCOUNT_MERGE_SUCCESS"]
    assert wallet.balance(payer.public_key) == purse + 5 * LUMEN - 300
    assert wallet.balance(new.public_key) == 0


async def test_data_is_kept_under_an_account_and_holds_its_reserve(wallet: Wallet) -> None:
    keypair = await wallet.account(2)
    assert told(await wallet.do(keypair, ManageData("a", "b"))) == ["MANAGE_DATA_SUCCESS"]
    assert told(await wallet.do(keypair, ManageData("c", "d"))) == ["MANAGE_DATA_LOW_RESERVE"]
    assert told(await wallet.do(keypair, ManageData("a", None))) == ["MANAGE_DATA_SUCCESS"]
    assert told(await wallet.do(keypair, ManageData("a", None))) == ["MANAGE_DATA_NAME_NOT_FOUND"]


async def test_a_trust_line_carries_an_issued_asset_within_its_limit(wallet: Wallet) -> None:
    issuer = await wallet.account()
    asset, holder = await trusting(wallet, issuer)
    friend = await wallet.account()
    muxed = MuxedAccount(friend.public_key, 7).account_muxed
    assert muxed
    pay = Payment(muxed, asset, "40")
    assert told(await wallet.do(holder, pay)) == ["PAYMENT_NO_TRUST"]
    assert told(await wallet.do(friend, ChangeTrust(asset, "40"))) == ["CHANGE_TRUST_SUCCESS"]
    assert told(await wallet.do(holder, pay)) == ["PAYMENT_SUCCESS"]
    assert (line(wallet, friend, asset), line(wallet, holder, asset)) == (40 * LUMEN, 60 * LUMEN)
    assert told(await wallet.do(holder, Payment(friend.public_key, asset, "1"))) == ["PAYMENT_LINE_FULL"]
    assert told(await wallet.do(friend, Payment(holder.public_key, asset, "41"))) == ["PAYMENT_UNDERFUNDED"]
    assert told(await wallet.do(friend, ChangeTrust(asset, "0"))) == ["CHANGE_TRUST_INVALID_LIMIT"]
    await wallet.do(friend, Payment(issuer.public_key, asset, "40"))
    assert told(await wallet.do(friend, ChangeTrust(asset, "0"))) == ["CHANGE_TRUST_SUCCESS"]
    assert line(wallet, friend, asset) is None
    nobodys = Asset("XYZ", Keypair.random().public_key)
    assert told(await wallet.do(friend, ChangeTrust(nobodys))) == ["CHANGE_TRUST_NO_ISSUER"]


async def test_an_issuer_authorises_revokes_and_claws_back(wallet: Wallet) -> None:
    issuer, holder = await wallet.account(), await wallet.account()
    required = AuthorizationFlag.AUTHORIZATION_REQUIRED
    await wallet.do(issuer, SetOptions(set_flags=required | REVOCABLE | CLAWBACK))
    asset = Asset("EUR", issuer.public_key)
    await wallet.do(holder, ChangeTrust(asset))
    pay = Payment(holder.public_key, asset, "10")
    assert told(await wallet.do(issuer, pay)) == ["PAYMENT_NOT_AUTHORIZED"]
    allow = SetTrustLineFlags(holder.public_key, asset, set_flags=TrustLineFlags.AUTHORIZED_FLAG)
    assert told(await wallet.do(issuer, allow, pay)) == ["SET_TRUST_LINE_FLAGS_SUCCESS", "PAYMENT_SUCCESS"]
    assert told(await wallet.do(issuer, Clawback(asset, holder.public_key, "4"))) == ["CLAWBACK_SUCCESS"]
    assert line(wallet, holder, asset) == 6 * LUMEN
    assert told(await wallet.do(issuer, Clawback(asset, holder.public_key, "7"))) == ["CLAWBACK_UNDERFUNDED"]
    revoke = SetTrustLineFlags(holder.public_key, asset, clear_flags=TrustLineFlags.AUTHORIZED_FLAG)
    assert told(await wallet.do(issuer, revoke)) == ["SET_TRUST_LINE_FLAGS_SUCCESS"]
    assert told(await wallet.do(holder, Payment(issuer.public_key, asset, "1"))) == ["PAYMENT_SRC_NOT_AUTHORIZED"]


async def test_without_their_flags_nothing_is_revoked_or_clawed_back(wallet: Wallet) -> None:
    issuer = await wallet.account()
    asset, holder = await trusting(wallet, issuer)
    revoke = SetTrustLineFlags(holder.public_key, asset, clear_flags=TrustLineFlags.AUTHORIZED_FLAG)
    assert told(await wallet.do(issuer, revoke)) == ["SET_TRUST_LINE_FLAGS_CANT_REVOKE"]
    assert told(await wallet.do(issuer, Clawback(asset, holder.public_key, "1"))) == ["CLAWBACK_NOT_CLAWBACK_ENABLED"]


def balance_id(done: GetTransactionResponse) -> str:
    made = first_result(done).create_claimable_balance_result
    assert made
    assert made.balance_id
    return made.balance_id.to_xdr_bytes().hex()


async def test_a_claimable_balance_waits_for_its_claimant_and_no_other(wallet: Wallet) -> None:
    payer, heir, stranger = await wallet.account(), await wallet.account(), await wallet.account()
    create = CreateClaimableBalance(NATIVE, "30", [Claimant(heir.public_key)])
    envelope = await wallet.sign(payer, create)
    number = balance_id(await wallet.land(envelope))
    assert number == envelope.transaction.get_claimable_balance_id(0)
    claim = ClaimClaimableBalance(number)
    assert told(await wallet.do(stranger, claim)) == ["CLAIM_CLAIMABLE_BALANCE_CANNOT_CLAIM"]
    assert told(await wallet.do(heir, claim)) == ["CLAIM_CLAIMABLE_BALANCE_SUCCESS"]
    assert wallet.balance(heir.public_key) == 1030 * LUMEN - 100
    assert told(await wallet.do(heir, claim)) == ["CLAIM_CLAIMABLE_BALANCE_DOES_NOT_EXIST"]


async def test_a_claim_is_bound_to_its_time(wallet: Wallet) -> None:
    payer, heir = await wallet.account(), await wallet.account()
    for predicate, early, late in (
        (ClaimPredicate.predicate_before_relative_time(60), "SUCCESS", "CANNOT_CLAIM"),
        (
            ClaimPredicate.predicate_not(ClaimPredicate.predicate_before_relative_time(60)),
            "CANNOT_CLAIM",
            "SUCCESS",
        ),
    ):
        create = CreateClaimableBalance(NATIVE, "1", [Claimant(heir.public_key, predicate)])
        numbers = [balance_id(await wallet.do(payer, create)) for _ in range(2)]
        soon = await wallet.do(heir, ClaimClaimableBalance(numbers[0]))
        assert told(soon) == [f"CLAIM_CLAIMABLE_BALANCE_{early}"]
        wallet.devnet.controls.turn({"ahead_s": wallet.devnet.controls.ahead_s + 120})
        after = await wallet.do(heir, ClaimClaimableBalance(numbers[1]))
        assert told(after) == [f"CLAIM_CLAIMABLE_BALANCE_{late}"]


async def test_a_sponsor_holds_the_reserves_of_another_inside_its_sandwich(wallet: Wallet) -> None:
    sponsor, new, payee = await wallet.account(10), Keypair.random(), await wallet.account()
    done = await wallet.do(
        sponsor,
        BeginSponsoringFutureReserves(new.public_key),
        CreateAccount(new.public_key, "0"),
        ManageData("a", "b", source=new.public_key),
        EndSponsoringFutureReserves(source=new.public_key),
        also=(new,),
    )
    assert done.status.value == "SUCCESS", codes(done.result_xdr)
    entry = wallet.devnet.ledger.state.account(sponsor.xdr_account_id())
    assert entry
    assert entry.ext.v1
    assert entry.ext.v1.ext.v2
    assert entry.ext.v1.ext.v2.num_sponsoring.uint32 == 3
    above_reserve = wallet.balance(sponsor.public_key) - (2 + 3) * LUMEN // 2 - 200
    for stroops, expected in ((above_reserve + 101, "PAYMENT_UNDERFUNDED"), (above_reserve, "PAYMENT_SUCCESS")):
        text = f"{stroops // LUMEN}.{stroops % LUMEN:07d}"
        assert told(await wallet.do(sponsor, Payment(payee.public_key, NATIVE, text))) == [expected]


async def test_an_open_sandwich_and_a_lonely_end_are_refused(wallet: Wallet) -> None:
    sponsor, other = await wallet.account(), await wallet.account()
    opened = await wallet.do(sponsor, BeginSponsoringFutureReserves(other.public_key))
    assert codes(opened.result_xdr) == ["txBAD_SPONSORSHIP"]
    assert told(await wallet.do(sponsor, EndSponsoringFutureReserves())) == [
        "END_SPONSORING_FUTURE_RESERVES_NOT_SPONSORED",
    ]


async def test_a_channel_account_serves_its_sequence_on_the_relayers_signature_alone(wallet: Wallet) -> None:
    relayer, channel, payee = await wallet.account(), Keypair.random(), await wallet.account()
    signer = Signer.ed25519_public_key(relayer.public_key, 1)
    made = await wallet.do(
        relayer,
        BeginSponsoringFutureReserves(channel.public_key),
        CreateAccount(channel.public_key, "0"),
        SetOptions(master_weight=0, signer=signer, source=channel.public_key),
        EndSponsoringFutureReserves(source=channel.public_key),
        also=(channel,),
    )
    assert made.status.value == "SUCCESS", codes(made.result_xdr)
    pay = Payment(payee.public_key, NATIVE, "1", source=relayer.public_key)
    builder = await wallet.build(channel, pay)
    inner = builder.build()
    inner.sign(relayer)
    done = await wallet.land(wallet.bump(inner, relayer, 400))
    assert codes(done.result_xdr) == ["txFEE_BUMP_INNER_SUCCESS", "txSUCCESS", "PAYMENT_SUCCESS"]
    assert wallet.balance(payee.public_key) == 1001 * LUMEN
    assert wallet.balance(channel.public_key) == 0
    own = (await wallet.build(channel, pay)).build()
    own.sign(channel)
    assert codes((await wallet.send(wallet.bump(own, relayer, 400))).error_result_xdr) == [
        "txFEE_BUMP_INNER_FAILED",
        "txBAD_AUTH",
    ]
    merge = (await wallet.build(channel, AccountMerge(relayer.public_key))).build()
    merge.sign(relayer)
    assert told(await wallet.land(wallet.bump(merge, relayer, 400))) == ["ACCOUNT_MERGE_SUCCESS"]
    entry = wallet.devnet.ledger.state.account(relayer.xdr_account_id())
    assert entry
    assert entry.ext.v1
    assert entry.ext.v1.ext.v2
    assert entry.ext.v1.ext.v2.num_sponsoring.uint32 == 0


async def test_weights_below_the_threshold_do_not_suffice(wallet: Wallet) -> None:
    owner, partner = await wallet.account(), await wallet.account()
    both = SetOptions(
        low_threshold=1,
        med_threshold=2,
        high_threshold=2,
        signer=Signer.ed25519_public_key(partner.public_key, 1),
    )
    await wallet.do(owner, both)
    pay = Payment(partner.public_key, NATIVE, "1")
    alone = await wallet.send(await wallet.sign(owner, pay))
    assert codes(alone.error_result_xdr) == ["txFAILED", "opBAD_AUTH"]
    assert told(await wallet.do(owner, BumpSequence(0))) == ["BUMP_SEQUENCE_SUCCESS"]
    assert told(await wallet.do(owner, pay, also=(partner,))) == ["PAYMENT_SUCCESS"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (SetOptions(set_flags=CLAWBACK), "SET_OPTIONS_AUTH_REVOCABLE_REQUIRED"),
        (SetOptions(home_domain="example.org"), "SET_OPTIONS_SUCCESS"),
        (SetOptions(inflation_dest=Keypair.random().public_key), "SET_OPTIONS_INVALID_INFLATION"),
    ],
)
async def test_options_are_set_or_refused_by_name(wallet: Wallet, options: SetOptions, expected: str) -> None:
    assert told(await wallet.do(await wallet.account(), options)) == [expected]


async def test_an_operation_beyond_the_simulator_says_so(wallet: Wallet) -> None:
    keypair = await wallet.account()
    asset = Asset("USD", keypair.public_key)
    passive: Sequence[Operation] = [CreatePassiveSellOffer(asset, NATIVE, "1", Price(1, 1))]
    answer = await wallet.send(await wallet.sign(keypair, *passive))
    assert codes(answer.error_result_xdr) == ["txFAILED", "opNOT_SUPPORTED"]
