"""What clients do with a few transactions on an EVM lane: whole lives, act by act, so that a fault can strike at any write."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tests.faults.evm_rig import FaultRig
from tests.integration.evm.chain import GWEI, fresh_address

from baton.domain.errors import StoreUnavailable

LONGEST_LIFE = 60  # writes; a life that takes more would end the search without having died everywhere


@dataclass(slots=True)
class Life:
    """What a client does with a few transactions, one act after the other; an act that a crash broke is done again."""

    rig: FaultRig
    count: int = 1
    ids: list[str] = field(default_factory=list)
    receivers: dict[str, list[str]] = field(default_factory=dict)
    deadline: datetime | None = None

    async def pay(self) -> None:
        while len(self.ids) < self.count:
            receiver = fresh_address()
            self.ids.append(await self.rig.submit(to=receiver, speed="fastest"))
            self.receivers[self.ids[-1]] = [receiver]

    async def pay_in_time(self) -> None:
        if self.ids:
            return
        receiver = fresh_address()
        deadline = self.deadline = datetime.now(UTC) + timedelta(seconds=0.4)
        self.ids.append(await self.rig.submit(to=receiver, valid_until=deadline.isoformat()))
        self.receivers[self.ids[-1]] = [receiver]

    async def in_pool(self) -> None:
        """Or further: what is expired before it is signed never gets there."""

        async def are_out() -> bool:
            return all(status not in ("pending", "sent") for status in await self.rig.statuses(self.ids))

        await self.rig.until(are_out)

    async def replace(self) -> None:
        for one in self.ids:
            if len(self.receivers[one]) == 1:
                receiver = fresh_address()
                self.receivers[one].append(receiver)
                try:
                    await self.rig.replace(one, to=receiver, speed="fastest")
                except StoreUnavailable:
                    self.receivers[one].pop()
                    raise

    async def cancel(self) -> None:
        for one in self.ids:
            await self.rig.cancel(one)

    async def carried_out(self) -> None:
        """A node has the version that displaces the first."""

        async def are_out() -> bool:
            return all([len(found := await self.rig.attempts(one)) > 1 and found[-1].accepted_at for one in self.ids])

        await self.rig.until(are_out)

    async def spike(self) -> None:
        """The base fee jumps over what was offered."""
        await self.rig.chain.set_base_fee(40 * GWEI)
        await self.rig.chain.mine()

    async def overdue(self) -> None:
        assert self.deadline is not None
        await asyncio.sleep((self.deadline - datetime.now(UTC)).total_seconds())

    async def end(self) -> None:
        await self.rig.settled(self.ids)


Act = Callable[[Life], Awaitable[None]]
PLAIN: tuple[Act, ...] = (Life.pay, Life.end)
LIVES: dict[str, tuple[int, tuple[Act, ...], str]] = {
    "one": (1, PLAIN, "confirmed"),
    "three": (3, PLAIN, "confirmed"),
    "replaced": (2, (Life.pay, Life.in_pool, Life.replace, Life.carried_out, Life.end), "confirmed"),
    "canceled": (2, (Life.pay, Life.in_pool, Life.cancel, Life.carried_out, Life.end), "canceled"),
    "bumped": (2, (Life.pay, Life.in_pool, Life.spike, Life.end), "confirmed"),
    "expired": (1, (Life.pay_in_time, Life.in_pool, Life.overdue, Life.spike, Life.end), "expired"),
}
# How a life that needs a second version gets it.
ROUTES = {"replaced": "replacement", "canceled": "noop", "bumped": "bump", "expired": "noop"}
