"""Dispatch: which receivers have work. It takes their leases and sends a courier to each; a receiver without work,
resting or disabled has no lease, no task and costs nothing."""

import asyncio
import contextlib
from collections.abc import Iterable
from datetime import timedelta

from baton import telemetry
from baton.domain.errors import Unavailable
from baton.storage.changes import Fence, LeaveLane, Owned, TakeLane
from baton.webhooks.courier import Courier, Tools

POLL_S = 5.0


class Dispatch:
    def __init__(self, tools: Tools, node: str, poll_s: float = POLL_S) -> None:
        self._tools = tools
        self._node = node
        self._poll_s = poll_s
        self._couriers: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Polling finds what is due; `call` and the wake-up only make it quicker."""
        wake = self._tools.store.watch("deliveries")
        try:
            while True:
                wake.clear()
                with contextlib.suppress(Unavailable):
                    self.call(await self._with_work())
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._poll_s):
                        await wake.wait()
        finally:
            couriers = list(self._couriers.values())
            for courier in couriers:
                courier.cancel()
            await asyncio.gather(*couriers, return_exceptions=True)

    def call(self, notification_ids: Iterable[str]) -> None:
        for notification_id in notification_ids:
            if notification_id not in self._couriers:
                task = asyncio.create_task(self._tend(notification_id), name=f"courier {notification_id}")
                self._couriers[notification_id] = task

    async def _with_work(self) -> list[str]:
        now = self._tools.clock.now()
        async with self._tools.store.read() as snapshot:
            due = await snapshot.deliveries.with_due(now + timedelta(seconds=self._poll_s))
            overdue = await snapshot.deliveries.with_overdue(now - self._tools.schedule.lasts)
        return [*due, *overdue]

    async def _tend(self, notification_id: str) -> None:
        lane = f"notification/{notification_id}"
        fence: Fence | None = None
        try:
            outcome = await self._tools.store.write(TakeLane(lane, self._node, self._tools.clock.now()))
            if isinstance(outcome, Owned):
                fence = Fence(lane, outcome.epoch)
                await Courier(notification_id, fence, self._tools).run()
        except Unavailable as outage:
            telemetry.log.warning("courier_waits", notification=notification_id, why=str(outage))
        except Exception as error:  # noqa: BLE001 - the outermost loop of a courier: one receiver must not end the others
            telemetry.log.error("courier_crashed", notification=notification_id, exc_info=error)
        finally:
            self._couriers.pop(notification_id, None)
            if fence is not None:
                with contextlib.suppress(Unavailable):
                    await self._tools.store.write(LeaveLane(fence))
