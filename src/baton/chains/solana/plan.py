"""What a revision asks for, ready to become a message: a list of instructions, or a transaction that came built.

instructions       ours to shape: compute budget, blockhash, and a number that keeps equal ones apart
prebuilt, alone    only the relayer signs: its blockhash is ours to refresh
prebuilt, others   others signed these very bytes: sent as they are, while their blockhash or nonce lives
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import Instruction
from solders.message import MessageV0
from solders.pubkey import Pubkey

from baton.chains.octets import from_base64
from baton.chains.solana import outline as outlines
from baton.chains.solana.build import compute_budget, instruction
from baton.chains.solana.fees import MOST_UNITS
from baton.chains.solana.message import UNSIGNED, AnyMessage, blockhash_of, nonce_account_of, serialized, with_blockhash
from baton.chains.solana.outline import Outline
from baton.chains.solana.wire import transaction_of
from baton.domain.errors import Bug
from baton.domain.json import Json
from baton.domain.policy import Speed
from baton.domain.relayer import Relayer

Tables = Mapping[str, Sequence[Pubkey]]  # lookup tables by their address, those that are on chain
NO_HASH = str(Hash.default())


@dataclass(frozen=True, slots=True)
class Instructed:
    specs: Sequence[Json]
    fee_payer: str
    tables: Sequence[str]
    speed: Speed | None

    is_renewable = True
    nonce_account = None
    signatures = (UNSIGNED,)
    place = 0

    @property
    def outline(self) -> Outline:
        return outlines.of_instructions(list(self.specs), self.fee_payer, 0)

    @property
    def key(self) -> bytes:
        """The same for equal wishes."""
        return hashlib.sha256(repr((self.specs, self.fee_payer, self.tables)).encode()).digest()

    def missing(self, tables: Tables) -> str | None:
        """A lookup table that is not on chain."""
        return next((table for table in self.tables if table not in tables), None)

    @property
    def added(self) -> int:
        """How many instructions of ours stand before the client's."""
        return len(compute_budget(self.specs, 1, 1))

    def message(self, units: int, price: int, blockhash: str, tables: Tables) -> MessageV0:
        payer = Pubkey.from_string(self.fee_payer)
        calls: list[Instruction] = compute_budget(self.specs, units, price)
        calls += [instruction(spec) for spec in self.specs]
        known = [AddressLookupTableAccount(Pubkey.from_string(table), list(tables[table])) for table in self.tables]
        return MessageV0.try_compile(payer, calls, known, Hash.from_string(blockhash))

    def trial(self, tables: Tables) -> bytes:
        """For a simulation: every unit there is, and no price."""
        return serialized(self.message(MOST_UNITS, 0, NO_HASH, tables))


@dataclass(frozen=True, slots=True)
class Prebuilt:
    message: AnyMessage
    raw: bytes  # the message as it came
    signatures: tuple[bytes, ...]  # 64 zeros where the relayer's goes
    place: int  # of the relayer among the signers
    size: int
    nonce_account: str | None

    added = 0

    @property
    def is_renewable(self) -> bool:
        """Whether another blockhash may be put in: nobody else signed, and it does not stand for a nonce."""
        return len(self.signatures) == 1 and self.nonce_account is None

    @property
    def outline(self) -> Outline:
        return outlines.of_message(self.message, self.size)

    @property
    def fee_payer(self) -> str:
        return str(self.message.account_keys[0])

    @property
    def blockhash(self) -> str:
        return blockhash_of(self.raw)

    @property
    def key(self) -> bytes:
        return hashlib.sha256(with_blockhash(self.raw, NO_HASH)).digest()


Plan = Instructed | Prebuilt


def plan_of(content: Json, relayer: Relayer) -> Plan:
    speed = content.get("speed")
    if content["instructions"] is not None:
        tables = content.get("address_lookup_tables") or []
        return Instructed(content["instructions"], content["fee_payer"], tables, Speed(speed) if speed else None)
    transaction = transaction_of(from_base64(content["transaction"]), "transaction")
    message = transaction.message
    if not isinstance(message, AnyMessage):
        raise Bug("a transaction of an unknown version was accepted")
    signers = [str(key) for key in message.account_keys[: message.header.num_required_signatures]]
    place = signers.index(relayer.address)
    signatures = [bytes(one) for one in transaction.signatures]
    signatures[place] = UNSIGNED
    raw = serialized(message)
    size = len(from_base64(content["transaction"]))
    return Prebuilt(message, raw, tuple(signatures), place, size, nonce_account_of(message))
