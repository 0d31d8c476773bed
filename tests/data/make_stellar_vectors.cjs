// Makes stellar_vectors.json with the official JavaScript SDK (@stellar/stellar-sdk 15.1.0), so that neither our code
// nor the Python SDK has a say in it. Run beside that package: node make_stellar_vectors.cjs > stellar_vectors.json
const crypto = require("node:crypto");
const sdk = require("@stellar/stellar-sdk");
const { Account, Asset, Claimant, Contract, Keypair, Memo, Networks, Operation, TransactionBuilder, xdr } = sdk;

const passphrase = "Standalone Network ; February 2017";
const key = (name) => Keypair.fromRawEd25519Seed(crypto.createHash("sha256").update(name).digest());
const [alice, bob, carol] = ["alice", "bob", "carol"].map(key);
const SEQUENCE = "8589934592";
const native = Asset.native();
const usd = new Asset("USD", alice.publicKey());
const euro = new Asset("EUROTOKEN", bob.publicKey());
const price = { n: 7, d: 3 };
const footprintKey = new Contract(native.contractId(passphrase)).getFootprint();

// name → [operation, the result arm, the result it must come to on a ledger where alice, bob and carol hold 1000 lumens].
const tr = (arm, result) => xdr.OperationResultTr[arm](result);
const operations = {
  create_account: [
    Operation.createAccount({ destination: key("nobody").publicKey(), startingBalance: "5" }),
    tr("createAccount", xdr.CreateAccountResult.createAccountSuccess()),
  ],
  create_account_existing: [
    Operation.createAccount({ destination: bob.publicKey(), startingBalance: "5" }),
    tr("createAccount", xdr.CreateAccountResult.createAccountAlreadyExist()),
  ],
  payment: [
    Operation.payment({ destination: bob.publicKey(), asset: native, amount: "1.5" }),
    tr("payment", xdr.PaymentResult.paymentSuccess()),
  ],
  payment_muxed: [
    Operation.payment({ destination: new sdk.MuxedAccount(new Account(bob.publicKey(), "0"), "420").accountId(), asset: native, amount: "1" }),
    tr("payment", xdr.PaymentResult.paymentSuccess()),
  ],
  payment_underfunded: [
    Operation.payment({ destination: bob.publicKey(), asset: native, amount: "5000" }),
    tr("payment", xdr.PaymentResult.paymentUnderfunded()),
  ],
  payment_no_destination: [
    Operation.payment({ destination: key("nobody").publicKey(), asset: native, amount: "1" }),
    tr("payment", xdr.PaymentResult.paymentNoDestination()),
  ],
  payment_no_trust: [
    Operation.payment({ destination: bob.publicKey(), asset: usd, amount: "1" }),
    tr("payment", xdr.PaymentResult.paymentNoTrust()),
  ],
  path_payment_strict_send: [
    Operation.pathPaymentStrictSend({ sendAsset: native, sendAmount: "1", destination: bob.publicKey(), destAsset: native, destMin: "1", path: [usd] }),
    tr("pathPaymentStrictSend", xdr.PathPaymentStrictSendResult.pathPaymentStrictSendTooFewOffers()),
  ],
  path_payment_strict_receive: [
    Operation.pathPaymentStrictReceive({ sendAsset: native, sendMax: "9", destination: bob.publicKey(), destAsset: usd, destAmount: "1", path: [] }),
    tr("pathPaymentStrictReceive", xdr.PathPaymentStrictReceiveResult.pathPaymentStrictReceiveNoTrust()),
  ],
  manage_sell_offer: [
    Operation.manageSellOffer({ selling: euro, buying: native, amount: "10", price, offerId: 0 }),
    tr("manageSellOffer", xdr.ManageSellOfferResult.manageSellOfferSellNoTrust()),
  ],
  manage_buy_offer: [
    Operation.manageBuyOffer({ selling: native, buying: euro, buyAmount: "10", price, offerId: 0 }),
    tr("manageBuyOffer", xdr.ManageBuyOfferResult.manageBuyOfferBuyNoTrust()),
  ],
  set_options: [
    Operation.setOptions({ homeDomain: "example.org", masterWeight: 2, signer: { ed25519PublicKey: bob.publicKey(), weight: 1 } }),
    tr("setOptions", xdr.SetOptionsResult.setOptionsSuccess()),
  ],
  change_trust: [
    Operation.changeTrust({ asset: euro, limit: "100" }),
    tr("changeTrust", xdr.ChangeTrustResult.changeTrustSuccess()),
  ],
  change_trust_self: [
    Operation.changeTrust({ asset: usd, limit: "100" }),
    tr("changeTrust", xdr.ChangeTrustResult.changeTrustMalformed()),
  ],
  set_trust_line_flags: [
    Operation.setTrustLineFlags({ trustor: bob.publicKey(), asset: usd, flags: { authorized: true } }),
    tr("setTrustLineFlags", xdr.SetTrustLineFlagsResult.setTrustLineFlagsNoTrustLine()),
  ],
  clawback: [
    Operation.clawback({ asset: usd, from: bob.publicKey(), amount: "1" }),
    tr("clawback", xdr.ClawbackResult.clawbackNoTrust()),
  ],
  account_merge: [
    Operation.accountMerge({ destination: bob.publicKey() }),
    // The balance after the fee of this very transaction.
    tr("accountMerge", xdr.AccountMergeResult.accountMergeSuccess(new xdr.Int64("9999999900"))),
  ],
  manage_data: [
    Operation.manageData({ name: "tag", value: "hello" }),
    tr("manageData", xdr.ManageDataResult.manageDataSuccess()),
  ],
  manage_data_missing: [
    Operation.manageData({ name: "tag", value: null }),
    tr("manageData", xdr.ManageDataResult.manageDataNameNotFound()),
  ],
  bump_sequence: [
    Operation.bumpSequence({ bumpTo: "0" }),
    tr("bumpSequence", xdr.BumpSequenceResult.bumpSequenceSuccess()),
  ],
  claim_claimable_balance: [
    Operation.claimClaimableBalance({ balanceId: "00000000" + "ab".repeat(32) }),
    tr("claimClaimableBalance", xdr.ClaimClaimableBalanceResult.claimClaimableBalanceDoesNotExist()),
  ],
  end_sponsoring_future_reserves: [
    Operation.endSponsoringFutureReserves(),
    tr("endSponsoringFutureReserves", xdr.EndSponsoringFutureReservesResult.endSponsoringFutureReservesNotSponsored()),
  ],
  create_claimable_balance: [
    Operation.createClaimableBalance({ asset: native, amount: "3", claimants: [new Claimant(bob.publicKey()), new Claimant(carol.publicKey(), Claimant.predicateBeforeAbsoluteTime("4102444800"))] }),
    null,
  ],
};

function built(operation, { memo = Memo.none(), fee = "100" } = {}) {
  const account = new Account(alice.publicKey(), SEQUENCE);
  const timebounds = { minTime: 0, maxTime: 4102444800 };
  return new TransactionBuilder(account, { fee, networkPassphrase: passphrase, timebounds, memo }).addOperation(operation).build();
}

function resultOf(one, feeCharged) {
  const success = one.value().switch().value === 0;
  const code = success ? "txSuccess" : "txFailed";
  return new xdr.TransactionResult({
    feeCharged: new xdr.Int64(feeCharged),
    result: xdr.TransactionResultResult[code]([xdr.OperationResult.opInner(one)]),
    ext: new xdr.TransactionResultExt(0),
  });
}

const transactions = Object.entries(operations).map(([name, [operation, outcome]]) => {
  const transaction = built(operation);
  transaction.sign(alice);
  let arm = outcome;
  if (name === "create_claimable_balance") {
    const id = xdr.ClaimableBalanceId.fromXDR(transaction.getClaimableBalanceId(0), "hex");
    arm = tr("createClaimableBalance", xdr.CreateClaimableBalanceResult.createClaimableBalanceSuccess(id));
  }
  // What is wrong with an operation by itself is refused at the door and costs nothing.
  const refused = name === "change_trust_self";
  return {
    name, envelope: transaction.toXDR(), hash: transaction.hash().toString("hex"),
    refused, result: resultOf(arm, refused ? "0" : "100").toXDR("base64"),
  };
});

const memos = [Memo.none(), Memo.text("hello"), Memo.id("9223372036854775807"), Memo.hash("ab".repeat(32)), Memo.return("cd".repeat(32))].map((memo) => {
  const transaction = built(operations.payment[0], { memo });
  transaction.sign(alice);
  return { kind: memo.type, envelope: transaction.toXDR(), hash: transaction.hash().toString("hex") };
});

const inner = built(operations.payment[0]);
inner.sign(alice);
const bump = TransactionBuilder.buildFeeBumpTransaction(carol, "250", inner, passphrase);
bump.sign(carol);
const paid = new xdr.InnerTransactionResult({
  feeCharged: new xdr.Int64("0"),
  result: xdr.InnerTransactionResultResult.txSuccess([xdr.OperationResult.opInner(operations.payment[1])]),
  ext: new xdr.InnerTransactionResultExt(0),
});
const pair = new xdr.InnerTransactionResultPair({ transactionHash: inner.hash(), result: paid });
const bumped = new xdr.TransactionResult({
  feeCharged: new xdr.Int64("200"),
  result: xdr.TransactionResultResult.txFeeBumpInnerSuccess(pair),
  ext: new xdr.TransactionResultExt(0),
});

const refusals = ["txTooEarly", "txTooLate", "txMissingOperation", "txBadSeq", "txBadAuth", "txInsufficientBalance", "txNoAccount", "txInsufficientFee", "txBadAuthExtra", "txBadSponsorship", "txMalformed", "txSorobanInvalid"].map((code) => ({
  code,
  result: new xdr.TransactionResult({ feeCharged: new xdr.Int64("0"), result: xdr.TransactionResultResult[code](), ext: new xdr.TransactionResultExt(0) }).toXDR("base64"),
}));

async function authorization() {
  const call = new xdr.InvokeContractArgs({
    contractAddress: new Contract(native.contractId(passphrase)).address().toScAddress(),
    functionName: "transfer",
    args: [sdk.nativeToScVal(bob.publicKey(), { type: "address" }), sdk.nativeToScVal(carol.publicKey(), { type: "address" }), sdk.nativeToScVal(7n, { type: "i128" })],
  });
  const invocation = new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call), subInvocations: [],
  });
  const credentials = new xdr.SorobanAddressCredentials({
    address: new sdk.Address(bob.publicKey()).toScAddress(), nonce: new xdr.Int64("1234567890"), signatureExpirationLedger: 0, signature: xdr.ScVal.scvVoid(),
  });
  const blank = new xdr.SorobanAuthorizationEntry({ credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(credentials), rootInvocation: invocation });
  const signed = await sdk.authorizeEntry(blank, bob, 4000, passphrase);
  return { signer: bob.publicKey(), entry: signed.toXDR("base64") };
}

async function main() {
  const contracts = [Networks.PUBLIC, Networks.TESTNET, passphrase].flatMap((network) =>
    [native, usd].map((asset) => ({ network, asset: asset.toXDRObject().toXDR("base64"), contract: asset.contractId(network) })));
  console.log(JSON.stringify({
    made_with: "@stellar/stellar-sdk 15.1.0",
    passphrase, source: alice.publicKey(), accounts: [alice, bob, carol].map((one) => one.publicKey()),
    sequence_before: SEQUENCE,
    root: Keypair.master(passphrase).publicKey(),
    transactions, memos,
    fee_bump: { envelope: bump.toXDR(), hash: bump.hash().toString("hex"), inner_hash: inner.hash().toString("hex"), result: bumped.toXDR("base64") },
    refusals, authorization: await authorization(), contracts,
    instance_key: footprintKey.toXDR("base64"),
  }, null, 1));
}
main();
