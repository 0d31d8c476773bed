"""One node of two that lies about how a Stellar transaction ended."""

from typing import Any

from tests.faults.rules import Lie
from tests.integration.stellar.conftest import Make
from tests.integration.stellar.rig import body, payment


def failed(told: Any) -> Any:
    return told | {"status": "FAILED"} if told["status"] == "SUCCESS" else told


async def test_one_node_cannot_say_how_a_transaction_ended(make_rig: Make) -> None:
    """C5: the ledger's own result, which two nodes show alike, says that it went well."""
    rig = await make_rig(node_count=2)
    to = await rig.account()
    lie = rig.proxies[0].add(Lie(failed), "getTransaction")
    paid = await rig.submit(body(payment(to.public_key), tag="well"))
    await rig.reaches(paid, "submitted")

    async def has_lied() -> bool:
        rig.node.close()
        return lie.hits >= 5

    await rig.until(has_lied)
    assert (await rig.record(paid))["status"] == "submitted"
    rig.proxies[0].remove(lie)
    await rig.closes_until(paid, "confirmed")
