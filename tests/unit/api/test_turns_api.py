"""Many clients that change one thing at the same moment: each gets its turn, none is told to come back."""

import asyncio
from typing import Any

import pytest
from tests.asgi_client import Reply
from tests.bodies import EVM_BODY, path_of
from tests.house import EVM, House

from baton.storage.changes import Done, SaveRelayer

MANY = 30


async def at_once(house: House, method: str, path: str, bodies: list[dict[str, Any]]) -> list[Reply]:
    send = {"PUT": house.client.put, "PATCH": house.client.patch}[method]
    return await asyncio.gather(*(send(path, body) for body in bodies))


async def test_replacements_of_one_transaction_all_get_their_turn(house: House) -> None:
    made = (await house.client.post(path_of("evm-local"), EVM_BODY)).data
    path = path_of("evm-local", made["id"])
    bodies = [{**EVM_BODY, "value": number} for number in range(MANY)]
    replies = await at_once(house, "PUT", path, bodies)
    assert [reply.data["value"] for reply in replies] == [str(number) for number in range(MANY)]
    async with house.store.read() as snapshot:
        assert await snapshot.transactions.last_revision(made["id"]) == MANY + 1


async def test_of_many_cancels_the_first_counts(house: House) -> None:
    made = (await house.client.post(path_of("evm-local"), EVM_BODY)).data
    path = path_of("evm-local", made["id"])
    replies = await asyncio.gather(*(house.client.delete(path) for _ in range(MANY)))
    assert sorted(reply.status for reply in replies) == [200] + [400] * (MANY - 1)


@pytest.mark.parametrize("kind", ["notification", "relayer"])
async def test_updates_of_one_thing_all_get_their_turn(house: House, kind: str) -> None:
    entry = {"id": "evm-local", "network": "local", "network_type": "evm", "signer_id": "evm-signer"}
    seeded = SaveRelayer("evm-local", house.clock.now(), 0, "file", "hash", {"relayer": entry, "address": EVM.address})
    assert await house.store.write(seeded) == Done()
    await house.client.post("/api/v1/notifications", {"id": "hook", "url": "https://example.com"})
    path, bodies = {
        "notification": (
            "/api/v1/notifications/hook",
            [{"url": f"https://example.com/{each}"} for each in range(MANY)],
        ),
        "relayer": ("/api/v1/relayers/evm-local", [{"name": f"name {each}"} for each in range(MANY)]),
    }[kind]
    replies = await at_once(house, "PATCH", path, bodies)
    for body, reply in zip(bodies, replies, strict=True):
        assert reply.status == 200
        assert body.items() <= reply.data.items()
