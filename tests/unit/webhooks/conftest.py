"""A courier over a real store, with the clock and the receiver in the test's hands."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.fakes import FakeClock
from tests.house import EVM, House, open_house

from baton.commands import amend, transactions
from baton.domain.delivery import Delivery, DeliveryStatus, Said
from baton.domain.notification import Notification
from baton.storage.changes import CreateNotification, Fence, Owned, TakeLane
from baton.webhooks.courier import Courier, Tools
from baton.webhooks.feed import Feed

Answer = Callable[[], Said]


@dataclass
class Receiver:
    """Answers as it is told, and remembers what it was sent and when (seconds since the start)."""

    clock: FakeClock
    status_code: int = 200
    retry_after_s: float | None = None
    takes_ms: int = 5
    posts: list[tuple[float, str, bytes]] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    keys: list[list[str]] = field(default_factory=list)

    async def send(self, url: str, keys: Sequence[str], event_id: str, body: bytes) -> Said:
        self.posts.append((self.clock.monotonic(), event_id, body))
        self.urls.append(url)
        self.keys.append(list(keys))
        is_good = 200 <= self.status_code < 300
        error = None if is_good else f"HTTP {self.status_code}"
        return Said(self.clock.now(), self.takes_ms, self.status_code, error, "", self.retry_after_s)

    @property
    def times(self) -> list[float]:
        return [at for at, _, _ in self.posts]


@dataclass
class Round:
    """One notification "n", the feed and its courier, driven by hand."""

    house: House
    receiver: Receiver
    feed: Feed
    tools: Tools
    courier: Courier
    feed_fence: Fence

    async def submit(self) -> str:
        return (
            await transactions.submit(self.house.context, "evm-local", {"value": 1, "to": "0x" + "11" * 20})
        ).view.id

    async def cancel(self, transaction_id: str) -> None:
        await amend.cancel(self.house.context, "evm-local", transaction_id)

    async def publish(self) -> None:
        while await self.feed.publish(self.feed_fence):
            pass

    async def work(self) -> None:
        """Until nothing is due any more at this moment."""
        while True:
            sent = len(self.receiver.posts)
            await self.courier.turn()
            await self.courier.settle()
            if len(self.receiver.posts) == sent:
                return

    async def pass_time(self, until_s: float, steps: int = 10_000) -> None:
        """Moves the clock to each next moment of interest, until that time."""
        for _ in range(steps):
            await self.work()
            again_at = await self.courier.turn()
            await self.courier.settle()
            now = self.house.clock.now()
            wait_s = (again_at - now).total_seconds() if again_at else until_s
            left_s = until_s - self.house.clock.monotonic()
            if left_s <= 0:
                return
            self.house.clock.advance(min(left_s, max(wait_s, 0.001)))
        raise AssertionError("time stands still")

    async def deliveries(self, status: DeliveryStatus | None = None) -> list[Delivery]:
        """Oldest first."""
        async with self.house.store.read() as snapshot:
            page = await snapshot.deliveries.page("n", 1, 1000, status)
        return list(reversed(page.items))

    async def new_courier(self) -> Courier:
        return await make_courier(self.tools)


async def make_courier(tools: Tools) -> Courier:
    outcome = await tools.store.write(TakeLane("notification/n", "node", tools.clock.now()))
    assert isinstance(outcome, Owned)
    return Courier("n", Fence("notification/n", outcome.epoch), tools)


@pytest.fixture
async def turn_by_turn(tmp_path: Path) -> AsyncIterator[Round]:
    async with open_house(tmp_path) as house:
        house.context.relayers.put(replace(EVM, notification_ids=("*",)))
        await house.store.write(CreateNotification(Notification("n", "http://receiver", house.clock.now(), "key")))
        receiver = Receiver(house.clock)
        tools = Tools(house.store, house.context.relayers, house.clock, receiver.send, dice=lambda: 0.0)
        feed = Feed(house.store, house.context.relayers, house.clock, "node", lambda _: None)
        outcome = await house.store.write(TakeLane("feed", "node", house.clock.now()))
        assert isinstance(outcome, Owned)
        yield Round(house, receiver, feed, tools, await make_courier(tools), Fence("feed", outcome.epoch))
