"""Section 4.1 to 4.3 of the interface, for what is alike in the three families."""

from tests.asgi_client import Client

SEND = "/api/v1/relayers/evm-local/transactions"
TO = "0x" + "11" * 20


async def test_a_submitted_transaction_is_answered_with_its_record(client: Client) -> None:
    """interface §4.1: success is the envelope with `data` = one transaction record."""
    reply = await client.post(SEND, {"value": 5, "to": TO})
    assert reply.status == 200
    assert reply.data["relayer_id"] == "evm-local"
    assert reply.data["status"] == "pending"
    assert reply.data["value"] == "5"
