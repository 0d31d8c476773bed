"""What must hold at the end of every test here, whatever it did; and what landed, read from the ledger."""

import base64
from collections import Counter

from stellar_sdk import xdr
from tests.integration.stellar.rig import StellarRig
from tests.lane_judge import judge_lane

from baton.devnet.stellar import StellarDevnet
from baton.devnet.stellar.landing import Landed


def judge(rig: StellarRig) -> None:
    """D6, E1, E4 and N1, as far as they can be seen in the end."""
    judge_lane(
        rig.folder,
        rig.proxies,
        {one.hash for one in landed(rig.node)},
        sent_as=lambda raw: base64.b64encode(raw).decode(),
        may_be_foreign=rig.expects_foreign_landing,
    )
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
