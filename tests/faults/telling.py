"""The process that is killed: writes transactions with several events each, and tells a receiver of them.

    python -m tests.faults.telling FOLDER RECEIVER_URL TRANSACTIONS

With 0 transactions it only finishes what is still to be told.
"""

import asyncio
import sys
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

from msgspec.structs import replace as with_changes
from tests.house import EVM, language_of

from baton.commands.registry import Relayers
from baton.domain.clock import SystemClock
from baton.domain.ids import ordered_id, random_id
from baton.domain.notification import Notification
from baton.domain.status import Status
from baton.domain.transaction import Revision
from baton.storage.base import Store
from baton.storage.changes import Accept, Accepted, Advance, CreateNotification, Progress
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore
from baton.webhooks.schedule import Schedule
from baton.webhooks.telling import TellingSettings, telling

KEY = "kept-through-every-kill"
EVENTS = 4  # of each transaction
QUICK = Schedule(steps_s=(0.02, 0.05, 0.1, 0.5, *(1.0,) * 3600), rest_s=0.05, rest_max_s=0.2)


async def write(store: Store, clock: SystemClock) -> None:
    content = {"to": "0x" + "11" * 20, "value": "1", "data": None, "speed": None}
    accept = Accept(ordered_id(), EVM.id, Revision(1, content, None), clock.now(), 10**9)
    outcome = await store.write(accept)
    assert isinstance(outcome, Accepted)
    stored = outcome.transaction
    state = stored.state
    for number in range(EVENTS - 1):
        is_last = number == EVENTS - 2
        state = with_changes(state, reason=f"step {number}", status=Status.FAILED if is_last else Status.PENDING)
        advance = Advance(stored.id, stored.version + number, (state,))
        await store.write(Progress(clock.now(), advances=(advance,)))


async def main(folder: Path, url: str, transactions: int) -> None:
    clock = SystemClock()
    store = await SqliteStore.open(folder, Cipher(bytes(32)))
    relayers = Relayers(language_of, [replace(EVM, notification_ids=("*",))])
    await store.write(CreateNotification(Notification("judge", url, clock.now(), KEY)))
    settings = TellingSettings([ip_network("127.0.0.0/8")], schedule=QUICK)
    async with telling(store, relayers, clock, random_id(), settings):
        print("up", flush=True)  # noqa: T201 - the parent waits for it
        for _ in range(transactions):
            await write(store, clock)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
