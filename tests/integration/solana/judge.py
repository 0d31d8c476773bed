"""What must hold at the end of every test here, whatever it did; and what landed, read from the chain."""

import base64

from tests.integration.solana.rig import SolanaRig
from tests.lane_judge import judge_lane

from baton.devnet.solana import SolanaDevnet


def judge(rig: SolanaRig) -> None:
    """D6, E1, E4 and C1, as far as they can be seen in the end."""
    judge_lane(rig.folder, rig.proxies, landed(rig.node), sent_as=lambda raw: base64.b64encode(raw).decode())


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
