"""Gas limits by simulation, in one batch.

given                                        taken, and tried out by eth_call
no data, and a call with 21000 gas passes    21000 (not on chains that count gas in their own way)
else                                         eth_estimateGas, about 12 times a node's work of eth_call, plus a tenth
"""

from collections.abc import Sequence
from dataclasses import dataclass

from baton.chains.base import NoFunds
from baton.chains.evm import answers, revert
from baton.chains.evm.ask import GAS_CALL, Ask
from baton.chains.evm.ledger import header_of
from baton.chains.evm.node import EvmNode
from baton.chains.evm.quantity import quantity
from baton.chains.rpc import Call, Result, RpcError
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.network import Network
from baton.domain.policy import EvmPolicy
from baton.domain.relayer import Relayer

OWN_GAS_COUNT = frozenset({"arbitrum-based", "zk-based", "zksync-based"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no limit: the simulation says that it cannot succeed."""

    why: str
    is_for_funds: bool = False
    is_certain: bool = False  # whatever else is in flight
    is_passing: bool = False  # the node could not tell: it says nothing about the transaction

    @property
    def is_verdict(self) -> bool:
        """Whether it may end the transaction."""
        return not self.is_for_funds and not self.is_passing


class Gas:
    def __init__(self, network: Network, node: EvmNode) -> None:
        self._node = node
        self._counts_its_own_way = bool(OWN_GAS_COUNT & network.tags)

    async def limits(self, asks: Sequence[Ask], relayer: Relayer, block_gas_limit: int | None) -> list[int | Refusal]:
        """One limit or refusal for each, in order; two batches at most."""
        policy = relayer.policy
        assert isinstance(policy, EvmPolicy)
        tried = await self._node.try_out([self._call(ask, relayer.address) for ask in asks])
        found = [_limit(ask, answer) for ask, answer in zip(asks, tried, strict=True)]
        again = [index for index, limit in enumerate(found) if limit is None]
        if again:
            calls = [_estimate(asks[index], relayer.address) for index in again]
            for index, answer in zip(again, await self._node.try_out(calls), strict=True):
                found[index] = _with_margin(answer.value) if isinstance(answer, Result) else _refusal(answer)
        if self._node.needed > 1:
            await self._ask_others(asks, found, relayer.address)
            block_gas_limit = await self._widest_block(found, block_gas_limit)
        return [
            _settled(ask, limit, policy, block_gas_limit)
            for ask, limit in zip(asks, found, strict=True)
            if limit is not None
        ]

    async def _ask_others(self, asks: Sequence[Ask], found: list[int | Refusal | None], sender: str) -> None:
        """What would end a transaction is asked of every node: one that lags sees failures where there are none."""
        places = [place for place, limit in enumerate(found) if isinstance(limit, Refusal) and limit.is_verdict]
        if not places:
            return
        calls = [
            _estimate(asks[place], sender) if asks[place].gas_limit is None else self._call(asks[place], sender)
            for place in places
        ]
        heard = await self._node.opinions(calls)
        for column, place in enumerate(places):
            found[place] = _agreed(asks[place], [told[column] for told in heard], self._node.needed)

    async def _widest_block(self, found: Sequence[int | Refusal | None], told: int | None) -> int | None:
        """How much a block can hold, where it matters, by every node's word; None if too few know."""
        if told is None or all(limit <= told for limit in found if isinstance(limit, int)):
            return told
        heard = await self._node.opinions([Call("eth_getBlockByNumber", ["latest", False])])
        limits = [header_of(one.value).gas_limit for (one,) in heard if isinstance(one, Result)]
        return max(limits) if len(limits) >= self._node.needed else None

    async def of_noop(self, relayer: Relayer) -> int:
        """A no-op costs a plain call, except where gas is counted in another way."""
        if not self._counts_its_own_way:
            return GAS_CALL
        answer = (await self._node.try_out([_estimate(Ask(0, relayer.address), relayer.address)]))[0]
        if isinstance(answer, RpcError):
            raise NodeUnavailable(f"the no-op cannot be estimated: {answer.message[:200]}")
        return quantity(answer.value, "a gas estimate") * 11 // 10

    def _call(self, ask: Ask, sender: str) -> Call:
        """The cheapest question that answers: a plain call where the limit is known, else an estimate."""
        if ask.gas_limit is not None:
            return Call("eth_call", [_object(ask, sender) | {"gas": hex(ask.gas_limit)}, "latest"])
        if ask.to is not None and not ask.data_bytes and not self._counts_its_own_way and not ask.authorizations:
            return Call("eth_call", [_object(ask, sender) | {"gas": hex(GAS_CALL)}, "latest"])
        return _estimate(ask, sender)


def _estimate(ask: Ask, sender: str) -> Call:
    """On the newest block: some nodes would run their whole pool first, which costs them more with each that waits."""
    return Call("eth_estimateGas", [_object(ask, sender), "latest"])


def _object(ask: Ask, sender: str) -> dict[str, Json]:
    call: dict[str, Json] = {"from": sender, "value": hex(ask.value)}
    if ask.to is not None:
        call["to"] = ask.to
    if ask.data:
        call["data"] = ask.data
    if ask.access_list:
        call["accessList"] = [
            {"address": "0x" + address.hex(), "storageKeys": ["0x" + key.hex() for key in keys]}
            for address, keys in ask.access_list
        ]
    if ask.authorizations:
        call["authorizationList"] = [
            {
                "chainId": hex(one.chain_id),
                "address": "0x" + one.address.hex(),
                "nonce": hex(one.nonce),
                "yParity": hex(one.y_parity),
                "r": hex(one.r),
                "s": hex(one.s),
            }
            for one in ask.authorizations
        ]
    return call


def _limit(ask: Ask, answer: Result | RpcError) -> int | Refusal | None:
    """None: ask for an estimate."""
    is_plain = ask.gas_limit is None and ask.to is not None and not ask.data_bytes
    if isinstance(answer, Result):
        if ask.gas_limit is not None:
            return ask.gas_limit
        estimated = _is_quantity(answer.value)
        return GAS_CALL if is_plain and not estimated else _with_margin(answer.value)
    if is_plain and not _is_for_funds(answer):
        return None  # the receiver is a contract: 21000 does not do
    return _refusal(answer)


def _agreed(ask: Ask, answers: Sequence[Result | RpcError], needed: int) -> int | Refusal:
    """One node that can run it outweighs all that cannot; a verdict takes as many as anything final does."""
    limits = [ask.gas_limit or _with_margin(answer.value) for answer in answers if isinstance(answer, Result)]
    if limits:
        return max(limits)
    refusals = [_refusal(answer) for answer in answers if isinstance(answer, RpcError)]
    verdicts = [refusal for refusal in refusals if refusal.is_verdict]
    if len(verdicts) >= needed:
        return verdicts[0]
    return Refusal(f"too few nodes could be asked about it: {refusals[0].why}", is_passing=True)


def _settled(ask: Ask, limit: int | Refusal, policy: EvmPolicy, block_gas_limit: int | None) -> int | Refusal:
    """What the policy makes of a refusal, within what a block can hold."""
    if isinstance(limit, Refusal):
        is_sent_anyway = policy.send_reverting and limit.is_verdict
        blind = ask.gas_limit if block_gas_limit is None else ask.gas_limit or block_gas_limit // 4
        if not is_sent_anyway or blind is None:
            return limit
        limit = blind
    if block_gas_limit is not None and limit > block_gas_limit:
        return Refusal(f"gas limit {limit} is over the block's limit of {block_gas_limit}", is_certain=True)
    return max(limit, ask.intrinsic_gas)


def _is_quantity(value: Json) -> bool:
    return isinstance(value, str) and value not in ("0x", "") and len(value) < len("0x") + 16


def _with_margin(value: Json) -> int:
    return quantity(value, "a gas estimate") * 11 // 10


def _refusal(answer: RpcError) -> Refusal:
    error = {"code": answer.code, "message": answer.message, "data": answer.data}
    if revert.is_revert(error):
        return Refusal(f"the call would fail: {revert.reason(error)}")
    if _is_for_funds(answer):
        return Refusal("the balance does not cover it", is_for_funds=True)
    # One transaction that a node cannot run must not hold up the others: it waits alone, with the node's words.
    return Refusal(f"a node could not simulate it: {answer.message[:200]}", is_passing=True)


def _is_for_funds(answer: RpcError) -> bool:
    return isinstance(answers.understand({"code": answer.code, "message": answer.message}), NoFunds)
