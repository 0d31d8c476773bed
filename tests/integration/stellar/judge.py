"""What must hold at the end of every test here, whatever it did: read from the ledger, the recorder and the database file."""

import base64
from collections import Counter
from pathlib import Path

from stellar_sdk import xdr
from tests.database import rows
from tests.integration.stellar.rig import StellarRig
from tests.lane_client import FINAL

from baton.devnet.stellar import StellarDevnet
from baton.devnet.stellar.landing import Landed


def judge(rig: StellarRig) -> None:
    """D6, E1, E4 and N1, as far as they can be seen in the end."""
    attempts, finals = _read(rig.folder)
    stored = {base64.b64encode(raw).decode() for _, _, _, raw in attempts}
    for proxy in rig.proxies:
        for sent in proxy.sent:
            assert sent.raw in stored, f"D6: sent but not stored: {sent.raw[:40]}"
    on_ledger = {one.hash for one in landed(rig.node)}
    found: dict[str, list[str]] = {}
    for tx_hash, holder, kind, _ in attempts:
        if tx_hash in on_ledger and holder is not None and kind != "noop":
            found.setdefault(holder, []).append(tx_hash)
    for holder, hashes in found.items():
        assert len(hashes) == 1, f"E1: {holder} landed {len(hashes)} times: {hashes}"
    for holder, status, shown in finals:
        match status:
            case "confirmed" if not rig.expects_foreign_landing:
                assert found.get(holder) == [shown], f"E4: {holder} is confirmed as {shown}: {found.get(holder)}"
            case "canceled" | "expired":
                assert holder not in found, f"E4: {holder} is {status}, the ledger has {found[holder]}"
    for tag, count in tags(rig.node).items():
        assert count == 1, f"E1: {tag} landed {count} times"


def landed(node: StellarDevnet) -> list[Landed]:
    return [one for closed in node.ledger.closed.values() for one in closed.landed]


def tags(node: StellarDevnet) -> Counter[str]:
    """Every text memo that landed, and how often."""
    found: Counter[str] = Counter()
    for one in landed(node):
        envelope = xdr.TransactionEnvelope.from_xdr(one.envelope_xdr)
        inner = envelope.v1 if envelope.fee_bump is None else envelope.fee_bump.tx.inner_tx.v1
        assert inner is not None
        if inner.tx.memo.text is not None:
            found[inner.tx.memo.text.decode()] += 1
    return found


def _read(folder: Path) -> tuple[list[tuple[str, str | None, str, bytes]], list[tuple[str, str, str | None]]]:
    """Past our own reader."""
    attempts = rows(folder, "SELECT hash, transaction_id, kind, raw FROM attempts")
    finals = rows(
        folder, "SELECT t.id, t.status, a.hash FROM transactions t LEFT JOIN attempts a ON a.id = t.attempt_id"
    )
    return attempts, [row for row in finals if row[1] in FINAL]
