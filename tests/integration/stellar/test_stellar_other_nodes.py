"""A Stellar relayer's nodes are changed while its lane runs: it goes on by the new ones, on the channels that it has."""

from tests.faults.proxy import FaultProxy
from tests.integration.stellar.conftest import Make
from tests.integration.stellar.judge import landed
from tests.integration.stellar.rig import LUMEN, body, payment
from tests.integration.stellar.test_stellar_channels import wide
from tests.moves import moving

from baton.domain.policy import StellarPolicy


async def test_channels_are_used_on_by_other_nodes(make_rig: Make) -> None:
    """The new line derives them anew with the relayer's pen: none is made a second time."""
    rig = await make_rig(StellarPolicy(channel_accounts=3))
    channels = await wide(rig)
    to = await rig.account()
    ids = [await rig.submit(body(payment(to.public_key), tag=f"n{n}")) for n in range(3)]
    hashes = [record["hash"] for record in await rig.all_reach(ids, "submitted")]
    async with FaultProxy(rig.node.url) as other:
        rig.proxies.append(other)
        count = len(landed(rig.node))
        async with moving(rig):
            rig.set_nodes(other.url)
        asked = rig.proxy.http_requests
        rig.node.close()
        assert [record["hash"] for record in await rig.all_reach(ids, "confirmed")] == hashes
        more = [await rig.submit(body(payment(to.public_key), tag=f"m{n}")) for n in range(3)]
        await rig.all_reach(more, "submitted")
        assert len(rig.node.close().landed) == 3, "all at once: each has a channel"
        await rig.all_reach(more, "confirmed")
        assert rig.desk is not None
        assert rig.desk.account is not None
        assert [source.address for source in rig.desk.account.sources or ()] == channels
        assert len(landed(rig.node)) == count + 6
        assert rig.balance(to.public_key) == 106 * LUMEN
        assert rig.proxy.http_requests == asked
        await rig.stop()
