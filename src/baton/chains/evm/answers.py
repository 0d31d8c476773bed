"""What a node's words to a broadcast mean. All matching of node text is here; codes are too few and mean different things.

Order matters: the first line that fits wins, the narrow ones stand above the broad ones. `Rejected` ends a transaction,
so its patterns name what is wrong with the *bytes*: never words that a gateway could say of a request, a key or a batch.
What nobody here knows is `Unknown`: maybe sent, so nothing is concluded from it.
"""

import re

from baton.chains.base import (
    Accepted,
    AlreadyKnown,
    Broadcast,
    Busy,
    NoFunds,
    Rejected,
    SlotTaken,
    Underpriced,
    Unknown,
)
from baton.domain.json import Json

LONGEST = 200
# "Limit exceeded" in the dialects of hosted nodes. Besu says -32005 of a gas limit too: the text is asked first.
TOO_MANY_REQUESTS = frozenset({-32005, -32029, -32097, 429})

_Answer = type[AlreadyKnown | SlotTaken | Underpriced | NoFunds | Busy | Rejected]

_TABLE: tuple[tuple[_Answer, tuple[str, ...]], ...] = (
    (
        AlreadyKnown,
        (
            r"already known|alreadyknown",  # geth, reth, erigon, nethermind, op-geth, arbitrum
            r"(?<!un)known transaction",  # besu, hardhat, zkSync
            r"already imported",  # anvil, openethereum
            r"txn with same hash",  # erigon
            r"already (exists )?in (the )?(mem|tx)?pool",  # Cosmos-based
        ),
    ),
    (
        Rejected,
        (
            r"authority nonce too low",  # geth: the nonce of an EIP-7702 authorization, not ours
            r"nonce has max value",  # geth, reth, anvil
        ),
    ),
    (
        Busy,
        (
            r"nonce too high|nonce ?gap|incorrect nonce",  # besu, hardhat, nethermind, zkSync: the ones before are missing
            r"nonce is too distant|nonce too far in (the )?future|lower nonce exists",  # besu, nethermind
            r"gapped-nonce|in-flight transaction limit",  # geth, op-geth, reth: a delegated account
            r"future transaction tries to replace pending",  # geth
            r"already reserved",  # geth: another subpool holds the address
            r"(pool|queue) is full|pool full|pool overflow|dropped due to limit",  # geth, erigon, reth, op, openethereum
            r"account limit exceeded|too many (pending )?transactions|spammer",  # geth, besu, erigon
            r"exceeded.{0,20}(transaction )?capacity",  # reth
            r"rate.?limit|too many requests|(?<!gas )limit exceeded|request limit|compute units|quota",  # hosted nodes
            r"try again|temporarily|overloaded|backpressure",  # hosted nodes, sequencers
            r"syncing|initial sync|not yet in sync|pool (is )?(disabled|not enabled)",  # besu, nethermind
            r"gas limit reached",  # geth: no room left in this block
            r"world state (is )?(un|not )available|missing trie node|header not found",  # besu, geth: a lagging node
        ),
    ),
    (
        SlotTaken,
        (
            r"nonce.{0,20}too low|oldnonce",  # geth, reth, erigon, besu, anvil, hardhat, arbitrum; nethermind
            r"nonce.{0,20}already (been )?used|invalid transaction nonce",  # arbitrum classic
            r"transaction already finalized|^mined$",  # harmony; erigon
            r"pool\(stale\)|too stale nonce",  # substrate-based; conflux
        ),
    ),
    (
        Underpriced,
        (
            r"underpriced",  # geth, erigon, reth, besu, nethermind, anvil, hardhat, op
            r"replacementnotallowed|could not replace existing tx|replaced by transaction with higher tip",  # nethermind, erigon
            r"another transaction with same nonce|to replace it, you need",  # openethereum, conflux
            r"(less than|below|lower than).{0,40}base ?fee",  # geth, anvil, arbitrum, besu, reth
            r"is too low for the next block",  # hardhat
            r"fee ?too ?low|fee cap too low|gas ?price (is )?too low",  # nethermind, erigon, arbitrum, openethereum
            r"gas price (is )?below|below (the )?minimum|less than the minimum value",  # besu, geth, conflux
            r"insufficient fee",  # Cosmos-based
        ),
    ),
    (
        NoFunds,
        (
            r"insufficient ?(funds|balance)",  # geth, reth, erigon, anvil, nethermind, op, arbitrum
            r"(doesn't|not) have enough funds|not enough (funds|balance)",  # hardhat, openethereum, arbitrum, zkSync
            r"upfront cost exceeds|up-front cost|out of balance",  # besu, conflux
        ),
    ),
    (
        Rejected,
        (
            r"(invalid|wrong) chain ?id|chain ?id (is )?(not supported|required)",  # geth, anvil, hardhat, reth, besu
            r"only replay-protected",  # geth
            r"intrinsic ?gas|\bgas too low|requires at least \d+ gas|floor data gas",  # geth, anvil, besu; hardhat
            r"exceeds.{0,30}gas limit|gas ?limit.{0,60}(exceeded|too high)",  # geth, besu, hardhat, nethermind
            r"gas uint64 overflow|gasuintoverflow|int256overflow",  # geth, erigon, nethermind
            r"oversized data|transaction (is )?too (large|big)|rlptoolong|txsizeexceeded|initcode",  # geth, nethermind, erigon
            r"invalid (sender|signature|transaction type|transaction v)|invalid v, r, s",  # geth, besu, erigon
            r"failed to (recover|resolve) sender|failedtoresolvesender",  # nethermind
            r"(transaction|tx) type.{0,20}not (supported|valid|activated)",  # geth, reth, op
            r"unsupported transaction type|notsupportedtxtype|fork supporting this transaction",  # nethermind, erigon
            r"(priority fee|tip).{0,40}(higher|greater) than",  # geth, anvil, reth, besu
            r"sender (is )?not an? eoa|senderiscontract|negative value",  # geth (EIP-3607), nethermind
            r"empty auth|cannot be used to create|form of a create",  # geth, reth, erigon: EIP-7702
            r"exceeds the configured cap|transaction fee cap exceeded",  # geth, reth, besu: the node's limit on one fee
            r"sender account not authorized|forbidden sender|blacklist",  # besu, arbitrum, harmony
            r"failed to decode signed transaction|\brlp:|typed transaction too short",  # reth, anvil, geth
        ),
    ),
)

_PATTERNS = [(answer, re.compile("|".join(patterns), re.IGNORECASE)) for answer, patterns in _TABLE]
_COSMOS_NONCE = re.compile(r"invalid nonce; got (\d{1,20}), expected (\d{1,20})")


def understand(error: Json) -> Broadcast:
    """The `error` object of a JSON-RPC answer to `eth_sendRawTransaction`."""
    code, text = _code_and_text(error)
    why = text[:LONGEST]
    if (nonces := _COSMOS_NONCE.search(text)) is not None:
        return Busy(why) if int(nonces[1]) > int(nonces[2]) else SlotTaken(why)
    for answer, pattern in _PATTERNS:
        if pattern.search(text):
            return answer(why)
    return Busy(why) if code in TOO_MANY_REQUESTS else Unknown(why)


def accepted(result: Json, expected_hash: str) -> Broadcast:
    """The `result` of a JSON-RPC answer: a node that names another hash has not understood us."""
    if isinstance(result, str) and result.lower() == expected_hash:
        return Accepted()
    return Unknown(f"the node answered with {str(result)[:LONGEST]} instead of the hash")


def _code_and_text(error: Json) -> tuple[int | None, str]:
    if not isinstance(error, dict):
        return None, str(error)
    code, data = error.get("code"), error.get("data")
    parts = [error.get("message"), data if isinstance(data, str) and not data.startswith("0x") else None]
    if isinstance(data, dict):  # hosted nodes and hardhat wrap the words of the node behind them
        parts.append(data.get("message"))
    text = ": ".join(part for part in parts if isinstance(part, str) and part)
    return (code if type(code) is int else None), text
