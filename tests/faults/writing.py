"""A process that writes to a store until it is killed, and says on stdout what was answered: `python -m … FOLDER ROUND`."""

import asyncio
import os
import sys
from pathlib import Path

from tests.contract.storage.making import an_accept, signing

from baton.storage.changes import Accepted, Done
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore

CLIENTS = 8
KEY = bytes(32)


def say(word: str, name: str) -> None:
    """One write per line: a kill cannot tear it, and nothing waits in a buffer."""
    os.write(sys.stdout.fileno(), f"{word} {name}\n".encode())


async def client(store: SqliteStore, number: int, first_slot: int) -> None:
    for count in range(100_000):
        change = an_accept(f"r{number % 3}", limit=10**9, key=f"{first_slot}-{number}-{count}")
        outcome = await store.write(change)
        assert isinstance(outcome, Accepted)
        say("accepted", change.transaction_id)
        if count % 3 == 0:
            slot = first_slot + number * 100_000 + count
            assert await store.write(signing(outcome.transaction, slot)) == Done()
            say("signed", change.transaction_id)


async def main(folder: Path, round_number: int) -> None:
    store = await SqliteStore.open(folder, Cipher(KEY))
    await asyncio.gather(*(client(store, number, round_number * 1_000_000) for number in range(CLIENTS)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
