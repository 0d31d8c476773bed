from hypothesis import given, settings
from hypothesis import strategies as st

from baton.commands.paging import LAST_PAGE, Paging


@given(st.integers(0, 10**40), st.integers(0, 10**40), st.integers(1, 5000))
@settings(max_examples=100)
def test_what_is_used_is_always_a_page_that_a_store_can_find(page: int, per_page: int, limit: int) -> None:
    used = Paging(page, per_page).within(limit)
    assert 1 <= used.page <= LAST_PAGE
    assert 0 <= used.per_page <= limit
    assert used.page * used.per_page < 2**63
    assert used.within(limit) == used


def test_what_is_within_bounds_is_used_as_it_is() -> None:
    assert Paging(7, 25).within(1000) == Paging(7, 25)
    assert Paging().within(1000) == Paging(1, 10)
