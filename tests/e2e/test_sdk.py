"""The peer's public client, unchanged, against `baton serve` and a real node: every call that both sides know."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from bench.service import TOKEN, service
from tests.integration.devnet.node_packages import node_program, run_script

from baton.devnet.anvil import Anvil
from baton.devnet.keys import EVM_RELAYER_KEY

SCRIPT = Path(__file__).with_name("sdk_client.cjs")
PACKAGES = ["@openzeppelin/relayer-sdk@1.10.0"]
RELAYER = "evm-1"
NOWHERE = "http://127.0.0.1:9"  # nothing listens there: what is accepted waits

pytestmark = pytest.mark.node


def configuration(rpc_url: str) -> dict[str, Any]:
    def relayer(relayer_id: str, family: str, url: str) -> dict[str, Any]:
        return {
            "id": relayer_id,
            "name": family,
            "network": "local",
            "network_type": family,
            "signer_id": family,
            "custom_rpc_urls": [url],
        }

    keys = {"evm": EVM_RELAYER_KEY.hex(), "solana": "11" * 32, "stellar": "22" * 32}
    return {
        "signers": [
            {"id": family, "type": "local", "config": {"key": {"type": "plain", "value": key}}}
            for family, key in keys.items()
        ],
        "relayers": [
            relayer(RELAYER, "evm", rpc_url),
            relayer("solana-1", "solana", NOWHERE),
            relayer("stellar-1", "stellar", NOWHERE),
        ],
    }


@pytest.fixture(scope="module")
def seen(anvil_path: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the client saw on one run through everything."""
    node_program()

    async def run() -> str:
        folder = tmp_path_factory.mktemp("sdk")
        anvil = Anvil(anvil_path, folder / "anvil")
        await anvil.start(extra=["--no-mining"])
        try:
            await anvil.ask("anvil_mine", "0x3")
            async with service(folder / "service", configuration(anvil.url)) as running:
                url = f"http://127.0.0.1:{running.target.port}"
                return await run_script(SCRIPT, PACKAGES, url, TOKEN, anvil.url)
        finally:
            await anvil.stop()

    return dict(json.loads(asyncio.run(run())))


def test_relayers_are_listed_and_shown(seen: dict[str, Any]) -> None:
    assert seen["relayers"]["ids"] == [RELAYER, "solana-1"]
    assert seen["relayers"]["pagination"] == {"current_page": 1, "per_page": 2, "total_items": 3}
    relayer = seen["relayer"]
    assert (relayer["network_type"], relayer["paused"], relayer["system_disabled"]) == ("evm", False, False)
    assert relayer["policies"]["eip1559_pricing"] is True


def test_status_and_balance_come_from_the_chain(seen: dict[str, Any]) -> None:
    assert seen["status"]["nonce"] == "0"
    assert int(seen["status"]["balance"]) > 10**18
    assert seen["balance"]["unit"] == "wei"
    assert seen["balance"]["balance"] == pytest.approx(int(seen["status"]["balance"]))
    assert seen["status"]["last_confirmed_transaction_timestamp"] is None
    after = seen["statusAfter"]
    assert 3 <= int(after["nonce"]) <= 6  # what was canceled before it was signed took none
    assert after["pending_transactions_count"] == 0
    assert after["last_confirmed_transaction_timestamp"] > seen["confirmed"]["confirmed_at"]


def test_a_transaction_is_sent_replaced_and_confirmed(seen: dict[str, Any]) -> None:
    assert (seen["sent"]["status"], seen["sent"]["value"], seen["sent"]["hash"]) == ("pending", "1", None)
    assert (seen["replaced"]["id"], seen["replaced"]["value"]) == (seen["sent"]["id"], "2")
    done = seen["confirmed"]
    assert (done["status"], done["value"], done["nonce"]) == ("confirmed", "2", 0)
    assert seen["byNonce"] == done


def test_one_and_all_are_canceled(seen: dict[str, Any]) -> None:
    assert seen["cancelAccepted"]["is_canceled"] is True
    assert seen["canceled"]["status"] == "canceled"
    assert seen["pendingDeleted"] == {
        "queued_for_cancellation_transaction_ids": seen["several"],
        "failed_to_queue_transaction_ids": [],
        "total_processed": 3,
    }


def test_transactions_are_listed_newest_first(seen: dict[str, Any]) -> None:
    assert seen["listed"]["values"] == ["4", "3"]
    assert seen["listed"]["pagination"] == {"current_page": 2, "per_page": 2, "total_items": 5}


def test_a_transaction_can_be_looked_at_closer(seen: dict[str, Any]) -> None:
    """Beyond what the client knows: what landed, every version of it, and why the next one is not mined yet."""
    old, new = seen["attempts"]
    assert (old["fate"], new["fate"], new["kind"]) == ("lapsed", "included", "replacement")
    assert seen["receipt"]["hash"] == new["hash"] == seen["confirmed"]["hash"]
    assert seen["receipt"]["gas_used"] == 21_000
    assert seen["receipt"]["logs"] == []
    assert seen["explain"]["why"] == "it is final: confirmed"
    waiting = seen["waiting"]
    assert waiting["lane"]["is_head"] is True
    assert list(waiting["attempts"][0]["nodes"].values()) == [True]
    assert waiting["next_action"]["in_blocks"] >= 1
    assert waiting["trouble"] is None


def test_a_relayer_is_paused_and_resumed(seen: dict[str, Any]) -> None:
    assert (seen["paused"]["paused"], seen["resumed"]["paused"]) == (True, False)
    assert (seen["refusedWhilePaused"]["status"], seen["refusedWhilePaused"]["message"]) == (403, "Forbidden")


def test_the_other_families_are_accepted(seen: dict[str, Any]) -> None:
    assert seen["solana"]["status"] == seen["stellar"]["status"] == "pending"
    assert seen["solana"]["instructions"][0]["data"] == "AgAAAAEAAAAAAAAA"
    assert seen["stellar"]["operations"][0]["type"] == "payment"


def test_notifications_live_and_go(seen: dict[str, Any]) -> None:
    record = {"id": "hook", "type": "webhook", "url": "https://example.com/hook", "has_signing_key": True}
    assert seen["created"] == record
    assert seen["updated"] == {**record, "has_signing_key": False}
    assert seen["notifications"]["data"] == [seen["updated"]] == [seen["notification"]]
    assert seen["notifications"]["pagination"]["total_items"] == 1


@pytest.mark.parametrize(
    ("case", "status", "message"),
    [
        ("unauthorized", 401, "Unauthorized"),
        ("noRelayer", 404, "Relayer with ID nobody not found"),
        ("noTransaction", 404, "Not found"),
        ("badValue", 400, "Bad Request"),
        ("final", 400, "Bad Request"),
        ("notServed", 501, "Not Implemented"),
        ("duplicate", 409, "Notification with this ID already exists"),
        ("deleted", 404, "Notification not found"),
    ],
)
def test_a_refusal_reaches_the_client_in_the_envelope(
    seen: dict[str, Any], case: str, status: int, message: str
) -> None:
    assert seen[case] == {"status": status, "success": False, "data": None, "message": message}


def test_every_call_of_the_client_finds_a_door(seen: dict[str, Any]) -> None:
    """interface §4.7: what is not served says so; nothing that the client knows is an unknown path here."""
    doors = seen["doors"]
    assert len(doors) > 40
    assert {door["status"] for door in doors.values()} == {200, 400, 404, 501}
    lost = [call for call, door in doors.items() if door["status"] == 404 and door["error"].startswith("no path")]
    assert lost == []


def test_the_probe_says_ok(seen: dict[str, Any]) -> None:
    assert seen["health"] == "OK"
