import pytest
from tests.rounds import rounds


def test_a_repeated_test_runs_a_few_times_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BATON_ROUNDS", raising=False)
    assert rounds(quick=3, full=100) == 3


def test_torture_runs_the_full_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATON_ROUNDS", "full")
    assert rounds(quick=3, full=100) == 100


def test_an_unknown_count_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATON_ROUNDS", "ful")
    with pytest.raises(ValueError, match="BATON_ROUNDS"):
        rounds(quick=3, full=100)
