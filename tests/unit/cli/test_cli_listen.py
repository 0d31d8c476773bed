"""The receiver of `baton listen`: it verifies as a real one should, and says what it saw."""

import json
import time

import aiohttp
import pytest

from baton.cli.listen import line, receiving, receiving_for_dev, verify
from baton.webhooks.signature import sign_headers

BODY = json.dumps(
    {
        "id": "event-1",
        "event": "transaction_update",
        "payload": {
            "payload_type": "transaction",
            "id": "tx-1",
            "relayer_id": "evm-local",
            "status": "mined",
            "hash": "0xab",
        },
        "timestamp": "2030-01-01T00:00:00.000000+00:00",
        "sequence": 4,
    }
).encode()


def signed(*keys: str, at: float | None = None) -> dict[str, str]:
    return sign_headers(keys, "event-1", int(at or time.time()), BODY)


@pytest.mark.parametrize("key", ["plain text", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="])
def test_both_signatures_must_verify(key: str) -> None:
    good = signed(key)
    assert verify(key, good, BODY, time.time()).is_good
    assert not verify(key, good, BODY + b" ", time.time()).is_good
    assert not verify("another", good, BODY, time.time()).is_good
    for name in ("X-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"):
        assert not verify(key, {**good, name: "x"}, BODY, time.time()).is_good
        assert not verify(key, {each: value for each, value in good.items() if each != name}, BODY, time.time()).is_good


def test_an_old_timestamp_is_a_replay() -> None:
    headers = signed("key", at=1_900_000_000)
    assert verify("key", headers, BODY, 1_900_000_299).is_good
    assert not verify("key", headers, BODY, 1_900_000_301).is_good
    assert not verify("key", headers, BODY, 1_899_999_699).is_good


def test_without_a_key_nothing_is_checked_and_it_says_so() -> None:
    assert verify("", {}, BODY, 0).words == "not checked"


def test_an_event_is_one_line() -> None:
    shown = line(BODY, verify("", {}, BODY, 0))
    assert shown == "webhook ✓ transaction_update  evm-local  tx-1  mined  #4  0xab  [not checked]"
    for odd in (
        b"",
        b"[]",
        b"{",
        b'"x"',
        b'{"event": "a\\nb", "payload": {}}',
        b"\xff\x00",
        b'{"event":1,"payload":[]}',
    ):
        assert "\n" not in line(odd, verify("", {}, odd, 0))


async def test_it_answers_200_to_what_verifies_and_401_to_the_rest() -> None:
    told: list[str] = []
    async with receiving(0, "key", told.append) as url, aiohttp.ClientSession() as session:
        for headers, wanted in ((signed("key"), 200), (signed("key"), 200), (signed("stranger"), 401)):
            async with session.post(url + "/any/path", data=BODY, headers=headers) as response:
                assert response.status == wanted
    assert [entry.split()[1] for entry in told] == ["✓", "✓", "✗"]
    assert "(again)" not in told[0]
    assert "(again)" in told[1]


async def test_the_receiver_of_dev_tells_how_to_make_it_hear() -> None:
    async with (
        receiving_for_dev("http://127.0.0.1:8080", "token") as first,
        receiving_for_dev("http://127.0.0.1:8081", "token") as second,  # the port is taken
    ):
        assert first != second
    body = json.loads(first.rpartition("-d '")[2].rpartition("'")[0])
    assert set(body) == {"id", "url", "signing_key"}
    assert body["signing_key"] in second  # the same at each start
