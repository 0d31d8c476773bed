// The official client of today, @solana/kit: airdrop, transfer, both confirmed through subscriptions.
import {
  address,
  airdropFactory,
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  lamports,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from "@solana/kit";
import { getTransferSolInstruction } from "@solana-program/system";

const [url, wsUrl, friend] = process.argv.slice(2);
const rpc = createSolanaRpc(url);
const rpcSubscriptions = createSolanaRpcSubscriptions(wsUrl);
const payer = await generateKeyPairSigner();

const airdrop = airdropFactory({ rpc, rpcSubscriptions });
await airdrop({ commitment: "confirmed", lamports: lamports(5_000_000_000n), recipientAddress: payer.address });

const { value: latestBlockhash } = await rpc.getLatestBlockhash({ commitment: "confirmed" }).send();
const message = pipe(
  createTransactionMessage({ version: 0 }),
  (tx) => setTransactionMessageFeePayerSigner(payer, tx),
  (tx) => setTransactionMessageLifetimeUsingBlockhash(latestBlockhash, tx),
  (tx) =>
    appendTransactionMessageInstruction(
      getTransferSolInstruction({ source: payer, destination: address(friend), amount: lamports(2_000_000_000n) }),
      tx,
    ),
);
const signed = await signTransactionMessageWithSigners(message);
await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(signed, { commitment: "confirmed" });

const signature = getSignatureFromTransaction(signed);
const { value: left } = await rpc.getBalance(payer.address, { commitment: "confirmed" }).send();
const landed = await rpc
  .getTransaction(signature, { commitment: "confirmed", encoding: "json", maxSupportedTransactionVersion: 0 })
  .send();
console.log(JSON.stringify({ signature, left: String(left), fee: String(landed.meta.fee) }));
process.exit(0);
