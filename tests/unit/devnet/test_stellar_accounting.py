"""Whatever operations come in whatever order: no lumen is made or lost, every count of entries and promises is right."""

from collections import Counter
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st
from stellar_sdk import (
    Account,
    Asset,
    Claimant,
    Keypair,
    Network,
    Price,
    Signer,
    TransactionBuilder,
    TrustLineFlags,
    xdr,
)
from stellar_sdk.operation import (
    AccountMerge,
    BeginSponsoringFutureReserves,
    ChangeTrust,
    CreateAccount,
    CreateClaimableBalance,
    EndSponsoringFutureReserves,
    ManageBuyOffer,
    ManageData,
    ManageSellOffer,
    Operation,
    PathPaymentStrictReceive,
    PathPaymentStrictSend,
    Payment,
    SetOptions,
    SetTrustLineFlags,
)

from baton.devnet.stellar import envelope, keys
from baton.devnet.stellar.controls import Controls
from baton.devnet.stellar.funding import fund
from baton.devnet.stellar.landing import Ground, land
from baton.devnet.stellar.ledger import TOTAL_STROOPS, Ledger
from baton.devnet.stellar.operations import table
from baton.devnet.stellar.operations.reserves import extension
from baton.devnet.stellar.view import View
from baton.domain.clock import SystemClock

PASSPHRASE = Network.STANDALONE_NETWORK_PASSPHRASE
PEOPLE = [Keypair.from_raw_ed25519_seed(bytes([n]) * 32) for n in range(1, 5)]
NATIVE = Asset.native()
OFFER_IDS = count(1)
ASSETS = [NATIVE, *(Asset("USD", person.public_key) for person in PEOPLE[:2])]

person = st.sampled_from([keypair.public_key for keypair in PEOPLE])
asset = st.sampled_from(ASSETS)
credit = st.sampled_from(ASSETS[1:])
amount = st.integers(1, 60).map(str)
price = st.builds(Price, st.integers(1, 4), st.integers(1, 4))
signer = st.builds(Signer.ed25519_public_key, person, st.integers(0, 2))

operations = st.one_of(
    st.builds(Payment, person, asset, amount, source=person),
    st.builds(CreateAccount, person, st.integers(0, 20).map(str), source=person),
    st.builds(AccountMerge, person, source=person),
    st.builds(ChangeTrust, credit, st.sampled_from(["0", "100", "1000"]), source=person),
    st.builds(ManageData, st.sampled_from(["a", "b"]), st.sampled_from(["x", None]), source=person),
    st.builds(SetOptions, signer=signer, source=person),
    st.builds(ManageSellOffer, asset, asset, amount, price, source=person),
    st.builds(ManageSellOffer, asset, asset, st.just("0"), price, st.integers(1, 3), source=person),
    st.builds(ManageBuyOffer, asset, asset, amount, price, source=person),
    st.builds(PathPaymentStrictSend, person, asset, amount, asset, st.just("1"), st.just([]), source=person),
    st.builds(PathPaymentStrictReceive, person, asset, st.just("90"), asset, amount, st.just([]), source=person),
    st.builds(CreateClaimableBalance, asset, amount, st.lists(st.builds(Claimant, person), max_size=2), source=person),
    st.builds(SetTrustLineFlags, person, credit, st.just(TrustLineFlags.AUTHORIZED_FLAG), st.none(), source=person),
)
sandwiches = st.tuples(person, person, operations)


def carry_out(ledger: Ledger, *built: Operation) -> int:
    """Land operations on the root's sequence and fee, signatures left aside; what it cost."""
    root = ledger.state.account(ledger.root.xdr_account_id())
    assert root is not None
    source = Account(ledger.root.public_key, root.seq_num.sequence_number.int64)
    builder = TransactionBuilder(source, PASSPHRASE, 100).add_time_bounds(0, 0)
    for one in built:
        builder.append_operation(one)
    incoming = envelope.parse(builder.build().to_xdr(), PASSPHRASE)
    for operation in incoming.transaction.operations:
        if table.check(operation, table.source_of(operation, incoming.source)) is not None:
            return 0
    view = View(ledger.state)
    done = land(incoming, Ground(view, ledger.next_terms(), 100, ledger.network_id, lambda: next(OFFER_IDS)), 1)
    view.commit()
    return xdr.TransactionResult.from_xdr(done.result_xdr).fee_charged.int64


def lumens(ledger: Ledger) -> int:
    held = sum(e.data.account.balance.int64 for e in ledger.state.scan(xdr.LedgerEntryType.ACCOUNT) if e.data.account)
    for entry in ledger.state.scan(xdr.LedgerEntryType.CLAIMABLE_BALANCE):
        balance = entry.data.claimable_balance
        if balance and keys.is_native(balance.asset):
            held += balance.amount.int64
    return held


def sub_entries(ledger: Ledger) -> Counter[bytes]:
    """The entries that each account owns, counted anew from the ledger."""
    owned: Counter[bytes] = Counter()
    for entry in ledger.state.scan(xdr.LedgerEntryType.TRUSTLINE):
        owned[keys.raw(entry.data.trust_line.account_id) if entry.data.trust_line else b""] += 1
    for entry in ledger.state.scan(xdr.LedgerEntryType.OFFER):
        owned[keys.raw(entry.data.offer.seller_id) if entry.data.offer else b""] += 1
    for entry in ledger.state.scan(xdr.LedgerEntryType.DATA):
        owned[keys.raw(entry.data.data.account_id) if entry.data.data else b""] += 1
    for entry in ledger.state.scan(xdr.LedgerEntryType.ACCOUNT):
        if entry.data.account:
            owned[keys.raw(entry.data.account.account_id)] += len(entry.data.account.signers)
    return owned


def check_counts(ledger: Ledger) -> None:
    owned, sponsoring, sponsored, claimants = sub_entries(ledger), 0, 0, 0
    for entry in ledger.state.scan(xdr.LedgerEntryType.ACCOUNT):
        account = entry.data.account
        assert account is not None
        assert account.num_sub_entries.uint32 == owned.pop(keys.raw(account.account_id), 0)
        counts = extension(account)
        if counts is not None:
            sponsoring += counts.num_sponsoring.uint32
            sponsored += counts.num_sponsored.uint32
            assert len(counts.signer_sponsoring_i_ds) == len(account.signers)
    for entry in ledger.state.scan(xdr.LedgerEntryType.CLAIMABLE_BALANCE):
        claimants += len(entry.data.claimable_balance.claimants) if entry.data.claimable_balance else 0
    assert not +owned
    assert sponsoring == sponsored + claimants


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(operations, sandwiches), max_size=25))
def test_no_lumen_is_made_or_lost_and_every_count_is_right(
    steps: list[Operation | tuple[str, str, Operation]],
) -> None:
    ledger = Ledger(PASSPHRASE, SystemClock(), Controls())
    fees = 100 * len(PEOPLE)
    for keypair in PEOPLE:
        fund(ledger, keypair.public_key, 500 * 10**7)
    for step in steps:
        if isinstance(step, tuple):
            sponsor, sponsored, inside = step
            begin = BeginSponsoringFutureReserves(sponsored, source=sponsor)
            fees += carry_out(ledger, begin, inside, EndSponsoringFutureReserves(source=sponsored))
        else:
            fees += carry_out(ledger, step)
        assert lumens(ledger) + fees == TOTAL_STROOPS
        check_counts(ledger)
