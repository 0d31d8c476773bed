// Drives a running Baton with the peer's public client, unchanged, and prints what it saw as one JSON object.
// Blocks of the chain behind it come only when they are asked for, so every wait is for something that must happen.

const sdk = require("@openzeppelin/relayer-sdk");

const [base, token, chain] = process.argv.slice(2);
const RELAYER = "evm-1";
const TO = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const HOME = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ";

const api = (Kind, accessToken = token) => new Kind(new sdk.Configuration({ basePath: base, accessToken }));
const relayers = api(sdk.RelayersApi);
const notifications = api(sdk.NotificationsApi);
const seen = {};

async function data(promise) {
  const { data: envelope } = await promise;
  if (envelope.success !== true) throw new Error(JSON.stringify(envelope));
  return envelope.data;
}

async function refusal(promise) {
  try {
    await promise;
  } catch (error) {
    const { status, data: envelope } = error.response;
    return { status, success: envelope.success, data: envelope.data, message: envelope.message };
  }
  throw new Error("it was not refused");
}

async function node(method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(chain, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await answer.json()).result;
}

async function look(id, isSo, what) {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const record = await data(relayers.getTransactionById(RELAYER, id));
    if (await isSo(record)) return record;
    if (Date.now() > deadline) throw new Error(`${record.status} (${record.status_reason}), awaited ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const until = (id, status) => look(id, (record) => record.status === status, status);

const mined = (id, status) =>
  look(id, async (record) => record.status === status || (await node("anvil_mine", "0x1"), false), status);

// Only what is in the node's pool can win over what was there before.
const inPool = (id, isSo) =>
  look(
    id,
    async (record) => {
      if (record.status === "canceled") return true;
      const pooled = record.hash && (await node("eth_getTransactionByHash", record.hash));
      return Boolean(pooled) && isSo(pooled, record);
    },
    "the new version in the pool",
  );

const isNoop = (pooled, record) => pooled.to.toLowerCase() === record.from.toLowerCase();

const payment = (value) => ({ to: TO, value, data: "0x", gas_limit: 21000, speed: sdk.Speed.FAST });
const send = async (value) => (await data(relayers.sendTransaction(RELAYER, payment(value)))).id;

async function lookAtRelayers() {
  const listed = await relayers.listRelayers(1, 2);
  seen.relayers = { ids: listed.data.data.map((each) => each.id), pagination: listed.data.pagination };
  seen.relayer = await data(relayers.getRelayer(RELAYER));
  seen.status = await data(relayers.getRelayerStatus(RELAYER));
  seen.balance = await data(relayers.getRelayerBalance(RELAYER));
}

async function carryTransactions() {
  seen.sent = await data(relayers.sendTransaction(RELAYER, payment(1)));
  await until(seen.sent.id, "submitted");
  seen.replaced = await data(relayers.replaceTransaction(RELAYER, seen.sent.id, payment(2)));
  await inPool(seen.sent.id, (pooled) => pooled.value === "0x2");
  seen.confirmed = await mined(seen.sent.id, "confirmed");
  seen.byNonce = await data(relayers.getTransactionByNonce(RELAYER, seen.confirmed.nonce));
  const one = await send(3);
  await until(one, "submitted");
  seen.cancelAccepted = await data(relayers.cancelTransaction(RELAYER, one));
  await inPool(one, isNoop);
  seen.canceled = await mined(one, "canceled");
  const several = [await send(4), await send(5), await send(6)];
  seen.several = several;
  seen.pendingDeleted = await data(relayers.deletePendingTransactions(RELAYER));
  for (const id of several) await inPool(id, isNoop);
  for (const id of several) await mined(id, "canceled");
  const page = await relayers.listTransactions(RELAYER, 2, 2);
  seen.listed = { values: page.data.data.map((each) => each.value), pagination: page.data.pagination };
}

// What the client does not know of, over its own connection settings.
async function beyond(id, part) {
  const path = `${base}/api/v1/relayers/${RELAYER}/transactions/${id}/${part}`;
  const answer = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()).data;
}

async function lookCloser() {
  for (const part of ["attempts", "receipt", "explain"]) seen[part] = await beyond(seen.confirmed.id, part);
  const waiting = await send(7);
  await until(waiting, "submitted");
  seen.waiting = await beyond(waiting, "explain");
  await mined(waiting, "confirmed");
}

async function pauseAndResume() {
  seen.paused = await data(relayers.updateRelayer(RELAYER, { paused: true }));
  seen.refusedWhilePaused = await refusal(relayers.sendTransaction(RELAYER, payment(8)));
  seen.resumed = await data(relayers.updateRelayer(RELAYER, { paused: false }));
}

async function carryOtherFamilies() {
  const account = (pubkey, isSigner) => ({ pubkey, is_signer: isSigner, is_writable: true });
  const solana = await data(relayers.getRelayer("solana-1"));
  const instruction = {
    program_id: "11111111111111111111111111111111",
    accounts: [account(solana.address, true), account("SysvarC1ock11111111111111111111111111111111", false)],
    data: "AgAAAAEAAAAAAAAA",
  };
  seen.solana = await data(relayers.sendTransaction("solana-1", { instructions: [instruction] }));
  const asset = { type: "credit_alphanum4", code: "USDC", issuer: HOME };
  const operation = { type: "payment", destination: HOME, asset, amount: "10000000" };
  seen.stellar = await data(relayers.sendTransaction("stellar-1", { network: "local", operations: [operation] }));
}

async function carryNotifications() {
  const wanted = { id: "hook", type: "webhook", url: "https://example.com/hook", signing_key: "k".repeat(40) };
  seen.created = await data(notifications.createNotification(wanted));
  seen.duplicate = await refusal(notifications.createNotification(wanted));
  seen.updated = await data(notifications.updateNotification("hook", { signing_key: "" }));
  const listed = await notifications.listNotifications(1, 10);
  seen.notifications = { data: listed.data.data, pagination: listed.data.pagination };
  seen.notification = await data(notifications.getNotification("hook"));
  await data(notifications.deleteNotification("hook"));
  seen.deleted = await refusal(notifications.getNotification("hook"));
}

async function beRefused() {
  seen.unauthorized = await refusal(api(sdk.RelayersApi, "wrong").listRelayers());
  seen.noRelayer = await refusal(relayers.getRelayer("nobody"));
  seen.noTransaction = await refusal(relayers.getTransactionById(RELAYER, "nobody"));
  seen.badValue = await refusal(relayers.sendTransaction(RELAYER, { ...payment(1), value: -1 }));
  seen.final = await refusal(relayers.cancelTransaction(RELAYER, seen.confirmed.id));
  seen.notServed = await refusal(relayers.sign(RELAYER, { message: "hello" }));
}

// Every call that the client has, with words that mean nothing: what matters is that each finds a door.
async function knock() {
  seen.doors = {};
  for (const [name, Kind] of Object.entries(sdk)) {
    if (!name.endsWith("Api") || typeof Kind !== "function") continue;
    const connected = api(Kind);
    for (const call of Object.getOwnPropertyNames(Kind.prototype)) {
      if (call === "constructor") continue;
      const words = Array(Kind.prototype[call].length).fill("nobody");
      // The last one is for the connection; by itself the client sends no token to the metrics.
      words[words.length - 1] = { headers: { authorization: `Bearer ${token}` }, validateStatus: () => true };
      const { status, data: envelope } = await connected[call](...words);
      seen.doors[`${name}.${call}`] = { status, error: envelope.error ?? null };
    }
  }
}

async function main() {
  seen.health = (await api(sdk.HealthApi).health()).data;
  await lookAtRelayers();
  await carryTransactions();
  await lookCloser();
  await pauseAndResume();
  await carryOtherFamilies();
  await carryNotifications();
  await beRefused();
  await knock();
  seen.statusAfter = await data(relayers.getRelayerStatus(RELAYER));
  console.log(JSON.stringify(seen));
}

main().catch((error) => {
  console.error(error.response ? JSON.stringify(error.response.data) : error);
  process.exit(1);
});
