"""The canonical chain as far as we watched it: block hashes by height, and what landed in them. Pure, no I/O.

Blocks make watching cheap; they are not the truth. Whoever finds nothing here asks the node by hash.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from msgspec import Struct

from baton.chains.evm.quantity import quantity
from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json
from baton.domain.transaction import Block

WINDOW = 256  # blocks kept; more than any network's required depth that we ship


class Header(Struct, frozen=True):
    block: Block
    parent: str
    gas_limit: int
    base_fee: int | None


class Receipt(Struct, frozen=True):
    """What a receipt says, as far as a life depends on it."""

    hash: str
    block: Block
    has_succeeded: bool
    outcome: Json


def header_of(answer: Json) -> Header:
    """Raises `NodeUnavailable` for what is not a block."""
    try:
        block = Block(quantity(answer["number"], "a block's number"), _hash(answer["hash"]))
        base_fee = answer.get("baseFeePerGas")
        return Header(
            block,
            _hash(answer["parentHash"]),
            quantity(answer["gasLimit"], "a block's gas limit"),
            None if base_fee is None else quantity(base_fee, "a block's base fee"),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise NodeUnavailable("a node answered with something that is not a block") from error


def receipt_of(answer: Json) -> Receipt:
    """Raises `NodeUnavailable` for what is not a receipt."""
    try:
        block = Block(quantity(answer["blockNumber"], "a receipt's block"), _hash(answer["blockHash"]))
        price = answer.get("effectiveGasPrice")
        gas_used = quantity(answer["gasUsed"], "a receipt's gas")
        outcome = {
            "gas_used": gas_used,
            "effective_gas_price": None if price is None else str(quantity(price, "a receipt's price")),
            "contract_address": answer.get("contractAddress"),
            "index": quantity(answer.get("transactionIndex", "0x0"), "a receipt's index"),
        }
        if answer.get("l1Fee") is not None:  # rollups of the OP stack charge for their data beside the gas
            outcome["l1_fee"] = str(quantity(answer["l1Fee"], "a receipt's data fee"))
        return Receipt(_hash(answer["transactionHash"]), block, _has_succeeded(answer), outcome)
    except (KeyError, TypeError, AttributeError) as error:
        raise NodeUnavailable("a node answered with something that is not a receipt") from error


def _has_succeeded(answer: Json) -> bool:
    """Chains with the rules of before 2017 tell a state root instead of a status."""
    if answer.get("status") is None and answer.get("root") is not None:
        return True
    return quantity(answer.get("status"), "a receipt's status") != 0


def receipts_of(answer: Json, senders: Collection[str]) -> list[Receipt]:
    """Of a whole block, those of the senders (lower case): a full block has thousands, and they are kept for a while.

    None where the node says nothing. Raises `NodeUnavailable` for what is no list of receipts.
    """
    if not isinstance(answer, list | None):
        raise NodeUnavailable("a node answered with something that is not a list of receipts")
    return [receipt_of(item) for item in answer or () if _is_of(item, senders)]


def _is_of(item: Json, senders: Collection[str]) -> bool:
    sender = item.get("from") if isinstance(item, dict) else None
    return not isinstance(sender, str) or sender.lower() in senders


def logs_of(answer: Json) -> list[Json]:
    """A receipt's logs, under our own names. Raises `NodeUnavailable` for what is not a receipt."""
    try:
        return [
            {
                "address": log["address"],
                "topics": log["topics"],
                "data": log["data"],
                "log_index": quantity(log["logIndex"], "a log's index"),
            }
            for log in answer["logs"]
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise NodeUnavailable("a node answered with something that is not a receipt") from error


def _hash(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError("a hash is text")
    return value


@dataclass(slots=True)
class Ledger:
    headers: dict[int, Header] = field(default_factory=dict)
    landed: dict[str, Receipt] = field(default_factory=dict)  # by transaction hash
    _of_block: dict[int, list[str]] = field(default_factory=dict)  # height → transaction hashes

    @property
    def head(self) -> Header | None:
        return self.headers[max(self.headers)] if self.headers else None

    def clear(self) -> None:
        self.headers.clear()
        self.landed.clear()
        self._of_block.clear()

    def continues(self, header: Header) -> bool:
        """Whether it is the block right after our head."""
        head = self.head
        return head is not None and header.block.number == head.block.number + 1 and header.parent == head.block.hash

    def hash_at(self, number: int) -> str | None:
        header = self.headers.get(number)
        return None if header is None else header.block.hash

    def extend(self, headers: Iterable[Header]) -> bool:
        """Takes over a run of blocks that follow each other; tells whether blocks we knew were replaced or skipped."""
        run = sorted(headers, key=lambda header: header.block.number)
        for earlier, later in pairwise(run):
            if later.parent != earlier.block.hash or later.block.number != earlier.block.number + 1:
                raise NodeUnavailable("a node answered with blocks that do not follow each other")
        known_head = self.head
        is_seamless = known_head is None or self._joins(run)
        self._cut_above(run, is_seamless=is_seamless)
        for header in run:
            self.headers[header.block.number] = header
        self._forget()
        return not is_seamless or (
            known_head is not None and self.hash_at(known_head.block.number) != known_head.block.hash
        )

    def _joins(self, run: list[Header]) -> bool:
        """Whether the run starts on a block we have, or right behind one."""
        first = run[0]
        return (
            self.hash_at(first.block.number) == first.block.hash or self.hash_at(first.block.number - 1) == first.parent
        )

    def _cut_above(self, run: list[Header], *, is_seamless: bool) -> None:
        """Drops what the run replaces; without a join nothing that we had can be trusted."""
        new = {header.block.number: header.block.hash for header in run}
        highest = max(new)
        for number in list(self.headers):
            is_replaced = number in new and self.headers[number].block.hash != new[number]
            if not is_seamless or is_replaced or number > highest:
                del self.headers[number]
                for tx_hash in self._of_block.pop(number, ()):
                    self.landed.pop(tx_hash, None)

    def note(self, number: int, receipts: Iterable[Receipt]) -> None:
        """Keeps a block's receipts, if they are of the block we have at that height."""
        expected = self.hash_at(number)
        found = [receipt for receipt in receipts if receipt.block.hash == expected]
        self._of_block[number] = [receipt.hash for receipt in found]
        self.landed.update({receipt.hash: receipt for receipt in found})

    def unread(self, numbers: Iterable[int]) -> list[int]:
        """Heights whose receipts were not taken in."""
        return [number for number in numbers if number in self.headers and number not in self._of_block]

    def _forget(self) -> None:
        lowest = max(self.headers) - WINDOW
        for number in [number for number in self.headers if number <= lowest]:
            del self.headers[number]
            for tx_hash in self._of_block.pop(number, ()):
                self.landed.pop(tx_hash, None)
