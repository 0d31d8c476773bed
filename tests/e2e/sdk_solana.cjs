// Sends a Solana transaction with the peer's public client, unchanged, waits for its end, and prints the records on the way.

const sdk = require("@openzeppelin/relayer-sdk");

const [base, accessToken] = process.argv.slice(2);
const relayers = new sdk.RelayersApi(new sdk.Configuration({ basePath: base, accessToken }));
const RELAYER = "solana-1";

async function data(promise) {
  const { data: envelope } = await promise;
  if (envelope.success !== true) throw new Error(JSON.stringify(envelope));
  return envelope.data;
}

async function main() {
  const instruction = { program_id: "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr", accounts: [], data: "aGVsbG8=" };
  const sent = await data(relayers.sendTransaction(RELAYER, { instructions: [instruction] }));
  const deadline = Date.now() + 20_000;
  for (;;) {
    const record = await data(relayers.getTransactionById(RELAYER, sent.id));
    if (record.status === "confirmed") {
      console.log(JSON.stringify({ sent, record }));
      return;
    }
    if (Date.now() > deadline) throw new Error(`${record.status} (${record.status_reason})`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

main();
