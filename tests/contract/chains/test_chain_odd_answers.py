"""Answers of odd types, anywhere in what a node says: they count as no answer, and no lane stumbles over them."""

import copy
import random
from typing import Any

import pytest
from tests.contract.chains.driver import Driver
from tests.faults.proxy import FaultProxy
from tests.faults.rules import Lie
from tests.lane_rig import LaneRig
from tests.rounds import rounds

from baton import telemetry
from baton.domain.json import Json

ODD: list[Json] = [
    None,
    True,
    False,
    0,
    -1,
    2**70,
    1.5,
    "",
    "0x",
    "0x0",
    "text",
    "ff" * 40,
    [],
    [None],
    [[]],
    {},
    {"a": 1},
]


def spoilt(value: Json, dice: random.Random) -> Json:
    """The value with something odd in one place of it: itself, or anything inside."""
    places: list[tuple[Any, Any]] = []

    def walk(inner: Json) -> None:
        items = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        for key, child in items:
            places.append((inner, key))
            walk(child)

    changed = copy.deepcopy(value)
    walk(changed)
    if not places or dice.random() < 0.2:
        return dice.choice(ODD)
    holder, key = dice.choice(places)
    if isinstance(holder, dict) and dice.random() < 0.2:
        del holder[key]
    else:
        holder[key] = dice.choice(ODD)
    return changed


@pytest.mark.parametrize("seed", range(rounds(3, 100)))
async def test_no_answer_makes_a_lane_stumble(
    rig: LaneRig, driver: Driver, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    stumbles: list[str] = []
    tell = telemetry.log.exception

    def noted(event: str, **more: Any) -> None:
        stumbles.append(event)
        tell(event, **more)

    monkeypatch.setattr(telemetry.log, "exception", noted)
    dice = random.Random(seed)
    await driver.set_funds(10**18)
    rule = proxy.add(Lie(lambda told: spoilt(told, dice)), probability=0.4)
    ids = []
    for _ in range(12):
        ids.append(await rig.submit(driver.payment(1000)))
        hits = rule.hits
        await driver.mine()

        async def is_lied_to(hits: int = hits) -> bool:
            return rule.hits >= hits + 3

        await rig.until(is_lied_to)
    proxy.clear()
    assert stumbles == []

    async def is_calm() -> bool:
        """What a lie made final stays so; everything else comes to its end."""
        rig.clock.leap(30)
        await driver.mine()
        found = await rig.statuses(ids)
        return all(status in ("confirmed", "failed", "mined", "expired") for status in found)

    await rig.until(is_calm)
    assert stumbles == []
