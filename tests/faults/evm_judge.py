"""The judge of an EVM lane's whole life: the chain, the recorders before the nodes, and the database file read by another
driver. Nothing here asks our own code what it believes."""

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from eth_account.typed_transactions.typed_transaction import TypedTransaction
from hexbytes import HexBytes
from tests.faults.evm_rig import FaultRig
from tests.lane_client import FINAL

from baton.domain.status import Status, may_move

# The standard library's driver, not our own reader.
READER = """
import json, sqlite3, sys
database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print(json.dumps([database.execute(query).fetchall() for query in (
    "SELECT transaction_id, kind, hash, number, fate, block_hash, hex(raw) FROM attempts ORDER BY ordinal",
    "SELECT t.id, t.status, a.hash, t.is_canceled FROM transactions t LEFT JOIN attempts a ON a.id = t.attempt_id",
    "SELECT transaction_id, number, status FROM events WHERE transaction_id IS NOT NULL ORDER BY ordinal",
)]))
"""


@dataclass(frozen=True, slots=True)
class Signed:
    """One row of the attempts table."""

    holder: str | None
    kind: str
    hash: str
    number: int
    fate: str
    block_hash: str | None
    raw: str

    @property
    def fees(self) -> tuple[int, int]:
        """Read from the bytes themselves."""
        fields: dict[str, Any] = TypedTransaction.from_bytes(HexBytes(self.raw)).as_dict()
        return int(fields["maxFeePerGas"]), int(fields["maxPriorityFeePerGas"])


@dataclass(frozen=True, slots=True)
class Books:
    """The database."""

    attempts: list[Signed]
    states: dict[str, tuple[str, str | None, bool]]  # id → status, the hash shown, whether a cancel was accepted
    stories: dict[str, list[tuple[int, str]]]  # id → numbered statuses

    @staticmethod
    def read(folder: Path) -> "Books":
        # In a process of its own: a second copy of SQLite in ours would drop the locks of the first.
        read = subprocess.run([sys.executable, "-c", READER, folder / "baton.db"], capture_output=True, check=True)
        rows, states, events = json.loads(read.stdout)
        stories: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for transaction_id, number, status in events:
            stories[transaction_id].append((number, status))
        attempts = [
            Signed(holder, kind, hash_, number, fate, block, "0x" + raw.lower())
            for holder, kind, hash_, number, fate, block, raw in rows
        ]
        return Books(attempts, {row[0]: (row[1], row[2], bool(row[3])) for row in states}, stories)


async def judge_everything(
    rig: FaultRig, receivers: Mapping[str, Iterable[str]], *, cap: int | None = None, depth: int = 1, foreign: int = 0
) -> None:
    """At the end, when everything is final: D4, D6, E1, E4, N1, N2, C1, F1 and F3.

    `receivers`: for each transaction, everyone whom a version of it would have paid one wei, and nobody else.
    """
    books = Books.read(rig.folder)
    _judge_stories(books)
    _judge_save_before_send(rig, books)
    _judge_slots(books)
    _judge_fees(books, cap)
    await _judge_payments(rig, books, receivers)
    await _judge_truth(rig, books, depth)
    await _judge_holes(rig, books, foreign)


def _judge_stories(books: Books) -> None:
    """D4, C3, W1: numbered without holes, along the table, ended once."""
    for transaction_id, story in books.stories.items():
        numbers, statuses = [number for number, _ in story], [Status(status) for _, status in story]
        assert numbers == list(range(1, len(story) + 1)), f"W1: events of {transaction_id}: {numbers}"
        for old, new in pairwise(statuses):
            assert may_move(old, new), f"D4: {transaction_id} went from {old} to {new}"
        assert statuses[-1] == books.states[transaction_id][0]
        assert statuses[-1] in FINAL, f"D3: {transaction_id} is {statuses[-1]}"


def _judge_save_before_send(rig: FaultRig, books: Books) -> None:
    stored = {attempt.raw for attempt in books.attempts}
    for proxy in rig.proxies:
        for sent in proxy.sent:
            assert sent.raw in stored, f"D6: a node was shown bytes that are not stored: {sent.raw[:60]}"


def _judge_slots(books: Books) -> None:
    """N1, E2: among all that could land, a number has one holder, and a transaction one number."""
    holders: dict[int, set[str]] = defaultdict(set)
    for attempt in books.attempts:
        if attempt.fate != "rejected":
            holders[attempt.number].add(attempt.holder or "our own filler")
    shared = {number: found for number, found in holders.items() if len(found) > 1}
    assert not shared, f"N1: {shared}"


def _judge_fees(books: Books, cap: int | None) -> None:
    """F1, F3: read from the signed bytes."""
    dearest: dict[int, tuple[int, int]] = {}
    for attempt in books.attempts:
        max_fee, tip = attempt.fees
        assert cap is None or max_fee <= cap, f"F1: {attempt.kind} offers {max_fee}, the cap is {cap}"
        if attempt.fate == "rejected":
            continue  # no pool has it
        known = dearest.get(attempt.number)
        if known is not None:
            assert max_fee * 10 >= known[0] * 11, f"F3: {known} was followed by {max_fee, tip}"
            assert tip * 10 >= known[1] * 11, f"F3: {known} was followed by {max_fee, tip}"
        dearest[attempt.number] = max_fee, tip


async def _judge_payments(rig: FaultRig, books: Books, receivers: Mapping[str, Iterable[str]]) -> None:
    """E1, E4: by balances alone."""
    for transaction_id, payees in receivers.items():
        status, shown, _ = books.states[transaction_id]
        paid = [await rig.chain.balance(payee) for payee in payees]
        expected = 1 if status == "confirmed" else 0
        assert sum(paid) == expected, f"E1: {transaction_id} is {status} and paid {paid} ({shown})"


async def _judge_truth(rig: FaultRig, books: Books, depth: int) -> None:
    """C1, E4: what is confirmed is in the canonical chain, as the record says, and deep enough."""
    by_hash = {attempt.hash: attempt for attempt in books.attempts}
    height = await rig.chain.height()
    for transaction_id, (status, shown, _) in books.states.items():
        if status != "confirmed":
            continue
        assert shown is not None
        receipt = await rig.chain.receipt(shown)
        assert receipt is not None, f"C1: {transaction_id} is confirmed as {shown}, which the chain does not know"
        assert receipt["blockHash"] == by_hash[shown].block_hash, f"C1: {transaction_id}: another block"
        assert receipt["status"] == "0x1"
        assert height - int(receipt["blockNumber"], 16) + 1 >= depth


async def _judge_holes(rig: FaultRig, books: Books, foreign: int) -> None:
    """N2: every number up to the highest that we ever gave is used on the chain; nothing of ours waits behind a hole."""
    nonce = await rig.chain.nonce()
    numbers = {attempt.number for attempt in books.attempts if attempt.fate != "rejected"}
    assert not numbers or nonce > max(numbers), f"N2: the chain is at {nonce}, we gave {sorted(numbers)}"
    ours = {attempt.hash for attempt in books.attempts}
    mined = await rig.chain.mined()
    strangers = [one["hash"] for one in mined if one["hash"] not in ours and int(one["nonce"], 16) in numbers]
    assert len(strangers) <= foreign, f"D6: mined from our account, but not ours: {strangers}"
    assert not await rig.chain.pool(), json.dumps(sorted(await rig.chain.pool()))
