"""What the judges of the Stellar simulator share: the official client, built and signed transactions, result codes read."""

from dataclasses import dataclass

from stellar_sdk import (
    Account,
    Asset,
    FeeBumpTransactionEnvelope,
    Keypair,
    TransactionBuilder,
    TransactionEnvelope,
    xdr,
)
from stellar_sdk.operation import ChangeTrust, Operation, Payment
from stellar_sdk.soroban_rpc import GetTransactionResponse, SendTransactionResponse
from stellar_sdk.soroban_server_async import SorobanServerAsync

from baton.devnet.stellar import StellarDevnet

LUMEN = 10**7
Envelope = TransactionEnvelope | FeeBumpTransactionEnvelope


@dataclass(frozen=True, slots=True)
class Wallet:
    devnet: StellarDevnet
    server: SorobanServerAsync

    async def account(self, lumens: int = 1000) -> Keypair:
        keypair = Keypair.random()
        await self.devnet.fund(keypair.public_key, lumens * LUMEN)
        return keypair

    async def sequence(self, keypair: Keypair) -> int:
        return (await self.server.load_account(keypair.public_key)).sequence

    async def build(
        self,
        source: Keypair,
        *operations: Operation,
        fee: int = 100,
        ahead: int = 0,
        timeout_s: int = 300,
    ) -> TransactionBuilder:
        account = Account(source.public_key, await self.sequence(source) + ahead)
        builder = TransactionBuilder(account, self.devnet.passphrase, fee)
        for operation in operations:
            builder.append_operation(operation)
        now_s = self.devnet.ledger.next_terms().closes_at_s
        return builder.add_time_bounds(0, now_s + timeout_s if timeout_s else 0)

    async def sign(
        self,
        source: Keypair,
        *operations: Operation,
        fee: int = 100,
        ahead: int = 0,
        also: tuple[Keypair, ...] = (),
    ) -> TransactionEnvelope:
        envelope = (await self.build(source, *operations, fee=fee, ahead=ahead)).build()
        for keypair in (source, *also):
            envelope.sign(keypair)
        return envelope

    def bump(self, inner: TransactionEnvelope, payer: Keypair, fee: int) -> FeeBumpTransactionEnvelope:
        """`fee` is the whole fee of the wrapper."""
        outer = TransactionBuilder.build_fee_bump_transaction(payer, fee, inner, self.devnet.passphrase)
        outer.transaction.fee = fee
        outer.sign(payer)
        return outer

    async def send(self, envelope: Envelope) -> SendTransactionResponse:
        return await self.server.send_transaction(envelope)

    async def land(self, envelope: Envelope) -> GetTransactionResponse:
        """Send, close a ledger, look."""
        answer = await self.send(envelope)
        assert answer.status.value == "PENDING", codes(answer.error_result_xdr)
        self.devnet.close()
        return await self.server.get_transaction(envelope.hash_hex())

    async def do(
        self,
        source: Keypair,
        *operations: Operation,
        also: tuple[Keypair, ...] = (),
    ) -> GetTransactionResponse:
        return await self.land(await self.sign(source, *operations, also=also))

    def balance(self, address: str) -> int:
        """The judge's own look into the ledger, past the RPC."""
        entry = self.devnet.ledger.state.account(Keypair.from_public_key(address).xdr_account_id())
        return entry.balance.int64 if entry else 0


def codes(result_xdr: str | None) -> list[str]:
    """The names of a result's codes, outside in: `["txFAILED", "PAYMENT_UNDERFUNDED"]`."""
    if result_xdr is None:
        return []
    result = xdr.TransactionResult.from_xdr(result_xdr).result
    told = [result.code.name]
    operations = result.results
    if result.inner_result_pair is not None:
        inner = result.inner_result_pair.result.result
        told.append(inner.code.name)
        operations = inner.results
    return told + [_operation_code(operation) for operation in operations or []]


def fee_charged(result_xdr: str | None) -> int:
    assert result_xdr is not None
    return xdr.TransactionResult.from_xdr(result_xdr).fee_charged.int64


def _operation_code(operation: xdr.OperationResult) -> str:
    if operation.tr is None:
        return operation.code.name
    arms = [arm for name, arm in vars(operation.tr).items() if name != "type" and arm is not None]
    name: str = arms[0].code.name
    return name


def line(wallet: Wallet, keypair: Keypair, asset: Asset) -> int | None:
    """What an account holds of an asset; None without a trust line."""
    entry = wallet.devnet.ledger.state.trust_line(keypair.xdr_account_id(), asset.to_xdr_object())
    return entry.balance.int64 if entry else None


async def trusting(wallet: Wallet, issuer: Keypair, code: str = "USD", amount: str = "100") -> tuple[Asset, Keypair]:
    """An asset and somebody who holds some of it."""
    asset, holder = Asset(code, issuer.public_key), await wallet.account()
    assert operation_codes(await wallet.do(holder, ChangeTrust(asset, "10000"))) == ["CHANGE_TRUST_SUCCESS"]
    assert operation_codes(await wallet.do(issuer, Payment(holder.public_key, asset, amount))) == ["PAYMENT_SUCCESS"]
    return asset, holder


def operation_codes(done: GetTransactionResponse) -> list[str]:
    return [code for code in codes(done.result_xdr) if not code.startswith("tx")]


def first_result(done: GetTransactionResponse) -> xdr.OperationResultTr:
    assert done.result_xdr is not None
    results = xdr.TransactionResult.from_xdr(done.result_xdr).result.results
    assert results
    assert results[0].tr is not None
    return results[0].tr
