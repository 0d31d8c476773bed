"""From accepted to confirmed on a real node, and what the record says at every step."""

from datetime import datetime

import pytest
from eth_account import Account
from tests.integration.evm.chain import GWEI, fresh_address
from tests.integration.evm.conftest import Make
from tests.integration.evm.contracts import KEEPER, creation, reverting
from tests.integration.evm.rig import Rig

from baton.devnet.anvil import CHAIN_ID
from baton.domain.policy import EvmPolicy, Speed

WHOLE_LIFE = ["pending", "sent", "submitted", "mined", "confirmed"]
OTHER_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"


async def deployed(rig: Rig, code: str) -> str:
    """The address of a contract that the lane itself created."""
    record = (await rig.confirmed([await rig.submit(value=0, data=code)]))[0]
    receipt = await rig.chain.receipt(record["hash"])
    assert receipt is not None
    return str(receipt["contractAddress"])


async def test_a_payment_walks_through_every_status_and_arrives_once(rig: Rig) -> None:
    receiver = fresh_address()
    paid = await rig.submit(to=receiver, value=1234)
    record = await rig.reaches(paid, "submitted")
    assert record["sent_at"] is not None
    assert record["confirmed_at"] is None
    assert record["nonce"] == 0
    seen = await rig.chain.transaction(record["hash"])
    assert seen is not None
    assert int(seen["nonce"], 16) == 0
    await rig.mine()
    done = await rig.reaches(paid, "confirmed")
    assert done["hash"] == record["hash"]
    assert datetime.fromisoformat(done["sent_at"]) <= datetime.fromisoformat(done["confirmed_at"])
    assert await rig.story(paid) == WHOLE_LIFE
    assert await rig.chain.balance(receiver) == 1234
    assert await rig.chain.nonce() == 1


async def test_a_record_shows_what_was_signed(rig: Rig) -> None:
    """Nonce, fees, limit and signature of the record are those that the node has."""
    paid = await rig.submit(to=fresh_address(), value=7, speed="fastest")
    record = await rig.reaches(paid, "submitted")
    seen = await rig.chain.transaction(record["hash"])
    assert seen is not None
    assert int(seen["maxFeePerGas"], 16) == int(record["max_fee_per_gas"])
    assert int(seen["maxPriorityFeePerGas"], 16) == int(record["max_priority_fee_per_gas"])
    assert int(seen["gas"], 16) == record["gas_limit"] == 21_000
    assert int(seen["r"], 16) == int(record["signature"]["r"], 16)
    assert record["from"] == rig.chain.address
    assert record["speed"] == {"level": "fastest"}


async def test_with_three_confirmations_it_stays_mined_until_the_third_block(make_rig: Make) -> None:
    """C1: final only at the required depth, its own block included."""
    rig = await make_rig(EvmPolicy(confirmations=3))
    paid = await rig.submit(to=fresh_address())
    await rig.reaches(paid, "submitted")
    await rig.mine()
    assert (await rig.reaches(paid, "mined"))["confirmed_at"] is None
    await rig.mine()
    assert (await rig.record(paid))["status"] == "mined"
    await rig.mine()
    await rig.reaches(paid, "confirmed")
    assert await rig.story(paid) == WHOLE_LIFE
    receipt = await rig.chain.receipt((await rig.record(paid))["hash"])
    assert receipt is not None
    assert await rig.chain.height() - int(receipt["blockNumber"], 16) + 1 == 3


async def test_a_contract_is_created_and_called_with_data(rig: Rig) -> None:
    keeper = await deployed(rig, KEEPER)
    word = "0x" + "2a".rjust(64, "0")
    await rig.confirmed([await rig.submit(value=0, to=keeper, data=word)])
    assert await rig.chain.ask("eth_getStorageAt", keeper, "0x0", "latest") == word


async def test_many_at_once_are_mined_in_the_order_of_acceptance(rig: Rig) -> None:
    """N1: each has a slot of its own, without holes, in order."""
    receivers = [fresh_address() for _ in range(60)]
    ids = [await rig.submit(to=receiver, value=index + 1) for index, receiver in enumerate(receivers)]
    records = await rig.confirmed(ids, blocks=8)
    assert [record["nonce"] for record in records] == list(range(60))
    assert [await rig.chain.balance(receiver) for receiver in receivers] == list(range(1, 61))


@pytest.mark.parametrize(
    ("pricing", "kind"),
    [
        ({"speed": "safeLow"}, "0x2"),
        ({"gas_price": 20 * GWEI}, "0x0"),
        ({"max_fee_per_gas": 30 * GWEI, "max_priority_fee_per_gas": 2 * GWEI}, "0x2"),
        ({"max_fee_per_gas": 30 * GWEI}, "0x2"),
        ({"max_priority_fee_per_gas": 2 * GWEI}, "0x2"),
        ({"gas_price": 20 * GWEI, "access_list": [{"address": "0x" + "44" * 20, "storage_keys": []}]}, "0x1"),
        ({"access_list": [{"address": "0x" + "44" * 20, "storage_keys": ["0x" + "00" * 32]}]}, "0x2"),
    ],
    ids=["speed", "legacy", "both limits", "maximum only", "tip only", "access list by gas price", "access list"],
)
async def test_each_kind_of_pricing_is_mined_as_its_kind(rig: Rig, pricing: dict[str, object], kind: str) -> None:
    receiver = fresh_address()
    record = (await rig.confirmed([await rig.submit(pricing, to=receiver, value=3)]))[0]
    mined = await rig.chain.transaction(record["hash"])
    assert mined is not None
    assert mined["type"] == kind
    assert await rig.chain.balance(receiver) == 3
    for name in ("gas_price", "max_fee_per_gas", "max_priority_fee_per_gas"):
        if name in pricing:
            assert record[name] == str(pricing[name])


async def test_a_relayer_without_eip1559_pricing_sends_legacy_ones(make_rig: Make) -> None:
    rig = await make_rig(EvmPolicy(eip1559_pricing=False, default_speed=Speed.AVERAGE))
    record = (await rig.confirmed([await rig.submit(to=fresh_address())]))[0]
    mined = await rig.chain.transaction(record["hash"])
    assert mined is not None
    assert mined["type"] == "0x0"


async def test_an_authorization_gives_an_account_the_code(rig: Rig) -> None:
    """EIP-7702, judged by the code that the authorizing account has afterwards."""
    keeper = await deployed(rig, KEEPER)
    other = Account.from_key(OTHER_KEY)
    signed = other.sign_authorization({"chainId": CHAIN_ID, "address": keeper, "nonce": 0})
    leave = {
        "chain_id": CHAIN_ID,
        "address": keeper,
        "nonce": 0,
        "y_parity": signed.y_parity,
        "r": hex(signed.r),
        "s": hex(signed.s),
    }
    record = (await rig.confirmed([await rig.submit(to=fresh_address(), value=0, authorization_list=[leave])]))[0]
    mined = await rig.chain.transaction(record["hash"])
    assert mined is not None
    assert mined["type"] == "0x4"
    assert await rig.chain.ask("eth_getCode", str(other.address), "latest") == "0xef0100" + keeper[2:].lower()


async def test_a_call_that_would_revert_fails_with_its_reason_and_is_never_sent(rig: Rig) -> None:
    """C6: the proof is the simulation, with nothing before it in flight."""
    refuser = await deployed(rig, reverting("no entry"))
    sent = len(rig.proxy.sent)
    doomed = await rig.submit(value=0, to=refuser, data="0x01")
    record = await rig.reaches(doomed, "failed")
    assert "no entry" in record["status_reason"]
    assert record["hash"] is None
    assert await rig.story(doomed) == ["pending", "failed"]
    assert len(rig.proxy.sent) == sent
    await rig.confirmed([await rig.submit(to=fresh_address())])
    assert await rig.chain.nonce() == 2


@pytest.mark.parametrize("gas_limit", [None, 90_000])
async def test_a_policy_may_send_what_reverts_and_it_fails_only_at_depth(make_rig: Make, gas_limit: int | None) -> None:
    """C1: reverted on chain, deep enough, with the decoded reason."""
    rig = await make_rig(EvmPolicy(confirmations=2, send_reverting=True))
    refuser = await deployed(rig, reverting("not today"))
    doomed = await rig.submit(value=0, to=refuser, data="0x01", gas_limit=gas_limit)
    await rig.reaches(doomed, "submitted")
    await rig.mine()
    await rig.reaches(doomed, "mined")
    await rig.mine()
    record = await rig.reaches(doomed, "failed")
    assert "not today" in record["status_reason"]
    assert await rig.story(doomed) == ["pending", "sent", "submitted", "mined", "failed"]
    receipt = await rig.chain.receipt(record["hash"])
    assert receipt is not None
    assert receipt["status"] == "0x0"
    assert record["confirmed_at"] is None


async def test_a_call_of_an_invalid_instruction_fails_and_holds_up_nobody(rig: Rig) -> None:
    """A simulation that ends in something else than a revert concerns that one transaction alone."""
    broken = await deployed(rig, creation("fe"))
    doomed = await rig.submit(value=0, to=broken, data="0x01")
    after = await rig.submit(to=fresh_address())
    await rig.confirmed([after])
    await rig.reaches(doomed, "failed")


async def test_a_gas_limit_over_the_blocks_limit_fails_with_both_numbers(rig: Rig) -> None:
    doomed = await rig.submit(to=fresh_address(), gas_limit=10**9)
    record = await rig.reaches(doomed, "failed")
    assert "1000000000" in record["status_reason"]
