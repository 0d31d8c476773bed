"""What must hold at the end of every test of a lane, whatever it did: read from the chain, the recorders before its nodes
and the database file, past our own readers."""

from collections.abc import Callable, Container, Iterable
from pathlib import Path

from tests.database import rows
from tests.faults.proxy import FaultProxy
from tests.lane_client import FINAL

Landings = dict[str, list[str]]  # of each transaction, the hashes of its versions that are on the chain


def judge_lane(
    folder: Path,
    proxies: Iterable[FaultProxy],
    on_chain: Container[str],
    *,
    sent_as: Callable[[bytes], str],
    chain: str = "",
    may_be_foreign: bool = False,
) -> None:
    """D6, E1, E4 and C1, as far as they can be seen in the end.

    `sent_as` writes bytes as they are sent; `chain` is how the identity ends of the one that `on_chain` is of;
    `may_be_foreign`: somebody else carried our content in, by a hash that is not ours.
    """
    _save_before_send(folder, proxies, sent_as)
    landed = _landed_once(folder, on_chain, chain)
    query = "SELECT t.id, t.status, a.hash, a.chain FROM transactions t LEFT JOIN attempts a ON a.id = t.attempt_id"
    for holder, status, shown, its_chain in rows(folder, query):
        if status not in FINAL or not (its_chain or chain).endswith(chain):
            continue
        found = landed.get(holder, [])
        match status:
            case "confirmed" if not may_be_foreign:
                assert found == [shown], f"E4: {holder} is confirmed as {shown}, the chain has {found}"
            case "canceled" | "expired":
                assert found == [], f"E4: {holder} is {status}, the chain has {found}"


def _save_before_send(folder: Path, proxies: Iterable[FaultProxy], sent_as: Callable[[bytes], str]) -> None:
    """D6: every byte that a node was ever shown by us is in the database."""
    stored = {sent_as(raw) for (raw,) in rows(folder, "SELECT raw FROM attempts")}
    for proxy in proxies:
        for sent in proxy.sent:
            assert sent.raw in stored, f"D6: sent but not stored: {sent.raw[:40]}"


def _landed_once(folder: Path, on_chain: Container[str], chain: str) -> Landings:
    """E1: of all versions of a transaction one landed at most. No-ops are not versions of anything."""
    landed: Landings = {}
    for found, holder, kind, its_chain in rows(folder, "SELECT hash, transaction_id, kind, chain FROM attempts"):
        if found in on_chain and holder is not None and kind != "noop" and (its_chain or chain).endswith(chain):
            landed.setdefault(holder, []).append(found)
    for holder, hashes in landed.items():
        assert len(hashes) == 1, f"E1: {holder} landed {len(hashes)} times: {hashes}"
    return landed
