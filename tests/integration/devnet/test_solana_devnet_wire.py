"""How the Solana devnet speaks: codes and sentences, batches, limits, encodings, subscriptions."""

import asyncio
import base64
import sys
import time
from typing import Any

import aiohttp
import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from tests.integration.devnet.solana_wallet import (
    CONFIRMED,
    PROCESSED,
    SOL,
    Rpc,
    RpcFailed,
    encoded,
    memo,
    pay,
    sign,
)

from baton.devnet.solana import SolanaDevnet
from baton.devnet.solana.wire import base58_decode, base58_encode


async def test_every_run_is_a_chain_of_its_own(solana: SolanaDevnet, rpc: Rpc) -> None:
    other = SolanaDevnet()
    assert other.genesis_hash != solana.genesis_hash == await rpc.ask("getGenesisHash")
    assert other.node.bank.head.height == solana.node.bank.head.height
    assert other.node.bank.head.blockhash != solana.node.bank.head.blockhash


async def test_a_batch_is_answered_item_by_item(rpc: Rpc) -> None:
    items = [
        {"jsonrpc": "2.0", "id": "a", "method": "getSlot", "params": [PROCESSED]},
        {"jsonrpc": "2.0", "id": "b", "method": "getNothing"},
        {"jsonrpc": "2.0", "id": "c", "method": "getBalance", "params": ["not an address"]},
        7,
    ]
    answers = await rpc.post(items)
    assert [answer["id"] for answer in answers] == ["a", "b", "c", None]
    assert answers[0]["result"] > 0
    assert [answer["error"]["code"] for answer in answers[1:]] == [-32601, -32602, -32600]
    assert (await rpc.post([]))["error"]["code"] == -32600


async def test_a_body_that_is_not_json_or_not_called_so_is_refused(rpc: Rpc) -> None:
    as_json = {"Content-Type": "application/json"}
    async with rpc.session.post(rpc.url, data=b"{", headers=as_json) as response:
        assert (await response.json())["error"]["code"] == -32700
    async with rpc.session.post(rpc.url, data=b"{}", headers={"Content-Type": "text/plain"}) as response:
        assert response.status == 415


async def test_a_body_beyond_50_kilobytes_is_refused_as_validators_do(rpc: Rpc) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "getSlot"}
    async with rpc.session.post(rpc.url, json=[call] * 1_200) as response:
        assert response.status == 413


@pytest.mark.parametrize(("encoding", "encode"), [("base64", encoded), ("base58", lambda tx: base58_encode(bytes(tx)))])
async def test_both_encodings_of_a_transaction_are_taken(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey, encoding: str, encode: Any
) -> None:
    transaction = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash())
    options = {"encoding": encoding, "preflightCommitment": "processed"}
    signature = await rpc.ask("sendTransaction", encode(transaction), options)
    assert signature == str(transaction.signatures[0])
    solana.mine(2)
    for form in ("base58", "base64"):
        found = await rpc.ask(
            "getTransaction", signature, {**CONFIRMED, "encoding": form, "maxSupportedTransactionVersion": 0}
        )
        expected = base58_encode(bytes(transaction)) if form == "base58" else encoded(transaction)
        assert found["transaction"] == [expected, form]


def test_base58_is_spelled_as_keys_and_signatures_are() -> None:
    for raw in (bytes(32), b"\0\0" + bytes(range(30)), bytes(range(200, 232))):
        assert base58_encode(raw) == str(Pubkey(raw))
    assert base58_decode(str(Pubkey(bytes(range(32))))) == bytes(range(32))


async def test_a_bad_signature_is_refused_and_never_lands(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    message = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash()).message
    forged = VersionedTransaction.populate(message, [Signature.new_unique()])
    with pytest.raises(RpcFailed, match="signature verification failure") as refused:
        await rpc.send(forged, skipPreflight=False)
    assert refused.value.code == -32003
    signature = await rpc.send(forged)
    solana.mine()
    assert await rpc.status(signature) is None
    assert solana.balance(str(friend)) == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("!", "invalid base64 encoding"),
        (base64.b64encode(b"\x01").decode(), "failed to deserialize"),
        (base64.b64encode(bytes(1300)).decode(), "too large"),
        (base64.b64encode(bytes(1233)).decode(), "too large: 1233 bytes"),
    ],
)
async def test_bytes_that_are_no_transaction_are_refused(rpc: Rpc, text: str, sentence: str) -> None:
    with pytest.raises(RpcFailed, match=sentence) as refused:
        await rpc.ask("sendTransaction", text, {"encoding": "base64"})
    assert refused.value.code == -32602


async def test_a_simulation_tells_units_logs_and_changed_accounts_and_changes_nothing(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    stale = sign(payer, [pay(payer, friend, SOL), memo(payer, "tried")], str(solana.genesis_hash))
    options = {**PROCESSED, "encoding": "base64"}
    refused = await rpc.value("simulateTransaction", encoded(stale), options)
    assert (refused["err"], refused["unitsConsumed"]) == ("BlockhashNotFound", 0)
    watched = {"encoding": "base64", "addresses": [str(friend)]}
    tried = await rpc.value(
        "simulateTransaction", encoded(stale), {**options, "replaceRecentBlockhash": True, "accounts": watched}
    )
    assert tried["err"] is None
    assert tried["unitsConsumed"] > 150
    assert any("tried" in line for line in tried["logs"])
    assert tried["accounts"][0]["lamports"] == SOL
    assert tried["replacementBlockhash"]["blockhash"] == await rpc.blockhash()
    assert solana.balance(str(friend)) == 0


async def test_a_simulation_checks_signatures_only_when_asked(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    message = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash()).message
    unsigned = encoded(VersionedTransaction.populate(message, [Signature.default()]))
    options = {**PROCESSED, "encoding": "base64"}
    assert (await rpc.value("simulateTransaction", unsigned, options))["err"] is None
    with pytest.raises(RpcFailed, match="signature verification failure"):
        await rpc.ask("simulateTransaction", unsigned, {**options, "sigVerify": True})
    with pytest.raises(RpcFailed, match="may not be used with"):
        await rpc.ask("simulateTransaction", unsigned, {**options, "sigVerify": True, "replaceRecentBlockhash": True})


async def test_256_statuses_fit_a_call_and_not_one_more(solana: SolanaDevnet, rpc: Rpc, payer: Keypair) -> None:
    known = await rpc.send(sign(payer, [memo(payer, "x")], await rpc.blockhash()))
    solana.mine()
    unknown = str(Signature.new_unique())
    statuses = await rpc.value("getSignatureStatuses", [unknown] * 255 + [known])
    assert [status is None for status in statuses] == [True] * 255 + [False]
    with pytest.raises(RpcFailed, match="Too many inputs provided; max 256"):
        await rpc.ask("getSignatureStatuses", [unknown] * 257)


async def test_an_old_status_is_found_only_by_a_search(solana: SolanaDevnet, rpc: Rpc, payer: Keypair) -> None:
    signature = await rpc.send(sign(payer, [memo(payer, "x")], await rpc.blockhash()))
    solana.mine(301)
    assert await rpc.status(signature) is not None
    solana.mine()
    assert await rpc.status(signature) is None
    assert (await rpc.status(signature, searchTransactionHistory=True))["confirmationStatus"] == "finalized"


async def test_accounts_are_read_alone_and_many_at_once(rpc: Rpc, payer: Keypair, friend: Pubkey) -> None:
    alone = await rpc.value("getAccountInfo", str(payer.pubkey()), {"encoding": "base64"})
    assert (alone["lamports"], alone["data"], alone["executable"]) == (100 * SOL, ["", "base64"], False)
    several = await rpc.value("getMultipleAccounts", [str(payer.pubkey()), str(friend)], {"encoding": "base64"})
    assert several == [alone, None]
    with pytest.raises(RpcFailed, match="Too many inputs provided; max 100"):
        await rpc.ask("getMultipleAccounts", [str(friend)] * 101)


async def test_an_account_can_be_written_by_hand(rpc: Rpc, friend: Pubkey) -> None:
    owner, data = str(Keypair().pubkey()), base64.b64encode(b"abcdef").decode()
    await rpc.ask("devnet_setAccount", str(friend), {"lamports": SOL, "owner": owner, "data": data})
    options = {"encoding": "base64", "dataSlice": {"offset": 1, "length": 2}}
    found = await rpc.value("getAccountInfo", str(friend), options)
    assert (found["owner"], found["space"]) == (owner, 6)
    assert base64.b64decode(found["data"][0]) == b"bc"


async def test_a_requested_airdrop_is_a_transaction_and_equal_ones_add_up(
    solana: SolanaDevnet, rpc: Rpc, friend: Pubkey
) -> None:
    signatures = {await rpc.ask("requestAirdrop", str(friend), SOL) for _ in range(3)}
    assert len(signatures) == 3
    solana.mine()
    assert solana.balance(str(friend)) == 3 * SOL
    assert all([await rpc.status(signature) for signature in signatures])


async def test_a_block_lists_what_landed_in_it(solana: SolanaDevnet, rpc: Rpc, payer: Keypair) -> None:
    signature = await rpc.send(sign(payer, [memo(payer, "x")], await rpc.blockhash()))
    before = await rpc.value("getLatestBlockhash", PROCESSED)
    solana.mine()
    slot = await rpc.ask("getSlot", PROCESSED)
    with pytest.raises(RpcFailed, match="Block not available") as refused:
        await rpc.ask("getBlock", slot, CONFIRMED)
    assert refused.value.code == -32004
    solana.mine()
    block = await rpc.ask("getBlock", slot, {**CONFIRMED, "transactionDetails": "signatures"})
    assert (block["signatures"], block["previousBlockhash"]) == ([signature], before["blockhash"])
    assert block["blockHeight"] + 150 == before["lastValidBlockHeight"] + 1
    with pytest.raises(RpcFailed, match="maxSupportedTransactionVersion") as unsupported:
        await rpc.ask("getBlock", slot, CONFIRMED)
    assert unsupported.value.code == -32015
    full = await rpc.ask("getBlock", slot, {**CONFIRMED, "maxSupportedTransactionVersion": 0})
    assert full["transactions"][0]["transaction"]["signatures"] == [signature]


class Socket:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def ask(self, method: str, *params: Any) -> Any:
        await self._socket.send_json({"jsonrpc": "2.0", "id": 9, "method": method, "params": list(params)})
        answer = await self.next()
        assert answer["id"] == 9
        return answer

    async def next(self) -> Any:
        return await self._socket.receive_json(timeout=20)


async def test_slots_are_told_block_by_block_until_unsubscribed(solana: SolanaDevnet, rpc: Rpc) -> None:
    async with rpc.session.ws_connect(solana.ws_url) as raw:
        socket = Socket(raw)
        number = (await socket.ask("slotSubscribe"))["result"]
        solana.mine(2)
        told = [(await socket.next())["params"] for _ in range(2)]
        slot = await rpc.ask("getSlot", PROCESSED)
        assert [one["result"]["slot"] for one in told] == [slot - 1, slot]
        assert told[1]["result"] == {"slot": slot, "parent": slot - 1, "root": slot - 32}
        assert told[1]["subscription"] == number
        assert (await socket.ask("slotUnsubscribe", number))["result"] is True
        solana.mine()
        assert (await socket.ask("slotUnsubscribe", number))["error"]["code"] == -32602
        assert (await socket.ask("getSlot"))["error"]["code"] == -32601


async def test_a_signature_is_told_once_at_its_commitment(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    good = sign(payer, [pay(payer, friend, SOL)], await rpc.blockhash())
    bad = sign(payer, [pay(payer, friend, 500 * SOL)], await rpc.blockhash())
    async with rpc.session.ws_connect(solana.ws_url) as raw:
        socket = Socket(raw)
        first = (await socket.ask("signatureSubscribe", str(good.signatures[0]), CONFIRMED))["result"]
        await rpc.send(good)
        await rpc.send(bad)
        solana.mine()
        second = (await socket.ask("signatureSubscribe", str(bad.signatures[0]), PROCESSED))["result"]
        news = (await socket.next())["params"]
        assert news["subscription"] == second
        assert news["result"]["value"] == {"err": {"InstructionError": [0, {"Custom": 1}]}}
        solana.mine(2)
        news = (await socket.next())["params"]
        assert (news["subscription"], news["result"]["value"]) == (first, {"err": None})
        assert (await socket.ask("signatureUnsubscribe", first))["error"]["code"] == -32602


async def test_blocks_come_by_themselves_at_the_pace_asked_for() -> None:
    devnet = await SolanaDevnet().start(slot_ms=20)
    async with devnet, aiohttp.ClientSession() as session, session.ws_connect(devnet.ws_url) as raw:
        socket = Socket(raw)
        await socket.ask("slotSubscribe")
        slots = [(await socket.next())["params"]["result"]["slot"] for _ in range(5)]
    assert slots == list(range(slots[0], slots[0] + 5))


async def test_it_carries_far_more_than_200_transactions_a_second(
    solana: SolanaDevnet, rpc: Rpc, payer: Keypair, friend: Pubkey
) -> None:
    blockhash, count = await rpc.blockhash(), 1_000
    calls = [
        {
            "jsonrpc": "2.0",
            "id": index,
            "method": "sendTransaction",
            "params": [
                encoded(sign(payer, [pay(payer, friend, SOL // 100), memo(payer, str(index))], blockhash)),
                {"encoding": "base64", "skipPreflight": True},
            ],
        }
        for index in range(count)
    ]
    started = time.perf_counter()
    for start in range(0, count, 50):
        await rpc.post(calls[start : start + 50])
        solana.mine()
    assert solana.balance(str(friend)) == count * SOL // 100
    assert time.perf_counter() - started < count / 200


async def test_it_runs_as_a_program_and_ends_when_told() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "baton.devnet.solana", "--port", "0", "--slot-ms", "50", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    line = (await asyncio.wait_for(process.stdout.readline(), 20)).decode()
    url = line.split()[3]
    async with aiohttp.ClientSession() as session:
        assert await Rpc(url, session).ask("getGenesisHash") == line.split()[-1]
    process.terminate()
    assert await asyncio.wait_for(process.wait(), 20) == 0
