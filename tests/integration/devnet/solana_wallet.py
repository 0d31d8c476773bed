"""A plain Solana client for the tests: it signs, asks and counts, and shares no code with what it judges."""

import base64
from collections.abc import Sequence
from typing import Any

import aiohttp
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

MEMO = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
SOL = 10**9
FEE = 5000

PROCESSED = {"commitment": "processed"}
CONFIRMED = {"commitment": "confirmed"}
FINALIZED = {"commitment": "finalized"}


class RpcFailed(AssertionError):
    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Any = error.get("data")


class Rpc:
    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self.session = session

    async def post(self, body: Any) -> Any:
        async with self.session.post(self.url, json=body) as response:
            assert response.status == 200
            return await response.json()

    async def ask(self, method: str, *params: Any) -> Any:
        answer = await self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        if "error" in answer:
            raise RpcFailed(answer["error"])
        return answer["result"]

    async def value(self, method: str, *params: Any) -> Any:
        return (await self.ask(method, *params))["value"]

    async def blockhash(self, commitment: str = "processed") -> str:
        value = await self.value("getLatestBlockhash", {"commitment": commitment})
        found: str = value["blockhash"]
        return found

    async def send(self, transaction: VersionedTransaction, **options: Any) -> str:
        """Without preflight, as a relayer sends; `skipPreflight=False` asks for it."""
        chosen = {"skipPreflight": True, "preflightCommitment": "processed", **options}
        signature: str = await self.ask("sendTransaction", encoded(transaction), {"encoding": "base64", **chosen})
        return signature

    async def status(self, signature: str, **options: Any) -> Any:
        params = [[signature], options] if options else [[signature]]
        return (await self.value("getSignatureStatuses", *params))[0]


def encoded(transaction: VersionedTransaction) -> str:
    return base64.b64encode(bytes(transaction)).decode()


def sign(
    payer: Keypair,
    instructions: Sequence[Instruction],
    blockhash: str,
    *others: Keypair,
    tables: Sequence[AddressLookupTableAccount] = (),
    legacy: bool = False,
) -> VersionedTransaction:
    recent = Hash.from_string(blockhash)
    if legacy:
        message = Message.new_with_blockhash(instructions, payer.pubkey(), recent)
        return VersionedTransaction(message, [payer, *others])
    return VersionedTransaction(MessageV0.try_compile(payer.pubkey(), instructions, tables, recent), [payer, *others])


def pay(payer: Keypair, to: Pubkey, lamports: int) -> Instruction:
    return transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=to, lamports=lamports))


def memo(payer: Keypair, text: str) -> Instruction:
    return Instruction(MEMO, text.encode(), [AccountMeta(payer.pubkey(), True, False)])
