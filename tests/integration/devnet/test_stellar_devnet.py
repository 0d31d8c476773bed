"""The Stellar simulator judged by the official Python client: life of a transaction, validity, lookups, wire."""

from itertools import pairwise
from typing import Any

import aiohttp
import pytest
from stellar_sdk import Asset, Keypair, xdr
from stellar_sdk.exceptions import SorobanRpcErrorResponse
from stellar_sdk.operation import (
    BumpSequence,
    CreateAccount,
    ManageData,
    Payment,
)
from stellar_sdk.soroban_rpc import GetTransactionStatus
from stellar_sdk.soroban_server_async import SorobanServerAsync
from tests.integration.devnet.stellar_wallet import LUMEN, Wallet, codes, fee_charged

from baton.devnet.stellar import StellarDevnet

NATIVE = Asset.native()


def pay(to: Keypair, lumens: str = "1") -> Payment:
    return Payment(to.public_key, NATIVE, lumens)


async def test_a_payment_lands_with_the_next_ledger_and_moves_the_money(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    envelope = await wallet.sign(payer, pay(payee, "12.5"))
    answer = await wallet.send(envelope)
    assert (answer.status.value, answer.hash) == ("PENDING", envelope.hash_hex())
    before = await wallet.server.get_transaction(envelope.hash_hex())
    assert before.status is GetTransactionStatus.NOT_FOUND
    wallet.devnet.close()
    after = await wallet.server.get_transaction(envelope.hash_hex())
    assert after.status is GetTransactionStatus.SUCCESS
    assert codes(after.result_xdr) == ["txSUCCESS", "PAYMENT_SUCCESS"]
    assert after.envelope_xdr == envelope.to_xdr()
    assert after.ledger == after.latest_ledger
    assert fee_charged(after.result_xdr) == 100
    assert wallet.balance(payee.public_key) == 1000 * LUMEN + 125_000_000
    assert wallet.balance(payer.public_key) == 1000 * LUMEN - 125_000_000 - 100


async def test_the_sequence_rises_by_one_and_an_applied_transaction_cannot_come_again(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    before = await wallet.sequence(payer)
    envelope = await wallet.sign(payer, pay(payee))
    await wallet.land(envelope)
    assert await wallet.sequence(payer) == before + 1
    again = await wallet.send(envelope)
    assert codes(again.error_result_xdr) == ["txBAD_SEQ"]


async def test_a_failed_operation_costs_fee_and_sequence_and_undoes_the_rest(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    before = await wallet.sequence(payer)
    done = await wallet.do(payer, pay(payee, "1"), pay(payee, "5000"))
    assert done.status is GetTransactionStatus.FAILED
    assert codes(done.result_xdr) == ["txFAILED", "PAYMENT_SUCCESS", "PAYMENT_UNDERFUNDED"]
    assert wallet.balance(payee.public_key) == 1000 * LUMEN
    assert wallet.balance(payer.public_key) == 1000 * LUMEN - 200
    assert await wallet.sequence(payer) == before + 1


@pytest.mark.parametrize(
    ("ahead", "fee", "expected"),
    [(1, 100, ["txBAD_SEQ"]), (-1, 100, ["txBAD_SEQ"]), (0, 99, ["txINSUFFICIENT_FEE"])],
)
async def test_a_wrong_sequence_or_a_low_fee_is_refused_at_the_door(
    wallet: Wallet, ahead: int, fee: int, expected: list[str]
) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    answer = await wallet.send(await wallet.sign(payer, pay(payee), fee=fee, ahead=ahead))
    assert answer.status.value == "ERROR"
    assert codes(answer.error_result_xdr) == expected


async def test_a_signature_for_another_network_is_bad(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    builder = await wallet.build(payer, pay(payee))
    builder.network_passphrase = "Test SDF Network ; September 2015"
    envelope = builder.build()
    envelope.sign(payer)
    assert codes((await wallet.send(envelope)).error_result_xdr) == ["txBAD_AUTH"]


async def test_missing_and_needless_signatures_are_told_apart(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    unsigned = (await wallet.build(payer, pay(payee))).build()
    assert codes((await wallet.send(unsigned)).error_result_xdr) == ["txBAD_AUTH"]
    twice = await wallet.sign(payer, pay(payee), also=(payee,))
    assert codes((await wallet.send(twice)).error_result_xdr) == ["txBAD_AUTH_EXTRA"]
    foreign = await wallet.sign(payer, Payment(payer.public_key, NATIVE, "1", source=payee.public_key))
    assert codes((await wallet.send(foreign)).error_result_xdr) == ["txFAILED", "opBAD_AUTH"]


async def test_an_unknown_source_and_an_empty_purse_are_refused(wallet: Wallet) -> None:
    payer, stranger = await wallet.account(2), Keypair.random()
    envelope = await wallet.sign(payer, pay(payer))
    envelope.transaction.source = envelope.transaction.source.__class__(stranger.public_key)
    envelope.signatures.clear()
    envelope.sign(stranger)
    assert codes((await wallet.send(envelope)).error_result_xdr) == ["txNO_ACCOUNT"]
    dear = await wallet.sign(payer, pay(payer), fee=2 * LUMEN)
    assert codes((await wallet.send(dear)).error_result_xdr) == ["txINSUFFICIENT_BALANCE"]


async def test_a_malformed_operation_is_refused_before_it_costs_anything(wallet: Wallet) -> None:
    payer = await wallet.account()
    answer = await wallet.send(await wallet.sign(payer, BumpSequence(0), Payment(payer.public_key, NATIVE, "0")))
    assert codes(answer.error_result_xdr) == ["txFAILED", "BUMP_SEQUENCE_SUCCESS", "PAYMENT_MALFORMED"]


async def test_time_bounds_are_kept_at_the_door_and_in_the_queue(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    now_s = wallet.devnet.ledger.latest.closed_at_s
    for low, high, expected in ((now_s + 900, 0, "txTOO_EARLY"), (0, now_s - 900, "txTOO_LATE")):
        builder = await wallet.build(payer, pay(payee))
        builder.time_bounds = None
        envelope = builder.add_time_bounds(low, high).build()
        envelope.sign(payer)
        assert codes((await wallet.send(envelope)).error_result_xdr) == [expected]
    waiting = await wallet.sign(payer, pay(payee))
    assert (await wallet.send(waiting)).status.value == "PENDING"
    wallet.devnet.controls.turn({"ahead_s": 600})
    wallet.devnet.close()
    assert (await wallet.server.get_transaction(waiting.hash_hex())).status is GetTransactionStatus.NOT_FOUND
    assert codes((await wallet.send(waiting)).error_result_xdr) == ["txTOO_LATE"]


async def test_ledger_bounds_and_a_minimum_sequence_are_kept(wallet: Wallet) -> None:
    payer, payee = await wallet.account(), await wallet.account()
    latest = wallet.devnet.ledger.latest.sequence
    for low, high, expected in ((latest + 9, 0, "txTOO_EARLY"), (0, latest + 1, "txTOO_LATE")):
        envelope = (await wallet.build(payer, pay(payee))).set_ledger_bounds(low, high).build()
        envelope.sign(payer)
        assert codes((await wallet.send(envelope)).error_result_xdr) == [expected]
    jump = (await wallet.build(payer, pay(payee), ahead=40)).set_min_sequence_number(0).build()
    jump.sign(payer)
    assert (await wallet.land(jump)).status is GetTransactionStatus.SUCCESS


async def test_friendbot_funds_an_account_once_and_refuses_the_second_time(wallet: Wallet) -> None:
    keypair = Keypair.random()
    network = await wallet.server.get_network()
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{network.friendbot_url}?addr={keypair.public_key}") as first:
            assert (first.status, (await first.json())["successful"]) == (200, True)
        async with session.get(f"{network.friendbot_url}?addr={keypair.public_key}") as second:
            assert second.status == 400
        async with session.post(network.friendbot_url or "", data={"addr": "nonsense"}) as wrong:
            assert wrong.status == 400
    assert wallet.balance(keypair.public_key) == 10_000 * LUMEN
    assert await wallet.sequence(keypair) == wallet.devnet.ledger.latest.sequence << 32


async def test_a_created_account_shows_in_the_meta_of_its_transaction(wallet: Wallet) -> None:
    payer, new = await wallet.account(), Keypair.random()
    done = await wallet.do(payer, CreateAccount(new.public_key, "5"))
    assert done.result_meta_xdr is not None
    meta = xdr.TransactionMeta.from_xdr(done.result_meta_xdr).v4
    assert meta is not None
    kinds = [change.type.name for change in meta.operations[0].changes.ledger_entry_changes]
    assert kinds == ["LEDGER_ENTRY_STATE", "LEDGER_ENTRY_UPDATED", "LEDGER_ENTRY_CREATED"]


async def test_transactions_are_listed_by_ledger_range_page_by_page(wallet: Wallet) -> None:
    accounts = [await wallet.account() for _ in range(5)]
    start = wallet.devnet.ledger.latest.sequence + 1
    sent = []
    for keypair in accounts:
        envelope = await wallet.sign(keypair, ManageData("tag", "x"))
        await wallet.send(envelope)
        sent.append(envelope.hash_hex())
    wallet.devnet.close(2)
    page = await wallet.server.get_transactions(start, limit=2)
    seen = [one.transaction_hash for one in page.transactions]
    while page.transactions:
        page = await wallet.server.get_transactions(cursor=page.cursor, limit=2)
        seen += [one.transaction_hash for one in page.transactions]
    assert seen == sent
    late = await wallet.sign(accounts[0], ManageData("tag", "y"))
    await wallet.land(late)
    page = await wallet.server.get_transactions(cursor=page.cursor)
    assert [one.transaction_hash for one in page.transactions] == [late.hash_hex()]
    assert page.transactions[0].status == "SUCCESS"
    assert page.latest_ledger == wallet.devnet.ledger.latest.sequence


async def test_a_start_beyond_the_latest_ledger_is_an_error(wallet: Wallet) -> None:
    with pytest.raises(SorobanRpcErrorResponse) as caught:
        await wallet.server.get_transactions(wallet.devnet.ledger.latest.sequence + 1)
    assert caught.value.code == -32600


async def test_ledgers_are_listed_and_chained_by_their_hashes(wallet: Wallet) -> None:
    wallet.devnet.close(3)
    page = await wallet.server.get_ledgers(wallet.devnet.ledger.latest.sequence - 2, limit=2)
    rest = await wallet.server.get_ledgers(cursor=page.cursor)
    ledgers = [*page.ledgers, *rest.ledgers]
    assert len(ledgers) == 3
    for before, after in pairwise(ledgers):
        header = xdr.LedgerHeaderHistoryEntry.from_xdr(after.header_xdr).header
        assert header.previous_ledger_hash.hash.hex() == before.hash


async def test_the_node_speaks_of_itself_as_the_official_client_expects(wallet: Wallet) -> None:
    latest = await wallet.server.get_latest_ledger()
    assert xdr.LedgerHeader.from_xdr(latest.header_xdr).ledger_seq.uint32 == latest.sequence
    assert (await wallet.server.get_health()).latest_ledger == latest.sequence
    assert (await wallet.server.get_network()).passphrase == wallet.devnet.passphrase
    assert "simulator" in (await wallet.server.get_version_info()).version
    assert (await wallet.server.get_fee_stats()).inclusion_fee.p50 == 100


async def test_each_start_is_a_new_chain_that_can_be_told_from_the_last() -> None:
    runs = []
    for _ in range(2):
        async with StellarDevnet() as devnet, aiohttp.ClientSession() as session:
            told = await ask(session, devnet.url, "devnet_run")
            version = await ask(session, devnet.url, "getVersionInfo")
            assert told["result"]["run"] == version["result"]["devnetRun"] == devnet.run_id
            runs.append((devnet.run_id, devnet.ledger.latest.hash))
    assert runs[0][0] != runs[1][0]
    assert runs[0][1] != runs[1][1]


async def test_ledgers_close_by_the_clock_and_stop_when_manual() -> None:
    async with await StellarDevnet().start(close_ms=20) as devnet, SorobanServerAsync(devnet.url) as server:
        keypair = Keypair.random()
        await devnet.fund(keypair.public_key, 10 * LUMEN)
        wallet = Wallet(devnet, server)
        envelope = await wallet.sign(keypair, ManageData("a", "b"))
        await wallet.send(envelope)
        done = await server.poll_transaction(envelope.hash_hex(), sleep_strategy=lambda _: 0, max_attempts=2000)
        assert done.status is GetTransactionStatus.SUCCESS
        async with aiohttp.ClientSession() as session:
            assert (await ask(session, devnet.url, "devnet_set", manual=True))["result"] is True
            at = devnet.ledger.latest.sequence
            assert (await ask(session, devnet.url, "devnet_close", n=2))["result"] == at + 2


async def test_batches_bad_json_and_unknown_methods_are_answered_in_kind(wallet: Wallet) -> None:
    async with aiohttp.ClientSession() as session:
        batch = [
            {"jsonrpc": "2.0", "id": 1, "method": "getHealth"},
            {"jsonrpc": "2.0", "id": 2, "method": "nothingOfTheKind"},
            {"jsonrpc": "2.0", "id": 3, "method": "sendTransaction", "params": {"transaction": "AAAA"}},
            {"jsonrpc": "2.0", "id": 4, "method": "getTransaction", "params": {"hash": "12"}},
            {"jsonrpc": "2.0", "id": 5, "method": "getLedgerEntries", "params": {"keys": ["AAAA"]}},
            {"jsonrpc": "2.0", "id": 6, "method": "devnet_set", "params": {"wind": 3}},
        ]
        async with session.post(wallet.devnet.url, json=batch) as answer:
            told = await answer.json()
        assert [one["id"] for one in told] == [1, 2, 3, 4, 5, 6]
        assert told[0]["result"]["status"] == "healthy"
        assert [one["error"]["code"] for one in told[1:]] == [-32601, -32602, -32602, -32602, -32602]
        assert told[2]["error"]["message"] == "invalid_xdr"
        async with session.post(wallet.devnet.url, data=b"{") as broken:
            assert (await broken.json())["error"]["code"] == -32700
        async with session.post(wallet.devnet.url, json=[]) as empty:
            assert (await empty.json())["error"]["code"] == -32600


async def ask(session: aiohttp.ClientSession, url: str, method: str, **params: object) -> dict[str, Any]:
    async with session.post(url, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) as answer:
        told: dict[str, Any] = await answer.json()
        return told
