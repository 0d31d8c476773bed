"""A Solana relayer's nodes are changed while its lane runs: what was sent is followed by the new ones, and not signed anew."""

from solders.keypair import Keypair
from tests.faults.proxy import FaultProxy
from tests.integration.solana.rig import SOL, SolanaRig, body
from tests.moves import moving

TO = Keypair.from_seed(bytes([9]) * 32).pubkey()


async def test_what_is_in_flight_is_confirmed_through_the_new_nodes(rig: SolanaRig) -> None:
    one = await rig.submit(body(rig.pay(TO, SOL)))
    sent = await rig.reaches(one, "submitted")
    async with FaultProxy(rig.node.url) as other:
        rig.proxies.append(other)
        async with moving(rig):
            rig.set_nodes(other.url)
        asked = rig.proxy.http_requests
        two = await rig.submit(body(rig.pay(TO, 2 * SOL)))
        first, _ = await rig.confirms(one, two)
        assert first["hash"] == sent["hash"]
        assert [len(await rig.attempts(each)) for each in (one, two)] == [1, 1]
        assert rig.node.balance(str(TO)) == 3 * SOL
        assert rig.proxy.http_requests == asked
        await rig.stop()
