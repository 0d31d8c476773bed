"""The client's commands to one relayer, and patience until something is so. Every wait is for a signal."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from tests.faults.rules import Rule

from baton.commands import amend, transactions
from baton.commands.context import Context
from baton.domain.transaction import Attempt
from baton.storage.base import Store

RELAYER = "relayer"
PATIENCE_S = 20.0  # far beyond what anything here takes; a test that waits so long has failed
LOOK_S = 0.1  # what only the chain knows gives no wake-up
FINAL = ("confirmed", "failed", "expired", "canceled")

Record = dict[str, Any]
IsSo = Callable[[], Awaitable[bool]]


class LaneClient:
    usual: Mapping[str, Any]  # what every body has that does not say otherwise
    context: Context

    @property
    def store(self) -> Store:
        return self.context.store

    async def submit(self, body: Mapping[str, Any] | None = None, /, key: str | None = None, **fields: Any) -> str:
        """With a key it may be said again after a crash."""
        once = None if key is None else transactions.OnceOnly("client", key)
        wish = {**self.usual, **(body or {}), **fields}
        return (await transactions.submit(self.context, RELAYER, wish, once)).view.id

    async def replace(self, transaction_id: str, body: Mapping[str, Any] | None = None, /, **fields: Any) -> Record:
        wish = {**self.usual, **(body or {}), **fields}
        return (await amend.replace(self.context, RELAYER, transaction_id, wish)).record()

    async def cancel(self, transaction_id: str) -> Record:
        return (await amend.cancel(self.context, RELAYER, transaction_id)).record()

    async def record(self, transaction_id: str) -> Record:
        return (await transactions.get(self.context, RELAYER, transaction_id)).record()

    async def statuses(self, transaction_ids: Sequence[str]) -> list[str]:
        return [(await self.record(one))["status"] for one in transaction_ids]

    async def story(self, transaction_id: str) -> list[str]:
        """The status of each event, in order."""
        async with self.store.read() as snapshot:
            return [str(event.state.status) for event in await snapshot.transactions.events(transaction_id)]

    async def attempts(self, transaction_id: str) -> list[Attempt]:
        async with self.store.read() as snapshot:
            return await snapshot.transactions.attempts(transaction_id)

    async def is_soon(self, is_so: IsSo, patience_s: float) -> bool:
        """Whether it becomes so in time. Looks again at each commit of the store; a look is never cut short."""
        told, ends_at = self.store.watch("events"), time.monotonic() + patience_s
        while not await is_so():
            if time.monotonic() >= ends_at:
                return False
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await told.wait()
            told.clear()
        return True

    async def until(self, is_so: IsSo, timeout_s: float = PATIENCE_S) -> None:
        if not await self.is_soon(is_so, timeout_s):
            raise TimeoutError

    async def reaches(self, transaction_id: str, *statuses: str, patience_s: float = PATIENCE_S) -> Record:
        """Waits until it is in one of these statuses; a final one that is not among them fails at once."""
        found: Record = {}

        async def is_there() -> bool:
            found.update(await self.record(transaction_id))
            if found["status"] in FINAL:
                assert found["status"] in statuses, f"{found['status']}: {found['status_reason']}"
            return found["status"] in statuses

        try:
            await self.until(is_there, patience_s)
        except TimeoutError:
            raise AssertionError(f"still {found['status']} ({found['status_reason']}), awaited {statuses}") from None
        return found

    async def all_reach(
        self, transaction_ids: Sequence[str], *statuses: str, patience_s: float = PATIENCE_S
    ) -> list[Record]:
        return [await self.reaches(one, *statuses, patience_s=patience_s) for one in transaction_ids]

    async def reason(self, transaction_id: str, part: str) -> Record:
        """Waits until its reason has these words."""
        found: Record = {}

        async def says() -> bool:
            found.update(await self.record(transaction_id))
            return part in (found["status_reason"] or "")

        try:
            await self.until(says)
        except TimeoutError:
            raise AssertionError(f"{found['status']} says {found['status_reason']!r}, awaited {part!r}") from None
        return found

    async def versions(self, transaction_id: str, count: int) -> list[Attempt]:
        """Waits until so many versions of it are signed; whether they have left is another question."""
        found: list[Attempt] = []

        async def are_signed() -> bool:
            found[:] = await self.attempts(transaction_id)
            return len(found) >= count

        await self.until(are_signed)
        return found

    async def struck(self, rule: Rule, times: int = 1) -> None:
        """Waits until a fault has struck so often."""

        async def has_struck() -> bool:
            return rule.hits >= times

        await self.until(has_struck)

    async def is_idle(self) -> bool:
        """Whether nothing is open."""
        async with self.store.read() as snapshot:
            return await snapshot.relayers.open_count(RELAYER) == 0
