"""Whether the blockhash or nonce that a prebuilt transaction brought along still lives, before anything is signed.

"Unknown" may mean too old, or newer than the node has heard. What existed when we first asked is known to every node that
has since finalized that height; so until then it is a doubt, and afterwards a death.
"""

from collections.abc import Sequence
from enum import StrEnum

from baton.chains.rpc import Answer, Call, Result
from baton.chains.solana.heads import Heads
from baton.chains.solana.message import nonce_value
from baton.chains.solana.node import FINALIZED, PROCESSED, SolanaNode, accounts_call, read_accounts
from baton.chains.solana.plan import Prebuilt
from baton.chains.solana.proof import Proof
from baton.domain.errors import NodeUnavailable

MOST_DOUBTS = 10_000


class Life(StrEnum):
    ALIVE = "alive"
    DOUBTFUL = "doubtful"
    DEAD = "dead"


class Lifetimes:
    def __init__(self, node: SolanaNode, heads: Heads) -> None:
        self._node = node
        self._heads = heads
        self._proof = Proof(node)
        self._doubts: dict[str, int] = {}  # blockhash or nonce value → the head's height at the first doubt

    async def of(self, plans: Sequence[Prebuilt]) -> dict[str, Life]:
        """By what stands in the place of the blockhash."""
        hashes = sorted({plan.blockhash for plan in plans if plan.nonce_account is None})
        nonces = sorted({(plan.nonce_account, plan.blockhash) for plan in plans if plan.nonce_account is not None})
        if not hashes and not nonces:
            return {}
        calls = [Call("getBlockHeight", [FINALIZED])]
        calls += [Call("isBlockhashValid", [one, PROCESSED]) for one in hashes]
        for account, _ in nonces:
            calls += [accounts_call([account], PROCESSED), accounts_call([account], FINALIZED)]
        heard = [answers for _, answers in await self._node.ask_everyone(calls)]
        lives = {}
        for place, one in enumerate(hashes, start=1):
            lives[one] = self._judged(one, [(_height(told), _is_valid(told[place])) for told in heard])
        for place, (account, value) in enumerate(nonces):
            at = 1 + len(hashes) + 2 * place
            lives[value] = self._judged(value, [(_height(told), _holds(told, at, account, value)) for told in heard])
        return lives

    def _judged(self, value: str, told: Sequence[tuple[int, bool | None]]) -> Life:
        """`told`: each node's finalized height, and whether it knows the value; None where it did not say."""
        if any(is_known for _, is_known in told):
            self._doubts.pop(value, None)
            return Life.ALIVE
        head = self._heads.head
        if head is None:
            return Life.DOUBTFUL
        if len(self._doubts) >= MOST_DOUBTS:
            self._doubts.clear()
        since = min(self._doubts.get(value, head.height), head.height)  # a head that fell had been made up by a node
        self._doubts[value] = since
        certain = sum(1 for height, is_known in told if is_known is False and height >= since)
        if certain < self._proof.needed:
            return Life.DOUBTFUL
        del self._doubts[value]
        return Life.DEAD


def _height(told: Sequence[Answer]) -> int:
    answer = told[0]
    return answer.value if isinstance(answer, Result) and type(answer.value) is int else -1


def _is_valid(answer: Answer) -> bool | None:
    match answer:
        case Result({"value": bool(is_valid)}):
            return is_valid
        case _:
            return None


def _holds(told: Sequence[Answer], at: int, account: str, value: str) -> bool | None:
    """Whether the nonce account holds that value, at the head or where the cluster is sure."""
    try:
        found = [nonce_value(read_accounts(told[at + place], [account]).get(account)) for place in (0, 1)]
    except NodeUnavailable:
        return None
    return value in found
