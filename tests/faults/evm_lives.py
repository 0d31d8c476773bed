"""What clients do with a few transactions on an EVM lane: whole lives, act by act, so that a fault can strike at any write."""

from dataclasses import dataclass, field

from tests.faults.crash import Kind
from tests.faults.evm_judge import judge_everything
from tests.faults.evm_rig import FaultRig
from tests.integration.evm.chain import GWEI, fresh_address

VALID_S = 60


@dataclass(slots=True)
class EvmLife:
    """What a client does with a few transactions, one act after the other; an act that a crash broke is done again."""

    rig: FaultRig
    count: int = 1
    ids: list[str] = field(default_factory=list)
    receivers: dict[str, list[str]] = field(default_factory=dict)
    payees: list[str] = field(default_factory=list)
    replaced: set[str] = field(default_factory=set)
    deadline: str | None = None

    async def pay(self, **more: str) -> None:
        """By a key each, so that one whose answer a crash cut off is not paid twice."""
        while len(self.ids) < self.count:
            if len(self.payees) == len(self.ids):
                self.payees.append(fresh_address())
            key, payee = f"payment-{len(self.ids)}", self.payees[-1]
            one = await self.rig.submit(to=payee, key=key, **{"speed": "fastest", **more})
            self.ids.append(one)
            self.receivers[one] = [payee]

    async def pay_in_time(self) -> None:
        self.deadline = self.deadline or self.rig.clock.in_s(VALID_S)
        await self.pay(speed="fast", valid_until=self.deadline)

    async def in_pool(self) -> None:
        """Or further: what is expired before it is signed never gets there."""

        async def are_out() -> bool:
            return all(status not in ("pending", "sent") for status in await self.rig.statuses(self.ids))

        await self.rig.until(are_out)

    async def replace(self) -> None:
        for one in self.ids:
            if one not in self.replaced:
                if len(self.receivers[one]) == 1:
                    self.receivers[one].append(fresh_address())
                await self.rig.replace(one, to=self.receivers[one][-1], speed="fastest")
                self.replaced.add(one)

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
        self.rig.clock.jump(VALID_S + 1)

    async def end(self) -> None:
        await self.rig.settled(self.ids)

    async def judge(self, kind: Kind) -> None:
        assert await self.rig.statuses(self.ids) == [kind.end] * kind.count
        await judge_everything(self.rig, self.receivers)

    async def check(self, kind: Kind, *, has_died: bool) -> None:
        await self.judge(kind)
        versions = {str(attempt.kind) for one in self.ids for attempt in await self.rig.attempts(one)}
        whole_way = {"original", next((ROUTES[act] for act in kind.acts if act in ROUTES), "original")}
        assert versions <= whole_way, versions
        assert has_died or versions == whole_way, "an undisturbed life goes its whole way"


async def on_fresh_terms(rig: FaultRig) -> None:
    """The price of an earlier life is over."""
    await rig.chain.set_base_fee(GWEI)
    await rig.chain.mine(5)  # as many as the fee history is asked for


# How a life that needs a second version gets it: by its first act of these.
ROUTES = {
    EvmLife.replace: "replacement",
    EvmLife.cancel: "noop",
    EvmLife.overdue: "noop",
    EvmLife.spike: "bump",
}
PLAIN = (EvmLife.pay, EvmLife.end)
LIVES = {
    "one": Kind(1, PLAIN),
    "three": Kind(3, PLAIN),
    "replaced": Kind(2, (EvmLife.pay, EvmLife.in_pool, EvmLife.replace, EvmLife.carried_out, EvmLife.end)),
    "canceled": Kind(2, (EvmLife.pay, EvmLife.in_pool, EvmLife.cancel, EvmLife.carried_out, EvmLife.end), "canceled"),
    "bumped": Kind(2, (EvmLife.pay, EvmLife.in_pool, EvmLife.spike, EvmLife.end)),
    "expired": Kind(1, (EvmLife.pay_in_time, EvmLife.in_pool, EvmLife.overdue, EvmLife.spike, EvmLife.end), "expired"),
}
