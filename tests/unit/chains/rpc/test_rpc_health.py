"""Failures lead to pauses that grow, and one outage counts once."""

import pytest
from tests.fakes import FakeClock

from baton.chains.rpc import RpcSettings
from baton.chains.rpc.health import Health


@pytest.fixture
def health(clock: FakeClock) -> Health:
    return Health(RpcSettings(), clock)


def fail(health: Health, clock: FakeClock) -> float:
    """A failure of a request begun just now; the length of the pause that follows."""
    clock.advance(0.001)
    assert health.failed(clock.monotonic())
    return health.paused_until - clock.monotonic()


def test_pauses_double_from_half_a_second_to_half_a_minute(health: Health, clock: FakeClock) -> None:
    pauses = [fail(health, clock) for _ in range(9)]
    assert pauses == pytest.approx([0.5, 1, 2, 4, 8, 16, 30, 30, 30])


def test_a_pause_ends_by_itself(health: Health, clock: FakeClock) -> None:
    pause_s = fail(health, clock)
    assert health.is_paused
    clock.advance(pause_s)
    assert not health.is_paused


def test_requests_that_fail_together_are_one_failure(health: Health, clock: FakeClock) -> None:
    began_at = clock.monotonic()
    clock.advance(1)
    assert health.failed(began_at)
    clock.advance(0.1)
    assert not health.failed(began_at)
    assert health.failures == 1


def test_a_success_makes_the_next_pause_short_again(health: Health, clock: FakeClock) -> None:
    for _ in range(5):
        fail(health, clock)
    clock.advance(100)
    health.succeeded(clock.monotonic())
    assert fail(health, clock) == pytest.approx(0.5)


def test_a_success_of_a_request_older_than_the_failure_proves_nothing(health: Health, clock: FakeClock) -> None:
    began_at = clock.monotonic()
    fail(health, clock)
    health.succeeded(began_at)
    assert health.is_paused


def test_letting_in_ends_the_pause_but_not_the_memory(health: Health, clock: FakeClock) -> None:
    fail(health, clock)
    fail(health, clock)
    health.lift()
    assert not health.is_paused
    assert fail(health, clock) == pytest.approx(2)


def test_a_wish_to_wait_is_granted_up_to_a_limit(health: Health, clock: FakeClock) -> None:
    clock.advance(1)
    health.told_to_wait(clock.monotonic(), 12)
    assert health.is_told_to_wait
    assert health.paused_until - clock.monotonic() == 12
    clock.advance(13)
    assert not health.is_told_to_wait
    health.told_to_wait(clock.monotonic(), 10_000)
    assert health.paused_until - clock.monotonic() == 60


def test_an_outage_has_a_length(health: Health, clock: FakeClock) -> None:
    assert health.down_s == 0
    fail(health, clock)
    clock.advance(40)
    fail(health, clock)
    assert health.down_s == pytest.approx(40, abs=0.1)
    health.lift()
    assert health.down_s == 0
