"""A store and a model made of dictionaries get the same changes; they must answer and show the same, also over restarts."""

import asyncio
import shutil
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from msgspec.structs import replace
from tests.contract.storage.conftest import SqliteEngine
from tests.contract.storage.making import NOON, advance, an_accept, an_attempt, hold, later, progress
from tests.contract.storage.model import Model
from tests.rounds import rounds

from baton.domain.status import FINAL, Status, may_move
from baton.domain.transaction import Hold, Intent, IntentKind, State, Transaction
from baton.storage.base import ListFilter, Snapshot, Store
from baton.storage.changes import Change, Fence, LeaveLane, Outcome, Sweep, TakeLane

RELAYERS = st.sampled_from(["a", "b"])
LANES = st.sampled_from(["lane-1", "lane-2"])
SECONDS = st.integers(-100, 100)
NUMBERS = st.integers(0, 4)


class Twins(RuleBasedStateMachine):
    """Each rule writes one change to both and compares the outcomes."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.folder = Path(tempfile.mkdtemp(prefix="baton-model-"))
        self.engine = SqliteEngine(self.folder)
        self.runner = asyncio.Runner()
        self.store: Store = self.runner.run(self.engine.open())

    def teardown(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()
        shutil.rmtree(self.folder)

    def _compare(self, change: Change, expected: Outcome) -> None:
        assert self.runner.run(self.store.write(change)) == expected

    def _pick(self, choice: int) -> Transaction | None:
        lives = list(self.model.lives.values())
        return lives[choice % len(lives)].now if lives else None

    @initialize(count=st.integers(1, 4), relayer=RELAYERS)
    def some_at_once(self, count: int, relayer: str) -> None:
        changes = [an_accept(relayer) for _ in range(count)]
        expected = [self.model.accept(change) for change in changes]
        assert self.runner.run(self.store.write_all(changes)) == expected

    @rule(relayer=RELAYERS, at=SECONDS, key=st.sampled_from([None, None, "k1", "k2"]), limit=st.integers(0, 6))
    def accept(self, relayer: str, at: int, key: str | None, limit: int) -> None:
        change = an_accept(relayer, at=later(at), key=key, limit=limit)
        self._compare(change, self.model.accept(change))

    @rule(choice=st.integers(0, 50), number=NUMBERS, bump=st.booleans(), stale=st.booleans(), epoch=st.integers(0, 3))
    def sign(self, choice: int, number: int, bump: bool, stale: bool, epoch: int) -> None:
        transaction = self._pick(choice)
        if transaction is None or transaction.status.is_final:
            return
        attempt = an_attempt(transaction, number, tag=f"{transaction.version}" if bump else "")
        state = replace(transaction.state, status=Status.SENT, attempt_id=attempt.id)
        seen = replace(transaction, version=transaction.version + int(stale))
        fence = None if epoch == 0 else Fence("lane-1", epoch)
        change = progress(advance(seen, state), attempts=(attempt,), slots=(hold(attempt),), fence=fence)
        self._compare(change, self.model.progress(change))

    @rule(choice=st.integers(0, 50), status=st.sampled_from(sorted(Status)), two=st.booleans())
    def move(self, choice: int, status: Status, two: bool) -> None:
        transaction = self._pick(choice)
        if transaction is None:
            return
        old = transaction.state
        if status is Status.PENDING:
            state = State(Status.PENDING, revision=old.revision)
        elif status in FINAL - {Status.CONFIRMED} or old.attempt_id is not None:
            confirmed = NOON if status is Status.CONFIRMED else None
            state = replace(old, status=status, confirmed_at=confirmed, reason=f"{old.status} to {status}")
        else:
            return
        if not may_move(old.status, status) and not old.status.is_final:
            return
        steps = (state, state) if two and not status.is_final else (state,)
        change = progress(advance(transaction, *steps))
        self._compare(change, self.model.progress(change))

    @rule(choice=st.integers(0, 50), kind=st.sampled_from([None, IntentKind.CANCEL, IntentKind.REPLACE]))
    def want(self, choice: int, kind: IntentKind | None) -> None:
        transaction = self._pick(choice)
        if transaction is None:
            return
        change = progress(advance(transaction, intent=None if kind is None else Intent(kind, 1)))
        self._compare(change, self.model.progress(change))

    @rule(choice=st.integers(0, 50), number=NUMBERS, state=st.sampled_from(sorted(Hold)))
    def settle_slot(self, choice: int, number: int, state: Hold) -> None:
        transaction = self._pick(choice)
        if transaction is None:
            return
        change = progress(slots=(hold(an_attempt(transaction, number), state),))
        self._compare(change, self.model.progress(change))

    @rule(lane=LANES, node=st.sampled_from(["x", "y"]))
    def take_over(self, lane: str, node: str) -> None:
        self._compare(TakeLane(lane, node, NOON), self.model.take(lane, node))

    @rule(lane=LANES, epoch=st.integers(1, 4))
    def leave(self, lane: str, epoch: int) -> None:
        self._compare(LeaveLane(Fence(lane, epoch)), self.model.leave(Fence(lane, epoch)))

    @rule(before=SECONDS)
    def sweep(self, before: int) -> None:
        change = Sweep(later(before))
        self._compare(change, self.model.sweep(change))

    @rule()
    def restart(self) -> None:
        self.runner.run(self.store.close())
        self.store = self.runner.run(self.engine.open())

    @rule(relayer=RELAYERS, per_page=st.integers(1, 5), status=st.sampled_from([None, *sorted(Status)]), until=SECONDS)
    def walk(self, relayer: str, per_page: int, status: Status | None, until: int) -> None:
        wanted = [
            name
            for name in reversed(self.model.order.get(relayer, []))
            if self.model.lives[name].now.created_at <= later(until)
            and status in (None, self.model.lives[name].now.status)
        ]
        where = ListFilter(status=status, until=later(until))

        async def pages() -> list[str]:
            found: list[str] = []
            async with self.store.read() as snapshot:
                for page in range(1, len(wanted) // per_page + 2):
                    listed = await snapshot.transactions.page(relayer, page, per_page, where)
                    assert listed.total == len(wanted)
                    found += [view.id for view in listed.items]
            return found

        assert self.runner.run(pages()) == wanted

    @invariant()
    def both_show_the_same(self) -> None:
        self.runner.run(self._look())

    async def _look(self) -> None:
        async with self.store.read() as snapshot:
            await self._look_at_lives(snapshot)
            counted = Counter((life.now.relayer_id, life.now.status) for life in self.model.lives.values())
            assert await snapshot.transactions.counts() == dict(counted)
            for (relayer, key), (made, _, _) in self.model.keys.items():
                found = await snapshot.transactions.idempotent(relayer, "api-key", key)
                assert found is not None
                assert found.transaction_id == made

    async def _look_at_lives(self, snapshot: Snapshot) -> None:
        for name, life in self.model.lives.items():
            assert await snapshot.transactions.transaction(life.now.relayer_id, name) == life.now
            events = await snapshot.transactions.events(name)
            assert [event.number for event in events] == list(range(1, len(life.states) + 1))
            assert [event.state for event in events] == life.states
            signed = await snapshot.transactions.attempts(name)
            assert [attempt.id for attempt in signed] == self.model.attempts.get(name, [])


@pytest.mark.torture
def test_a_store_behaves_as_its_model() -> None:
    run_state_machine_as_test(
        Twins,
        settings=settings(
            max_examples=rounds(quick=12, full=250),
            stateful_step_count=25,
            deadline=timedelta(seconds=20),
            suppress_health_check=list(HealthCheck),
        ),
    )
