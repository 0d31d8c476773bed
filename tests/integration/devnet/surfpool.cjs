// Starts a Surfpool, says where it listens in one line of JSON, and ends when its standard input does.
const { Surfnet } = require("@solana/surfpool-linux-x64-gnu");

const net = Surfnet.startWithConfig({
  offline: true,
  slotTimeMs: Number(process.argv[2]),
  blockProductionMode: "clock",
});
console.log(JSON.stringify({ url: net.rpcUrl, ws_url: net.wsUrl }));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
