import gc

from baton.storage.wakeups import Wakeups


async def test_every_watcher_of_a_topic_wakes_and_no_other() -> None:
    wakeups = Wakeups()
    mine, also_mine, other = wakeups.watch("r"), wakeups.watch("r"), wakeups.watch("s")
    wakeups.wake({"r", "nobody watches this"})
    assert (mine.is_set(), also_mine.is_set(), other.is_set()) == (True, True, False)


async def test_a_wake_up_before_the_wait_is_not_lost() -> None:
    wakeups = Wakeups()
    event = wakeups.watch("r")
    wakeups.wake(["r"])
    await event.wait()
    event.clear()
    assert not event.is_set()


async def test_a_watcher_that_went_away_is_forgotten() -> None:
    wakeups = Wakeups()
    for _ in range(1000):
        wakeups.watch("r")
    gc.collect()
    assert len(wakeups._watchers["r"]) == 0
