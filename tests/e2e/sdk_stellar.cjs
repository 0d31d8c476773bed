// Sends Stellar transactions with the peer's public client, unchanged, and prints the records at their end.

const sdk = require("@openzeppelin/relayer-sdk");

const [base, token, receiver] = process.argv.slice(2);
const RELAYER = "stellar-1";
const relayers = new sdk.RelayersApi(new sdk.Configuration({ basePath: base, accessToken: token }));

async function data(promise) {
  const { data: envelope } = await promise;
  if (envelope.success !== true) throw new Error(JSON.stringify(envelope));
  return envelope.data;
}

async function carried(wish) {
  const { id } = await data(relayers.sendTransaction(RELAYER, { network: "local", ...wish }));
  const deadline = Date.now() + 20_000;
  for (;;) {
    const record = await data(relayers.getTransactionById(RELAYER, id));
    if (record.status === "confirmed") return record;
    if (record.status === "failed" || Date.now() > deadline) throw new Error(`${record.status}: ${record.status_reason}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function main() {
  const { address } = await data(relayers.getRelayer(RELAYER));
  const issued = { type: "credit_alphanum4", code: "USDC", issuer: address };
  const pay = (asset, amount) => ({ type: "payment", destination: receiver, asset, amount });
  const seen = {
    native: await carried({
      operations: [pay({ type: "native" }, 10000000)],
      memo: { type: "text", value: "from the client" },
    }),
    issued: await carried({ operations: [pay(issued, 25000000)] }),
    status: await data(relayers.getRelayerStatus(RELAYER)),
  };
  console.log(JSON.stringify(seen));
}

main().catch((error) => {
  console.error(error.response ? JSON.stringify(error.response.data) : error);
  process.exit(1);
});
