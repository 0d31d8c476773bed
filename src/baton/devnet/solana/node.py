"""One RPC node: the bank it serves, the pool it feeds, its faults, and those who wait for the next block."""

from collections.abc import Callable

from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from baton.devnet.solana.bank import Bank
from baton.devnet.solana.blocks import Block, Commitment
from baton.devnet.solana.errors import MIN_CONTEXT_SLOT, RpcRefused, invalid_params
from baton.devnet.solana.faults import Faults
from baton.devnet.solana.pool import Pool
from baton.domain.clock import Clock
from baton.domain.json import Json

API_VERSION = "3.0.0-litesvm"

_FAUCET_LAMPORTS = 10**18
_MEMO_PROGRAM = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")


class Node:
    def __init__(self, clock: Clock) -> None:
        self.bank = Bank(clock)
        self.faults = Faults()
        self._pool = Pool()
        self._listeners: set[Callable[[], None]] = set()
        self._faucet = Keypair()
        self._airdrops = 0
        self.bank.grant(self._faucet.pubkey(), _FAUCET_LAMPORTS)

    def depth(self, options: Json) -> int:
        """How many blocks below the head the asked commitment lies; `finalized` if none is asked."""
        try:
            commitment = Commitment(options.get("commitment") or Commitment.FINALIZED)
        except ValueError:
            raise invalid_params(f"Invalid params: unknown commitment `{options['commitment']}`") from None
        depth = commitment.depth + self.faults.lag_blocks
        slot = self.bank.blocks.at_depth(depth).slot
        if slot < (options.get("minContextSlot") or 0):
            raise RpcRefused(MIN_CONTEXT_SLOT, "Minimum context slot has not been reached", {"contextSlot": slot})
        return depth

    def head(self, options: Json) -> Block:
        return self.bank.blocks.at_depth(self.depth(options))

    @property
    def newest(self) -> Block:
        """The newest block this node has heard of, which is not the chain's if it lags."""
        return self.bank.blocks.at_depth(self.faults.lag_blocks)

    def context(self, value: Json, block: Block | None = None) -> Json:
        return {"context": {"slot": (block or self.newest).slot, "apiVersion": API_VERSION}, "value": value}

    def submit(self, transaction: VersionedTransaction, max_retries: int | None = None) -> None:
        if self.faults.drop_next:
            self.faults.drop_next -= 1
            return
        self._pool.add(transaction, max_retries)

    def submit_airdrop(self, to: Pubkey, lamports: int) -> str:
        """A real transfer from a faucet; the memo keeps equal airdrops apart."""
        self._airdrops += 1
        faucet = self._faucet.pubkey()
        pay = transfer(TransferParams(from_pubkey=faucet, to_pubkey=to, lamports=lamports))
        memo = Instruction(_MEMO_PROGRAM, f"airdrop {self._airdrops}".encode(), [AccountMeta(faucet, True, False)])
        blockhash = Hash.from_string(self.bank.head.blockhash)
        message = MessageV0.try_compile(faucet, [pay, memo], [], blockhash)
        transaction = VersionedTransaction(message, [self._faucet])
        self._pool.add(transaction)
        return str(transaction.signatures[0])

    def tick(self) -> None:
        self.bank.produce(self._pool.take(self.bank, self.faults))
        self._tell()

    def fork(self, depth: int, *, relay: bool = False) -> list[str]:
        """Lose the newest blocks; with `relay` what was in them is sent to the next leader again."""
        lost = self.bank.fork(depth)
        if relay:
            for landed in lost:
                self._pool.add(landed.transaction)
        self._tell()
        return [landed.signature for landed in lost]

    def listen(self, listener: Callable[[], None]) -> None:
        self._listeners.add(listener)

    def unlisten(self, listener: Callable[[], None]) -> None:
        self._listeners.discard(listener)

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener()
