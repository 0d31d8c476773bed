"""Operations of every common kind on a simulated ledger, judged by what the ledger holds afterwards."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from stellar_sdk import Asset, ChangeTrust, Keypair, ManageSellOffer, Operation, Payment, xdr
from tests.integration.stellar.rig import LUMEN, NATIVE, StellarRig, body, payment

Do = Callable[..., Awaitable[None]]


@pytest.fixture
def do(rig: StellarRig) -> Do:
    """A stranger's own transaction, past our lane."""

    async def act(source: Keypair, *operations: Operation) -> None:
        envelope = rig.build(source, *operations)
        envelope.sign(source)
        await rig.foreign(envelope)
        assert rig.node.close().landed[-1].succeeded

    return act


def spec(asset: Asset) -> dict[str, Any]:
    return {"type": "credit4", "code": asset.code, "issuer": asset.issuer}


def held(rig: StellarRig, address: str, asset: Asset) -> int | None:
    key = Keypair.from_public_key(address).xdr_account_id()
    line = rig.node.ledger.state.trust_line(key, asset.to_xdr_object())
    return line.balance.int64 if line else None


def memo_of(rig: StellarRig, tx_hash: str) -> xdr.Memo:
    envelope = xdr.TransactionEnvelope.from_xdr(rig.node.ledger.by_hash[tx_hash].envelope_xdr)
    assert envelope.v1 is not None
    return envelope.v1.tx.memo


async def test_a_trust_line_is_opened_and_an_issued_asset_paid(rig: StellarRig, do: Do) -> None:
    issuer, to = await rig.account(), await rig.account()
    dollar = Asset("USD", issuer.public_key)
    await do(to, ChangeTrust(dollar, "1000"))
    await rig.lands(await rig.submit(body({"type": "change_trust", "asset": spec(dollar)})))
    assert held(rig, rig.address, dollar) == 0
    await do(issuer, Payment(rig.address, dollar, "10"))
    await rig.lands(await rig.submit(body(payment(to.public_key, 3 * LUMEN, spec(dollar)), tag="dollars")))
    assert held(rig, to.public_key, dollar) == 3 * LUMEN
    assert held(rig, rig.address, dollar) == 7 * LUMEN


@pytest.mark.parametrize("kind", ["path_payment_strict_send", "path_payment_strict_receive"])
async def test_a_path_payment_turns_lumens_into_dollars_on_the_way(rig: StellarRig, do: Do, kind: str) -> None:
    issuer, to = await rig.account(), await rig.account()
    dollar = Asset("USD", issuer.public_key)
    await do(to, ChangeTrust(dollar, "1000"))
    await do(issuer, ManageSellOffer(dollar, Asset.native(), "100", "1"))
    amounts = (
        {"send_amount": LUMEN, "dest_min": LUMEN}
        if kind.endswith("send")
        else {
            "send_max": LUMEN,
            "dest_amount": LUMEN,
        }
    )
    wish = {"type": kind, "send_asset": NATIVE, "destination": to.public_key, "dest_asset": spec(dollar), **amounts}
    await rig.lands(await rig.submit(body(wish, tag="path")))
    assert held(rig, to.public_key, dollar) == LUMEN


@pytest.mark.parametrize(
    ("memo", "shown"),
    [
        ({"type": "text", "value": "grüße"}, lambda memo: memo.text == "grüße".encode()),
        ({"type": "id", "value": 2**63 - 1}, lambda memo: memo.id.uint64 == 2**63 - 1),
        ({"type": "hash", "value": [7] * 32}, lambda memo: memo.hash.hash == bytes([7] * 32)),
        ({"type": "return", "value": "ab" * 32}, lambda memo: memo.ret_hash.hash == bytes.fromhex("ab" * 32)),
        ({"type": "none"}, lambda memo: memo.type is xdr.MemoType.MEMO_NONE),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
async def test_a_memo_of_each_kind_stands_on_the_ledger(
    rig: StellarRig, memo: dict[str, Any], shown: Callable[[xdr.Memo], bool]
) -> None:
    to = await rig.account()
    done = await rig.lands(await rig.submit(body(payment(to.public_key), memo=memo)))
    assert shown(memo_of(rig, done["hash"]))


async def test_operations_of_one_request_land_together_or_not_at_all(rig: StellarRig) -> None:
    first, second = await rig.account(), await rig.account()
    both = await rig.submit(body(payment(first.public_key), payment(second.public_key), tag="both"))
    await rig.lands(both)
    assert [rig.balance(one.public_key) for one in (first, second)] == [101 * LUMEN] * 2
    nowhere = Keypair.random().public_key
    failing = await rig.submit(body(payment(first.public_key), payment(nowhere), tag="neither"))
    await rig.reaches(failing, "submitted")
    rig.node.close()
    done = await rig.reaches(failing, "failed")
    assert "operation 1: PAYMENT_NO_DESTINATION" in done["status_reason"]
    assert done["transaction_result_xdr"] is not None
    assert rig.balance(first.public_key) == 101 * LUMEN


async def test_what_no_node_could_take_fails_with_the_operation_that_is_wrong(rig: StellarRig) -> None:
    """An account that does not trust us: its operation is not signed for, and nothing ever lands."""
    stranger, to = await rig.account(), await rig.account()
    wish = payment(to.public_key) | {"source_account": stranger.public_key}
    done = await rig.reaches(await rig.submit(body(wish, tag="not ours")), "failed")
    assert "operation 0: opBAD_AUTH" in done["status_reason"]
    after = await rig.submit(body(payment(to.public_key), tag="ours"))
    assert int((await rig.lands(after))["sequence_number"]) == rig.sequence()


async def test_another_source_account_is_used_when_it_has_made_us_its_signer(rig: StellarRig, do: Do) -> None:
    from stellar_sdk import SetOptions, Signer

    owner, to = await rig.account(), await rig.account()
    await do(owner, SetOptions(signer=Signer.ed25519_public_key(rig.address, 1)))
    number = rig.sequence(owner.public_key)
    wish = body(payment(to.public_key, LUMEN), source_account=owner.public_key, tag="for another")
    done = await rig.lands(await rig.submit(wish))
    assert done["source_account"] == owner.public_key
    assert rig.balance(to.public_key) == 101 * LUMEN
    assert rig.sequence(owner.public_key) == number, "the relayer lends the number and pays the fee"


async def test_without_channels_transactions_land_one_a_ledger_in_order(rig: StellarRig) -> None:
    to = await rig.account()
    ids = [await rig.submit(body(payment(to.public_key, n + 1), tag=f"n{n}")) for n in range(4)]
    for place, one in enumerate(ids):
        await rig.reaches(one, "submitted")
        waiting = [(await rig.record(other))["status"] for other in ids[place + 1 :]]
        assert waiting == ["pending"] * len(waiting)
        rig.node.close()
        await rig.reaches(one, "confirmed")
    numbers = [int((await rig.record(one))["sequence_number"]) for one in ids]
    assert numbers == list(range(numbers[0], numbers[0] + 4))
