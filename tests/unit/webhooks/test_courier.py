"""Delivery over hours and days, on a clock that is moved by hand (W2, W3)."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from itertools import accumulate, pairwise

import pytest
from tests.house import EVM
from tests.unit.webhooks.conftest import Receiver, Round

from baton.commands import notifications
from baton.commands.notifications import NotificationPatch
from baton.domain.delivery import DeliveryStatus, Said
from baton.domain.events import TransactionEvent
from baton.storage.base import Snapshot, Store
from baton.storage.changes import Replay
from baton.webhooks.schedule import STEPS_S
from baton.webhooks.window import Window

HOUR = 3600.0
AGES = [0.0, *accumulate(STEPS_S)]
THREE_DAYS = AGES[-1]


def sequences(receiver: Receiver) -> list[int]:
    return [json.loads(body)["sequence"] for _, _, body in receiver.posts]


async def test_a_change_reaches_the_receiver_with_its_record(turn_by_turn: Round) -> None:
    transaction_id = await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.work()
    ((_, event_id, body),) = turn_by_turn.receiver.posts
    told = json.loads(body)
    assert list(told) == ["id", "event", "payload", "timestamp", "sequence"]
    assert (told["id"], told["event"], told["sequence"]) == (event_id, "transaction_update", 1)
    assert next(iter(told["payload"])) == "payload_type"
    assert told["payload"]["payload_type"] == "transaction"
    reply = await turn_by_turn.house.client.get(f"/api/v1/relayers/evm-local/transactions/{transaction_id}")
    assert {key: value for key, value in told["payload"].items() if key != "payload_type"} == reply.data
    (delivery,) = await turn_by_turn.deliveries()
    assert (delivery.status, delivery.tries, delivery.reason) == (DeliveryStatus.DELIVERED, 1, None)


async def test_a_receiver_that_is_down_for_the_whole_schedule_is_tried_ten_times_in_three_days(
    turn_by_turn: Round,
) -> None:
    turn_by_turn.receiver.status_code = 503
    await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(5 * 24 * HOUR)
    assert turn_by_turn.receiver.times == pytest.approx(AGES, abs=1)
    assert len({(event_id, body) for _, event_id, body in turn_by_turn.receiver.posts}) == 1
    (failed,) = await turn_by_turn.deliveries()
    assert (failed.status, failed.tries, failed.reason) == (DeliveryStatus.FAILED, 10, "HTTP 503")
    # and then it is replayed
    turn_by_turn.receiver.status_code = 200
    await turn_by_turn.house.store.write(Replay("n", failed.id, "replayed", turn_by_turn.house.clock.now()))
    await turn_by_turn.pass_time(5 * 24 * HOUR + 301)  # the receiver may still be resting
    assert len(turn_by_turn.receiver.posts) == 11
    assert turn_by_turn.receiver.posts[10][1:] == turn_by_turn.receiver.posts[0][1:]
    (_, replayed) = await turn_by_turn.deliveries()
    assert (replayed.status, replayed.replay_of) == (DeliveryStatus.DELIVERED, failed.id)


async def test_jitter_only_adds_and_adds_a_tenth_at_most(turn_by_turn: Round) -> None:
    turn_by_turn.receiver.status_code = 500
    turn_by_turn.courier._tools = replace(turn_by_turn.tools, dice=lambda: 1.0)
    await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(5 * 24 * HOUR)
    waits = [later - earlier for earlier, later in pairwise(turn_by_turn.receiver.times)]
    assert waits[:-1] == pytest.approx([step * 1.1 for step in STEPS_S[:-1]], abs=1)
    assert turn_by_turn.receiver.times[-1] == pytest.approx(THREE_DAYS + STEPS_S[-1] * 0.1, abs=1)


async def test_the_next_event_is_first_tried_when_the_one_before_is_done(turn_by_turn: Round) -> None:
    turn_by_turn.receiver.status_code = 500
    transaction_id = await turn_by_turn.submit()
    await turn_by_turn.cancel(transaction_id)
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(1000)
    assert set(sequences(turn_by_turn.receiver)) == {1}
    turn_by_turn.receiver.status_code = 200
    await turn_by_turn.pass_time(AGES[3] + 1)
    assert sequences(turn_by_turn.receiver)[-2:] == [1, 2]
    assert [one.status for one in await turn_by_turn.deliveries()] == [DeliveryStatus.DELIVERED] * 2


async def test_an_event_that_waited_for_another_does_not_start_three_days_of_its_own(turn_by_turn: Round) -> None:
    turn_by_turn.receiver.status_code = 500
    transaction_id = await turn_by_turn.submit()
    turn_by_turn.house.clock.advance(1)
    await turn_by_turn.cancel(transaction_id)
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(THREE_DAYS + 24 * HOUR)
    first, second = await turn_by_turn.deliveries()
    assert (first.status, first.tries) == (DeliveryStatus.FAILED, 10)
    assert second.status is DeliveryStatus.FAILED
    assert 1 <= second.tries <= 2
    assert second.finished_at is not None
    assert (second.finished_at - second.since).total_seconds() < THREE_DAYS + 400


async def test_an_event_that_had_to_wait_begins_with_short_waits(turn_by_turn: Round) -> None:
    """A receiver that was down for a day and is back may still stumble: that must not cost another day."""
    turn_by_turn.receiver.status_code = 500
    transaction_id = await turn_by_turn.submit()
    await turn_by_turn.cancel(transaction_id)
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(AGES[8] - 1)
    turn_by_turn.receiver.posts.clear()
    turn_by_turn.receiver.status_code = 200
    await turn_by_turn.courier.turn()
    turn_by_turn.house.clock.advance(1)
    await turn_by_turn.courier.turn()
    await turn_by_turn.courier.settle()
    turn_by_turn.receiver.status_code = 500  # for the second event
    await turn_by_turn.courier.turn()
    await turn_by_turn.courier.settle()
    turn_by_turn.receiver.status_code = 200
    await turn_by_turn.pass_time(AGES[8] + 10)
    assert sequences(turn_by_turn.receiver) == [1, 2, 2]
    assert turn_by_turn.receiver.times[-1] - turn_by_turn.receiver.times[1] == pytest.approx(5, abs=0.1)


async def test_when_the_receiver_answers_again_all_that_waits_is_told_at_once(turn_by_turn: Round) -> None:
    turn_by_turn.receiver.status_code = 500
    for _ in range(20):
        await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(10 * HOUR)
    turn_by_turn.receiver.status_code = 200
    await turn_by_turn.submit()  # the only one that is due soon
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(10 * HOUR + 301)
    assert [one.status for one in await turn_by_turn.deliveries()] == [DeliveryStatus.DELIVERED] * 21


async def test_a_dead_receiver_costs_a_try_in_five_minutes_whatever_waits_for_it(turn_by_turn: Round) -> None:
    turn_by_turn.receiver.status_code = 500
    for _ in range(100):
        await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(24 * HOUR)
    assert len(turn_by_turn.receiver.posts) <= 24 * 12 + 20
    await turn_by_turn.pass_time(THREE_DAYS + 3 * HOUR)
    deliveries = await turn_by_turn.deliveries()
    assert {one.status for one in deliveries} == {DeliveryStatus.FAILED}
    assert all(one.reason for one in deliveries)


async def test_an_event_that_is_refused_while_others_are_taken_keeps_to_its_schedule(turn_by_turn: Round) -> None:
    poison = await turn_by_turn.submit()

    async def picky(_url: str, _keys: object, event_id: str, body: bytes) -> Said:
        is_bad = json.loads(body)["payload"]["id"] == poison
        turn_by_turn.receiver.status_code = 500 if is_bad else 200
        return await turn_by_turn.receiver.send("", [], event_id, body)

    turn_by_turn.courier._tools = replace(turn_by_turn.tools, send=picky)
    await turn_by_turn.publish()
    for minute in range(1, 61):
        await turn_by_turn.submit()
        await turn_by_turn.publish()
        await turn_by_turn.pass_time(minute * 60.0)
    tries = [body for _, _, body in turn_by_turn.receiver.posts if json.loads(body)["payload"]["id"] == poison]
    assert len(turn_by_turn.receiver.posts) == 60 + len(tries)
    assert 4 <= len(tries) <= 10


async def test_retry_after_is_respected_up_to_an_hour(turn_by_turn: Round) -> None:
    for asked_s, waited_s in ((1200.0, 1200.0), (86_400.0, 3600.0)):
        turn_by_turn.receiver.status_code, turn_by_turn.receiver.retry_after_s = 429, asked_s
        turn_by_turn.receiver.posts.clear()
        began = turn_by_turn.house.clock.monotonic()
        await turn_by_turn.submit()
        await turn_by_turn.publish()
        await turn_by_turn.pass_time(began + 10)
        turn_by_turn.receiver.status_code, turn_by_turn.receiver.retry_after_s = 200, None
        await turn_by_turn.submit()  # a new one does not slip through either
        await turn_by_turn.publish()
        await turn_by_turn.pass_time(began + 4000)
        assert turn_by_turn.receiver.times[0] == began
        assert turn_by_turn.receiver.times[1] == pytest.approx(began + waited_s, abs=2)
        assert {one.status for one in await turn_by_turn.deliveries()} == {DeliveryStatus.DELIVERED}


async def test_410_disables_until_the_next_patch(turn_by_turn: Round) -> None:
    turn_by_turn.receiver.status_code = 410
    await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(10 * HOUR)
    turn_by_turn.receiver.status_code = 200
    await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(20 * HOUR)
    assert len(turn_by_turn.receiver.posts) == 1
    assert [one.reason for one in await turn_by_turn.deliveries()] == ["HTTP 410", None]
    await notifications.update(turn_by_turn.house.context, "n", NotificationPatch())
    await turn_by_turn.work()
    assert len(turn_by_turn.receiver.posts) == 3
    assert {one.status for one in await turn_by_turn.deliveries()} == {DeliveryStatus.DELIVERED}


async def test_what_a_disabled_receiver_was_not_told_in_three_days_has_failed_and_says_why(turn_by_turn: Round) -> None:
    turn_by_turn.receiver.status_code = 410
    await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.pass_time(THREE_DAYS + HOUR)
    (failed,) = await turn_by_turn.deliveries()
    assert failed.status is DeliveryStatus.FAILED
    assert failed.reason is not None
    assert "410 Gone" in failed.reason


async def test_url_and_key_are_read_at_the_time_of_the_try(turn_by_turn: Round) -> None:
    turn_by_turn.receiver.status_code = 500
    await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.work()
    await notifications.update(turn_by_turn.house.context, "n", NotificationPatch("http://elsewhere", "new-key"))
    await turn_by_turn.work()
    assert turn_by_turn.receiver.urls == ["http://receiver", "http://elsewhere"]
    assert turn_by_turn.receiver.keys == [["key"], ["new-key", "key"]]


async def test_the_old_key_signs_beside_the_new_one_until_its_grace_ends(turn_by_turn: Round) -> None:
    await notifications.update(turn_by_turn.house.context, "n", NotificationPatch(signing_key="new-key"))
    for _ in range(2):
        await turn_by_turn.submit()
        await turn_by_turn.publish()
        await turn_by_turn.work()
        turn_by_turn.house.clock.advance(24 * HOUR)
    assert turn_by_turn.receiver.keys == [["new-key", "key"], ["new-key"]]


async def test_a_new_owner_goes_on_where_the_old_one_died(turn_by_turn: Round) -> None:
    turn_by_turn.receiver.status_code = 500
    await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.work()
    old, turn_by_turn.courier = turn_by_turn.courier, await turn_by_turn.new_courier()
    turn_by_turn.house.clock.advance(5)
    await old.turn()
    await old.settle()
    assert old.is_lost
    turn_by_turn.receiver.status_code = 200
    await turn_by_turn.work()
    (delivery,) = await turn_by_turn.deliveries()
    assert (delivery.status, delivery.tries) == (DeliveryStatus.DELIVERED, 2)  # the loser's try was not written


@pytest.mark.parametrize(("named", "told"), [(("*",), 1), (("n",), 1), (("other", "n"), 1), (("other",), 0), ((), 0)])
async def test_a_relayer_says_who_hears_of_it(turn_by_turn: Round, named: tuple[str, ...], told: int) -> None:
    turn_by_turn.house.context.relayers.put(replace(EVM, notification_ids=named))
    await turn_by_turn.submit()
    await turn_by_turn.publish()
    await turn_by_turn.work()
    assert len(turn_by_turn.receiver.posts) == told


async def test_a_new_notification_hears_of_the_next_transaction(turn_by_turn: Round) -> None:
    await notifications.create(turn_by_turn.house.context, "http://second", "second")
    await turn_by_turn.submit()
    await turn_by_turn.publish()
    async with turn_by_turn.house.store.read() as snapshot:
        assert len(await snapshot.deliveries.due("second", turn_by_turn.house.clock.now(), 10)) == 1


async def test_two_streams_are_under_way_at_once_and_one_stream_never_is(turn_by_turn: Round) -> None:
    one, two = await turn_by_turn.submit(), await turn_by_turn.submit()
    await turn_by_turn.cancel(one)
    await turn_by_turn.cancel(two)
    await turn_by_turn.publish()
    await turn_by_turn.courier.turn()
    await turn_by_turn.courier.settle()
    told = [json.loads(body) for _, _, body in turn_by_turn.receiver.posts]
    assert [(event["payload"]["id"], event["sequence"]) for event in told] == [(one, 1), (two, 1)]


def test_the_window_doubles_to_64_on_quick_answers_and_falls_to_one_on_a_failure() -> None:
    window = Window()
    sizes = [window.size]
    for _ in range(200):
        window.succeeded(took_ms=10)
        sizes.append(window.size)
    assert sorted(set(sizes)) == [2, 4, 8, 16, 32, 64]
    assert sizes.index(4) == 2
    window.failed()
    assert window.size == 1
    for _ in range(100):
        window.succeeded(took_ms=1001)
    assert window.size == 1


async def test_feed_positions_follow_the_commits(turn_by_turn: Round) -> None:
    for _ in range(5):
        await turn_by_turn.cancel(await turn_by_turn.submit())
    await turn_by_turn.publish()
    async with turn_by_turn.house.store.read() as snapshot:
        told = await snapshot.feed.after(0, 100)
    assert [one.position for one in told] == list(range(1, 11))
    assert [one.event.number for one in told if isinstance(one.event, TransactionEvent)] == [1, 2] * 5


async def test_what_ends_during_a_look_is_not_told_again(turn_by_turn: Round) -> None:
    """W3: a look into the store may still show it as due; told again it would overtake its successor."""
    courier, store = turn_by_turn.courier, turn_by_turn.house.store

    @asynccontextmanager
    async def slow_look() -> AsyncIterator[Snapshot]:
        async with store.read() as snapshot:
            yield snapshot
            await courier.settle()  # the answer comes in, and is recorded, while the look is being taken

    await turn_by_turn.submit()
    await turn_by_turn.publish()
    await courier.turn()
    courier._tools = replace(turn_by_turn.tools, store=SlowStore(store, slow_look))
    await courier.turn()
    await courier.settle()
    assert sequences(turn_by_turn.receiver) == [1]


class SlowStore:
    """The same store, with another way to look into it."""

    def __init__(self, store: Store, look: Callable[[], AbstractAsyncContextManager[Snapshot]]) -> None:
        self.read = look
        self.write, self.write_all, self.watch, self.close = store.write, store.write_all, store.watch, store.close
