"""Section 4.3 of the interface: listing a relayer's transactions, page by page."""

import pytest
from tests.asgi_client import Client
from tests.bodies import TO, path_of
from tests.house import House

from baton.api.query import KEYS

LIST = path_of("evm-local") + "/"


async def fill(house: House, count: int) -> list[str]:
    """The ids, newest first."""
    ids = []
    for value in range(count):
        reply = await house.client.post(path_of("evm-local"), {"value": value, "to": TO})
        ids.append(reply.data["id"])
        house.clock.advance(1)
    return ids[::-1]


async def test_a_page_has_records_and_its_pagination(house: House, client: Client) -> None:
    """interface §4.3: `data` = array of records, `pagination` is filled; §8: 10 to a page by default."""
    ids = await fill(house, 12)
    first, second = await client.get(LIST), await client.get(LIST + "?page=2")
    assert [record["id"] for record in first.data] == ids[:10]
    assert first.json["pagination"] == {"current_page": 1, "per_page": 10, "total_items": 12}
    assert [record["id"] for record in second.data] == ids[10:]
    assert second.json["pagination"] == {"current_page": 2, "per_page": 10, "total_items": 12}
    assert first.data[0] == (await client.get(path_of("evm-local", ids[0]))).data


async def test_the_path_works_with_and_without_its_slash(house: House, client: Client) -> None:
    """interface §4.3: the path ends with a slash; without a redirect, and without the slash too."""
    await fill(house, 1)
    with_slash, without = await client.get(LIST), await client.get(LIST.rstrip("/"))
    assert with_slash.status == without.status == 200
    assert with_slash.json == without.json


@pytest.mark.parametrize(("page", "shown"), [("0", 1), ("1", 1), ("00", 1), ("01", 1)])
async def test_pages_start_at_1(house: House, client: Client, page: str, shown: int) -> None:
    """interface §4.3, §8: `page` starts at 1 and may be 0, which is taken as 1."""
    ids = await fill(house, 3)
    reply = await client.get(f"{LIST}?page={page}&per_page=2")
    assert [record["id"] for record in reply.data] == ids[:2]
    assert reply.json["pagination"]["current_page"] == shown


@pytest.mark.parametrize(
    ("per_page", "used"), [("0", 0), ("1", 1), ("3", 3), ("1000", 1000), ("1001", 1000), ("9" * 30, 1000)]
)
async def test_per_page_is_any_number_from_0(house: House, client: Client, per_page: str, used: int) -> None:
    """interface §4.3, §8: `per_page` is >= 0; 0 answers an empty page, and at most 1000 are given."""
    await fill(house, 4)
    reply = await client.get(f"{LIST}?per_page={per_page}")
    assert len(reply.data) == min(used, 4)
    assert reply.json["pagination"] == {"current_page": 1, "per_page": used, "total_items": 4}


@pytest.mark.parametrize("page", ["3", "1000", "9" * 18, "9" * 5000])
async def test_beyond_the_end_there_is_an_empty_page(house: House, client: Client, page: str) -> None:
    """interface §4.3: a page beyond the end is empty and still counts."""
    await fill(house, 4)
    reply = await client.get(f"{LIST}?page={page}&per_page=2")
    assert reply.status == 200
    assert reply.data == []
    assert reply.json["pagination"]["total_items"] == 4


@pytest.mark.parametrize("path", [LIST, "/api/v1/notifications"])
@pytest.mark.parametrize(
    "query",
    ["page=-1", "per_page=-1", "page=abc", "page=", "page=1.0", "page=1e1", "page=%2B1", "page=+1", "per_page=%D9%A1",
     "page=1_0", "page=true", "page=1&page=2", "page=%ff", "page=0x1"],
)  # fmt: skip
async def test_what_is_no_page_number_is_refused(client: Client, path: str, query: str) -> None:
    """interface §4.3, §4.6, §7, §8: `page` and `per_page` are integers >= 0, else `Bad Request`."""
    reply = await client.get(f"{path}?{query}")
    assert (reply.status, reply.message) == (400, "Bad Request")


async def test_an_unknown_relayer_is_named(client: Client) -> None:
    """interface §4.3, §7: `Relayer with ID <relayer_id> not found`."""
    reply = await client.get(path_of("nobody") + "/?page=-1")
    assert (reply.status, reply.message) == (404, "Relayer with ID nobody not found")


async def test_a_relayer_lists_only_its_own(house: House, client: Client) -> None:
    """interface §4.3: lists all transactions of a relayer."""
    await fill(house, 2)
    assert (await client.get(path_of("solana-local"))).data == []
    assert (await client.get(path_of("paused"))).data == []


async def test_a_filter_by_status_shows_only_those(house: House, client: Client) -> None:
    ids = await fill(house, 3)
    await client.delete(path_of("evm-local", ids[1]))
    canceled, pending = await client.get(LIST + "?status=canceled"), await client.get(LIST + "?status=PENDING")
    assert [record["id"] for record in canceled.data] == [ids[1]]
    assert [record["id"] for record in pending.data] == [ids[0], ids[2]]
    assert pending.json["pagination"]["total_items"] == 2
    assert (await client.get(LIST + "?status=lost")).status == 400


async def test_until_freezes_a_walk_through_the_pages(house: House, client: Client) -> None:
    ids = await fill(house, 4)
    until = (await client.get(LIST)).data[0]["created_at"]
    await fill(house, 3)
    walked = []
    for page in (1, 2):
        reply = await client.get(f"{LIST}?per_page=2&page={page}&until={until}")
        walked += [record["id"] for record in reply.data]
        assert reply.json["pagination"]["total_items"] == 4
    assert walked == ids


async def test_since_and_until_take_times_with_offsets(house: House, client: Client) -> None:
    ids = await fill(house, 3)
    created = [record["created_at"] for record in (await client.get(LIST)).data]
    encoded = created[1].replace("+", "%2B")
    between = await client.get(f"{LIST}?since={encoded}&until={encoded}")
    assert [record["id"] for record in between.data] == [ids[1]]
    for wrong in ("yesterday", "2030-01-01", "2030-01-01T00:00:00", "", "2030-13-01T00:00:00Z"):
        assert (await client.get(f"{LIST}?since={wrong}")).status == 400


async def test_unknown_keys_of_a_query_are_ignored(client: Client) -> None:
    assert (await client.get(LIST + "?limit=5&x")).status == 200
    assert (await client.get(LIST + "?x=1&x=2&page=2")).json["pagination"]["current_page"] == 2


async def test_a_known_key_twice_is_refused(client: Client) -> None:
    """Proxies disagree on which one counts."""
    reply = await client.get(LIST + "?page=1&x=2&page=1")
    assert (reply.status, reply.error) == (400, "page: found the key twice, expected each key once")


async def test_a_query_has_at_most_100_pairs(client: Client) -> None:
    assert (await client.get(LIST + "?" + "&".join(["x=1"] * 100))).status == 200
    assert "at most 100" in (await client.get(LIST + "?" + "&".join(["x=1"] * 101))).error


async def test_the_known_keys_are_those_of_the_document(client: Client) -> None:
    paths = (await client.get("/api-docs/openapi.json")).json["paths"]
    parameters = [
        one for path in paths.values() for operation in path.values() for one in operation.get("parameters", ())
    ]
    assert {one["name"] for one in parameters if one["in"] == "query"} == KEYS
