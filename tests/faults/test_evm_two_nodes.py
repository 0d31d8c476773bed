"""Two nodes, one of them a liar or a laggard: its word alone ends nothing, spends nothing twice and moves no slot."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.faults import rules
from tests.faults.evm_judge import judge_everything
from tests.faults.evm_rig import BLOCK_S, FaultRig
from tests.faults.proxy import FaultProxy
from tests.integration.evm.chain import GWEI
from tests.rounds import rounds

from baton.devnet.anvil import Anvil
from baton.domain.json import Json
from baton.domain.policy import EvmPolicy

DEPTH = 3
USED_BEFORE = 4  # nonces of the account that a stranger used, before we began
CAP = 20 * GWEI
FAKE = "0x" + "ee" * 32
BLOCKS = rounds(quick=6, full=10)  # how long the lie is told


def _of_block(**changes: Callable[[Json], Json]) -> rules.Lie:
    def transform(block: Json) -> Json:
        return block and block | {name: change(block[name]) for name, change in changes.items()}

    return rules.Lie(transform)


def _lagging() -> rules.Lie:
    """The newest block is for ever the first that it was asked for."""
    newest: list[Json] = []

    def transform(block: Json) -> Json:
        if block and not newest:
            newest.append(block)
        return newest[0] if block and int(block["number"], 16) > int(newest[0]["number"], 16) else block

    return rules.Lie(transform)


def _mined_already() -> rules.Forge:
    """A receipt for whatever it is asked about, in a block that is canonical and deep."""

    def transform(params: Json, receipt: Json) -> Json:
        return receipt or {
            "transactionHash": params[0],
            "transactionIndex": "0x0",
            "blockNumber": "0x1",
            "blockHash": FIRST_BLOCK[0],
            "gasUsed": "0x5208",
            "effectiveGasPrice": "0x1",
            "status": "0x1",
        }

    return rules.Forge(transform)


FIRST_BLOCK: list[str] = []  # the hash of block 1 of the chain under test


def _changed(**fields: Json) -> rules.Lie:
    return rules.Lie(lambda found: found and found | fields)


def _times_thousand(history: Json) -> Json:
    def dear(amount: str) -> str:
        return hex(int(amount, 16) * 1000)

    rewards = [[dear(one) for one in row] for row in history["reward"]]
    return history | {"baseFeePerGas": [dear(one) for one in history["baseFeePerGas"]], "reward": rewards}


LIES: dict[str, tuple[str, Callable[[], rules.Fault]]] = {
    "a head that stands still": ("eth_getBlockByNumber", _lagging),
    "a head far ahead": ("eth_getBlockByNumber", lambda: _of_block(number=lambda told: hex(int(told, 16) + 1000))),
    "other block hashes": ("eth_getBlockByNumber", lambda: _changed(hash=FAKE)),
    "blocks of no gas": ("eth_getBlockByNumber", lambda: _changed(gasLimit="0x1")),
    "a nonce too high": ("eth_getTransactionCount", lambda: rules.Lie(lambda told: hex(int(told, 16) + 50))),
    "a nonce too low": ("eth_getTransactionCount", lambda: rules.Lie(lambda _: "0x0")),
    "no money": ("eth_getBalance", lambda: rules.Lie(lambda _: "0x0")),
    "receipts of another block": ("eth_getTransactionReceipt", lambda: _changed(blockHash=FAKE)),
    "receipts of a failure": ("eth_getTransactionReceipt", lambda: _changed(status="0x0")),
    "receipts of what was not mined": ("eth_getTransactionReceipt", _mined_already),
    "no receipts": ("eth_getTransactionReceipt", rules.NullResult),
    "fees a thousand times as high": ("eth_feeHistory", lambda: rules.Lie(_times_thousand)),
    "that every call reverts": ("eth_call eth_estimateGas", lambda: rules.RpcFault(3, "execution reverted")),
    "that the bytes are bad": ("eth_sendRawTransaction", lambda: rules.RpcFault(-32000, "intrinsic gas too low")),
    "that it took the bytes": ("eth_sendRawTransaction", lambda: rules.RpcFault(-32000, "already known")),
    "that the nonce is used": ("eth_sendRawTransaction", lambda: rules.RpcFault(-32000, "nonce too low")),
    "that the price is too low": (
        "eth_sendRawTransaction",
        lambda: rules.RpcFault(-32000, "replacement transaction underpriced"),
    ),
}


@pytest.fixture
async def two(anvil: Anvil, tmp_path: Path) -> AsyncIterator[FaultRig]:
    """An account that was used before, with an empty store: its first nonces are nobody's business."""
    async with FaultProxy(anvil.url) as one, FaultProxy(anvil.url) as other:
        rig = FaultRig(anvil, [one, other], tmp_path / "data", EvmPolicy(confirmations=DEPTH, gas_price_cap=CAP))
        for nonce in range(USED_BEFORE):
            await rig.chain.foreign(nonce)
        await rig.chain.mine()
        FIRST_BLOCK[:] = [(await anvil.ask("eth_getBlockByNumber", "0x1", False))["hash"]]
        await rig.start()
        yield rig
        one.clear()
        other.clear()
        await rig.stop()


@pytest.mark.torture
@pytest.mark.parametrize("liar", [0, 1], ids=["the node that is asked first", "the other node"])
@pytest.mark.parametrize("name", list(LIES)[:: rounds(quick=6, full=1)])
async def test_one_lying_node_of_two_ends_nothing_and_spends_nothing_twice(two: FaultRig, name: str, liar: int) -> None:
    """C1, C5, N1, N5, E1, F1: while the lie is told, and after it."""
    methods, fault = LIES[name]
    paid = await two.pay(2)
    await two.settled(list(paid))
    for method in methods.split():
        two.proxies[liar].add(fault(), method)
    async with two.mining():
        for place in range(BLOCKS):
            paid |= await two.pay(2 if place % 2 else 0)
            await asyncio.sleep(BLOCK_S)
            await _is_true_so_far(two, list(paid))
    two.proxies[liar].clear()
    records = await two.settled(list(paid))
    told = {f"{record['status']}: {record['status_reason']}" for record in records}
    assert {record["status"] for record in records} == {"confirmed"}, told
    assert await two.chain.nonce() == USED_BEFORE + len(paid), "slots were wasted"
    await judge_everything(two, {one: [to] for one, to in paid.items()}, depth=DEPTH, cap=CAP)


async def _is_true_so_far(two: FaultRig, ids: list[str]) -> None:
    """Whatever is final is so on the chain itself, and deep enough."""
    for record in [await two.record(one) for one in ids]:
        if record["status"] in ("failed", "expired", "canceled"):
            pytest.fail(f"{record['status']}: {record['status_reason']}")
        if record["status"] == "confirmed":
            receipt = await two.chain.receipt(record["hash"])
            assert receipt is not None, "confirmed, but the chain has it not"
            depth = await two.chain.height() - int(receipt["blockNumber"], 16) + 1
            assert depth >= DEPTH, f"confirmed at depth {depth}"


@pytest.mark.torture
async def test_a_refusal_by_one_node_proves_nothing_while_the_other_is_silent(two: FaultRig) -> None:
    """C5, C6, E1: the silent one has the bytes; only its answer was lost."""
    liar, honest = two.proxies
    liar.add(rules.RpcFault(-32000, "intrinsic gas too low"), "eth_sendRawTransaction")
    honest.add(rules.LoseResponse(), "eth_sendRawTransaction")
    paid = await two.pay(4)
    async with two.mining():
        for _ in range(BLOCKS):
            await asyncio.sleep(BLOCK_S)
            await _is_true_so_far(two, list(paid))
    liar.clear()
    honest.clear()
    records = await two.settled(list(paid))
    assert {record["status"] for record in records} == {"confirmed"}
    await judge_everything(two, {one: [to] for one, to in paid.items()}, depth=DEPTH, cap=CAP)
