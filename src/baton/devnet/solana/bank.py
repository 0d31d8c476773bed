"""The state of the chain: a LiteSVM with blocks around it, readable at any depth and able to lose a fork.

Every block keeps the accounts it changed as they were before it. Reading `finalized` looks them up; losing a fork
puts them back. Simulation always runs on the newest state, whatever commitment was asked for.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from solders.account import Account
from solders.hash import Hash
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata, SimulatedTransactionInfo, TransactionMetadata

from baton.devnet.solana.accounts import (
    Touched,
    nonce_account_of,
    nonce_value,
    touched_by,
    with_lamports,
    with_next_nonce,
)
from baton.devnet.solana.blocks import FINALIZED_DEPTH, FIRST_HEIGHT, FIRST_SLOT, Block, Blocks, Landed
from baton.domain.clock import Clock
from baton.domain.errors import Invalid
from baton.domain.json import Json

KEPT_IMAGES = 250
"""Blocks whose earlier state can still be read: enough for finalized on a node that lags by 150."""

_SLOT_HASHES = 512
_LOAD_FAILURES = frozenset(
    {"InvalidProgramForExecution", "MaxLoadedAccountsDataSizeExceeded", "ProgramAccountNotFound"}
)

Images = dict[Pubkey, Account | None]


@dataclass(frozen=True, slots=True)
class Simulated:
    """`meta` is missing where a transaction was refused before it ran."""

    error: Json
    meta: TransactionMetadata | None = None
    after: tuple[tuple[Pubkey, Account], ...] = ()


class Bank:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._svm = LiteSVM().with_sigverify(False).with_blockhash_check(False).with_transaction_history(0)
        # LiteSVM hashes its blockhashes from a constant: a random start keeps nonce values of one run out of the next.
        for _ in range(secrets.randbelow(256)):
            self._svm.expire_blockhash()
        self.genesis_hash = _random_hash()
        self.blocks = Blocks(Block(FIRST_SLOT, FIRST_HEIGHT, str(_random_hash()), self._now_s(), ()))
        self._slot_hashes: list[tuple[int, Hash]] = []
        self._images: list[Images] = [{}]
        for _ in range(FINALIZED_DEPTH):
            self.produce(())

    @property
    def head(self) -> Block:
        return self.blocks.head

    def account(self, key: Pubkey, depth: int = 0) -> Account | None:
        """The account as it was `depth` blocks ago."""
        for images in self._images[max(0, len(self._images) - depth) :]:
            if key in images:
                return images[key]
        return self._read(key)

    def lamports(self, key: Pubkey, depth: int = 0) -> int:
        account = self.account(key, depth)
        return account.lamports if account is not None else 0

    def rent_exempt_lamports(self, data_bytes: int) -> int:
        return self._svm.minimum_balance_for_rent_exemption(data_bytes)

    def grant(self, key: Pubkey, lamports: int) -> None:
        """Lamports out of thin air, as if the account had them since genesis: seen at every commitment at once."""
        for images in self._images:
            if key in images:
                images[key] = with_lamports(images[key], lamports)
        self._write(key, with_lamports(self._read(key), lamports))

    def set_account(self, key: Pubkey, account: Account) -> None:
        for images in self._images:
            images.pop(key, None)
        self._write(key, account)

    def refusal(self, transaction: VersionedTransaction, head: Block, *, any_blockhash: bool = False) -> str | None:
        """Why the block after `head` would not even try this transaction; its signatures are not judged here."""
        if not any_blockhash and not self._is_alive(transaction, head):
            return "BlockhashNotFound"
        if self.blocks.find(str(transaction.signatures[0]), head) is not None:
            return "AlreadyProcessed"
        return None

    def _is_alive(self, transaction: VersionedTransaction, head: Block) -> bool:
        blockhash = str(transaction.message.recent_blockhash)
        if self.blocks.knows(blockhash, head):
            return True
        nonce = nonce_account_of(transaction.message)
        return nonce is not None and nonce_value(self._read(nonce)) == blockhash

    def simulate(self, transaction: VersionedTransaction) -> Simulated:
        result = self._svm.simulate_transaction(transaction)
        if isinstance(result, FailedTransactionMetadata):
            return Simulated(_error_json(result), result.meta())
        assert isinstance(result, SimulatedTransactionInfo)
        return Simulated(None, result.meta(), tuple(result.post_accounts()))

    def produce(self, transactions: Sequence[VersionedTransaction]) -> None:
        """The next block. What may not land is left out without a word, as a leader does."""
        self._append_block(self.head.slot + 1, transactions)

    def fork(self, depth: int) -> list[Landed]:
        """The newest blocks were on a fork that lost: undo them, put as many empty blocks in later slots instead.

        Height and finality never go back, and the hashes of the lost blocks are known to nobody any more.
        """
        if not 0 < depth <= FINALIZED_DEPTH:
            raise Invalid("depth", str(depth), f"1 to {FINALIZED_DEPTH}, for a finalized block is never lost")
        last_slot = self.head.slot
        for images in reversed(self._images[-depth:]):
            for key, account in images.items():
                self._write(key, account)
        del self._images[-depth:]
        lost = self.blocks.drop(depth)
        self._slot_hashes = [pair for pair in self._slot_hashes if pair[0] < self.head.slot]
        for slot in range(last_slot + 1, last_slot + 1 + depth):
            self._append_block(slot, ())
        return lost

    def _append_block(self, slot: int, transactions: Sequence[VersionedTransaction]) -> None:
        parent, time_s = self.head, self._now_s()
        self._enter_slot(slot, time_s)
        landed: dict[str, Landed] = {}
        for transaction in transactions:
            signature = str(transaction.signatures[0])
            if signature in landed or self.refusal(transaction, parent) or not all(transaction.verify_with_results()):
                continue
            one = self._execute(transaction, slot, time_s)
            if one is not None:
                landed[signature] = one
        block = Block(slot, parent.height + 1, str(_random_hash()), time_s, tuple(landed))
        self.blocks.append(block, list(landed.values()))

    def _enter_slot(self, slot: int, time_s: int) -> None:
        # Programs see the hashes of earlier slots only; the lookup-table program takes its recent slots from there.
        parent = (self.head.slot, Hash.from_string(self.head.blockhash))
        self._slot_hashes = [parent, *self._slot_hashes[: _SLOT_HASHES - 1]]
        self._svm.set_slot_hashes(self._slot_hashes)
        clock = self._svm.get_clock()
        clock.slot, clock.unix_timestamp = slot, time_s
        self._svm.set_clock(clock)
        self._svm.expire_blockhash()
        self._images.append({})
        del self._images[:-KEPT_IMAGES]

    def _execute(self, transaction: VersionedTransaction, slot: int, time_s: int) -> Landed | None:
        touched = touched_by(transaction.message, self._read)
        before = self._balances(touched)
        images = {key: self._read(key) for key in touched.writable}
        result = self._svm.send_transaction(transaction)
        if isinstance(result, FailedTransactionMetadata):
            error, meta = _error_json(result), result.meta()
            if not self._settle_failure(transaction, error, meta.fee(), before[0]):
                return None
        else:
            error, meta = None, result
        for key, account in images.items():
            self._images[-1].setdefault(key, account)
        after = self._balances(touched)
        return Landed(transaction, slot, self.head.height + 1, time_s, error, meta, touched, before, after)

    def _settle_failure(
        self, transaction: VersionedTransaction, error: Json, fee_lamports: int, before_lamports: int
    ) -> bool:
        """What a failure still changes: the fee, and the nonce. False if it changes nothing, for then it never lands.

        LiteSVM takes the fee once the instructions have run; a validator takes it from those that cannot be loaded too.
        """
        message = transaction.message
        payer = message.account_keys[0]
        if isinstance(error, str) and error in _LOAD_FAILURES:
            self._write(payer, with_lamports(self._read(payer), -fee_lamports))
        elif self._read_lamports(payer) == before_lamports:
            return False
        nonce = nonce_account_of(message)
        held = self._read(nonce) if nonce is not None else None
        if nonce is not None and held is not None and nonce_value(held) == str(message.recent_blockhash):
            self._write(nonce, with_next_nonce(held, self._svm.latest_blockhash()))
        return True

    def _balances(self, touched: Touched) -> tuple[int, ...]:
        return tuple(self._read_lamports(key) for key in touched.keys)

    def _read_lamports(self, key: Pubkey) -> int:
        return self._svm.get_balance(key) or 0

    def _read(self, key: Pubkey) -> Account | None:
        account = self._svm.get_account(key)
        return account if account is not None and account.lamports else None

    def _write(self, key: Pubkey, account: Account | None) -> None:
        self._svm.set_account(key, account or Account(0, b"", SYSTEM_PROGRAM))

    def _now_s(self) -> int:
        return int(self._clock.now().timestamp())


def _random_hash() -> Hash:
    return Hash(secrets.token_bytes(Hash.LENGTH))


def _error_json(failed: FailedTransactionMetadata) -> Json:
    return json.loads(failed.to_json())["err"]
