"""A day's spending, against the plain sum over everything that was signed."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from baton.domain.transaction import Attempt, AttemptKind
from baton.lanes.spending import DAY, Cost, Spending

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def an_attempt(holder: str | None, cost: int, hours: float) -> Attempt:
    return Attempt(
        id=f"{holder}/{cost}/{hours}",
        relayer_id="r",
        transaction_id=holder,
        revision=1,
        kind=AttemptKind.ORIGINAL,
        hash="0x",
        slot=None,
        max_cost=cost,
        facts={},
        created_at=NOON + timedelta(hours=hours),
    )


def nobody(_holder: str) -> bool:
    return False


def test_of_each_transaction_its_dearest_version_counts() -> None:
    spending = Spending()
    for cost in (5, 9, 7):
        spending.sign(an_attempt("a", cost, 0))
    spending.sign(an_attempt("b", 1, 0))
    assert spending.since(NOON - DAY, nobody) == 10


def test_what_has_ended_counts_for_a_day_after_its_last_signature() -> None:
    spending = Spending()
    spending.sign(an_attempt("a", 5, 0))
    spending.sign(an_attempt("a", 6, 2))
    spending.end("a")
    assert spending.since(NOON + timedelta(hours=2), nobody) == 6
    assert spending.since(NOON + timedelta(hours=2, seconds=1), nobody) == 0


def test_what_is_under_way_counts_however_old_it_is() -> None:
    spending = Spending.of([("a", 5, NOON)], {"a"}.__contains__)
    assert spending.since(NOON + DAY, {"a"}.__contains__) == 5
    assert spending.since(NOON + DAY + timedelta(seconds=1), nobody) == 0  # a client canceled it meanwhile


def test_every_version_of_a_filler_counts() -> None:
    spending = Spending()
    spending.sign(an_attempt(None, 3, 0))
    spending.sign(an_attempt(None, 4, 0))
    assert spending.since(NOON, nobody) == 7


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 2**200), st.integers(0, 60)), max_size=30),
    st.sets(st.sampled_from("abcdef")),
    st.integers(0, 60),
)
def test_a_ledger_read_from_the_store_is_the_one_that_was_kept(
    signed: list[tuple[str, int, int]], ended: set[str], hour: int
) -> None:
    """A restart neither forgets nor invents; both agree with the plain sum."""
    signed.sort(key=lambda one: one[2])
    costs: list[Cost] = [(holder, cost, NOON + timedelta(hours=at)) for holder, cost, at in signed]
    kept = Spending()
    for holder, cost, at in signed:
        kept.sign(an_attempt(holder, cost, at))
    for holder in ended:
        kept.end(holder)

    def is_under_way(holder: str) -> bool:
        return holder not in ended

    moment = NOON + timedelta(hours=hour)
    whole = Spending.of(costs, is_under_way)
    latest = {holder: at for holder, _, at in costs}
    dearest = {name: max(cost for holder, cost, _ in costs if holder == name) for name in latest}
    plain = sum(dearest[name] for name, at in latest.items() if at >= moment or is_under_way(name))
    assert whole.since(moment, is_under_way) == kept.since(moment, is_under_way) == plain
