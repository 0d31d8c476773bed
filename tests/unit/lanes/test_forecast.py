"""What a lane says of a transaction that waits: one case after the other, on a desk laid by hand."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from msgspec.structs import replace as with_changes
from tests.fakes import FakeClock
from tests.house import EVM

from baton.chains.seam import Account, Prepared, Ready, Stall, Step, Tip, Wait
from baton.commands.live import LaneHead, NextAction
from baton.domain.relayer import Relayer
from baton.domain.status import Status
from baton.domain.transaction import (
    Attempt,
    AttemptKind,
    Block,
    Fate,
    Intent,
    IntentKind,
    Revision,
    Slot,
    State,
    Transaction,
)
from baton.lanes.book import Entry, Mail
from baton.lanes.desk import Desk, LaneSettings
from baton.lanes.forecast import Case, forecast
from baton.storage.changes import Fence

CLOCK = FakeClock()


class AMaker:
    """Bumps after five blocks, or never may."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared

    def next_step(self, attempt: Attempt, stall: Stall, relayer: Relayer) -> Step:
        assert attempt.relayer_id == relayer.id
        return Step.BUMP if stall.blocks >= 5 else Step.NOTHING

    async def bump(self, revision: Revision, attempts: Sequence[Attempt], relayer: Relayer) -> Prepared:
        assert revision.number == 1
        assert attempts[-1].relayer_id == relayer.id
        return self.prepared


class AChain:
    def __init__(self, *, has_slots: bool = True) -> None:
        self.has_slots = has_slots


def an_entry(status: Status, *, attempts: int = 1, intent: Intent | None = None, **changes: Any) -> Entry:
    made = [
        Attempt(
            id=f"attempt-{index}",
            relayer_id=EVM.id,
            transaction_id="t",
            revision=1,
            kind=AttemptKind.ORIGINAL,
            hash=f"0x{index}",
            slot=Slot("chain", EVM.address, 7),
            max_cost=1,
            facts={},
            created_at=CLOCK.now(),
        )
        for index in range(attempts)
    ]
    if changes:
        made[-1] = with_changes(made[-1], **changes)
    state = State(status, attempt_id=made[-1].id if made else None)
    return Entry(Transaction("t", EVM.id, 1, CLOCK.now(), 1, 1, state, intent), Revision(1, {}), made)


def a_case(
    entry: Entry,
    *,
    maker: Prepared | None = None,
    has_slots: bool = True,
    mail: Mail | None = None,
    relayer: Relayer = EVM,
    window: int = 16,
    **changes: Any,
) -> Case:
    desk = Desk(
        store=cast("Any", None),
        chain=cast("Any", AChain(has_slots=has_slots)),
        maker=cast("Any", AMaker(maker or Ready({}, 1))),
        pen=cast("Any", None),
        clock=CLOCK,
        fence=Fence("lane", 1),
        chain_identity="chain",
        relayer_of=lambda: relayer,
        settings=LaneSettings(),
        window=window,
        tip=Tip(Block(100, "0x64")),
        account=Account(7, 7, 10**18, depth=4),
    )
    if mail is not None:
        desk.book.mail[entry.attempts[-1].id] = mail
    case = Case(desk, entry, pending_before=3, head=None, is_head=True, shortfall=None, block_time_s=2.0)
    return replace(case, **changes)


async def told(case: Case) -> tuple[str, NextAction]:
    why, action = await forecast(case)
    assert action is not None
    return why, action


async def test_before_the_first_block_is_seen_nothing_can_be_said() -> None:
    case = a_case(an_entry(Status.PENDING, attempts=0))
    case.desk.tip = None
    assert await forecast(case) == ("no node has told the head of the chain yet", None)


async def test_the_queue_of_a_paused_relayer_stands_still() -> None:
    case = a_case(an_entry(Status.PENDING, attempts=0), relayer=replace(EVM, is_paused=True))
    why, action = await forecast(case)
    assert "is paused" in why
    assert action is None


async def test_a_parked_one_tells_what_it_waits_for_and_is_looked_at_each_block() -> None:
    case = a_case(an_entry(Status.PENDING, attempts=0), window=0)
    case.desk.book.parked["t"] = "waiting for funds"
    why, action = await told(case)
    assert (why, action.in_blocks) == ("waiting for funds", 1)
    assert action.at == "2030-01-01T00:00:02.000000+00:00"


async def test_with_a_full_window_it_waits_for_one_of_those_to_land() -> None:
    case = a_case(an_entry(Status.PENDING, attempts=0), window=0)
    why, action = await told(case)
    assert why == "the lane has 0 in flight, as many as it may now; 3 are queued before it"
    assert "as soon as one of those lands" in action.action


async def test_with_room_its_turn_is_near() -> None:
    why, action = await told(a_case(an_entry(Status.PENDING, attempts=0)))
    assert (why, action.action) == ("its turn has not come yet", "price, sign and send it")


@pytest.mark.parametrize(("block", "words", "blocks"), [(98, "3 deep of the 4", 1), (100, "1 deep of the 4", 3)])
async def test_what_is_mined_tells_its_depth(block: int, words: str, blocks: int) -> None:
    entry = an_entry(Status.MINED, fate=Fate.INCLUDED, block=Block(block, "0xb"))
    why, action = await told(a_case(entry))
    assert words in why
    assert action.in_blocks == blocks


async def test_what_is_deep_enough_waits_for_a_second_node() -> None:
    entry = an_entry(Status.MINED, fate=Fate.INCLUDED, block=Block(90, "0xb"))
    why, _ = await told(a_case(entry))
    assert "a second node has to show the same block" in why


async def test_what_has_not_left_yet_is_about_to() -> None:
    why, action = await told(a_case(an_entry(Status.SENT)))
    assert "about to leave" in why
    assert action.at == "2030-01-01T00:00:00.000000+00:00"


async def test_what_no_node_accepted_leaves_again_after_its_rest() -> None:
    mail = Mail(99, 99, sent_at=CLOCK.monotonic(), tries=2)
    why, action = await told(a_case(an_entry(Status.SENT), mail=mail, shortfall="it offers 1"))
    assert why == "no node has accepted it yet (tries: 2); its offer is too low now: it offers 1"
    assert action.action == "send the same bytes again"
    assert action.at == "2030-01-01T00:00:01.000000+00:00"


async def test_an_accepted_one_is_bumped_when_its_patience_is_over() -> None:
    mail = Mail(98, 98, sent_at=CLOCK.monotonic(), is_accepted=True)
    why, action = await told(a_case(an_entry(Status.SUBMITTED), mail=mail))
    assert "it waits for nobody" in why
    assert (action.action, action.in_blocks) == ("offer it dearer in the same slot", 3)


async def test_where_the_cap_forbids_it_the_same_bytes_go_again() -> None:
    mail = Mail(98, 98, sent_at=CLOCK.monotonic(), is_accepted=True)
    _, action = await told(a_case(an_entry(Status.SUBMITTED), mail=mail, maker=Wait("over the cap")))
    assert action.action == "send the same bytes again, because it cannot be offered dearer: over the cap"


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (LaneHead(5, "other", "sent", None, "0x5"), "slot 5, the head of its lane: transaction 'other' is sent"),
        (LaneHead(6, None, None, "nothing holds this slot", None), "slot 6, the head of its lane: nothing holds"),
    ],
)
async def test_what_stands_behind_another_names_it(head: LaneHead, words: str) -> None:
    mail = Mail(98, 98, sent_at=CLOCK.monotonic(), is_accepted=True)
    why, _ = await told(a_case(an_entry(Status.SUBMITTED), mail=mail, head=head, is_head=False))
    assert words in why


@pytest.mark.parametrize("kind", IntentKind)
async def test_an_accepted_change_is_carried_out_in_the_same_slot(kind: IntentKind) -> None:
    why, action = await told(a_case(an_entry(Status.SUBMITTED, intent=Intent(kind, 1))))
    assert why == f"a {kind} was accepted and is about to be carried out in the same slot"
    assert action.action == f"carry out the {kind}"


async def test_without_slots_a_change_waits_for_the_death_of_the_old_version() -> None:
    entry = an_entry(Status.SUBMITTED, intent=Intent(IntentKind.CANCEL, 1))
    why, action = await forecast(a_case(entry, has_slots=False))
    assert "once the earlier version is dead, or has landed" in why
    assert action is None
