"""The data fee of OP-stack rollups: what the balance must cover beside value and gas.

The chain's own oracle says it, in one batch. It moves with the price of the base chain, so a margin is kept.
"""

from collections.abc import Sequence

from baton.chains.evm import keys, rlp
from baton.chains.evm.node import EvmNode
from baton.chains.evm.quantity import quantity
from baton.chains.evm.wire import Unsigned
from baton.chains.rpc import Call, value_of

TAG = "optimism-based"
ORACLE = "0x420000000000000000000000000000000000000F"  # at the same address on every such chain
SELECTOR = keys.keccak(b"getL1Fee(bytes)")[:4]
MARGIN_PERCENT = 125
WORD = 32


async def data_fees(node: EvmNode, plain: Sequence[Unsigned]) -> list[int]:
    """For each transaction, without its signature: the oracle adds that itself. 0 where the chain has no oracle."""
    calls = [Call("eth_call", [{"to": ORACLE, "data": "0x" + _question(one).hex()}, "latest"]) for one in plain]
    found = [value_of(answer, "the data fee") for answer in await node.try_out(calls)]
    return [
        0 if value == "0x" else quantity(_shortened(value), "a data fee") * MARGIN_PERCENT // 100 for value in found
    ]


def _question(plain: Unsigned) -> bytes:
    kind = plain.envelope.kind
    raw = (bytes((kind,)) if kind else b"") + rlp.wrap(plain.body)
    padded = raw + bytes(-len(raw) % WORD)
    return SELECTOR + WORD.to_bytes(WORD, "big") + len(raw).to_bytes(WORD, "big") + padded


def _shortened(word: object) -> object:
    """The oracle answers a whole word; a quantity has no leading zeros."""
    return "0x" + (word[2:].lstrip("0") or "0") if isinstance(word, str) else word
