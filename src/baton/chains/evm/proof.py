"""What must not hang on one node's word: that an attempt is deep in the chain, and that its slot is gone to another.

Where several nodes are configured two must agree. That a node knows no receipt proves nothing (its index may lag): a slot
is lost only when the very transaction that used it was seen, and is not the one that we ask for.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from baton.chains.evm.ledger import Receipt, receipt_of
from baton.chains.evm.node import EvmNode
from baton.chains.evm.quantity import quantity
from baton.chains.rpc import Answer, Call, Result
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.transaction import Attempt


class Proof:
    def __init__(self, node: EvmNode) -> None:
        self._node = node

    async def settled(self, found: Sequence[Receipt], depth: int) -> dict[str, Receipt]:
        """Of inclusions that look deep enough to us, what enough nodes confirm, as they tell it; by transaction hash.

        Of each node: the receipt, the block at that height, and that the chain reaches as deep as is required.
        """
        if self._node.needed == 1 or not found:
            return {one.hash: one for one in found}
        heights = sorted({height for one in found for height in _span(one, depth)})
        calls = [Call("eth_getBlockByNumber", [hex(height), False]) for height in heights]
        calls += [Call("eth_getTransactionReceipt", [one.hash]) for one in found]
        votes: Counter[tuple[str, str, bool]] = Counter()  # transaction, block, whether it succeeded
        agreed: dict[str, Receipt] = {}
        for answers in await self._everyone(calls):
            blocks = dict(zip(heights, answers, strict=False))
            for one, answer in zip(found, answers[len(heights) :], strict=True):
                receipt = _readable(answer)
                if receipt is None or receipt.hash != one.hash or not _is_deep(receipt, blocks, depth):
                    continue
                vote = (one.hash, receipt.block.hash, receipt.has_succeeded)
                votes[vote] += 1
                if votes[vote] >= self._node.needed:
                    agreed[one.hash] = receipt
        return agreed

    async def lost(self, attempts: Sequence[Attempt], height: int) -> set[str]:
        """Hashes of those whose slot was used by another transaction, at that height. One account's attempts."""
        slots = {attempt.hash: attempt.slot for attempt in attempts if attempt.slot is not None}
        if not slots:
            return set()
        account = next(iter(slots.values())).account
        calls = [Call("eth_getTransactionCount", [account, hex(height)])]
        for tx_hash in slots:
            calls += [Call("eth_getTransactionReceipt", [tx_hash]), Call("eth_getTransactionByHash", [tx_hash])]
        heard = await self._everyone(calls)
        if len(heard) < self._node.needed:
            return set()
        used = min(quantity(answers[0], "a nonce") for answers in heard)
        shown = {
            tx_hash
            for answers in heard
            for place, tx_hash in enumerate(slots)
            if answers[1 + 2 * place] is not None or _is_in_block(answers[2 + 2 * place])
        }
        gone = {one: slot.number for one, slot in slots.items() if slot.number < used and one not in shown}
        users = await self._users(account, set(gone.values()), height)
        if users is None:  # so long ago that no node keeps the accounts of then: an index cannot lag that much
            return set(gone)
        # In the block that used the number stands another transaction, or none: code that runs as the account (EIP-7702)
        # uses numbers up too.
        return {one for one, number in gone.items() if users.get(number) != one}

    async def _users(self, account: str, numbers: set[int], height: int) -> dict[int, str] | None:
        """Which transaction used each of these slots, read from the blocks themselves; None where nodes forgot them."""
        users: dict[int, str] = {}
        for number in sorted(numbers):
            if number in users:
                continue  # consecutive numbers are often in one block
            used_at = await self._used_at(account, number, height)
            if used_at is None:
                return None
            users |= await self._node.sent_in(used_at, account)
        return users

    async def _used_at(self, account: str, number: int, height: int) -> int | None:
        """The block in which the account's nonce passed that number: back in growing strides, then by halves."""
        used, unused, stride = height, height - 1, 1
        while unused >= 0:
            count = await self._node.count_at(account, unused)
            if count is None:
                return None
            if count <= number:
                break
            used, unused, stride = unused, unused - stride, stride * 2
        unused = max(unused, -1)
        while used - unused > 1:
            middle = (used + unused) // 2
            count = await self._node.count_at(account, middle)
            if count is None:
                return None
            used, unused = (middle, unused) if count > number else (used, middle)
        return used

    async def _everyone(self, calls: Sequence[Call]) -> list[list[Json]]:
        """The answers of every reachable node that answered all of it."""
        heard = await self._node.opinions(calls)
        return [
            [answer.value for answer in answers if isinstance(answer, Result)]
            for answers in heard
            if all(isinstance(answer, Result) for answer in answers)
        ]


def _span(receipt: Receipt, depth: int) -> tuple[int, int]:
    return receipt.block.number, receipt.block.number + depth - 1


def _is_deep(receipt: Receipt, blocks: Mapping[int, Json], depth: int) -> bool:
    low, high = _span(receipt, depth)
    block, top = blocks.get(low), blocks.get(high)
    return isinstance(block, dict) and block.get("hash") == receipt.block.hash and isinstance(top, dict)


def _readable(answer: Json) -> Receipt | None:
    try:
        return None if answer is None else receipt_of(answer)
    except NodeUnavailable:
        return None


def _is_in_block(answer: Json) -> bool:
    return isinstance(answer, dict) and answer.get("blockNumber") is not None


def has_value(answer: Answer) -> bool:
    return isinstance(answer, Result) and answer.value is not None
