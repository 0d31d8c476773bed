"""Units, prices and caps: pure arithmetic, in micro-lamports for a unit and lamports for a fee."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from baton.chains.solana import fees
from baton.domain.policy import SolanaPolicy, Speed

KEY = Keypair.from_seed(bytes([1]) * 32).pubkey()
PAY = transfer(TransferParams(from_pubkey=KEY, to_pubkey=Pubkey.default(), lamports=1))
ED25519 = Pubkey.from_string("Ed25519SigVerify111111111111111111111111111")


def message(*calls: Instruction) -> MessageV0:
    return MessageV0.try_compile(KEY, list(calls), [], Hash.default())


def test_a_plain_transfer_costs_its_signature() -> None:
    assert fees.fee_of(message(PAY)) == 5_000


def test_a_priority_fee_is_units_times_price_in_millionths_rounded_up() -> None:
    assert fees.fee_of(message(set_compute_unit_limit(2_000), set_compute_unit_price(10**6), PAY)) == 7_000
    assert fees.priority_fee(3, 1) == 1
    assert fees.priority_fee(0, 10**6) == 0


def test_without_a_limit_every_other_instruction_counts_for_its_default() -> None:
    assert fees.fee_of(message(set_compute_unit_price(10), PAY, PAY)) == 5_000 + 2 * 200_000 * 10 // 10**6


def test_signatures_that_a_program_verifies_are_paid_too() -> None:
    assert fees.fee_of(message(Instruction(ED25519, bytes([3, 0]), []))) == 4 * 5_000


@given(st.integers(0, 2_000_000))
def test_a_limit_is_above_what_was_consumed_and_within_what_is_allowed(consumed: int) -> None:
    limit = fees.with_margin(consumed)
    assert min(consumed, fees.MOST_UNITS) <= limit <= fees.MOST_UNITS


@given(st.lists(st.integers(0, 2**64 - 1), max_size=150))
def test_a_faster_speed_never_costs_less(recent: list[int]) -> None:
    prices = [fees.price_for(recent, speed) for speed in (Speed.SAFE_LOW, Speed.AVERAGE, Speed.FAST, Speed.FASTEST)]
    assert prices == sorted(prices)


def test_a_price_follows_what_recent_slots_took() -> None:
    recent = [0] * 50 + [1_000_000] * 50
    assert fees.price_for(recent, Speed.SAFE_LOW) == 0
    assert fees.price_for(recent, Speed.FAST) == 1_000_000


@given(
    st.integers(0, 2**64 - 1),
    st.integers(1, fees.MOST_UNITS),
    st.integers(1, 19).map(lambda signatures: signatures * 5_000),
    st.one_of(st.none(), st.integers(0, 10**9)),
)
def test_a_fee_never_exceeds_the_cap(price: int, units: int, base: int, cap: int | None) -> None:
    found = fees.within_cap(price, units, base, SolanaPolicy(max_allowed_fee_lamports=cap))
    if found is None:
        assert cap is not None
        assert base > cap
        return
    assert found <= price
    most = fees.MOST_PRIORITY_LAMPORTS + base if cap is None else cap
    assert base + fees.priority_fee(units, found) <= most


@pytest.mark.parametrize(
    "junk", [None, 5, {"prioritizationFee": "7"}, {"prioritizationFee": True}, {"prioritizationFee": -1}]
)
def test_what_is_no_price_is_left_out(junk: object) -> None:
    assert fees.recent_prices([junk, {"slot": 1, "prioritizationFee": 7}]) == [7]
