"""What must hold at the end of every test here, whatever it did: read from the chain, the recorder and the database file."""

import base64
from pathlib import Path

from tests.database import rows
from tests.integration.solana.rig import SolanaRig
from tests.lane_client import FINAL

from baton.devnet.solana import SolanaDevnet


def judge(rig: SolanaRig) -> None:
    """D6, E1, E4 and C1, as far as they can be seen in the end."""
    attempts, finals = _read(rig.folder)
    stored = {base64.b64encode(raw).decode() for _, _, raw in attempts}
    for proxy in rig.proxies:
        for sent in proxy.sent:
            assert sent.raw in stored, f"D6: sent but not stored: {sent.raw[:40]}"
    on_chain = landed(rig.node)
    mined: dict[str, list[str]] = {}
    for signature, holder, _ in attempts:
        if signature in on_chain:
            mined.setdefault(holder, []).append(signature)
    for holder, signatures in mined.items():
        assert len(signatures) == 1, f"E1: {holder} landed {len(signatures)} times: {signatures}"
    for holder, status, shown in finals:
        found = mined.get(holder, [])
        match status:
            case "confirmed":
                assert found == [shown], f"E4: {holder} is confirmed as {shown}, the chain has {found}"
            case "canceled" | "expired":
                assert found == [], f"E4: {holder} is {status}, the chain has {found}"


def landed(node: SolanaDevnet) -> set[str]:
    """Every signature in a block of the chain as it is now."""
    chain = node.node.bank.blocks
    slots = chain.between(0, node.node.newest.slot)
    return {one for slot in slots if (block := chain.at_slot(slot)) is not None for one in block.signatures}


def memos(node: SolanaDevnet) -> list[str]:
    """The text of every memo that landed, oldest first."""
    chain = node.node.bank.blocks
    found: list[str] = []
    for slot in chain.between(0, node.node.newest.slot):
        block = chain.at_slot(slot)
        for signature in block.signatures if block is not None else ():
            one = chain.find(signature, node.node.newest)
            assert one is not None
            message = one.transaction.message
            found += [
                bytes(each.data).decode()
                for each in message.instructions
                if str(message.account_keys[each.program_id_index]).startswith("Memo")
            ]
    return found


def _read(folder: Path) -> tuple[list[tuple[str, str, bytes]], list[tuple[str, str, str | None]]]:
    """Past our own reader."""
    attempts = rows(folder, "SELECT hash, transaction_id, raw FROM attempts")
    finals = rows(
        folder, "SELECT t.id, t.status, a.hash FROM transactions t LEFT JOIN attempts a ON a.id = t.attempt_id"
    )
    return attempts, [row for row in finals if row[1] in FINAL]
