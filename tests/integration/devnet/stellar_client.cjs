// The official JavaScript client at work on the simulator: airdrop, payment, fee bump, replacement, token transfer.
// Arguments: RPC address, passphrase. Prints what it saw as JSON.
const { Account, Asset, BASE_FEE, Contract, Keypair, Operation, TransactionBuilder, nativeToScVal, rpc, scValToNative } =
  require("@stellar/stellar-sdk");

const [url, networkPassphrase] = process.argv.slice(2);
const server = new rpc.Server(url, { allowHttp: true });
const native = Asset.native();

function paying(source, to, amount, fee = BASE_FEE) {
  const operation = Operation.payment({ destination: to, asset: native, amount });
  return new TransactionBuilder(source, { fee, networkPassphrase }).addOperation(operation).setTimeout(60).build();
}

async function landed(transaction) {
  const sent = await server.sendTransaction(transaction);
  if (sent.status !== "PENDING") throw new Error(JSON.stringify(sent));
  const done = await server.pollTransaction(sent.hash, { attempts: 500, sleepStrategy: () => 20 });
  return { status: done.status, feeBump: done.feeBump, hash: sent.hash };
}

async function control(method, params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  await fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } });
}

async function main() {
  const [alice, bob] = [Keypair.random(), Keypair.random()];
  const told = {};
  const account = await server.requestAirdrop(alice.publicKey());
  await server.requestAirdrop(bob.publicKey());
  told.again = (await server.requestAirdrop(alice.publicKey())).accountId() === alice.publicKey();

  const payment = paying(account, bob.publicKey(), "12.5");
  payment.sign(alice);
  told.payment = await landed(payment);

  const inner = paying(await server.getAccount(bob.publicKey()), alice.publicKey(), "1");
  inner.sign(bob);
  const bump = TransactionBuilder.buildFeeBumpTransaction(alice, "200", inner, networkPassphrase);
  bump.sign(alice);
  told.feeBump = await landed(bump);

  await control("devnet_set", { manual: true });
  const stuck = paying(await server.getAccount(alice.publicKey()), bob.publicKey(), "2");
  stuck.sign(alice);
  await server.sendTransaction(stuck);
  const low = TransactionBuilder.buildFeeBumpTransaction(alice, "999", stuck, networkPassphrase);
  low.sign(alice);
  const refused = await server.sendTransaction(low);
  told.refused = [refused.status, refused.errorResult.result().switch().name, refused.errorResult.feeCharged().toString()];
  const high = TransactionBuilder.buildFeeBumpTransaction(alice, "1000", stuck, networkPassphrase);
  high.sign(alice);
  const replacing = await server.sendTransaction(high);
  await control("devnet_close", { n: 1 });
  told.replaced = (await server.getTransaction(replacing.hash)).status;
  await control("devnet_set", { manual: false });

  const token = new Contract(native.contractId(networkPassphrase));
  const address = (keypair) => nativeToScVal(keypair.publicKey(), { type: "address" });
  const call = token.call("transfer", address(alice), address(bob), nativeToScVal(70000000n, { type: "i128" }));
  const source = await server.getAccount(alice.publicKey());
  const plain = new TransactionBuilder(source, { fee: BASE_FEE, networkPassphrase }).addOperation(call).setTimeout(60).build();
  const ready = await server.prepareTransaction(plain);
  ready.sign(alice);
  told.transfer = await landed(ready);

  const question = new TransactionBuilder(new Account(bob.publicKey(), "0"), { fee: BASE_FEE, networkPassphrase })
    .addOperation(token.call("balance", address(bob))).setTimeout(60).build();
  const answer = await server.simulateTransaction(question);
  told.balance = scValToNative(answer.result.retval).toString();

  const start = (await server.getTransaction(told.payment.hash)).ledger;
  const listed = await server.getTransactions({ startLedger: start, pagination: { limit: 200 } });
  told.listed = listed.transactions.map((one) => one.txHash);
  told.health = (await server.getHealth()).status;
  told.fee = (await server.getFeeStats()).inclusionFee.p50;
  told.passphrase = (await server.getNetwork()).passphrase;
  told.latest = (await server.getLatestLedger()).sequence >= start;
  console.log(JSON.stringify({ ...told, bob: bob.publicKey() }));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
