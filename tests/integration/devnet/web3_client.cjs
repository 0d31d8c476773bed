// The official client of yesterday, still the most used: @solana/web3.js, which looks for its socket at port + 1.
const web3 = require("@solana/web3.js");

async function main() {
  const [url, friend] = process.argv.slice(2);
  const connection = new web3.Connection(url, "confirmed");
  const payer = web3.Keypair.generate();
  const airdrop = await connection.requestAirdrop(payer.publicKey, 5_000_000_000);
  await connection.confirmTransaction({ signature: airdrop, ...(await connection.getLatestBlockhash()) });
  const transfer = (lamports) =>
    new web3.Transaction().add(
      web3.SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: new web3.PublicKey(friend), lamports }),
    );
  const signature = await web3.sendAndConfirmTransaction(connection, transfer(2_000_000_000), [payer]);
  let complaint = null;
  try {
    await web3.sendAndConfirmTransaction(connection, transfer(900_000_000_000), [payer]);
  } catch (error) {
    complaint = { name: error.constructor.name, message: error.message, logs: error.logs };
  }
  const left = await connection.getBalance(payer.publicKey);
  console.log(JSON.stringify({ signature, left, complaint }));
  process.exit(0);
}

main();
