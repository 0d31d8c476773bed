"""Transactions on their way to a leader: sent, retried by the node block after block, and not yet landed."""

from dataclasses import dataclass

from solders.compute_budget import ID as COMPUTE_BUDGET
from solders.transaction import VersionedTransaction

from baton.devnet.solana.accounts import AnyMessage
from baton.devnet.solana.bank import Bank
from baton.devnet.solana.faults import Faults

_SET_UNIT_PRICE = 3


@dataclass(slots=True)
class Waiting:
    transaction: VersionedTransaction
    price: int
    tries_left: int | None


class Pool:
    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}

    def add(self, transaction: VersionedTransaction, max_retries: int | None = None) -> None:
        """Without `max_retries` the node keeps trying for as long as the blockhash lives."""
        tries = None if max_retries is None else max_retries + 1
        waiting = Waiting(transaction, unit_price(transaction.message), tries)
        self._waiting.setdefault(str(transaction.signatures[0]), waiting)

    def take(self, bank: Bank, faults: Faults) -> list[VersionedTransaction]:
        """What the next leader includes; the rest waits, unless its blockhash died or its tries are used up."""
        payers = [waiting for waiting in self._waiting.values() if waiting.price >= faults.fee_floor]
        if faults.block_capacity:
            payers = sorted(payers, key=lambda waiting: -waiting.price)[: faults.block_capacity]
        for taken in payers:
            del self._waiting[str(taken.transaction.signatures[0])]
        for signature, waiting in list(self._waiting.items()):
            if waiting.tries_left is not None:
                waiting.tries_left -= 1
            if waiting.tries_left == 0 or bank.refusal(waiting.transaction, bank.head):
                del self._waiting[signature]
        return [waiting.transaction for waiting in payers]


def unit_price(message: AnyMessage) -> int:
    """The priority a message offers, in micro-lamports for each compute unit."""
    for instruction in message.instructions:
        data = bytes(instruction.data)
        if message.account_keys[instruction.program_id_index] == COMPUTE_BUDGET and data[:1] == bytes(
            [_SET_UNIT_PRICE]
        ):
            return int.from_bytes(data[1:9], "little")
    return 0
