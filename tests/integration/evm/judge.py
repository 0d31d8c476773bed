"""What must hold at the end of every test here, whatever it did. Read from the chain, the recorder and the database file."""

from pathlib import Path
from typing import Any

from tests.database import rows
from tests.integration.evm.rig import Rig
from tests.lane_client import FINAL


async def judge(rig: Rig) -> None:
    """D6, E1, E4, N1 and C1, as far as they can be seen in the end; the lane may still run."""
    if not rig.node.is_running:
        return
    attempts, finals = _read(rig.folder, await rig.chain.genesis())
    _save_before_send(rig)
    mined = {one["hash"]: one for one in await rig.chain.mined()}
    landed: dict[str, list[str]] = {}
    for raw_hash, holder, kind in attempts:
        if raw_hash in mined and holder is not None and kind != "noop":
            landed.setdefault(holder, []).append(raw_hash)
    for holder, hashes in landed.items():
        assert len(hashes) == 1, f"E1: {holder} was mined {len(hashes)} times: {hashes}"
    for holder, status, shown in finals:
        found = landed.get(holder, [])
        match status:
            case "confirmed":
                assert found == [shown], f"E4: {holder} is confirmed as {shown}, the chain has {found}"
            case "canceled" | "expired":
                assert found == [], f"E4: {holder} is {status}, the chain has {found}"


def _save_before_send(rig: Rig) -> None:
    """D6: every byte that the node was ever shown by us is in the database."""
    stored = {"0x" + raw.hex() for (raw,) in rows(rig.folder, "SELECT raw FROM attempts")}
    for sent in rig.proxy.sent:
        assert sent.raw in stored, f"D6: sent but not stored: {sent.raw[:40]}"


def _read(folder: Path, genesis: str) -> tuple[list[Any], list[Any]]:
    """What concerns this chain."""
    attempts = rows(folder, "SELECT hash, transaction_id, kind FROM attempts WHERE chain LIKE '%' || ?", genesis)
    finals = rows(
        folder,
        "SELECT t.id, t.status, a.hash, a.chain FROM transactions t LEFT JOIN attempts a ON a.id = t.attempt_id",
    )
    return attempts, [row[:3] for row in finals if row[1] in FINAL and (row[3] or genesis).endswith(genesis)]
