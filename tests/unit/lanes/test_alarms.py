"""Alarms tell when something begins, and only then."""

from collections.abc import Mapping

from baton.domain.json import Json
from baton.lanes.alarms import FOREIGN_NONCE, LOW_BALANCE, Alarms


class Told:
    def __init__(self) -> None:
        self.kinds: list[str] = []

    async def __call__(self, kind: str, more: Mapping[str, Json]) -> None:
        self.kinds.append(kind)


async def test_what_lasts_is_told_once() -> None:
    told = Told()
    alarms = Alarms(told)
    for _ in range(3):
        await alarms.follow(LOW_BALANCE, is_so=True)
    assert told.kinds == [LOW_BALANCE]


async def test_what_comes_back_is_told_again() -> None:
    told = Told()
    alarms = Alarms(told)
    for is_so in (True, False, True):
        await alarms.follow(LOW_BALANCE, is_so)
    assert told.kinds == [LOW_BALANCE, LOW_BALANCE]


async def test_what_could_not_be_told_is_told_later() -> None:
    told = Told()
    fails = True

    async def tell(kind: str, more: Mapping[str, Json]) -> None:
        if fails:
            raise ConnectionError
        await told(kind, more)

    alarms = Alarms(tell)
    try:
        await alarms.follow(LOW_BALANCE, is_so=True)
    except ConnectionError:
        fails = False
    await alarms.follow(LOW_BALANCE, is_so=True)
    assert told.kinds == [LOW_BALANCE]


async def test_what_happens_once_is_told_each_time() -> None:
    told = Told()
    alarms = Alarms(told)
    await alarms.report(FOREIGN_NONCE, expected=1, found=3)
    await alarms.report(FOREIGN_NONCE, expected=4, found=5)
    assert told.kinds == [FOREIGN_NONCE, FOREIGN_NONCE]
